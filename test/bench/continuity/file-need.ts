/** Which files an agent touched behind a cut, and which lines of them it used that it knew before. */
import { createSessionFiles, fileCalls } from '../../../core';
import type { FileCall, FileSource, Item, ToolResultItem } from '../../../core';
import { answersOf, lookOf, saysFailed } from '../../../core/files/read-output';
import { knownText, placeOf, shownAgain } from './file-lines';
import type { KnownText } from './file-lines';
import { textOf } from './item-text';

/** A read of nothing that was new: with all that was known in the context it was needless. */
export interface Reread {
  readonly path: string;
  /** Numbers of the lines that it showed for the first time behind the cut. */
  readonly lines: readonly number[];
}

export interface FileNeed {
  /** Known lines that were shown again, replaced, or kept by a rewrite; by canonical path and number at the cut. */
  readonly lines: ReadonlyMap<string, KnownText>;
  /** Canonical paths of the files that were touched on both sides of the cut. */
  readonly touched: ReadonlySet<string>;
  readonly rereads: readonly Reread[];
}

/** Share of the lines of a read that must have been known for the read to be one of nothing new. */
const KNOWN_BEFORE = 0.95;
/** Characters of a line that tell it from others where an output shows several files. */
const TELLING = 12;

/** What stands of one file: as it was known at the cut, and what was seen or written of it since. */
class FileAfter {
  readonly used = new Map<number, string>();
  readonly since = new Set<string>();

  constructor(readonly known: KnownText) {}

  use(numbers: readonly number[]): void {
    for (const number of numbers) this.used.set(number, this.known.get(number) ?? '');
  }

  write(lines: readonly string[]): void {
    for (const line of lines) this.since.add(line.trim());
  }
}

/** `before` are the items before a cut, `after` those of the horizon. */
export async function fileNeedOf(before: readonly Item[], after: readonly Item[], root?: string): Promise<FileNeed> {
  const files = createSessionFiles(before, root);
  const past = new Set(callsOf(before).map(({ path }) => files.canonical(path)));
  const seen = new Map<string, FileAfter>();
  const touched = new Set<string>();
  const rereads: Reread[] = [];
  const results = new Map(after.flatMap((item) => (item.kind === 'tool_result' ? [[item.callId, item] as const] : [])));
  for (const item of after) {
    if (item.kind !== 'tool_call') continue;
    const result = results.get(item.callId);
    const calls = fileCalls(item.name, item.arguments);
    const answers = result === undefined ? [] : answersOf(textOf(result), calls.length);
    for (const [at, call] of calls.entries()) {
      const path = files.canonical(call.path);
      if (past.has(path)) touched.add(path);
      if (hasFailed(result)) continue;
      const file = await fileAt(path, files, seen);
      const lines = followed(call, answers[at] ?? (result && textOf(result)), file);
      if (lines !== undefined) rereads.push({ path, lines });
      if (call.op === 'move') seen.set(files.canonical(call.to), file);
    }
  }
  const lines = new Map([...seen].flatMap(([path, { used }]) => (used.size === 0 ? [] : [[path, used] as const])));
  return { lines, touched, rereads };
}

function callsOf(items: readonly Item[]): readonly FileCall[] {
  return items.flatMap((item) => (item.kind === 'tool_call' ? fileCalls(item.name, item.arguments) : []));
}

function hasFailed(result: ToolResultItem | undefined): boolean {
  return result !== undefined && (result.isError === true || saysFailed(textOf(result)));
}

async function fileAt(path: string, files: FileSource, seen: Map<string, FileAfter>): Promise<FileAfter> {
  const file = seen.get(path) ?? new FileAfter(knownText(await files.read(path)));
  seen.set(path, file);
  return file;
}

/** Notes what a call used of its file. Returns the lines of a read that showed nothing new. */
function followed(call: FileCall, answer: string | undefined, file: FileAfter): readonly number[] | undefined {
  switch (call.op) {
    case 'read':
      return answer === undefined ? undefined : readAgain(call, answer, file);
    case 'write':
      if (call.text !== undefined) keptBy(call.text.split('\n'), file);
      return undefined;
    case 'edit':
      for (const edit of call.edits ?? []) replacedBy(edit.old.split('\n'), edit.new.split('\n'), file);
      return undefined;
    case 'patch':
      for (const hunk of call.hunks) replacedBy(hunk.old, hunk.new, file);
      return undefined;
    case 'insert':
      file.write(call.text.split('\n'));
      return undefined;
    case 'delete':
    case 'move':
      return undefined;
  }
}

function readAgain(
  call: Extract<FileCall, { op: 'read' }>,
  answer: string,
  file: FileAfter,
): readonly number[] | undefined {
  const look = lookOf(call, answer);
  if (look === undefined) {
    const shown = new Set(answer.split('\n').map((line) => line.replace(/^\s*\d+(?:→|\t|\||:)/, '').trim()));
    file.use([...file.known].filter(([, text]) => text.length >= TELLING && shown.has(text)).map(([number]) => number));
    return undefined;
  }
  const shown = look.lines.map((line) => line?.trim() ?? '');
  const again = shownAgain(file.known, look.fromLine, shown);
  const texts = shown.filter((text) => text !== '');
  const known = new Set(again.map((number) => file.known.get(number) ?? ''));
  const isNothingNew =
    texts.filter((text) => known.has(text) || file.since.has(text)).length >= texts.length * KNOWN_BEFORE;
  const first = again.filter((number) => !file.used.has(number));
  file.use(again);
  file.write(shown);
  return isNothingNew && first.length > 0 ? first : undefined;
}

/** What a rewrite of the whole file keeps was needed to write it. */
function keptBy(lines: readonly string[], file: FileAfter): void {
  file.use(shownAgain(file.known, 1, lines));
  file.write(lines);
}

function replacedBy(old: readonly string[], fresh: readonly string[], file: FileAfter): void {
  file.use(placeOf(old, file.known));
  file.write(fresh);
}
