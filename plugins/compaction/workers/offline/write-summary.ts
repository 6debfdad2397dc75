/** Hands in the summary of a digest (S9.8): its sections, and lines of the history quoted in the room that is left. */
import { renderSummary, type Summary } from '../../summary-format';
import type { CompactJob } from '../../worker';
import { SUMMARY_TAKEN } from '../../worker-task';
import { composeSummary } from './compose';
import type { Digest } from './digest';
import type { Entry } from './pages';
import { roughTokens } from './prose';
import { isPlace, pathsOf } from './quotable';
import { bySource, chooseLines, lineTokens, type QuotedLine } from './quoted-lines';
import { hiddenAmong, markedTexts, type NotingDesk } from './shown-files';
import { callsOf, type Turn } from './turns';

/** Tokens that the sections are advised to have at most (S9.8). */
const ADVISED_TOKENS = 2000;
/** Sizes are guessed on the safe side by about this factor. */
const CAUTION = 1.15;
/** Share of the tokens of a summary that its sections may take. */
const SECTIONS_SHARE = 0.6;
/** Share of the limit that a summary is aimed at. */
const AIM = 0.96;
/** Quoted lines take at most this share of what they stand for, beside those that are carried on. */
const QUOTED_SHARE = 0.1;
/** Files that were touched last of which lines may be quoted. */
const FILES = 200;
/**
 * Share of the tokens that the next attempt takes where a summary is refused, and how often that is tried. The second attempt
 * only leaves out quotations of an earlier summary that the desk may not find.
 */
const SHORTER = 0.75;
const ATTEMPTS = 12;
/** How often a summary that was taken is written again with more lines. */
const MORE = 3;

/** What a summary is written from. */
export interface Told {
  readonly job: CompactJob;
  readonly entries: readonly Entry[];
  readonly turns: readonly Turn[];
  readonly digest: Digest;
}

/** Tokens of the sections of a summary, as they are guessed. */
export function sectionTokens({ limits }: CompactJob): number {
  return Math.min(ADVISED_TOKENS * CAUTION, limits.summaryMaxTokens * SECTIONS_SHARE);
}

/** Writes the summary: shorter until the desk takes it, then with more lines as long as there is room. */
export async function writeSummary(told: Told, desk: NotingDesk, signal: AbortSignal): Promise<void> {
  const { job, digest } = told;
  const aim = job.limits.summaryMaxTokens * AIM;
  const most = mostQuoted(told);
  let sections = sectionTokens(job);
  let quoted = Math.min(most, aim - sections);
  const lines = await linesFor(told, composeSummary(digest, sections, false), aim * 2, desk, signal);
  let summary = composeSummary(digest, sections, false);
  let text = withLines(summary, lines, quoted);
  let tokens = await write(desk, text, signal);
  for (let attempt = 1; attempt < ATTEMPTS && tokens === undefined; attempt++) {
    summary = composeSummary(digest, sections, true);
    text = withLines(summary, lines, quoted);
    tokens = await write(desk, text, signal);
    [sections, quoted] = [sections * SHORTER, quoted * SHORTER];
  }
  // Sizes are guessed on the safe side, so what is missing to the aim fits.
  for (let attempt = 0; attempt < MORE && tokens !== undefined; attempt++) {
    quoted = Math.min(most, quoted + aim - tokens);
    const fuller = withLines(summary, lines, quoted);
    if (fuller.length <= text.length) return;
    tokens = await write(desk, fuller, signal);
    if (tokens === undefined) await write(desk, text, signal);
    text = fuller;
  }
}

/** Hands in a summary; its tokens where it is taken. */
async function write(desk: NotingDesk, text: string, signal: AbortSignal): Promise<number | undefined> {
  // Half a character, of the history or of a text cut short, crosses to no other process.
  const { isError, summary } = await desk.call('write_summary', { text: text.toWellFormed() }, signal);
  if (isError === true) return undefined;
  const size = summary.startsWith(SUMMARY_TAKEN) ? /^\D{0,9}(\d+)/.exec(summary.slice(SUMMARY_TAKEN.length)) : null;
  return size === null ? Infinity : Number(size[1]);
}

/** Tokens that quoted lines may take: a share of what they stand for, beside what an earlier summary had. */
function mostQuoted({ entries, digest }: Told): number {
  const sizeOf = ({ kind, tokens, args }: Entry): number =>
    kind === 'call' ? roughTokens(JSON.stringify(args)) : tokens;
  const summarised = entries.reduce((sum, entry) => sum + (entry.kept ? 0 : sizeOf(entry)), 0);
  const earlier = digest.quoted.flatMap(({ name, lines }) => [name, ...lines]).join('\n');
  return summarised * QUOTED_SHARE + roughTokens(earlier);
}

/** The lines worth quoting beside the sections and the marked files, as many as about `tokens` take. */
async function linesFor(
  { job, entries, turns, digest }: Told,
  sections: Summary,
  tokens: number,
  desk: NotingDesk,
  signal: AbortSignal,
): Promise<readonly QuotedLine[]> {
  const touched = callsOf(turns).flatMap(pathsOf);
  const newest = new Set([...new Set(touched.reverse())].slice(0, FILES));
  const hidden = new Set([
    ...touched.filter((path) => !newest.has(path)),
    ...(await hiddenAmong(desk, newest, signal)),
  ]);
  const shown = [renderSummary(sections), ...(await markedTexts(desk, signal))];
  const input = { entries, turns, from: job.range.from, earlier: digest.quoted, shown, hidden };
  const lines = await chooseLines(input, tokens, signal);
  const others = lines.map(({ source }) => source).filter((source) => !isPlace(source) && !newest.has(source));
  const hiddenToo = await hiddenAmong(desk, others, signal);
  return lines.filter(({ source }) => !hiddenToo.has(source));
}

/** The summary with the first of the lines, as many as fit into the tokens. */
function withLines(summary: Summary, lines: readonly QuotedLine[], tokens: number): string {
  const taken: QuotedLine[] = [];
  const sources = new Set<string>();
  let left = tokens;
  for (const line of lines) {
    left -= lineTokens(line.text) + (sources.has(line.source) ? 0 : lineTokens(line.source));
    if (left < 0) break;
    taken.push(line);
    sources.add(line.source);
  }
  return renderSummary({ ...summary, quoted: bySource(taken) });
}
