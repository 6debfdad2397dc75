/** Parties of the wire that are plain NATS clients: they know the protocol, and nothing of ours is in them. */
import { connect, headers, JSONCodec, type ConnectionOptions, type Msg, type NatsConnection } from 'nats';
import type { LinkOptions } from '../../../core/bus/nats';

const json = JSONCodec<unknown>();
/** Milliseconds after which something that must come has not come. */
const PATIENCE = 20_000;

/** Who somebody is to the server. */
export interface Seat {
  /** One subject token: its inbox is `_INBOX.<name>.>`. */
  readonly name: string;
  readonly credentials: ConnectionOptions;
  /** The same for a link of ours. */
  readonly link: Omit<LinkOptions, 'servers'>;
}

export interface PlainPeer extends AsyncDisposable {
  readonly name: string;
  readonly nc: NatsConnection;
  /** What the server has denied since the last time, as `publish SUBJECT` or `subscription SUBJECT`. */
  denied(): Promise<readonly string[]>;
}

export async function plainPeer(address: string, { name, credentials }: Seat): Promise<PlainPeer> {
  const nc = await connect({
    servers: address,
    name,
    inboxPrefix: `_INBOX.${name}`,
    reconnect: false,
    timeout: PATIENCE,
    ...credentials,
  });
  const heard: string[] = [];
  void (async () => {
    for await (const { permissionContext } of nc.status())
      if (permissionContext !== undefined) heard.push(`${permissionContext.operation} ${permissionContext.subject}`);
  })();
  return {
    name,
    nc,
    async denied() {
      await nc.flush();
      await new Promise(setImmediate);
      return heard.splice(0);
    },
    [Symbol.asyncDispose]: () => nc.close(),
  };
}

const frame = (type: string, seq?: number) => {
  const head = headers();
  head.set('Pith-Type', type);
  if (seq !== undefined) head.set('Pith-Seq', String(seq));
  return { headers: head, timeout: PATIENCE };
};

/** What a worker was told beside its offers. */
export interface PlainWorker {
  /** Resolves with the next job that was cancelled. */
  cancelled(): Promise<unknown>;
  /** Offers that it has served. */
  readonly served: readonly string[];
}

/** Serves jobs: accepts, lives, tells its progress, asks twice, hands in what it was answered. Answers discovery. */
export async function plainWorker({ name, nc }: PlainPeer, subject: string): Promise<PlainWorker> {
  const served: string[] = [];
  const stopped: unknown[] = [];
  let wake: () => void = () => undefined;
  const onOffer = async ({ reply = '', data }: Msg): Promise<void> => {
    served.push(new TextDecoder().decode(data));
    nc.publish(reply, json.encode({ worker: name, heartbeatMs: 5000 }), frame('accepted'));
    await nc.request(reply, json.encode({}), frame('heartbeat'));
    nc.publish(reply, json.encode({ phase: 'reading', tokens: 0 }), frame('progress', 1));
    const asks = [1, 2].map((seq) =>
      nc.request(reply, json.encode({ tool: 'read_file', args: { seq } }), frame('ask', seq)),
    );
    const answers = (await Promise.all(asks)).map(({ data: answer }) => json.decode(answer));
    await nc.request(reply, json.encode({ answers }), frame('result'));
  };
  nc.subscribe(subject, { queue: 'pith-compact', callback: (_, offer) => void onOffer(offer).catch(() => undefined) });
  nc.subscribe(`pith.v1.ctl.${name}.>`, {
    callback(_, message) {
      if (message.subject.endsWith('.probe')) message.respond(json.encode({ known: true }));
      else stopped.push(json.decode(message.data));
      wake();
    },
  });
  for (const verb of ['PING', 'INFO', 'STATS'])
    for (const asked of [verb, `${verb}.pith-compact`, `${verb}.pith-compact.${name}`])
      nc.subscribe(`$SRV.${asked}`, { callback: (_, message) => void message.respond(json.encode({ id: name })) });
  await nc.flush();
  return {
    served,
    async cancelled() {
      while (stopped.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return stopped.shift();
    },
  };
}

/** Offers a job and answers what comes; resolves with the types of the frames, and with the result. */
export async function plainOffer(
  { name, nc }: PlainPeer,
  subject: string,
  body: unknown,
): Promise<{ readonly frames: readonly string[]; readonly result: unknown }> {
  const inbox = `_INBOX.${name}.${crypto.randomUUID()}`;
  const frames: string[] = [];
  const subscription = nc.subscribe(`${inbox}.*`, { timeout: PATIENCE });
  nc.publish(subject, json.encode(body), { reply: `${inbox}.job`, headers: frame('offer').headers });
  for await (const message of subscription) {
    const type = message.headers?.get('Pith-Type') ?? String(message.headers?.code);
    frames.push(type);
    if (type === 'ask') message.respond(json.encode({ content: json.decode(message.data) }));
    else if (message.reply) message.respond(json.encode({}));
    if (type === '503') break;
    if (type === 'result') return { frames, result: json.decode(message.data) };
  }
  return { frames, result: undefined };
}
