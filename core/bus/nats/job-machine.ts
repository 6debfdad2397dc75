/**
 * The words of the two state machines of a job (S11): what they are told and what they want done. The agent offers a job and
 * has an `OfferMachine` for it, the worker that took it has a `WorkMachine`; whoever drives one hands it what happens, does
 * what it answers, in that order, and lets it hear a tick every 50 ms.
 *
 * The machines see bodies as opaque values: they are checked before they are handed in, and encoded too where that can fail.
 * `now` is in milliseconds of a clock that never goes back and had better stand still while the process does, as the ticks
 * of the watchdog do: then frames that wait in a socket are heard before their silence is held against the other side.
 */
import type { PithError } from '../../errors';

/** The pace of the job protocol. */
export interface Timings {
  /** Milliseconds that an offer waits for the first frame of a worker, and that who has just reconnected waits for the other. */
  readonly acceptMs: number;
  /** Milliseconds between two heartbeats of a worker. */
  readonly heartbeatMs: number;
  /** Heartbeats of silence after which the other side is lost; a count. */
  readonly missed: number;
  /** Milliseconds until a probe counts as unanswered and may be repeated. */
  readonly probeMs: number;
  /** Milliseconds after which an ask or a reply that was not answered is sent again. */
  readonly resendMs: number;
}

/** The pace of jobs that take minutes. */
export const DEFAULT_TIMINGS: Timings = {
  acceptMs: 2000,
  heartbeatMs: 5000,
  missed: 3,
  probeMs: 250,
  resendMs: 1000,
};

/** Asks of one job that are open at once; a worker keeps to it, an agent refuses more. */
export const OPEN_ASKS = 16;

/** Answers that an agent keeps to repeat them; more than the asks that can be open, so that none is missed. */
export const KEPT_ANSWERS = 32;

/** Where whoever sent a frame waits for its answer; undefined where nobody waits, then nothing is sent. */
export type ReplyTo = string | undefined;

/** What an agent's machine is told. All but `nobody`, `probed` and the last three are frames of the worker. */
export type OfferInput =
  /** `worker` is the token of its control subject, `heartbeatMs` above zero. */
  | { readonly type: 'accepted'; readonly worker: string; readonly heartbeatMs: number }
  | { readonly type: 'heartbeat'; readonly to: ReplyTo }
  | { readonly type: 'progress'; readonly seq: number; readonly progress: unknown }
  /** Asks are numbered from 1. */
  | { readonly type: 'ask'; readonly seq: number; readonly ask: unknown; readonly to: ReplyTo }
  | { readonly type: 'result'; readonly reply: unknown; readonly to: ReplyTo }
  | { readonly type: 'error'; readonly error: unknown; readonly to: ReplyTo }
  /** The worker has no room (429). */
  | { readonly type: 'busy' }
  /** The server says of the offer that nobody listens (503). */
  | { readonly type: 'nobody' }
  /** What a probe came to; `nobody` only where the server says so, and nothing is told of one that stays unanswered. */
  | { readonly type: 'probed'; readonly found: 'known' | 'unknown' | 'nobody' }
  /** The ask was done; `answer` is what is to be sent, a reply or an error. */
  | { readonly type: 'answered'; readonly seq: number; readonly answer: unknown }
  /** The requester cancels, the bus closes, a right is missing, a frame does not fit its schema: whatever ends it here. */
  | { readonly type: 'end'; readonly error: PithError }
  /** The connection was lost and is back. */
  | { readonly type: 'reconnected' }
  | { readonly type: 'tick' };

/** How an offer ended. */
export type Outcome =
  | { readonly type: 'done'; readonly reply: unknown }
  /** The worker failed; `error` is what it sent. */
  | { readonly type: 'failed'; readonly error: unknown }
  /** Nobody took it: `PITH_BUS_NO_RESPONDER`. */
  | { readonly type: 'nobody'; readonly busy: boolean }
  /** `PITH_BUS_RESPONDER_LOST`: silent for too long, gone from the server, or it does not know the job any more. */
  | { readonly type: 'lost'; readonly stage: 'offered' | 'accepted'; readonly sign: 'silent' | 'nobody' | 'unknown' }
  /** `PITH_BUS_TIMEOUT`. */
  | { readonly type: 'timeout' }
  /** Ended on this side, by this very error. */
  | { readonly type: 'ended'; readonly error: PithError };

