/** Asks on a connection which instances of a NATS micro service there are, and how they do. */
import { z } from 'zod';
import { PithError } from '../../errors';
import { inboxDenied } from './inbox';
import type { Link, LinkMessage } from './link-contract';
import { ANSWER_TYPES, DISCOVERY } from './micro';
import { isToken, randomToken } from './subjects';

/** Bytes of an answer; more is no answer of an honest service. */
const MOST_BYTES = 64 * 1024;
/** Instances that are told apart; a flood of made-up ones ends there. */
const MOST_ANSWERS = 10_000;

const token = z.string().refine(isToken);
const line = z.string().max(256);
/** More than any count or time in nanoseconds that makes sense. */
const count = z.number().nonnegative().max(1e18);

const answerSchema = z.object({
  type: z.literal(ANSWER_TYPES.STATS),
  name: token,
  id: token,
  version: line,
  started: z.iso.datetime({ offset: true }),
  endpoints: z
    .array(
      z.object({
        num_requests: count,
        num_errors: count,
        average_processing_time: count,
        data: z.unknown().optional(),
      }),
    )
    .min(1)
    .max(16),
});

/** One instance of a service, as it told of itself. Nothing vouches for what it says. */
export interface FoundService {
  readonly id: string;
  readonly version: string;
  /** When it started, ISO 8601, by its own clock. */
  readonly started: string;
  /** Pieces of work that it began, and those that failed. */
  readonly requests: number;
  readonly errors: number;
  /** Milliseconds that a piece of work took on average. */
  readonly averageMs: number;
  /** What it tells beside that; to be checked by whoever knows the service. */
  readonly data: unknown;
}

export interface DiscoveryOptions {
  /** Milliseconds after which it ends at the latest; 2000 by default. */
  readonly waitMs?: number;
  /** Milliseconds without a further answer after which it ends; 300 by default. */
  readonly silenceMs?: number;
}

/**
 * The instances of a service that answer, in the order of their ids; several of one id, which should not be, in that of their
 * starts. None where nobody listens; what is no answer of the
 * service is left out. Rejects with `PITH_BUS_DENIED` where the server permits no such question, and with
 * `PITH_BUS_TRANSPORT_CLOSED` on a closed link.
 */
export async function findServices(
  link: Link,
  name: string,
  { waitMs = 2000, silenceMs = 300 }: DiscoveryOptions = {},
): Promise<readonly FoundService[]> {
  const asked = `${DISCOVERY}.STATS.${name}`;
  const inbox = `${link.inbox}.${randomToken()}`;
  const found = new Map<string, FoundService>();
  const ends: (() => void)[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      const latest = setTimeout(resolve, waitMs);
      let silence: NodeJS.Timeout | undefined;
      const subscription = link.subscribe(inbox, (message) => {
        if (message.nobody) return resolve();
        const service = serviceIn(message, name);
        if (service === undefined) return;
        const instance = `${service.id} ${service.started}`;
        if (found.has(instance)) return;
        found.set(instance, service);
        if (found.size === MOST_ANSWERS) return resolve();
        clearTimeout(silence);
        silence = setTimeout(resolve, silenceMs);
      });
      const stopHearing = link.on((event) => {
        if (event.type !== 'denied') return;
        if (event.subject === inbox) reject(inboxDenied(link, inbox));
        else if (event.subject === asked) reject(denied(asked));
      });
      ends.push(
        () => clearTimeout(latest),
        () => clearTimeout(silence),
        () => subscription.stop(),
        stopHearing,
      );
      link.publish(asked, new Uint8Array(), { reply: inbox });
    });
  } finally {
    for (const end of ends) end();
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, service]) => service);
}

function serviceIn({ data }: LinkMessage, name: string): FoundService | undefined {
  if (data.length > MOST_BYTES) return undefined;
  const answer = answerSchema.safeParse(jsonOf(data));
  if (!answer.success || answer.data.name !== name) return undefined;
  const { id, version, started, endpoints } = answer.data;
  const [endpoint] = endpoints;
  if (endpoint === undefined) return undefined;
  return {
    id,
    version,
    started,
    requests: endpoint.num_requests,
    errors: endpoint.num_errors,
    averageMs: endpoint.average_processing_time / 1e6,
    data: endpoint.data,
  };
}

function jsonOf(data: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(data).toString('utf8'));
  } catch {
    return undefined;
  }
}

function denied(subject: string): PithError {
  return new PithError(
    'PITH_BUS_DENIED',
    `The server does not permit the user of this connection to ask who serves; let it publish to ${subject}.`,
    { details: { subject } },
  );
}
