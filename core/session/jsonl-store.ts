/** Sessions as files of JSON lines in one folder (S5.5). */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { messageOf, PithError } from '../errors';
import { ownerOf, takeLock } from './file-lock';
import type { FileLock } from './file-lock';
import { jsonDocument } from './json-document';
import { newestRecords, notFound, readLogFile } from './log-file';
import type { LogFile } from './log-file';
import { LogFileWriter } from './log-file-writer';
import type { SessionRecord } from './records';
import { fileNameOf, idOfFileName } from './session-id';
import { inSlices } from './slices';
import type { LogOwner, SessionStore, StoredSession } from './store';

const EXTENSION = '.jsonl';

/** Where a store of JSONL files keeps them. */
export interface JsonlStoreOptions {
  /** The folder of the sessions; made with the first of them, for its owner alone and left out of repositories. */
  readonly dir: string;
}

/**
 * A store of one file per session, `ID.jsonl`: a record a line, in order, mode 0600. An appended record survives the end of the
 * process; what came up to the end of a turn or a checkpoint survives the end of the machine. `ID.lock` names who writes.
 * Nothing touches the disk before the first session.
 */
export function createJsonlStore({ dir }: JsonlStoreOptions): SessionStore {
  const folder = resolve(dir);
  const pathOf = (id: string): string => join(folder, fileNameOf(id) + EXTENSION);
  const prepare = (): void => makeFolder(folder);

  const lock = (id: string): FileLock => {
    const path = join(folder, `${fileNameOf(id)}.lock`);
    try {
      prepare();
      const taken = takeLock(path);
      if (!('owner' in taken)) return taken;
      throw locked(id, path, taken.owner);
    } catch (cause) {
      if (PithError.is(cause)) throw cause;
      throw new PithError('PITH_SESSION_WRITE', `Session "${id}" cannot be locked by ${path}: ${messageOf(cause)}`, {
        cause,
      });
    }
  };

  const read = async (id: string): Promise<LogFile> => {
    const path = pathOf(id);
    const log = await readLogFile(path, id);
    requireId(log.records[0], id, path);
    return log;
  };

  return {
    async create(id, records) {
      const path = pathOf(id);
      const held = lock(id);
      if (existsSync(path)) {
        held.release();
        throw new PithError('PITH_SESSION_EXISTS', `Session "${id}" exists already (${path}); open it instead.`);
      }
      return records === undefined ? new LogFileWriter(path, held) : writeAll(path, held, records);
    },
    async open(id) {
      const path = pathOf(id);
      if (!existsSync(path)) throw notFound(path, id);
      const held = lock(id);
      try {
        const { records, warnings, size, isUnended } = await read(id);
        return { records, warnings, writer: new LogFileWriter(path, held, { next: records.length, size, isUnended }) };
      } catch (error) {
        held.release();
        throw error;
      }
    },
    async read(id) {
      const { records, warnings } = await read(id);
      return { records, warnings };
    },
    async *newest(id) {
      yield* newestRecords(pathOf(id), id);
    },
    async list() {
      const names = new Set(await readdir(folder).catch((cause: unknown) => noFolder(folder, cause)));
      const ids = [...names]
        .filter((name) => name.endsWith(EXTENSION))
        .map((name) => idOfFileName(name.slice(0, -EXTENSION.length)))
        .filter((id) => id !== undefined);
      const listed = await Promise.all(ids.map((id) => found(folder, id, names)));
      return listed.filter((session) => session !== undefined);
    },
    document(name) {
      const file = fileNameOf(name);
      return jsonDocument(join(folder, `${file}.json`), join(folder, `.${file}.lock`), prepare);
    },
  };
}

/** Begins a log with records, beside the place where it is to be until all of them are there. */
async function writeAll(path: string, held: FileLock, records: Iterable<SessionRecord>): Promise<LogFileWriter> {
  const draft = `${path}.new`;
  const writer = new LogFileWriter(draft, held);
  try {
    await rm(draft, { force: true });
    await inSlices(records, (record) => writer.append(record));
    await writer.rename(path);
    return writer;
  } catch (error) {
    await writer.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  }
}

/** A session in the list, with who writes to it; undefined where it has gone meanwhile. */
async function found(folder: string, id: string, names: ReadonlySet<string>): Promise<StoredSession | undefined> {
  const name = fileNameOf(id);
  const stats = await stat(join(folder, name + EXTENSION)).catch(() => undefined);
  if (stats?.isFile() !== true) return undefined;
  const owner = names.has(`${name}.lock`) ? ownerOf(join(folder, `${name}.lock`)) : undefined;
  return { id, bytes: stats.size, modifiedAt: stats.mtimeMs, ...(owner !== undefined && { owner }) };
}

/** Sessions hold what was said and read: nobody else may look, and they belong in no repository. */
function makeFolder(folder: string): void {
  if (mkdirSync(folder, { recursive: true, mode: 0o700 }) === undefined) return;
  writeFileSync(join(folder, '.gitignore'), '*\n');
}

function requireId(header: SessionRecord | undefined, id: string, path: string): void {
  if (header?.t !== 'session' || header.id === id) return;
  throw new PithError(
    'PITH_SESSION_CORRUPT',
    `${path} holds session "${header.id}"; give the file that session's name again, or fork the session for another.`,
    { details: { path } },
  );
}

function locked(id: string, path: string, { pid, since, host }: LogOwner): PithError {
  const who = pid === process.pid ? `this process (${pid})` : `process ${pid} on ${host}`;
  return new PithError(
    'PITH_SESSION_LOCKED',
    `Session "${id}" is written to by ${who}, which began at ${since}. Close it there, or fork the session. If that process is gone for certain, remove ${path}.`,
    { details: { pid, since, host } },
  );
}

function noFolder(folder: string, cause: unknown): readonly string[] {
  if ((cause as { readonly code?: unknown }).code === 'ENOENT') return [];
  throw new PithError('PITH_INPUT_UNREADABLE', `${folder} cannot be read: ${messageOf(cause)}`, { cause });
}
