/** Real sessions as they are replayed: every conversation of every session file of a folder, without repetitions. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Item } from '../../../core';
import { readSessions, readSource } from '../../../core/formats';
import type { ImportedSession } from '../../../core/formats';

/** A conversation with its name in the corpus. */
export interface RealSession {
  readonly name: string;
  readonly format: string;
  /** The folder that its relative paths start from, where it names one. */
  readonly root?: string;
  readonly records: ImportedSession['records'];
  readonly items: readonly Item[];
  /** The system prompts that its requests carried. */
  readonly system: string;
}

/** Items in a row that make a stretch a repetition of an earlier one. */
const REPEATED = 8;

/** The conversations of a folder, or of its folder `files`, in the order of their files. What is no session file is left out. */
export async function corpusOf(folder: string): Promise<readonly RealSession[]> {
  const inner = join(folder, 'files');
  const root = existsSync(inner) ? inner : folder;
  const sessions: RealSession[] = [];
  for (const file of readdirSync(root).sort()) {
    const path = join(root, file);
    if (!statSync(path).isFile()) continue;
    const read = await conversationsOf(path);
    for (const [at, imported] of read.entries())
      sessions.push(sessionOf(read.length === 1 ? basename(file) : `${basename(file)}#${String(at + 1)}`, imported));
  }
  return sessions;
}

async function conversationsOf(path: string): Promise<readonly ImportedSession[]> {
  try {
    return readSessions(await readSource(path));
  } catch {
    return [];
  }
}

/** Items, turns and settings are taken over, compactions of the agent that made the session are not. */
function sessionOf(name: string, { format, root, records: all }: ImportedSession): RealSession {
  const records: ImportedSession['records'][number][] = [];
  const items: Item[] = [];
  const kept = all.filter(({ t }) => t === 'item' || t === 'turn' || t === 'settings');
  const repeated = repetitions(kept.flatMap((record) => (record.t === 'item' ? [saidBy(record.item)] : [])));
  let number = 0;
  for (const record of kept) {
    if (record.t === 'item' && repeated.has(number++)) continue;
    const named =
      record.t === 'item' ? { ...record, item: { id: `i${String(items.length)}`, ...record.item } } : record;
    records.push(named);
    if (named.t === 'item') items.push(named.item);
  }
  const system = kept.flatMap((record) => (record.t === 'settings' && record.system ? [record.system] : [])).join('\n');
  return { name, format, records, items, system, ...(root !== undefined && { root }) };
}

function saidBy(item: object): string {
  return JSON.stringify({ ...item, id: undefined, reply: undefined, provider: undefined });
}

/** Numbers of the items in stretches that stand in the session before; `digests` say what each item says. */
export function repetitions(digests: readonly string[]): ReadonlySet<number> {
  const first = new Map<string, number>();
  const repeated = new Set<number>();
  for (let at = 0; at + REPEATED <= digests.length; at++) {
    const stretch = digests.slice(at, at + REPEATED).join('\n');
    const earlier = first.get(stretch);
    if (earlier === undefined) first.set(stretch, at);
    else if (earlier + REPEATED <= at) for (let of = 0; of < REPEATED; of++) repeated.add(at + of);
  }
  return repeated;
}
