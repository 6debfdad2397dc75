/** Spends the auto-read budget on the ranked files, through the desk alone (S9.6, S9.12). */
import { nextSlice } from '../../../../core/index';
import type { CompactJob, Desk } from '../../worker';
import type { RankedFile } from './file-rank';
import { textOf } from './pages';
import { roughTokens } from './prose';
import { guessedWindows, unshown, windowsOf, type SeenFile, type Window } from './windows';

/** Files that are looked into at most, those that are considered, and the lines of one that are looked at. */
const LOOKS = 300;
const FILES = 48;
const LINES = 2000;
/** Share of the budget that one file may take in the first round. */
const SHARE = 0.4;
/** What is left below this share of the budget is not worth another look. */
const CRUMBS = 0.08;

interface Candidate {
  readonly file: RankedFile;
  readonly seen: SeenFile;
  readonly tokens: number;
  whole: boolean;
}

/**
 * Marks windows of the most needed files, small ones whole, then lets what is left of the budget flow on to more of them.
 * Returns the paths that have a mark.
 */
export async function markFiles(
  job: CompactJob,
  desk: Desk,
  ranked: readonly RankedFile[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const marked = new Set<string>();
  const budget = job.limits.autoReadBudget;
  if (budget === 0) return marked;
  let left = budget;
  const mark = async (path: string, window: Window | undefined, tokens: number): Promise<boolean> => {
    if (tokens > left * 1.15) return false;
    const range = window === undefined ? {} : { offset: window.fromLine, limit: window.toLine - window.fromLine + 1 };
    const result = await desk.call('mark_read_required', { path, ...range }, signal);
    if (result.isError === true) return false;
    left = remainingIn(textOf(result.content ?? result.summary)) ?? left - tokens;
    marked.add(path);
    return true;
  };
  const candidates: Candidate[] = [];
  for (const file of ranked.slice(0, LOOKS)) {
    if (left < budget * CRUMBS || candidates.length === FILES) break;
    const seen = await look(desk, file.path, signal);
    await nextSlice();
    if (seen === undefined) {
      for (const window of guessedWindows(file, 3)) {
        const part = unshown(window, file.shown);
        if (part === undefined || !(await mark(file.path, part, 0))) break;
      }
      continue;
    }
    // What the tail shows whole need not be read again.
    if (unshown({ fromLine: 1, toLine: seen.count }, file.shown) === undefined) continue;
    const tokens = tokensOf(seen, { fromLine: 1, toLine: seen.count });
    const candidate = { file, seen, tokens, whole: false };
    candidates.push(candidate);
    const share = Math.min(left, budget * SHARE);
    if (tokens <= Math.min(share, budget / 6)) {
      candidate.whole = await mark(file.path, undefined, tokens);
      continue;
    }
    let spent = 0;
    for (const window of windowsOf(file, seen, 6)) {
      const part = unshown(window, file.shown);
      const fit = part && fitting(seen, part, share - spent);
      if (fit === undefined) continue;
      const cost = tokensOf(seen, fit);
      if (await mark(file.path, fit, cost)) spent += cost;
    }
  }
  for (const { file, seen, tokens, whole } of candidates) {
    if (left < budget * CRUMBS) break;
    if (whole) continue;
    if (file.shown.length === 0 && tokens <= left && (await mark(file.path, undefined, tokens))) continue;
    const [first = { fromLine: 1, toLine: 1 }] = windowsOf(file, seen, 1);
    const part = unshown(wider(first, seen, left), file.shown);
    const fit = part && fitting(seen, part, left * 0.9);
    if (fit !== undefined) await mark(file.path, fit, tokensOf(seen, fit));
  }
  return marked;
}

/** The file as the desk shows it; undefined where it does not. */
async function look(desk: Desk, path: string, signal: AbortSignal): Promise<SeenFile | undefined> {
  const result = await desk.call('read_file', { path, offset: 1, limit: LINES }, signal);
  if (result.isError === true) return undefined;
  const lines = new Map<number, string>();
  let count = 0;
  for (const line of textOf(result.content ?? result.summary).split('\n')) {
    const tab = line.indexOf('\t');
    const number = tab === -1 ? Number.NaN : Number(line.slice(0, tab));
    if (!Number.isSafeInteger(number) || number < 1) continue;
    lines.set(number, line.slice(tab + 1));
    count = number;
  }
  return lines.size === 0 ? undefined : { lines, count };
}

/** About how many tokens the known lines of a window have. */
function tokensOf(seen: SeenFile, { fromLine, toLine }: Window): number {
  let tokens = 12;
  for (let number = fromLine; number <= toLine; number++) {
    const text = seen.lines.get(number);
    if (text !== undefined) tokens += roughTokens(text.trim()) + 1;
  }
  return tokens;
}

/** As many lines of a window as fit into the tokens, from its middle for a part and from its top for a beginning. */
function fitting(seen: SeenFile, window: Window, tokens: number): Window | undefined {
  let { fromLine, toLine } = window;
  while (fromLine <= toLine && tokensOf(seen, { fromLine, toLine }) > tokens) {
    const cut = Math.max(1, Math.ceil((toLine - fromLine + 1) / 6));
    toLine -= cut;
    if (fromLine > 1 && toLine - fromLine > 2 * cut) fromLine += Math.floor(cut / 2);
  }
  return toLine - fromLine < 2 ? undefined : { fromLine, toLine };
}

/** The window widened to both sides until it takes about the tokens. */
function wider(window: Window, seen: SeenFile, tokens: number): Window {
  let { fromLine, toLine } = window;
  while (tokensOf(seen, { fromLine, toLine }) < tokens && (fromLine > 1 || toLine < seen.count)) {
    const step = Math.max(10, Math.floor((toLine - fromLine) / 4));
    fromLine = Math.max(1, fromLine - step);
    toLine = Math.min(seen.count, toLine + step);
  }
  return { fromLine, toLine };
}

/** Tokens that are left by the words of the budget: `Budget: 4200/8000 tokens remaining`. */
function remainingIn(text: string): number | undefined {
  const digits = /Budget: (\d+)\/\d+ tokens remaining/.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
