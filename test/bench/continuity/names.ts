/** Names in texts: identifiers, paths, commands that were run, error messages. */
import type { Item, Json } from '../../../core';
import { collapsed } from './item-text';

export type NameKind = 'identifier' | 'path' | 'command' | 'error';

export interface Name {
  readonly kind: NameKind;
  readonly name: string;
}

const URL = String.raw`\bhttps?:\/\/[^\s"'<>()\[\]]+`;
const PATH = String.raw`(?:[\w@.~-]*\/)+[\w@.-]+`;
const MEMBER = String.raw`[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)+`;
const CAMEL = String.raw`[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w*`;
const SNAKE = String.raw`[A-Za-z]\w*_\w+`;
const FILE = String.raw`[\w-]+\.[a-z]{1,5}\b`;
const CODE = String.raw`[A-Z]{2,}[A-Z0-9]*\d+`;
const OPTION = String.raw`--[a-z][\w-]+`;
const NAME = new RegExp([URL, PATH, MEMBER, CAMEL, SNAKE, FILE, CODE, OPTION].join('|'), 'g');
const ERROR = /\b\w*(?:Error|Exception|error TS\d+|FAIL(?:ED)?|panic)\b[: ][^\n]{8,120}/g;

/** Characters that a name has. */
const SHORTEST = 5;
const LONGEST = 120;

/** Identifiers, paths, options, file names and error messages that stand in a text. */
export function namesIn(text: string): readonly Name[] {
  const names = new Map<string, Name>();
  const add = (kind: NameKind, name: string): void => {
    if (name.length >= SHORTEST && name.length <= LONGEST && !names.has(name)) names.set(name, { kind, name });
  };
  for (const [found] of text.matchAll(NAME)) {
    const name = found.replace(/[.,:;/-]+$/, '');
    if (!name.includes('/')) add('identifier', name);
    else if (isPath(name)) add('path', name);
  }
  for (const [message] of text.matchAll(ERROR)) add('error', message.trim());
  return [...names.values()];
}

/** Whether a name with a slash says where something lies: not `and/or`, not `application/json`. */
function isPath(name: string): boolean {
  const [first = '', second = '', ...more] = name.split('/');
  return more.length > 0 || /^(?:|~|\.{1,2})$/.test(first) || second.includes('.');
}

/** A command up to what ends it, and that. */
const COMMAND = /((?:'[^']*'|"(?:\\.|[^"\\])*"|&(?!&)|[^'"&;|\n])+)(&&|\|\||[;|\n]|$)/g;

/** The commands of a shell call that have arguments; filters behind a pipe and changes of the folder are none. */
export function commandsOf(item: Item): readonly Name[] {
  const script = item.kind === 'tool_call' ? scriptOf(item.arguments) : undefined;
  if (script === undefined || script.includes('<<')) return [];
  const names: Name[] = [];
  let before = '';
  for (const [, text = '', end = ''] of script.matchAll(COMMAND)) {
    const name = collapsed(text).replace(/^[ (]+|[ )]+$/g, '');
    if (before !== '|' && /^[\w./-]+ \S/.test(name) && !name.startsWith('cd ') && name.length <= LONGEST)
      names.push({ kind: 'command', name });
    before = end;
  }
  return names;
}

function scriptOf(args: Json): string | undefined {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return undefined;
  const { command, cmd } = args as Readonly<Record<string, Json | undefined>>;
  const given = command ?? cmd;
  const script = Array.isArray(given) ? given.at(-1) : given;
  return typeof script === 'string' ? script : undefined;
}

/** Where a name stands in a text by itself: not as a part of a longer one. */
export function placesOf(name: string, text: string, most = Infinity): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(name); at !== -1 && places.length < most; at = text.indexOf(name, at + name.length))
    if (!isInner(text[at - 1]) && !isInner(text[at + name.length])) places.push(at);
  return places;
}

function isInner(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_$]/u.test(character);
}
