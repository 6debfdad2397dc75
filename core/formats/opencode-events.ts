/** Event logs of opencode, folded into the sessions they built: the last update of each id wins, deltas are added. */
import type { OpencodeSession } from './opencode';
import { fieldsOf, isFields, stringOf, textOf } from './shape';
import type { Fields } from './shape';

interface Folded {
  readonly sessions: readonly OpencodeSession[];
  /** Messages of sessions that sub-agents ran. */
  readonly sidechains: number;
  /** Events that name no message or part. */
  readonly malformed: number;
}

interface FoldedMessage {
  info: Fields;
  readonly parts: Map<string, Fields>;
}

/** Whether a record is an event of opencode, bare or with what a listener wrote around it. */
export function isEvent(record: unknown): boolean {
  const { type, properties } = eventOf(record);
  return typeof type === 'string' && /^(?:message|session)\./.test(type) && isFields(properties);
}

export function foldEvents(records: readonly unknown[]): Folded {
  const sessions = new Map<string, Fields>();
  const messages = new Map<string, FoldedMessage>();
  let malformed = 0;
  const messageOf = (id: unknown): FoldedMessage | undefined => {
    if (typeof id !== 'string') {
      malformed++;
      return undefined;
    }
    const message = messages.get(id) ?? { info: { id }, parts: new Map<string, Fields>() };
    messages.set(id, message);
    return message;
  };
  for (const record of records) {
    const { type, properties } = eventOf(record);
    const { info, part, partID, messageID, field, delta } = fieldsOf(properties);
    switch (type) {
      case 'session.created':
      case 'session.updated':
        sessions.set(textOf(fieldsOf(info).id), fieldsOf(info));
        break;
      case 'message.updated': {
        const message = messageOf(fieldsOf(info).id);
        if (message !== undefined) message.info = fieldsOf(info);
        break;
      }
      case 'message.removed':
        messages.delete(textOf(messageID));
        break;
      case 'message.part.updated':
        messageOf(fieldsOf(part).messageID)?.parts.set(textOf(fieldsOf(part).id), fieldsOf(part));
        break;
      case 'message.part.removed':
        messages.get(textOf(messageID))?.parts.delete(textOf(partID));
        break;
      case 'message.part.delta':
        addDelta(messages.get(textOf(messageID)), textOf(partID), field, delta);
        break;
      default:
        if (!isEvent(record)) malformed++;
    }
  }
  return { ...gather(sessions, [...messages.values()]), malformed };
}

function eventOf(record: unknown): Fields {
  const fields = fieldsOf(record);
  return isFields(fields.event) ? fields.event : fields;
}

/** Text that was streamed after the last full update of its part. */
function addDelta(message: FoldedMessage | undefined, partId: string, field: unknown, delta: unknown): void {
  const part = message?.parts.get(partId);
  if (message === undefined || part === undefined || field !== 'text' || typeof delta !== 'string') return;
  message.parts.set(partId, { ...part, text: textOf(part.text) + delta });
}

function gather(sessions: ReadonlyMap<string, Fields>, messages: readonly FoldedMessage[]): Omit<Folded, 'malformed'> {
  const bySession = new Map<string, FoldedMessage[]>();
  for (const message of messages) {
    const [anyPart] = message.parts.values();
    const id = stringOf(message.info.sessionID) ?? stringOf(anyPart?.sessionID) ?? '';
    const known = bySession.get(id);
    if (known === undefined) bySession.set(id, [message]);
    else known.push(message);
  }
  const found: OpencodeSession[] = [];
  let sidechains = 0;
  for (const [id, own] of bySession) {
    const info = sessions.get(id) ?? { id };
    if (stringOf(info.parentID) !== undefined) sidechains += own.length;
    else
      found.push({
        info,
        messages: own.map((message) => ({ info: message.info, parts: [...message.parts.values()] })),
      });
  }
  return { sessions: found, sidechains };
}
