/** Looks again at the newest items whose middle a page left out; one item alone is shown at greater length (S9.5). */
import type { CompactJob, Desk } from '../../worker';
import { parsePage, textOf, type Entry } from './pages';

/** Items that are looked at again at most, the newest. */
const LOOKS = 200;
/** What stands where a page left something out. */
const LEFT_OUT = 'characters left out …]';

/** The entries, the newest of them in full. */
export async function wholeEntries(
  job: CompactJob,
  desk: Desk,
  entries: readonly Entry[],
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  const whole = [...entries];
  for (let at = Math.max(0, entries.length - LOOKS); at < entries.length; at++) {
    const entry = entries[at];
    if (entry === undefined || !isCut(entry)) continue;
    const request = { from: entry.number, limit: 1, detail: 'full' };
    const result = await desk.call('read_history', request, signal);
    if (result.isError === true) continue;
    const [found] = parsePage(textOf(result.content ?? result.summary), job.range.to).entries;
    if (found?.number === entry.number && found.kind === entry.kind) whole[at] = found;
  }
  return whole;
}

function isCut({ kind, text, args }: Entry): boolean {
  if (kind === 'call') return JSON.stringify(args).includes(LEFT_OUT);
  return (kind === 'result' || kind === 'assistant' || kind === 'user') && text.includes(LEFT_OUT);
}
