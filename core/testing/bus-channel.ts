/** What the checks of the bus contract send, and how they look at what comes of it. */
import assert from 'node:assert/strict';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Bus, Channel, RequestOptions, ServedCall, ServeOptions } from '../bus/bus';
import { PithError } from '../errors';
import type { ErrorCode } from '../errors';

/** The request of the checked channel. */
export interface Question {
  readonly n: number;
  readonly text?: string;
}
/** Its reply. */
export interface Answer {
  readonly n: number;
}
/** Its progress. */
export interface Step {
  readonly n: number;
}

/** Milliseconds in which everything that is to happen must have happened. */
export const SOON = 5000;
/** Milliseconds of a deadline that is meant to pass. */
export const SHORT = 20;

/** Takes objects with a number `n`; other fields are left alone. */
function numbered<T extends { readonly n: number }>(): StandardSchemaV1<unknown, T> {
  const validate = (value: unknown): StandardSchemaV1.Result<T> =>
    typeof (value as T | null)?.n === 'number'
      ? { value: value as T }
      : { issues: [{ message: 'expected a number', path: ['n'] }] };
  return { '~standard': { version: 1, vendor: 'pith-contract', validate } };
}

/** The channel that is checked; all that crosses it has a number `n`. */
export const CHANNEL: Channel<Question, Answer, Step> = {
  subject: 'contract.double',
  request: numbered(),
  reply: numbered(),
  progress: numbered(),
};

/** The channel of jobs that is checked: its responder may ask a question back. */
export const JOBS: Channel<Question, Answer, Step, Question, Answer> = {
  ...CHANNEL,
  subject: 'contract.job',
  service: 'contract-worker',
  asks: { request: numbered(), reply: numbered() },
};

type Handler = (question: Question, call: ServedCall<Step>) => Promise<Answer>;

/** Serves the channel. */
export function serve(bus: Bus, handler: Handler, concurrency = Infinity): AsyncDisposable {
  return bus.serve(CHANNEL, handler, { concurrency });
}

/** Asks the channel. */
export function ask(
  bus: Bus,
  n: number,
  options: { deadlineMs?: number; signal?: AbortSignal; onProgress?(step: Step): void } = {},
) {
  return bus.request(CHANNEL, { n }, { deadlineMs: SOON, ...options });
}

type Work = (question: Question, call: ServedCall<Step, Question, Answer>) => Promise<Answer>;
/** How a job is asked for; within {@link SOON} unless it says otherwise. */
export type Submission = Partial<RequestOptions<Step, Question, Answer>>;

/** Serves the channel of jobs. */
export function work(bus: Bus, handler: Work, options?: ServeOptions): AsyncDisposable {
  return bus.serve(JOBS, handler, options);
}

/** Asks the channel of jobs. */
export function submit(bus: Bus, n: number, options: Submission = {}): Promise<Answer> {
  return bus.request(JOBS, { n }, { deadlineMs: SOON, ...options });
}

/** The error of a request; throws where it is answered or fails with another code. */
export async function fails(request: Promise<unknown>, code: ErrorCode): Promise<PithError> {
  const error: unknown = await request.then(
    () => assert.fail(`expected ${code}, but it was answered`),
    (thrown: unknown) => thrown,
  );
  assert.ok(PithError.is(error), `expected ${code}, got ${String(error)}`);
  assert.equal(error.code, code);
  return error;
}

/** A promise and how to resolve it. */
export function gate<T = void>(): { readonly opened: Promise<T>; open(value: T): void } {
  let open!: (value: T) => void;
  const opened = new Promise<T>((resolve) => (open = resolve));
  return { opened, open };
}

/** Resolves when a signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve())));
}
