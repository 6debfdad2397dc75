/** What the parts of one bus over NATS share. */
import type { AnyChannel, AnyOptions, CallHost } from '../call';
import type { Inbox } from './inbox';
import type { Timings } from './job-machine';
import type { Link } from './link-contract';
import type { Pulse } from './pulse';

export interface Wire {
  readonly link: Link;
  /** The first token of all its subjects. */
  readonly namespace: string;
  readonly inbox: Inbox;
  /** Whose all calls are, those it makes and those it serves. */
  readonly host: CallHost;
  readonly timings: Timings;
  readonly pulse: Pulse;
}

/** A request that is ready to be sent. */
export interface Outgoing {
  /** The subject of its channel on the server. */
  readonly to: string;
  readonly channel: AnyChannel;
  readonly body: unknown;
  /** The body as it crosses. */
  readonly data: Uint8Array;
  readonly options: AnyOptions;
}
