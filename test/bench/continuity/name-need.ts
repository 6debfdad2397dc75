/** Names of the past that agent and user say behind a cut, and whether a context holds them. */
import { createSessionFiles, fileCalls } from '../../../core';
import type { Item } from '../../../core';
import { collapsed, textOf, valuesOf } from './item-text';
import { commandsOf, namesIn, placesOf } from './names';
import type { Name } from './names';
import { standsWith, surroundingsOf } from './surroundings';
import type { OldText, Surroundings } from './surroundings';

export interface NeededName extends Name {
  /** How it may be written: as it was, or from the session's folder on. */
  readonly spellings: readonly string[];
  /** What an identifier must stand with; other names say enough by themselves. */
  readonly surroundings?: Surroundings;
  /** Number of the item before the cut that said it last. */
  readonly lastSeen: number;
}

/** The items of a session before a cut as texts. */
export interface Past {
  readonly texts: readonly OldText[];
  /** All of it, white space collapsed. */
  readonly collapsed: string;
  /** Names of tools, and words that their arguments take again and again: what the agent is told of at each request. */
  readonly tools: ReadonlySet<string>;
}

/** The texts of items, those of file calls and their results with the file. */
export function pastOf(before: readonly Item[], root?: string): Past {
  const files = createSessionFiles(before, root);
  const paths = new Map<string, string>();
  const texts = before.map((item): OldText => {
    if (item.kind === 'tool_call') {
      const calls = fileCalls(item.name, item.arguments);
      const path = calls.length === 1 ? calls[0]?.path : undefined;
      if (path !== undefined) paths.set(item.callId, files.canonical(path));
    }
    const path = item.kind === 'tool_call' || item.kind === 'tool_result' ? paths.get(item.callId) : undefined;
    return { text: textOf(item), ...(path !== undefined && { path }) };
  });
  return {
    texts,
    collapsed: collapsed(texts.map(({ text }) => text).join('\n')),
    tools: toolWords(before),
  };
}

/** Times that a word is the whole of an argument of one tool until it counts as a word of the tool, as a state or a kind is. */
const HABITUAL = 3;

function toolWords(items: readonly Item[]): ReadonlySet<string> {
  const words = new Set<string>();
  const times = new Map<string, number>();
  for (const item of items) {
    if (item.kind !== 'tool_call') continue;
    words.add(item.name);
    for (const value of valuesOf(item.arguments)) {
      if (!/^\w{1,40}$/.test(value)) continue;
      const key = `${item.name} ${value}`;
      times.set(key, (times.get(key) ?? 0) + 1);
      if (times.get(key) === HABITUAL) words.add(value);
    }
  }
  return words;
}

export interface NameInput {
  readonly past: Past;
  readonly after: readonly Item[];
  /** System prompts: what stands there is never lost. */
  readonly system: string;
  readonly root?: string;
}

/**
 * What agent or user say behind the cut, was said before it, and was not shown again by a result in between: that they must
 * have had from the past.
 */
export function namesNeeded({ past, after, system, root }: NameInput): readonly NeededName[] {
  const needed = new Map<string, NeededName>();
  const passed = new Set<string>();
  const tools = new Set([...past.tools, ...after.map((item) => (item.kind === 'tool_call' ? item.name : ''))]);
  let shown = '';
  for (const item of after) {
    const text = item.kind === 'tool_call' ? valuesOf(item.arguments).join('\n') : textOf(item);
    if (item.kind === 'tool_result') {
      shown += `${text}\n`;
      continue;
    }
    for (const name of [...namesIn(text), ...commandsOf(item)]) {
      if (passed.has(name.name)) continue;
      passed.add(name.name);
      if (tools.has(name.name) || system.includes(name.name) || shown.includes(name.name)) continue;
      const found = foundBefore(name, past, root);
      if (found !== undefined) needed.set(name.name, found);
    }
  }
  return [...needed.values()];
}

function foundBefore(name: Name, past: Past, root: string | undefined): NeededName | undefined {
  if (!past.collapsed.includes(collapsed(name.name))) return undefined;
  const isWithin = name.kind === 'path' && root !== undefined && name.name.startsWith(`${root}/`);
  const spellings = isWithin ? [name.name, name.name.slice(root.length + 1)] : [name.name];
  const having = [...past.texts.entries()].filter(([, { text }]) => stands(name, [name.name], text));
  const lastSeen = having.at(-1)?.[0];
  if (lastSeen === undefined) return undefined;
  const texts = having.map(([, text]) => text);
  return {
    ...name,
    spellings,
    lastSeen,
    ...(name.kind === 'identifier' && { surroundings: surroundingsOf(name.name, texts) }),
  };
}

function stands({ kind }: Name, spellings: readonly string[], text: string): boolean {
  if (kind === 'command' || kind === 'error') {
    const flat = collapsed(text);
    return spellings.some((spelling) => flat.includes(collapsed(spelling)));
  }
  return spellings.some((spelling) => placesOf(spelling, text, 1).length > 0);
}

/** How a needed name stands in a context: as it should, without what it stood with, or not at all. */
export function standing(name: NeededName, text: string, flat: string): 'found' | 'bare' | 'absent' {
  const isThere =
    name.kind === 'command' || name.kind === 'error'
      ? flat.includes(collapsed(name.name))
      : name.spellings.some((spelling) => placesOf(spelling, text, 1).length > 0);
  if (!isThere) return 'absent';
  return name.surroundings === undefined || standsWith(name.name, name.surroundings, text) ? 'found' : 'bare';
}
