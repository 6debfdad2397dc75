/** What a worker sends in a job, as the requester's machine hears it (S11). */
import { fieldsOf } from './envelope';
import { errorOf, HEADER, statusOf } from './frames';
import type { OfferInput } from './job-machine';
import type { LinkMessage } from './link-contract';
import { isToken } from './subjects';

/** The frame of a job in a message; undefined for what is none. The bodies of asks, progress and results stay as they came. */
export function readFrame(message: LinkMessage, subject: string): OfferInput | undefined {
  const { reply: to, data } = message;
  if (message.nobody) return { type: 'nobody' };
  const status = statusOf(message);
  if (status === '429') return { type: 'busy' };
  if (status !== undefined) return { type: 'error', error: errorOf(message, status, subject), to };
  const type = message.header(HEADER.type);
  const seq = Number(message.header(HEADER.seq));
  switch (type) {
    case 'accepted':
      return readAccepted(message, subject);
    case 'heartbeat':
      return { type, to };
    case 'progress':
      return isCount(seq) ? { type, seq, progress: data } : undefined;
    case 'ask':
      return isCount(seq) ? { type, seq, ask: data, to } : undefined;
    case 'result':
      return { type, reply: data, to };
    default:
      return undefined;
  }
}

function readAccepted(message: LinkMessage, subject: string): OfferInput | undefined {
  const { worker, heartbeatMs } = fieldsOf(message, subject);
  if (!isToken(worker) || typeof heartbeatMs !== 'number' || heartbeatMs <= 0) return undefined;
  return { type: 'accepted', worker, heartbeatMs };
}

function isCount(seq: number): boolean {
  return Number.isSafeInteger(seq) && seq >= 1;
}
