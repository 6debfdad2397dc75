/** What a request says in its headers: of which schemas and which job it is, and how long there is time (S4.2, S11). */
import { PithError } from '../../errors';
import type { Job, TraceContext } from '../bus';
import type { AnyChannel, AnyOptions } from '../call';
import type { Headers } from './frames';
import type { Timings } from './job-machine';
import type { LinkMessage } from './link-contract';
import { isToken } from './subjects';

const HEADER = {
  major: 'Pith-Major',
  deadlineMs: 'Pith-Deadline-Ms',
  call: 'Pith-Call',
  job: 'Pith-Job',
  attempt: 'Pith-Attempt',
  heartbeatMs: 'Pith-Heartbeat-Ms',
  missed: 'Pith-Missed',
  traceparent: 'traceparent',
  tracestate: 'tracestate',
} as const;

/** What a responder learns of a request beside its body. */
export interface RequestFacts {
  readonly major: number;
  /** Milliseconds left when it was sent; Infinity for no deadline. */
  readonly deadlineMs: number;
  /** By which the request can be cancelled. */
  readonly call: string | undefined;
  readonly job: Job | undefined;
  /** Milliseconds between two heartbeats that the requester of a job expects; Infinity where it does not say. */
  readonly heartbeatMs: number;
  /** Heartbeats of silence after which it gives a job up; Infinity where it does not say. */
  readonly missed: number;
  readonly trace: TraceContext | undefined;
}

/** The headers of a request; `call` is a token. Throws `PITH_BUS_BAD_MESSAGE` for a job that no responder would know. */
export function requestHeaders(channel: AnyChannel, options: AnyOptions, call: string, job = options.job): Headers {
  const { deadlineMs, trace } = options;
  const headers: (readonly [string, string])[] = [
    [HEADER.major, String(channel.major ?? 1)],
    [HEADER.call, call],
  ];
  if (deadlineMs !== Infinity) headers.push([HEADER.deadlineMs, deadlineMs > 0 ? String(Math.ceil(deadlineMs)) : '0']);
  if (job !== undefined) headers.push([HEADER.job, jobId(job, channel.subject)], [HEADER.attempt, String(job.attempt)]);
  if (trace !== undefined) headers.push([HEADER.traceparent, trace.traceparent]);
  if (trace?.tracestate !== undefined) headers.push([HEADER.tracestate, trace.tracestate]);
  return headers;
}

function jobId({ id, attempt }: Job, subject: string): string {
  if (isToken(id) && Number.isSafeInteger(attempt) && attempt >= 1) return id;
  const what = `Job "${id.slice(0, 80)}", attempt ${String(attempt)}, cannot be sent to "${subject}"`;
  const rule = 'an id is 1 to 64 letters, digits, _ and -, and attempts are counted from 1';
  throw new PithError('PITH_BUS_BAD_MESSAGE', `${what}: ${rule}.`, { details: { subject } });
}

/** The headers that tell the pace of the requester of a job, in milliseconds, and its patience, in heartbeats. */
export function paceHeaders({ heartbeatMs, missed }: Pick<Timings, 'heartbeatMs' | 'missed'>): Headers {
  return [
    [HEADER.heartbeatMs, String(heartbeatMs)],
    [HEADER.missed, String(missed)],
  ];
}

/** That by which a request is cancelled. */
export function cancelHeaders(call: string): Headers {
  return [[HEADER.call, call]];
}

/** The token of a request that is to be cancelled. */
export function cancelledCall(message: LinkMessage): string | undefined {
  return message.header(HEADER.call);
}

/** What the headers of a request say; throws `PITH_BUS_BAD_MESSAGE` for those that are malformed. */
export function readRequest(message: LinkMessage, subject: string): RequestFacts {
  const traceparent = message.header(HEADER.traceparent);
  const id = message.header(HEADER.job);
  return {
    major: numberIn(HEADER.major, 1),
    deadlineMs: numberIn(HEADER.deadlineMs, Infinity),
    call: message.header(HEADER.call),
    job: id === undefined ? undefined : { id: tokenOf(id), attempt: numberIn(HEADER.attempt, 1) },
    heartbeatMs: numberIn(HEADER.heartbeatMs, Infinity),
    missed: numberIn(HEADER.missed, Infinity),
    trace: traceparent === undefined ? undefined : traceOf(traceparent, message.header(HEADER.tracestate)),
  };

  function numberIn(name: string, missing: number): number {
    const text = message.header(name);
    if (text === undefined) return missing;
    if (!/^\d{1,15}$/.test(text)) throw malformed(name, subject);
    return Number(text);
  }

  function tokenOf(text: string): string {
    if (!isToken(text)) throw malformed(HEADER.job, subject);
    return text;
  }
}

function traceOf(traceparent: string, tracestate: string | undefined): TraceContext {
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}

function malformed(header: string, subject: string): PithError {
  return new PithError('PITH_BUS_BAD_MESSAGE', `The header ${header} of a request to "${subject}" is malformed.`, {
    details: { subject, header },
  });
}
