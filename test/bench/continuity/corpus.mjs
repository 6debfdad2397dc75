// Real sessions and the places where they are cut: what lies before is compacted, what lies behind tells what was needed.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileCalls, readSessions, readSource } from './built.mjs';

/** File operations that a session must have before and behind a cut. */
const BEHIND = 15;
const AHEAD = 10;
/** Items in a row that make a stretch a repetition of an earlier one. */
const REPEATED = 8;

/** The conversations of all session files of a folder, without repetitions, each with its place in the corpus as name. */
export async function corpusOf(folder) {
  const root = existsSync(join(folder, 'files')) ? join(folder, 'files') : folder;
  const sessions = [];
  for (const file of readdirSync(root).sort()) {
    const path = join(root, file);
    if (!statSync(path).isFile()) continue;
    const read = await readSource(path)
      .then(readSessions)
      .catch(() => []);
    for (const [at, session] of read.entries()) {
      const name = read.length === 1 ? basename(file) : `${basename(file)}#${at + 1}`;
      sessions.push({ name, format: session.format, root: session.root, records: withoutRepetitions(session.records) });
    }
  }
  return sessions;
}

/** Items, turns and settings; compactions of the agent that made the session are not taken over. */
function withoutRepetitions(records) {
  const kept = records.filter(({ t }) => t === 'item' || t === 'turn' || t === 'settings');
  const digests = kept.filter(({ t }) => t === 'item').map(({ item }) => saidBy(item));
  const repeated = repetitions(digests);
  let number = -1;
  return kept.filter((record) => record.t !== 'item' || !repeated.has(++number));
}

function saidBy({ id: _id, reply: _reply, provider: _provider, ...said }) {
  return JSON.stringify(said);
}

/** Numbers of the items in stretches that stand in the session before. */
export function repetitions(digests) {
  const first = new Map();
  const repeated = new Set();
  for (let at = 0; at + REPEATED <= digests.length; at++) {
    const stretch = digests.slice(at, at + REPEATED).join('\n');
    if (!first.has(stretch)) first.set(stretch, at);
    else if (first.get(stretch) + REPEATED <= at) for (let of = 0; of < REPEATED; of++) repeated.add(at + of);
  }
  return repeated;
}

/**
 * Where a session is cut: at the end of turns, and between requests about every `every` tokens. `tokensOf` counts an item.
 * Returns positions in its records with the number of items before.
 */
export function cutsOf(session, { every, atLeast, tokensOf }) {
  const { records } = session;
  const operations = records.filter(isFileCall).length;
  const cuts = [];
  let seen = 0;
  let tokens = 0;
  let last = -Infinity;
  let items = 0;
  const open = new Set();
  for (const [position, record] of records.entries()) {
    if (record.t !== 'item') continue;
    const { item } = record;
    const isTurnEnd = item.kind === 'message' && item.role === 'user';
    if (isTurnEnd) open.clear();
    const isRequest = !isTurnEnd && item.kind !== 'tool_result' && records[position - 1]?.item?.kind === 'tool_result';
    const isFar = tokens - last >= every || (isTurnEnd && tokens - last >= every / 4);
    if (open.size === 0 && (isTurnEnd || isRequest) && isFar && tokens >= atLeast) {
      if (seen >= BEHIND && operations - seen >= AHEAD) {
        cuts.push({ position, items, tokens, isTurnEnd });
        last = tokens;
      }
    }
    if (item.kind === 'tool_call') open.add(item.callId);
    if (item.kind === 'tool_result') open.delete(item.callId);
    if (isFileCall(record)) seen++;
    tokens += tokensOf(item);
    items++;
  }
  return cuts;
}

function isFileCall({ t, item }) {
  return t === 'item' && item.kind === 'tool_call' && fileCalls(item.name, item.arguments).length > 0;
}
