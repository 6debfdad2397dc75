/** Which files the next steps will need (S9.12): by recency, edits and mentions. */
import { inSlices } from '../../../../core/index';
import type { Entry, TouchEntry } from './pages';
import { callsOf, type Call, type Turn } from './turns';

/** A stretch of a file that was looked at or changed; lines where the call named them, else the lines put in. */
export interface Interest {
  readonly number: number;
  readonly edited: boolean;
  readonly fromLine: number | undefined;
  readonly toLine: number | undefined;
  readonly anchors: readonly string[];
}

/** A file of the session. */
export interface RankedFile {
  readonly path: string;
  readonly score: number;
  readonly edits: number;
  readonly reads: number;
  /** Number of the item that touched it last, and of the turn; turns are 1-based. */
  readonly lastItem: number;
  readonly lastTurn: number;
  /** Newest first. */
  readonly interests: readonly Interest[];
  /** Lines that the retained tail shows; `Infinity` where it shows all. */
  readonly shown: readonly { readonly fromLine: number; readonly toLine: number }[];
}

/** Items after which a touch counts half. */
const HALF_LIFE = 60;
const WEIGHT = { edit: 3, write: 2.5, read: 1.2, delete: 0 } as const;
/** What a file of before the summarised part counts; it comes last. */
const EARLIER = 0.001;
/** Tokens up to which a result of the tail is taken to stand there whole. */
const SHOWN_TOKENS = 6000;

interface Draft {
  path: string;
  score: number;
  edits: number;
  reads: number;
  lastItem: number;
  lastTurn: number;
  interests: Interest[];
  shown: { fromLine: number; toLine: number }[];
}

/** The files that calls touched, the most needed first. Works in slices. */
export async function rankFiles(
  turns: readonly Turn[],
  entries: readonly Entry[],
  signal: AbortSignal,
): Promise<readonly RankedFile[]> {
  const files = new Map<string, Draft>();
  const end = entries.at(-1)?.number ?? 0;
  await inSlices(
    callsByTurn(turns),
    ([call, turn]) => {
      for (const touch of call.failed ? [] : call.entry.touches) {
        const file = draftOf(files, touch.path);
        file.score += WEIGHT[touch.access] * 0.5 ** ((end - call.entry.number) / HALF_LIFE);
        file[touch.access === 'read' ? 'reads' : 'edits']++;
        file.lastItem = call.entry.number;
        file.lastTurn = turn;
        file.interests.push(interestOf(touch, call.entry.number));
        if (call.entry.kept) noteShown(file, touch, call.result);
      }
    },
    signal,
  );
  for (const { kind, touches } of entries)
    if (kind === 'files')
      for (const [index, { path }] of touches.entries()) draftOf(files, path).score += EARLIER / (index + 1);
  await addMentions(files, turns, entries, signal);
  return [...files.values()]
    .map((file) => ({ ...file, interests: file.interests.reverse() }))
    .sort((a, b) => b.score - a.score || b.lastItem - a.lastItem || (a.path < b.path ? -1 : 1));
}

/** Every call with the 1-based number of its turn. */
function* callsByTurn(turns: readonly Turn[]): Iterable<readonly [Call, number]> {
  for (const [index, { calls }] of turns.entries()) for (const call of calls) yield [call, index + 1];
}

function draftOf(files: Map<string, Draft>, path: string): Draft {
  const known = files.get(path);
  if (known !== undefined) return known;
  const file: Draft = { path, score: 0, edits: 0, reads: 0, lastItem: 0, lastTurn: 0, interests: [], shown: [] };
  files.set(path, file);
  return file;
}

function interestOf({ access, fromLine, toLine, anchors }: TouchEntry, number: number): Interest {
  return { number, edited: access !== 'read', fromLine, toLine, anchors };
}

/** What the tail shows of a file needs no second showing; a later edit in the tail shows only itself. */
function noteShown(file: Draft, touch: TouchEntry, result: Entry | undefined): void {
  if (touch.access === 'edit') file.shown = [];
  else if (touch.access === 'write') file.shown = [{ fromLine: 1, toLine: Infinity }];
  else if (result !== undefined && result.tokens >= 20 && result.tokens <= SHOWN_TOKENS)
    file.shown.push({ fromLine: touch.fromLine ?? 1, toLine: touch.toLine ?? Infinity });
}

/** Files that the last messages, errors and plans name will be asked for again. */
async function addMentions(
  files: ReadonlyMap<string, Draft>,
  turns: readonly Turn[],
  entries: readonly Entry[],
  signal: AbortSignal,
): Promise<void> {
  const last = turns.at(-1);
  const said = entries.filter(({ kind }) => kind === 'user' || kind === 'assistant').slice(-4);
  const errors = callsOf(turns.slice(-1))
    .filter(({ failed }) => failed)
    .slice(-3);
  const texts = [
    last?.prompt ?? '',
    ...said.map(({ text }) => text),
    ...errors.map(({ result }) => result?.text ?? ''),
  ];
  await inSlices(
    files.values(),
    (file) => {
      const name = baseName(file.path);
      if (name.length < 4) return;
      for (const text of texts) if (text.includes(name)) file.score += text.includes(file.path) ? 1.5 : 1;
    },
    signal,
  );
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}
