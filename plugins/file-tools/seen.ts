/**
 * What the agent has seen of files (S7.2). The tracker knows whether a file is as the agent last saw it; here is kept of
 * which files it saw a part only, so that no line is overwritten unread.
 */
import type { LineRange, Session, SessionToken } from '../../core/index';
import type { Tracker } from '../tracker/token';

export interface SeenFiles {
  /** The agent is shown lines of a file that has `total` lines. */
  read(session: Session, path: string, bytes: Uint8Array, lines: LineRange, total: number): void;
  /** The agent replaced a part of a file, which holds these bytes now. */
  edited(session: Session, path: string, bytes: Uint8Array): void;
  /** The agent wrote the whole file. */
  wrote(session: Session, path: string, bytes: Uint8Array): void;
  /** Why the file may not be changed now; `whole` where nothing of it will be left. Undefined where it may. */
  refusal(session: Session, path: string, bytes: Uint8Array, whole: boolean): string | undefined;
}

/** Without a tracker nothing is kept, and nothing is refused. */
export function createSeenFiles(token: SessionToken<Tracker> | undefined): SeenFiles {
  if (token === undefined) {
    return { read: () => undefined, edited: () => undefined, wrote: () => undefined, refusal: () => undefined };
  }
  /** Lines seen of the files that were seen in part. */
  const parts = new WeakMap<Session, Map<string, readonly LineRange[]>>();
  const partsOf = (session: Session): Map<string, readonly LineRange[]> => {
    const known = parts.get(session) ?? new Map<string, readonly LineRange[]>();
    parts.set(session, known);
    return known;
  };
  return {
    read(session, path, bytes, lines, total) {
      const tracker = session.get(token);
      const known = partsOf(session);
      const isNew = tracker.changedSince(path, bytes);
      tracker.record(path, bytes);
      if (!isNew && !known.has(path)) return;
      const seen = union(isNew ? [] : (known.get(path) ?? []), lines);
      const [first] = seen;
      if (total === 0 || (first?.fromLine === 1 && first.toLine >= total)) known.delete(path);
      else known.set(path, seen);
    },
    edited(session, path, bytes) {
      session.get(token).record(path, bytes);
      // The lines have moved: of a file that was seen in part no line counts any more.
      if (partsOf(session).has(path)) partsOf(session).set(path, []);
    },
    wrote(session, path, bytes) {
      session.get(token).record(path, bytes);
      partsOf(session).delete(path);
    },
    refusal(session, path, bytes, whole) {
      const tracker = session.get(token);
      if (tracker.observed(path) === undefined) return 'has not been read yet. Read it with read_file first.';
      if (tracker.changedSince(path, bytes)) {
        return 'is not as you last saw it: it changed on disk, or its contents left the context. Read it again with read_file.';
      }
      if (!whole || !partsOf(session).has(path)) return undefined;
      return 'was read in part only, and this would overwrite lines you have not seen. Read the rest of it, or use edit_file.';
    },
  };
}

/** Ranges with one more, ascending; those that overlap or touch are one. */
function union(ranges: readonly LineRange[], added: LineRange): readonly LineRange[] {
  const apart = ranges.filter(({ fromLine, toLine }) => toLine + 1 < added.fromLine || fromLine > added.toLine + 1);
  const joined = [added, ...ranges.filter((range) => !apart.includes(range))];
  const fromLine = Math.min(...joined.map((range) => range.fromLine));
  const toLine = Math.max(...joined.map((range) => range.toLine));
  return [...apart, { fromLine, toLine }].sort((one, other) => one.fromLine - other.fromLine);
}
