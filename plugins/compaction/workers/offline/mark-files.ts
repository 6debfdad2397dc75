/** Spends the auto-read budget on the files that are worth most for their size, through the desk alone (S9.6, S9.12). */
import { nextSlice } from '../../../../core/index';
import type { CompactJob, Desk } from '../../worker';
import type { RankedFile } from './file-rank';
import { textOf } from './pages';
import { fittingLines, guessedWindows, seenFile, tokensOf, wantedLines, windowsOf, type SeenFile } from './windows';

/** Files that are weighed against each other, files that are looked into for that, pages of one file, and lines of a page. */
const FILES = 64;
const LOOKS = 300;
const PAGES = 3;
const LINES = 2000;
/** A file of twice the size must be this much more needed, as a power of two; the sizes below which that does not matter. */
const SIZE_POWER = 0.65;
const SMALLEST = 100;
/** Tokens that are not worth another mark. */
const CRUMBS = 60;
/** What the guess of a size is to the count in fact, until marks have told better, and how many tokens that is worth. */
const GUESS = { share: 0.85, tokens: 1000 } as const;
/** Where lines are refused for their size, the share of the room that is tried next, and that is tried no more. */
const SMALLER = 0.8;
const LEAST_SHARE = 0.4;
/** Tokens that a file is taken to have that is not shown, and windows of it that are marked. */
const UNSEEN = { tokens: 1000, windows: 3 } as const;

interface Candidate {
  readonly file: RankedFile;
  /** Absent where the desk does not show the file. */
  readonly seen: SeenFile | undefined;
  readonly lines: readonly number[];
  readonly tokens: number;
  readonly worth: number;
}

/**
 * Marks the most needed files for their size: small ones whole, of large ones the lines that were looked at. What is left then
 * goes to the rest of them. Returns the paths that have a mark.
 */
export async function markFiles(
  job: CompactJob,
  desk: Desk,
  ranked: readonly RankedFile[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const budget = job.limits.autoReadBudget;
  if (budget === 0) return new Set();
  const candidates = await candidatesOf(desk, ranked.slice(0, LOOKS), budget, signal);
  const purse = new Purse(desk, budget, signal);
  for (const { file, seen, lines } of candidates) {
    if (purse.left < CRUMBS) break;
    if (seen === undefined) await purse.spendUnseen(file);
    else await purse.spend(file, seen, lines);
  }
  for (const { file, seen } of candidates) {
    if (purse.left < CRUMBS) break;
    if (seen !== undefined) await purse.spend(file, seen, wantedLines({ ...file, interests: [] }, seen, budget));
  }
  return purse.marked;
}

/** The files with the lines that are wanted of them, the best for their size first. */
async function candidatesOf(
  desk: Desk,
  files: readonly RankedFile[],
  budget: number,
  signal: AbortSignal,
): Promise<readonly Candidate[]> {
  const candidates: Candidate[] = [];
  let shown = 0;
  for (const file of files) {
    if (shown === FILES) break;
    const seen = await look(desk, file.path, signal);
    await nextSlice();
    const lines = seen === undefined ? [] : wantedLines(file, seen, budget);
    // What the tail shows whole need not be read again.
    if (seen !== undefined && lines.length === 0) continue;
    if (seen !== undefined) shown++;
    const tokens = seen === undefined ? UNSEEN.tokens : tokensOf(seen, lines);
    candidates.push({ file, seen, lines, tokens, worth: file.score / Math.max(SMALLEST, tokens) ** SIZE_POWER });
  }
  return candidates.sort((a, b) => b.worth - a.worth);
}

/** The budget while it is spent. Sizes are guesses; what marks say they took corrects the next guess. */
class Purse {
  readonly marked = new Set<string>();
  left: number;
  readonly #desk: Desk;
  readonly #signal: AbortSignal;
  readonly #taken = new Map<string, Set<number>>();
  #guessed: number = GUESS.tokens;
  #counted: number = GUESS.tokens * GUESS.share;

  constructor(desk: Desk, budget: number, signal: AbortSignal) {
    this.#desk = desk;
    this.#signal = signal;
    this.left = budget;
  }

  /** Marks lines of a file that have no mark, or as many of them as there are tokens for; fewer where the guess was too low. */
  async spend(file: RankedFile, seen: SeenFile, lines: readonly number[]): Promise<void> {
    const taken = this.#taken.get(file.path) ?? new Set();
    this.#taken.set(file.path, taken);
    for (let share = 1; share > LEAST_SHARE && this.left >= CRUMBS; share *= SMALLER) {
      const free = lines.filter((line) => !taken.has(line));
      const room = (share * this.left * this.#guessed) / this.#counted;
      const fit = tokensOf(seen, free) <= room ? free : fittingLines(file, seen, free, room);
      if (await this.#markLines(file, seen, fit, taken)) return;
    }
  }

  /** Marks lines window by window; says whether all could be marked. */
  async #markLines(file: RankedFile, seen: SeenFile, lines: readonly number[], taken: Set<number>): Promise<boolean> {
    const isWhole = seen.complete && lines.length === seen.lines.size;
    for (const { fromLine, toLine } of windowsOf(seen, lines)) {
      const part = lines.filter((line) => line >= fromLine && line <= toLine);
      const range = isWhole ? {} : { offset: fromLine, limit: toLine - fromLine + 1 };
      if (!(await this.#mark(file, range, tokensOf(seen, part)))) return false;
      for (const line of part) taken.add(line);
    }
    return true;
  }

  /** Marks where a file was read that the desk does not show. */
  async spendUnseen(file: RankedFile): Promise<void> {
    for (const { fromLine, toLine } of guessedWindows(file, UNSEEN.windows))
      if (!(await this.#mark(file, { offset: fromLine, limit: toLine - fromLine + 1 }, 0))) return;
  }

  async #mark({ path, reason }: RankedFile, range: object, guessed: number): Promise<boolean> {
    const result = await this.#desk.call('mark_read_required', { path, ...range }, this.#signal);
    if (result.isError === true) return false;
    // The note of a file is the reason of its marks.
    if (!this.marked.has(path) && reason !== undefined)
      await this.#desk.call('add_reference', { path, note: reason }, this.#signal);
    const left = remainingIn(textOf(result.content ?? result.summary)) ?? this.left - guessed;
    if (guessed > 0) {
      this.#guessed += guessed;
      this.#counted += this.left - left;
    }
    this.left = left;
    this.marked.add(path);
    return true;
  }
}

/** The file as the desk shows it; undefined where it does not. */
async function look(desk: Desk, path: string, signal: AbortSignal): Promise<SeenFile | undefined> {
  const lines = new Map<number, string>();
  let offset: number | undefined = 1;
  for (let page = 0; page < PAGES && offset !== undefined; page++) {
    const result = await desk.call('read_file', { path, offset, limit: LINES }, signal);
    if (result.isError === true) break;
    const text = textOf(result.content ?? result.summary);
    for (const line of text.split('\n')) {
      const tab = line.indexOf('\t');
      const number = tab === -1 ? Number.NaN : Number(line.slice(0, tab));
      if (Number.isSafeInteger(number) && number > 0) lines.set(number, line.slice(tab + 1));
    }
    const next = /; go on with offset=(\d+)\)$/.exec(text)?.[1];
    offset = next === undefined ? undefined : Number(next);
  }
  return lines.size === 0 ? undefined : seenFile(lines, offset === undefined);
}

/** Tokens that are left by the words of the budget: `Budget: 4200/8000 tokens remaining`. */
function remainingIn(text: string): number | undefined {
  const digits = /Budget: (\d+)\/\d+ tokens remaining/.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
