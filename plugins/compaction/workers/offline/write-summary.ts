/** Hands in the summary of a digest (S9.8): its sections, and lines of the history quoted in the room that is left. */
import { renderSummary, type Summary } from '../../summary-format';
import type { CompactJob } from '../../worker';
import { SUMMARY_TAKEN } from '../../worker-task';
import { composeSummary } from './compose';
import type { Digest } from './digest';
import type { Entry } from './pages';
import { roughTokens } from './prose';
import { isPlace, type QuotableLine } from './quotable';
import { bySource, chooseLines, lineTokens } from './quoted-lines';
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
const FILES = 150;
/**
 * Share of the tokens that the next attempt takes where a summary is refused, and how often that is tried. The second attempt
 * only leaves out quotations of an earlier summary that the desk may not find.
 */
const SHORTER = 0.75;
const ATTEMPTS = 12;

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

/** Writes the summary, shorter until the desk takes it, and once more where there is room for more lines. */
export async function writeSummary(told: Told, desk: NotingDesk, signal: AbortSignal): Promise<void> {
  const { job, digest } = told;
  const aim = job.limits.summaryMaxTokens * AIM;
  const most = mostQuoted(told);
  const write = async (text: string): Promise<{ readonly isTaken: boolean; readonly tokens: number }> => {
    const { isError, summary } = await desk.call('write_summary', { text }, signal);
    const tokens = summary.startsWith(SUMMARY_TAKEN) ? /^\D{0,9}(\d+)/.exec(summary.slice(SUMMARY_TAKEN.length)) : null;
    return { isTaken: isError !== true, tokens: tokens === null ? aim : Number(tokens[1]) };
  };
  let sections = sectionTokens(job);
  let quoted = Math.min(most, aim - sections);
  const lines = await linesFor(told, composeSummary(digest, sections, false), aim * 2, desk, signal);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const summary = composeSummary(digest, sections, attempt > 0);
    const text = withLines(summary, lines, quoted);
    const first = await write(text);
    if (!first.isTaken) {
      if (attempt > 0) [sections, quoted] = [sections * SHORTER, quoted * SHORTER];
      continue;
    }
    // Sizes were guessed on the safe side; now it is known by how much.
    const caution = roughTokens(text) / first.tokens;
    const more = Math.min(aim - first.tokens, most - quoted / caution) * caution;
    const fuller = withLines(summary, lines, quoted + more);
    if (more > 0 && fuller !== text && !(await write(fuller)).isTaken) await write(text);
    return;
  }
}

/** Tokens that quoted lines may take: a share of what they stand for, beside what an earlier summary had. */
function mostQuoted({ entries, digest }: Told): number {
  const summarised = entries.reduce((sum, { kept, tokens }) => sum + (kept ? 0 : tokens), 0);
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
): Promise<readonly QuotableLine[]> {
  const touched = callsOf(turns).flatMap(({ entry }) => entry.touches.map(({ path }) => path));
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
function withLines(summary: Summary, lines: readonly QuotableLine[], tokens: number): string {
  const taken: QuotableLine[] = [];
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
