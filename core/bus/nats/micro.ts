/**
 * Answers the discovery of NATS micro services (`$SRV.PING`, `.INFO` and `.STATS`, each for all, for a name and for one id)
 * with true latencies: those of whole pieces of work, which the library's own service, that times the handler alone, does not
 * know.
 */
import type { Link, LinkLog, LinkMessage, LinkSubscription } from './link-contract';

/** What stands before all subjects of discovery. */
export const DISCOVERY = '$SRV';
/** Whether a subject is one of discovery, which a server may deny without harm. */
export function isDiscovery(subject: string): boolean {
  return subject.startsWith(`${DISCOVERY}.`);
}
/** The types of answers, as the micro schema names them. */
export const ANSWER_TYPES = {
  PING: 'io.nats.micro.v1.ping_response',
  INFO: 'io.nats.micro.v1.info_response',
  STATS: 'io.nats.micro.v1.stats_response',
} as const;

/** A service as others find it. */
export interface MicroService {
  /** Which of its instances this is; one subject token, by which it can be asked alone. */
  readonly id: string;
  /** One subject token. */
  readonly name: string;
  /** A semantic version. */
  readonly version: string;
  readonly description: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly endpoint: { readonly name: string; readonly subject: string; readonly queue: string };
}

/** What a service has done since it started. */
export interface MicroStats {
  /** Pieces of work that were begun. */
  readonly requests: number;
  /** Those of them that failed. */
  readonly errors: number;
  /** The code of the last failure; never its text, which may tell of the work. */
  readonly lastError: string | undefined;
  /** Those that ended, and the milliseconds that all of them took together. */
  readonly ended: number;
  readonly processingMs: number;
  /** Whatever else there is to tell. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface AnsweredDiscovery {
  /** Answers no more. Never rejects. */
  stop(): Promise<void>;
}

/**
 * Answers discovery as long as the link stands, where the server permits it: what it denies is told once to `log` and harms
 * nothing. `stats` is asked for each answer that tells them.
 */
export function answerDiscovery(
  link: Link,
  service: MicroService,
  stats: () => MicroStats,
  log?: LinkLog,
): AnsweredDiscovery {
  const { id, name, version, description, metadata, endpoint } = service;
  const started = new Date().toISOString();
  const identity = { name, id, version, metadata };
  const { name: endpointName, subject, queue: queue_group } = endpoint;
  const bodies = {
    PING: () => ({ type: ANSWER_TYPES.PING, ...identity }),
    INFO: () => ({
      type: ANSWER_TYPES.INFO,
      ...identity,
      description,
      endpoints: [{ name: endpointName, subject, queue_group, metadata: {} }],
    }),
    STATS: () => ({
      type: ANSWER_TYPES.STATS,
      ...identity,
      started,
      endpoints: [{ name: endpointName, subject, queue_group, ...countsOf(stats()) }],
    }),
  };
  const answer = (body: () => object, { reply }: LinkMessage): void => {
    if (reply !== undefined) link.publish(reply, Buffer.from(JSON.stringify(body())));
  };
  const subscriptions = new Map<string, LinkSubscription>();
  for (const [verb, body] of Object.entries(bodies)) {
    for (const asked of [`${DISCOVERY}.${verb}`, `${DISCOVERY}.${verb}.${name}`, `${DISCOVERY}.${verb}.${name}.${id}`])
      subscriptions.set(
        asked,
        link.subscribe(asked, (message) => answer(body, message)),
      );
  }
  let isTold = false;
  const stopHearing = link.on((event) => {
    if (isTold || event.type !== 'denied' || !subscriptions.has(event.subject)) return;
    isTold = true;
    log?.('info', 'The server does not permit all of NATS micro discovery; monitors may not see this process.', {
      subject: event.subject,
    });
  });
  return {
    async stop() {
      stopHearing();
      await Promise.all([...subscriptions.values()].map((subscription) => subscription.drain()));
    },
  };
}

const NANOSECONDS = 1e6;

function countsOf({ requests, errors, lastError, ended, processingMs, data }: MicroStats): object {
  return {
    num_requests: requests,
    num_errors: errors,
    last_error: lastError ?? '',
    processing_time: Math.round(processingMs * NANOSECONDS),
    average_processing_time: ended === 0 ? 0 : Math.round((processingMs / ended) * NANOSECONDS),
    data,
  };
}
