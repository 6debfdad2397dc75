/** Beginning, restoring and forking sessions on the store of a kernel (S5.5). */
import { CONTEXT } from '../context/context';
import { PithError } from '../errors';
import { CLOCK } from '../kernel/clock';
import { IDS } from '../kernel/ids';
import type { Kernel } from '../kernel/kernel';
import type { NewItem } from '../session/items';
import { createSession, restoreSession } from '../session/log-session';
import type { SessionOptions } from '../session/log-session';
import type { Position, RecordDraft, SessionRecord } from '../session/records';
import type { Session } from '../session/session';
import { SESSION_STORE } from '../session/store';
import { nextSlice } from '../session/slices';
import type { LogWriter, OpenedLog, StoredLog } from '../session/store';
import { CALIBRATION } from '../tokens/calibration';
import { KeptCalibration } from '../tokens/kept-calibration';
import { TOKENIZER } from '../tokens/tokenizer';

/** Which session is opened, and from where. */
export interface OpenSessionOptions {
  /** The session to restore, or the id of the one to begin; a new id by default. */
  readonly id?: string | undefined;
  /** Where the files of a session are that begins; a restored one knows. */
  readonly root?: string | undefined;
  /** A position of the log of `id` to go on from; the newest by default. */
  readonly at?: Position | undefined;
  /** Whether a session begins where none of this id is kept, rather than `PITH_SESSION_NOT_FOUND` being thrown; true by default. */
  readonly create?: boolean | undefined;
  /** Whether the session mirrors the loop of a host, which may still tell the results of calls that have none. */
  readonly mirrors?: boolean | undefined;
}

/** A session that is open, and what it began with. */
export interface OpenedSession {
  readonly session: Session;
  /** Whether it has gone on from a log, its own or that of the session it was forked from. */
  readonly restored: boolean;
}

/**
 * Begins a session, or restores the one of this id (S5.5): calls of an interrupted run are closed by results that say so, and
 * the context is ready. As nothing in a log is rewritten, what goes on from an older position is a fork: a session with an id
 * and a log of its own. Throws what the store throws, and `PITH_SESSION_POSITION` for a position that is not in the log.
 */
export async function openSession(
  kernel: Kernel,
  { id, root, at, create = true, mirrors = false }: OpenSessionOptions = {},
): Promise<OpenedSession> {
  const log = id === undefined ? undefined : await openLog(kernel, id, at, create && at === undefined);
  if (log !== undefined) return { session: await restore(kernel, log, mirrors), restored: true };
  const fresh = id ?? kernel.get(IDS).next('session');
  return { session: await begin(kernel, fresh, root), restored: false };
}

/**
 * Begins a session with all that another one held up to a position, its newest by default. Throws `PITH_SESSION_POSITION` for a
 * position that is not in the log, and what the store throws.
 */
export async function forkSession(
  kernel: Kernel,
  session: Session,
  at: Position = session.position,
  { mirrors = false }: Pick<OpenSessionOptions, 'mirrors'> = {},
): Promise<Session> {
  return restore(kernel, await fork(kernel, [...session.records()], at), mirrors);
}

async function begin(kernel: Kernel, id: string, root: string | undefined): Promise<Session> {
  const writer = await kernel.get(SESSION_STORE).create(id);
  try {
    return createSession({ id, ...(root !== undefined && { root }), ...(await partsOf(kernel, writer)) });
  } catch (error) {
    await writer.close().catch(() => undefined);
    throw error;
  }
}

/** The log of a session, or the fork of it; undefined where there is none and one may begin. */
async function openLog(
  kernel: Kernel,
  id: string,
  at: Position | undefined,
  mayBegin: boolean,
): Promise<OpenedLog | undefined> {
  const store = kernel.get(SESSION_STORE);
  const told = <L extends StoredLog>(log: L): L => {
    for (const warning of log.warnings) kernel.log.warn(warning, { session: id });
    return log;
  };
  try {
    if (at === undefined) return told(await store.open(id));
  } catch (error) {
    if (mayBegin && PithError.is(error, 'PITH_SESSION_NOT_FOUND')) return undefined;
    throw error;
  }
  const log = await store.read(id);
  return at === log.records.length - 1 ? told(await store.open(id)) : fork(kernel, told(log).records, at);
}

