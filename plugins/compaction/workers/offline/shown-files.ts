/** What files show at a desk: the ranges that were marked there, and which files may be shown at all (S9.5, S9.7). */
import { GONE, NO_FILE, NO_LINE } from '../../auto-read';
import type { Desk } from '../../worker';
import { textOf } from './pages';

/** A range as it was marked; lines are 1-based. */
interface Marked {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
}

/** A desk that keeps note of the marks that are made at it. */
export interface NotingDesk extends Desk {
  readonly marked: readonly Marked[];
}

/** Most lines of one reading, and of a file whose range has no end. */
const LINES = 2000;

/** The desk, with note of what is marked. */
export function notingMarks(desk: Desk): NotingDesk {
  const marked: Marked[] = [];
  return {
    marked,
    async call(tool, args, signal) {
      const result = await desk.call(tool, args, signal);
      if (tool === 'mark_read_required' && result.isError !== true) marked.push(args as Marked);
      return result;
    },
  };
}

/** The texts of the marked ranges as the desk shows them. */
export async function markedTexts(desk: NotingDesk, signal: AbortSignal): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const { path, offset = 1, limit = LINES } of desk.marked) {
    const result = await desk.call('read_file', { path, offset, limit: Math.min(limit, LINES) }, signal);
    if (result.isError !== true) texts.push(textOf(result.content ?? result.summary));
  }
  return texts;
}

/** What a desk says of what it does not keep back and cannot show all the same. */
const SHOWABLE = [` ${GONE}.`, ` ${NO_FILE}.`, ` ${NO_LINE} 1; `];

/** Those of the paths that the desk has and does not show: what such a file holds is not to be quoted either. */
export async function hiddenAmong(
  desk: Desk,
  paths: Iterable<string>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const hidden = new Set<string>();
  for (const path of new Set(paths)) {
    const result = await desk.call('read_file', { path, offset: 1, limit: 1 }, signal);
    if (result.isError === true && !SHOWABLE.some((reason) => result.summary.includes(reason))) hidden.add(path);
  }
  return hidden;
}
