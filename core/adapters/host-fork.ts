/**
 * Which log a conversation of a host goes on in. Where the host shows another conversation than the log holds, a fork goes on
 * from what they have in common (S5.5), and what was in force on that part stays so: checkpoints that cover nothing else,
 * edits, pins. So nothing is paid for twice.
 */
import { forkSession, openSession } from '../agent/open-session';
import type { OpenedSession } from '../agent/open-session';
import { PithError } from '../errors';
import { CLOCK } from '../kernel/clock';
import type { Kernel } from '../kernel/kernel';
import type { Edit, Position, RecordDraft, SessionRecord } from '../session/records';
import type { Session } from '../session/session';
import { SESSION_STORE } from '../session/store';
import type { SessionStore } from '../session/store';
import { HOST_NAMESPACE } from './told-log';

/** Opens the log that the conversation of this id goes on in: that of the id, or the fork that its newest record names. */
export async function openMirror(kernel: Kernel, id: string, root: string | undefined): Promise<OpenedSession> {
  const log = await logOf(kernel.get(SESSION_STORE), id);
  return openSession(kernel, { id: log, root, create: log === id, mirrors: true }).catch((thrown: unknown) => {
    // A fork that is gone was one of what the log of this id holds.
    if (log === id || !PithError.is(thrown, 'PITH_SESSION_NOT_FOUND')) throw thrown;
    return openSession(kernel, { id, root, mirrors: true });
  });
}

/** A fork of what stands before the item with this number, with what was in force there. */
export async function forkMirror(kernel: Kernel, session: Session, divergence: number): Promise<Session> {
  const at = positionBefore(session, divergence);
  const fork = await forkSession(kernel, session, at, { mirrors: true });
  fork.record(...carriedOver(session, at, divergence));
  return fork;
}

/** Has the conversation of this id go on in a fork, in every process. Its own log must be closed. */
export async function goOnIn(kernel: Kernel, id: string, fork: string): Promise<void> {
  const { records, writer } = await kernel.get(SESSION_STORE).open(id);
  const value = { [GOES_ON]: [fork] };
  writer.append({ seq: records.length, at: kernel.get(CLOCK).now(), t: 'state', namespace: HOST_NAMESPACE, value });
  await writer.close();
}

async function logOf(store: SessionStore, id: string): Promise<string> {
  try {
    for await (const record of store.newest(id)) return forkNamedBy(record) ?? id;
  } catch (thrown) {
    if (!PithError.is(thrown, 'PITH_SESSION_NOT_FOUND')) throw thrown;
  }
  return id;
}

/** The position up to which a fork holds the log: before an item, and before the turn that begins with it. */
function positionBefore(session: Session, item: number): Position {
  const records = [...session.records()];
  const { id } = session.item(item);
  let at = records.findIndex((record) => record.t === 'item' && record.item.id === id) - 1;
  while (isTurnStart(records[at])) at--;
  return Math.max(0, at);
}

/** What came behind a position and holds for the first `items` items all the same, in its order. */
function carriedOver(session: Session, at: Position, items: number): readonly RecordDraft[] {
  const inForce = checkpointsInForce(session);
  const isCommon = (id: string): boolean => (session.indexOf(id) ?? Infinity) < items;
  const drafts: RecordDraft[] = [];
  for (const record of session.records()) {
    if (record.t === 'checkpoint' && record.seq <= at && !inForce.has(record.seq)) {
      drafts.push({ t: 'undo', checkpoint: record.seq });
      break;
    }
  }
  for (const record of session.records(at + 1)) {
    if (record.t === 'edits') {
      const edits = commonEdits(record.edits, isCommon);
      if (edits.length > 0) drafts.push({ ...withoutStamp(record), edits });
    } else if (record.t === 'pin' && (record.item === undefined || isCommon(record.item))) {
      drafts.push(withoutStamp(record));
    } else if (record.t === 'checkpoint' && inForce.has(record.seq) && record.cut <= items) {
      if (record.lead !== undefined && !isCommon(record.lead)) continue;
      drafts.push({ ...withoutStamp(record), edits: commonEdits(record.edits, isCommon) });
    }
  }
  return drafts;
}

/** Items have no such name, and digests are no lists. */
const GOES_ON = 'goes on in';

function forkNamedBy(record: SessionRecord): string | undefined {
  if (record.t !== 'state' || record.namespace !== HOST_NAMESPACE) return undefined;
  const named = (record.value as { readonly [GOES_ON]?: unknown } | null)?.[GOES_ON];
  return Array.isArray(named) && typeof named[0] === 'string' ? named[0] : undefined;
}

function isTurnStart(record: SessionRecord | undefined): boolean {
  return record?.t === 'turn' && record.phase === 'start';
}

function checkpointsInForce(session: Session): ReadonlySet<Position> {
  const inForce: Position[] = [];
  for (const record of session.records()) {
    if (record.t === 'checkpoint') inForce.push(record.seq);
    const undone = record.t === 'undo' ? inForce.indexOf(record.checkpoint) : -1;
    if (undone !== -1) inForce.length = undone;
  }
  return new Set(inForce);
}

function commonEdits(edits: readonly Edit[], isCommon: (id: string) => boolean): readonly Edit[] {
  return edits.flatMap((edit): readonly Edit[] => {
    if (edit.edit === 'drop') {
      const items = edit.items.filter(isCommon);
      return items.length === 0 ? [] : [{ edit: 'drop', items }];
    }
    return isCommon(edit.edit === 'insert' ? edit.before : edit.item) ? [edit] : [];
  });
}

function withoutStamp<R extends SessionRecord>({ seq: _, at: __, ...body }: R): Omit<R, 'seq' | 'at'> {
  return body;
}