async function fork(kernel: Kernel, records: readonly SessionRecord[], at: Position): Promise<OpenedLog> {
  const [header] = records;
  if (header?.t !== 'session' || records[at] === undefined) {
    const newest = `its newest is ${records.length - 1}`;
    throw new PithError('PITH_SESSION_POSITION', `Position ${at} is not in the log of the session; ${newest}.`);
  }
  const id = kernel.get(IDS).next('session');
  const own = { ...header, at: kernel.get(CLOCK).now(), id, forkedFrom: { id: header.id, position: at } };
  const copied = [Object.freeze(own), ...records.slice(1, at + 1)];
  return { records: copied, warnings: [], writer: await kernel.get(SESSION_STORE).create(id, copied) };
}

async function restore(kernel: Kernel, { records, writer }: OpenedLog, mirrors: boolean): Promise<Session> {
  try {
    const parts = await partsOf(kernel, writer);
    await nextSlice();
    const session = restoreSession(records, parts);
    await nextSlice();
    await session.get(CONTEXT).prepare();
    if (!mirrors) session.append(missingResults(session), 'pith');
    session.record(...endsOfCompactions(records));
    return session;
  } catch (error) {
    await writer.close().catch(() => undefined);
    throw error;
  }
}

/**
 * What is sent in the place of results that calls of an interrupted turn never got. Calls of turns that have ended are closed
 * where they are sent, and not in the log; so are those of a reply whose ids are not all its own, since a result answers the
 * newest call of its id.
 */
function missingResults(session: Session): readonly NewItem[] {
  const isBetweenTurns = session.turn > 0 && !session.lastRunInterrupted;
  if (isBetweenTurns) return [];
  const context = session.get(CONTEXT);
  const view = context.view();
  const opening = context.openings().at(-1) ?? 0;
  const replies: NewItem[][] = [];
  const answered = new Set<string>();
  let reply: NewItem[] = [];
  let isAnswerable = true;
  const endReply = (): void => {
    if (isAnswerable) replies.unshift(reply);
    reply = [];
    isAnswerable = true;
  };
  for (let at = view.length - 1; at >= 0; at--) {
    const { id, ...item } = view.at(at);
    const number = session.indexOf(id);
    if (number !== undefined && number < opening) break;
    if (item.kind !== 'tool_result') endReply();
    else if (number === undefined) {
      isAnswerable &&= !answered.has(item.callId);
      answered.add(item.callId);
      reply.unshift(item);
    }
  }
  endReply();
  return replies.flat();
}

/** The end of a compaction that the end of its process cut off: each start has one, and it was applied or not at all (S9.13). */
function endsOfCompactions(records: readonly SessionRecord[]): readonly RecordDraft[] {
  const newest = records.findLast((record) => record.t === 'compaction');
  if (newest?.t !== 'compaction' || newest.phase !== 'start') return [];
  const { compaction } = newest;
  const applied = records.findLast((record) => record.t === 'checkpoint');
  if (applied?.t === 'checkpoint' && applied.compaction === compaction) {
    const { before, after } = applied;
    return [{ t: 'compaction', phase: 'done', compaction, data: { ...newest.data, outcome: 'done', before, after } }];
  }
  const data = { ...newest.data, outcome: 'cancelled', reason: 'The process ended meanwhile.' };
  return [{ t: 'compaction', phase: 'failed', compaction, data }];
}

/** What a session needs of its kernel. */
async function partsOf(kernel: Kernel, writer: LogWriter): Promise<Omit<SessionOptions, 'id'>> {
  const clock = kernel.get(CLOCK);
  const tokenizer = kernel.get(TOKENIZER);
  const calibration = await calibrationOf(kernel);
  return {
    now: () => clock.now(),
    writer: savingWith(writer, calibration),
    count: (item) => ({ count: tokenizer.countItem(item), enc: tokenizer.id }),
    services: (session) => kernel.scope(session),
  };
}

const CALIBRATIONS = new WeakMap<Kernel, Promise<KeptCalibration>>();

/** The calibration of a kernel, loaded before its first session. */
function calibrationOf(kernel: Kernel): Promise<KeptCalibration> {
  const load = async (): Promise<KeptCalibration> => {
    const document = kernel.get(SESSION_STORE).document('calibration');
    const kept = new KeptCalibration(kernel.get(CALIBRATION), document, (message) => kernel.log.warn(message));
    await kept.load();
    return kept;
  };
  const known = CALIBRATIONS.get(kernel) ?? load();
  CALIBRATIONS.set(kernel, known);
  return known;
}

/** A writer that saves what was learnt at the end of each turn and of the session. */
function savingWith(writer: LogWriter, calibration: KeptCalibration): LogWriter {
  return {
    append(record) {
      writer.append(record);
      if (record.t === 'turn' && record.phase === 'end') void calibration.save();
    },
    flush: () => writer.flush(),
    async close() {
      await calibration.save();
      await writer.close();
    },
  };
}
