/** A plain NATS client that sees and says everything on the wire by hand. */
import { connect, createInbox, headers } from 'nats';
import type { Msg, NatsConnection } from 'nats';
import { connected, createNatsBus } from '../../../core/bus/nats';
import type { NatsBus, NatsBusOptions, Timings } from '../../../core/bus/nats';
import { closeTestLinks, openTestLink } from '../../support/links';
import { startNatsServer } from '../../support/nats-server';
import type { NatsServer } from '../../support/nats-server';

/** A pace that suits tests: nothing takes long, nothing is lost by a busy machine. */
export const BRISK: Timings = { acceptMs: 1000, heartbeatMs: 200, missed: 10, probeMs: 50, resendMs: 500 };

/** A bus on a link that is closed after the test. */
export async function openBus(servers: string, options: NatsBusOptions = {}): Promise<NatsBus> {
  const link = await openTestLink({ servers });
  await connected(link);
  return createNatsBus(link, { timings: BRISK, report: () => undefined, ...options });
}

/** The headers of a frame of a job. */
export function typed(type: string, seq?: number): Record<string, string> {
  return { 'Pith-Type': type, ...(seq !== undefined && { 'Pith-Seq': String(seq) }) };
}

/** Those of an error. */
export function failing(status: number): Record<string, string> {
  return { ...typed('error'), 'Nats-Service-Error-Code': String(status) };
}

/** The headers of an offer that may take five seconds. */
export function jobHead(id: string, attempt = 1, more: Record<string, string> = {}): Record<string, string> {
  return { 'Pith-Major': '1', 'Pith-Job': id, 'Pith-Attempt': String(attempt), 'Pith-Deadline-Ms': '5000', ...more };
}

/** Whether a frame is of one of these types. */
export function typeIs(...types: readonly string[]): (seen: Seen) => boolean {
  return ({ headers }) => types.includes(headers['Pith-Type'] ?? '');
}

/** A message as it crossed. */
export interface Seen {
  readonly subject: string;
  readonly to: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as JSON; its text where it is none. */
  readonly body: unknown;
  answer(body: unknown, head?: Readonly<Record<string, string>>): void;
}

/** Messages in the order they came. */
export interface Stream {
  /** The next one that passes; those that do not are passed over. */
  next(passes?: (seen: Seen) => boolean): Promise<Seen>;
  /** Those that have come and were not taken. */
  rest(): readonly Seen[];
}

export interface Raw {
  readonly nc: NatsConnection;
  say(subject: string, body: unknown, head?: Readonly<Record<string, string>>, reply?: string): void;
  hear(subject: string, queue?: string): Promise<Stream>;
  /** Asks and resolves with the one answer. */
  ask(subject: string, body: unknown, head?: Readonly<Record<string, string>>): Promise<Seen>;
  /** Asks and hears all that comes. */
  offer(subject: string, body: unknown, head?: Readonly<Record<string, string>>): Promise<Stream>;
}

const open = new Set<NatsConnection>();

async function openRaw(servers: string): Promise<Raw> {
  const nc = await connect({ servers });
  open.add(nc);
  const raw: Raw = {
    nc,
    say: (subject, body, head = {}, reply) =>
      nc.publish(subject, bytesOf(body), { headers: headersOf(head), ...(reply !== undefined && { reply }) }),
    async hear(subject, queue) {
      const messages = nc.subscribe(subject, queue === undefined ? {} : { queue });
      await nc.flush();
      return streamOf(messages);
    },
    async ask(subject, body, head) {
      return (await raw.offer(subject, body, head)).next();
    },
    async offer(subject, body, head) {
      const inbox = createInbox();
      const stream = await raw.hear(inbox);
      raw.say(subject, body, head, inbox);
      return stream;
    },
  };
  return raw;
}

/** One server for all tests of a suite, whose parties are closed after each; what is returned makes a bus and a plain client. */
export function partiesOf(): (timings?: Partial<Timings>) => Promise<{ readonly bus: NatsBus; readonly raw: Raw }> {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNatsServer();
  });
  afterEach(async () => {
    await closeTestLinks();
    await Promise.all([...open].map((nc) => nc.close()));
    open.clear();
  });
  return async (timings) => {
    const options = { timings: { ...BRISK, ...timings } };
    const [bus, raw] = await Promise.all([openBus(server.url, options), openRaw(server.url)]);
    return { bus, raw };
  };
}

function streamOf(messages: AsyncIterable<Msg>): Stream {
  const waiting: Seen[] = [];
  let wake: () => void = () => undefined;
  void (async () => {
    for await (const message of messages) {
      waiting.push(seenIn(message));
      wake();
    }
  })();
  return {
    async next(passes = () => true) {
      for (;;) {
        const seen = waiting.shift();
        if (seen === undefined) await new Promise<void>((resolve) => (wake = resolve));
        else if (passes(seen)) return seen;
      }
    },
    rest: () => waiting.splice(0),
  };
}

function seenIn(message: Msg): Seen {
  const text = new TextDecoder().decode(message.data);
  const keys = message.headers?.keys() ?? [];
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {
    // not JSON: the text itself
  }
  return {
    subject: message.subject,
    to: message.reply,
    headers: Object.fromEntries(keys.map((key) => [key, message.headers?.get(key) ?? ''])),
    body,
    answer: (answer, head = {}) => message.respond(bytesOf(answer), { headers: headersOf(head) }),
  };
}

function bytesOf(body: unknown): Uint8Array {
  return body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
}

function headersOf(head: Readonly<Record<string, string>>) {
  const all = headers();
  for (const [name, value] of Object.entries(head)) all.set(name, value);
  return all;
}
