/** What crosses the wire beside mere bodies: the names of headers, answers, and errors (S4.1). */
import { messageOf, PithError } from '../../errors';
import type { ErrorCode } from '../../errors';
import { noResponder, rejected } from '../refusals';
import { encode, fieldsOf, isRecord, jsonFields } from './envelope';
import type { Link, LinkMessage } from './link-contract';

/** Names of headers, in the very case they have. */
export const HEADER = {
  type: 'Pith-Type',
  seq: 'Pith-Seq',
  errorStatus: 'Nats-Service-Error-Code',
  error: 'Nats-Service-Error',
} as const;

export type Headers = readonly (readonly [name: string, value: string])[];

/** A message without the subject it goes to. */
export interface Frame {
  readonly data: Uint8Array;
  readonly headers?: Headers;
}

/** What is sent where there is nothing to say. */
export const EMPTY: Frame = { data: Buffer.from('{}') };

/** Bytes of an error with its details; those of one that has more are left out. */
const MOST_ERROR_BYTES = 16 * 1024;
/** Characters of the message of an error, and of its one line in the header. */
const MOST_MESSAGE = 2000;
const MOST_LINE = 200;

/** The status that stands for an error of the bus; 500 is one that the other side threw, whatever its code. */
const STATUS: { readonly [code in ErrorCode]?: number } = {
  PITH_BUS_BAD_MESSAGE: 422,
  PITH_BUS_NO_RESPONDER: 429,
  PITH_BUS_CANCELLED: 499,
  PITH_BUS_TIMEOUT: 408,
  PITH_BUS_TRANSPORT_CLOSED: 410,
  PITH_BUS_TOO_LARGE: 413,
};

/** And what a status means to whoever receives it. */
const CODES: { readonly [status: string]: ErrorCode } = {
  '422': 'PITH_BUS_BAD_MESSAGE',
  '499': 'PITH_BUS_CANCELLED',
  '408': 'PITH_BUS_TIMEOUT',
  '410': 'PITH_BUS_RESPONDER_LOST',
  '413': 'PITH_BUS_TOO_LARGE',
};

/** The status of an error frame, undefined for any other. */
export function statusOf(message: LinkMessage): string | undefined {
  return message.header(HEADER.errorStatus) ?? (message.header(HEADER.type) === 'error' ? '500' : undefined);
}

/** An error as it crosses: code, message and those of its details that are JSON. Neither a stack nor a cause does. */
export function errorFrame(error: PithError): Frame {
  const said: unknown = error.code === 'PITH_BUS_REJECTED' ? error.cause : error;
  const typed = PithError.is(said) ? said : undefined;
  const code = typed?.code ?? error.code;
  const message = messageOf(said).slice(0, MOST_MESSAGE);
  const whole = encode({ code, message, details: typed?.details && jsonFields(typed.details) }, code);
  return {
    data: whole.length <= MOST_ERROR_BYTES ? whole : encode({ code, message }, code),
    headers: [
      [HEADER.type, 'error'],
      [HEADER.errorStatus, String(STATUS[error.code] ?? 500)],
      [HEADER.error, message.slice(0, MOST_LINE).replace(/[\s\p{Cc}]+/gu, ' ')],
    ],
  };
}

/** A body as a frame, or the error of one that JSON does not carry. */
export function bodyFrame(body: unknown, subject: string): Frame {
  try {
    return { data: encode(body, subject) };
  } catch (thrown) {
    return errorFrame(thrown as PithError);
  }
}

/** The error that an error frame tells of, as the requester of a channel is to see it. */
export function errorOf(message: LinkMessage, status: string, subject: string): PithError {
  const { code, message: text, details } = saidIn(message, subject);
  if (status === '429') return noResponder(subject, { busy: true });
  const said = text ?? message.header(HEADER.error) ?? `status ${status}`;
  const known = CODES[status];
  if (known !== undefined) return new PithError(known, said, { details: { ...details, subject } });
  const isTyped = code !== undefined && (code !== 'PITH_BUS_REJECTED' || details !== undefined);
  return rejected(subject, isTyped ? new PithError(code as ErrorCode, said, details && { details }) : new Error(said));
}

/** The fields of an error body, as far as they are what they should be. */
function saidIn(frame: LinkMessage, subject: string) {
  const { code, message, details } = fieldsOf(frame, subject);
  return {
    code: typeof code === 'string' && /^[A-Z][A-Z0-9_]{0,63}$/.test(code) ? code : undefined,
    message: typeof message === 'string' ? message.slice(0, MOST_MESSAGE) : undefined,
    details: isRecord(details) ? details : undefined,
  };
}

/**
 * Sends a frame of a channel; throws `PITH_BUS_TOO_LARGE` for what is larger than the server takes, and
 * `PITH_BUS_TRANSPORT_CLOSED` on a closed link.
 */
export function send(link: Link, to: string, { data, headers }: Frame, subject: string, reply?: string): void {
  const options: { headers?: Headers; reply?: string } = {};
  if (headers !== undefined) options.headers = headers;
  if (reply !== undefined) options.reply = reply;
  try {
    link.publish(to, data, options);
  } catch (thrown) {
    throw PithError.is(thrown, 'PITH_BUS_TOO_LARGE') ? tooLarge(subject, thrown) : thrown;
  }
}

/** Sends a frame, if anybody waits for it: one that is too large becomes an error, and what cannot be sent is let be. */
export function post(link: Link, to: string | undefined, frame: Frame, subject: string, reply?: string): void {
  if (to === undefined) return;
  try {
    send(link, to, frame, subject, reply);
  } catch (thrown) {
    if (!PithError.is(thrown, 'PITH_BUS_TOO_LARGE') || statusIn(frame) !== undefined) return;
    post(link, to, errorFrame(thrown), subject, reply);
  }
}

function statusIn({ headers = [] }: Frame): string | undefined {
  return headers.find(([name]) => name === HEADER.errorStatus)?.[1];
}

/** The error tells the channel, where the link knows but the inbox or the subject on the server. */
function tooLarge(subject: string, { details }: PithError): PithError {
  const { bytes, maxBytes } = details ?? {};
  return new PithError(
    'PITH_BUS_TOO_LARGE',
    `A message of "${subject}" is ${String(bytes)} bytes with its headers; the server takes ${String(maxBytes)}.`,
    { details: { subject, bytes, maxBytes } },
  );
}
