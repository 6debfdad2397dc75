/** The files that a session touched before its tracker was made: of a restored or imported session (S7.3). */
import { pathsOfCall, type Session } from '../../core/index';

/**
 * Up to `capacity` files that the calls of a session touched, oldest first. Goes back from the newest item only as far as
 * needed. Calls that failed or were never answered touched nothing.
 */
export function touchedFiles(
  session: Pick<Session, 'item' | 'itemCount'>,
  capacity: number,
  canonical: (path: string) => string,
): readonly string[] {
  const files = new Set<string>();
  /** Spellings that were looked up; looking up a path asks the disk. */
  const known = new Set<string>();
  const answered = new Set<string>();
  for (let at = session.itemCount - 1; at >= 0 && files.size < capacity; at--) {
    const item = session.item(at);
    if (item.kind === 'tool_result' && item.isError !== true) answered.add(item.callId);
    if (item.kind !== 'tool_call' || !answered.delete(item.callId)) continue;
    for (const { path } of pathsOfCall(item.name, item.arguments).toReversed()) {
      if (known.has(path)) continue;
      known.add(path);
      files.add(canonical(path));
    }
  }
  return [...files].slice(0, capacity).reverse();
}
