/** Finding the session that somebody means who says: go on where I was. */
import type { SessionStore } from './store';

/**
 * Id of the session of a folder that was written to last and in which something was said; undefined where none is kept. Rejects
 * like {@link SessionStore.read}.
 */
export async function newestSession(
  store: Pick<SessionStore, 'list' | 'read'>,
  root: string,
): Promise<string | undefined> {
  for (const { id } of (await store.list()).toSorted((a, b) => b.modifiedAt - a.modifiedAt)) {
    const { records } = await store.read(id);
    const [header] = records;
    if (header?.t === 'session' && (header.root ?? root) === root && records.some(({ t }) => t === 'turn')) return id;
  }
  return undefined;
}