/** What an agent's machine wants done. */
export type OfferAction =
  /** Ends the request; comes once. */
  | { readonly type: 'settle'; readonly outcome: Outcome }
  /** Answers a heartbeat, a result or an error with an empty body. */
  | { readonly type: 'acknowledge'; readonly to: ReplyTo }
  /** Answers with an error: 410 the job is over, 422 the ask is older than the answers kept, 429 too many asks are open. */
  | { readonly type: 'deny'; readonly code: 410 | 422 | 429; readonly to: ReplyTo }
  /** Does an ask, once; tell `answered` when it is done, also where it failed. */
  | { readonly type: 'execute'; readonly seq: number; readonly ask: unknown }
  | { readonly type: 'answer'; readonly seq: number; readonly answer: unknown; readonly to: ReplyTo }
  | { readonly type: 'progress'; readonly progress: unknown }
  /** Asks the worker whether it knows the job; tell `probed`. */
  | { readonly type: 'probe'; readonly worker: string }
  /** Tells a worker to give the job up. */
  | { readonly type: 'cancel'; readonly worker: string };

/** What a worker's machine is told. */
export type WorkInput =
  /** The work asks; `ask` comes back with its answer, so it may hold whoever waits. */
  | { readonly type: 'ask'; readonly ask: unknown }
  | { readonly type: 'progress'; readonly progress: unknown }
  /** The work ended, well or badly: what is to be sent. */
  | { readonly type: 'finished'; readonly reply: unknown }
  | { readonly type: 'failed'; readonly error: unknown }
  /** A heartbeat was answered. */
  | { readonly type: 'heard' }
  /** An ask was answered, by a reply or an error; not told for 429, 410 and 503. */
  | { readonly type: 'answer'; readonly seq: number; readonly answer: unknown }
  /** The result or error was answered by anything but 410 and 503. */
  | { readonly type: 'acknowledged' }
  /** Any request was answered with 410: the agent says that the job is over. */
  | { readonly type: 'gone' }
  /** Any request was answered with 503: the server says that the agent is not there. */
  | { readonly type: 'nobody' }
  /** A cancel of the agent, a later attempt at the job, a closing bus: whatever ends it here. */
  | { readonly type: 'end'; readonly error: PithError }
  /** The connection was lost and is back. */
  | { readonly type: 'reconnected' }
  | { readonly type: 'tick' };

/** Why a worker has nothing more to do for a job; for all but `acknowledged` the work is aborted, if it still runs. */
export type WorkEnd =
  | { readonly type: 'acknowledged' }
  | { readonly type: 'gone' }
  | { readonly type: 'nobody' }
  /** No answer to anything for too long. */
  | { readonly type: 'silent' }
  | { readonly type: 'timeout' }
  | { readonly type: 'ended'; readonly error: PithError };

/** What a worker's machine wants done; all but `answer` and `over` are frames to the agent. */
export type WorkAction =
  | { readonly type: 'heartbeat' }
  | { readonly type: 'progress'; readonly seq: number; readonly progress: unknown }
  /** Sends an ask, also again under the same number. */
  | { readonly type: 'ask'; readonly seq: number; readonly ask: unknown }
  /** Hands an answer to the work. */
  | { readonly type: 'answer'; readonly ask: unknown; readonly answer: unknown }
  /** Sends the reply, also again. */
  | { readonly type: 'result'; readonly reply: unknown }
  | { readonly type: 'error'; readonly error: unknown }
  /** Forgets the job and aborts its work; comes once, and last. */
  | { readonly type: 'over'; readonly end: WorkEnd };
