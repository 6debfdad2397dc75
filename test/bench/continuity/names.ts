/** Names in texts: identifiers, paths, commands that were run, error messages. */
import type { Item, Json } from '../../../core';
import { collapsed } from './item-text';

export type NameKind = 'identifier' | 'path' | 'command' | 'error';

export interface Name {
  readonly kind: NameKind;
  readonly name: string;
}

const PATH = String.raw`(?:[\w@.~-]*\/)+[\w@.-]+`;
const MEMBER = String.raw`[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)+`;
const CAMEL = String.raw`[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w*`;
const SNAKE = String.raw`[A-Za-z]\w*_\w+`;
const FILE = String.raw`[\w-]+\.[a-z]{1,5}\b`;
const CODE = String.raw`[A-Z]{2,}[A-Z0-9]*\d+`;
const OPTION = String.raw`--[a-z][\w-]+`;
const NAME = new RegExp([PATH, MEMBER, CAMEL, SNAKE, FILE, CODE, OPTION].join('|'), 'g');
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
  for (const [name] of text.matchAll(NAME)) add(isPath(name) ? 'path' : 'identifier', name.replace(/[.-]+$/, ''));
  for (const [message] of text.matchAll(ERROR)) add('error', message.trim());
  return [...names.values()];
}

/** Whether a name says where a file lies: not `and/or`, not `application/json`. */
function isPath(name: string): boolean {
  const [first = '', second = '', ...more] = name.split('/');
  return name.includes('/') && (more.length > 0 || /^(?:|~|\.{1,2})$/.test(first) || second.includes('.'));
}

/** The simple commands of a shell call, of two words and more; a change of the folder is none. */
export function commandsOf(item: Item): readonly Name[] {
  if (item.kind !== 'tool_call') return [];
  const line = commandLine(item.arguments);
  if (line === undefined || line.includes('<<')) return [];
  return line
    .split(/&&|\|\||[;|\n]/)
    .map((command) => collapsed(command).trim())
    .filter((command) => /^[\w./-]+ /.test(command) && !command.startsWith('cd ') && command.length <= LONGEST)
    .map((name) => ({ kind: 'command', name }));
}

function commandLine(args: Json): string | undefined {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return undefined;
  const { command, cmd } = args as Readonly<Record<string, Json | undefined>>;
  const given = command ?? cmd;
  if (Array.isArray(given)) return typeof given.at(-1) === 'string' ? (given.at(-1) as string) : undefined;
  return typeof given === 'string' ? given : undefined;
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
