/** From what was read of a file to a session that everything else works on (S12.3). */
import { createSession } from '../session/log-session';
import type { SessionOptions } from '../session/log-session';
import type { Session } from '../session/session';
import type { ImportedSession } from './format';

/**
 * The session that an import leads to, with all its records. Id, root and format come from the import unless given; an
 * import without an id is named `imported`. Its records are stamped 0 where nothing tells their time.
 */
export function createImportedSession(imported: ImportedSession, options: Partial<SessionOptions> = {}): Session {
  const session = createSession({
    id: imported.id ?? 'imported',
    source: imported.format,
    ...(imported.root !== undefined && { root: imported.root }),
    now: () => 0,
    ...options,
  });
  for (const record of imported.records) session.record(record);
  return session;
}
