/** Which files the next steps will need (S9.12): by recency, edits, re-reads and mentions. */
import { inSlices } from '../../../../core/index';
import { reasonOf } from '../../touches';
import type { Entry, TouchEntry } from './pages';
import { newestPlan } from './task-facts';
import { callsOf, type Call, type Turn } from './turns';

/** A stretch of a file that was looked at or changed; lines where the call named them, else the lines put in. */
export interface Interest {
  readonly edited: boolean;
  readonly fromLine: number | undefined;
  readonly toLine: number | undefined;
  readonly anchors: readonly string[];
}

/** Lines that a reading in the retained tail shows, with the tokens of what stands there of it. */
export interface ShownLines {
  readonly fromLine: number;
  /** `Infinity` where the reading had no end. */
  readonly toLine: number;
  readonly tokens: number;
}

/** A file of the session. */
export interface RankedFile {
  readonly path: string;
  readonly score: number;
  /** Why it may be needed, for a person: `edited 3 times, last 12 calls ago; named in the plan`. Absent: nothing is known. */
  readonly reason: string | undefined;
  readonly edited: boolean;
  /** Newest first. */
  readonly interests: readonly Interest[];
  readonly shown: readonly ShownLines[];
}

/** Calls after which a touch counts half. */
const HALF_LIFE = 20;
/** What a touch counts; each text that names a file counts one. */
const WEIGHT = { edit: 2, write: 2, read: 1, delete: 0 } as const;
/** Calls that are taken to lie between two touches of before the summarised part, of which only the order is known. */
const APART = 3;
/** Newest messages, and newest errors of the last turn, in which names of files are looked for. */
const NEWEST = { messages: 4, errors: 3 } as const;
/** Characters of an error that are looked at, half of them at its end; a long output names files without need. */
const ERROR = 1500;
/** Characters of a name of a file; shorter ones stand in texts by chance. */
const NAME = 4;

interface Draft {
  path: string;
  score: number;
  edits: number;
  reads: number;
  deleted: boolean;
  callsAgo: number;
  named: string[];
  interests: Interest[];
  shown: ShownLines[];
}

/** The files that calls touched, the most needed first. Works in slices. */
export async function rankFiles(
  turns: readonly Turn[],
  entries: readonly Entry[],
  signal: AbortSignal,
): Promise<readonly RankedFile[]> {
  const files = new Map<string, Draft>();
  const calls = callsOf(turns);
  for (const { kind, touches } of entries) if (kind === 'files') noteEarlier(files, touches, calls.length);
  let callsAgo = calls.length;
  await inSlices(
    calls,
    (call) => {
      callsAgo--;
      for (const touch of call.failed ? [] : call.entry.touches)
        noteTouch(draftOf(files, touch.path), touch, call, callsAgo);
    },
    signal,
  );
  await addMentions(files, turns, entries, signal);
  return [...files.values()]
    .sort((a, b) => b.score - a.score || a.callsAgo - b.callsAgo || (a.path < b.path ? -1 : 1))
    .map(rankedOf);
}

function worthOf({ access }: TouchEntry, callsAgo: number): number {
  return WEIGHT[access] * 0.5 ** (callsAgo / HALF_LIFE);
}

function rankedOf({ path, score, named, interests, shown, ...counts }: Draft): RankedFile {
  const known = counts.callsAgo === Infinity ? [] : [reasonOf(counts)];
  const reasons = [...known, ...(named.length === 0 ? [] : [`named in ${named.join(' and ')}`])];
  return {
    path,
    score,
    reason: reasons.length === 0 ? undefined : reasons.join('; '),
    edited: counts.edits > 0,
    interests: interests.reverse(),
    shown,
  };
}

function draftOf(files: Map<string, Draft>, path: string): Draft {
  const known = files.get(path);
  if (known !== undefined) return known;
  const file: Draft = {
    path,
    score: 0,
    edits: 0,
    reads: 0,
    deleted: false,
    callsAgo: Infinity,
    named: [],
    interests: [],
    shown: [],
  };
  files.set(path, file);
  return file;
}

/** Touches of before the summarised part, newest first. */
function noteEarlier(files: Map<string, Draft>, touches: readonly TouchEntry[], calls: number): void {
  for (let index = touches.length - 1; index >= 0; index--) {
    const touch = touches[index];
    if (touch === undefined) continue;
    const file = draftOf(files, touch.path);
    file.score += worthOf(touch, calls + APART * index);
    file.interests.push(interestOf(touch));
  }
}

function interestOf({ access, fromLine, toLine, anchors }: TouchEntry): Interest {
  return { edited: access !== 'read', fromLine, toLine, anchors };
}

function noteTouch(file: Draft, touch: TouchEntry, { entry, result }: Call, callsAgo: number): void {
  const { access, fromLine, toLine } = touch;
  file.score += worthOf(touch, callsAgo);
  if (access === 'read') file.reads++;
  else if (access !== 'delete') file.edits++;
  file.deleted = access === 'delete';
  file.callsAgo = callsAgo;
  file.interests.push(interestOf(touch));
  if (!entry.kept) return;
  // What the tail shows of a file needs no second showing; behind an edit its lines are no longer those.
  if (access === 'read')
    file.shown.push({ fromLine: fromLine ?? 1, toLine: toLine ?? Infinity, tokens: result?.tokens ?? 0 });
  else file.shown = access === 'write' ? [{ fromLine: 1, toLine: Infinity, tokens: Infinity }] : [];
}

/** Files that the newest messages, the plan and errors name will be asked for again. */
async function addMentions(
  files: ReadonlyMap<string, Draft>,
  turns: readonly Turn[],
  entries: readonly Entry[],
  signal: AbortSignal,
): Promise<void> {
  const said = entries.filter(({ kind }) => kind === 'user' || kind === 'assistant').slice(-NEWEST.messages);
  const failed = callsOf(turns.slice(-1)).filter((call) => call.failed);
  const plan = newestPlan(callsOf(turns));
  const places: readonly (readonly [string, readonly string[]])[] = [
    ['the newest messages', said.map(({ text }) => text)],
    ['the plan', [plan.map(({ text }) => text).join('\n')]],
    ['an error', failed.slice(-NEWEST.errors).map(({ result }) => endsOf(result?.text ?? ''))],
  ];
  await inSlices(
    files.values(),
    (file) => {
      const name = file.path.slice(Math.max(file.path.lastIndexOf('/'), file.path.lastIndexOf('\\')) + 1);
      if (name.length < NAME) return;
      for (const [place, texts] of places) {
        const times = texts.filter((text) => text.includes(name)).length;
        file.score += times;
        if (times > 0) file.named.push(place);
      }
    },
    signal,
  );
}

function endsOf(text: string): string {
  return text.length <= ERROR ? text : `${text.slice(0, ERROR / 2)}\n${text.slice(-ERROR / 2)}`;
}
