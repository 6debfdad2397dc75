/** A model endpoint over real HTTP that says what a script says, and refuses and bills as real ones do. */
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { messageOf } from '../errors';
import { sleep, systemClock } from '../kernel/clock';
import type { Clock } from '../kernel/clock';
import { anthropicWire } from './anthropic-wire';
import { openAiWire } from './openai-wire';
import { parseJson, record } from './request-turns';
import type { RawAnswer, Script, SeenRequest, WireShape } from './script';
import { ScriptedEndpoint } from './scripted-endpoint';
import type { FullReply } from './scripted-endpoint';
import type { ThinkingBound } from './signed-thinking';
import type { RequestProfile } from './validators';
import type { Wire, WireEvent } from './wire';

/** What a provider over HTTP says, and how strict it is. */
export interface StrictProviderOptions {
  readonly shape: WireShape;
  readonly script: Script;
  /** How strict it is beside the rules that always hold; many pieces of system content and a user first by default. */
  readonly profile?: Partial<Omit<RequestProfile, 'budget'>>;
  /** Context window in tokens; 128,000 by default. */
  readonly window?: number;
  /** Reply allowance in tokens where a request names none; 8,000 by default, at most half the window. */
  readonly maxOutput?: number;
  /** What thinking must have kept to be taken back; its own `text` by default. */
  readonly thinking?: ThinkingBound;
  /** Fewest tokens that the prompt cache serves; 1024 by default, as providers do. */
  readonly minCachedTokens?: number;
  /** Runs the delays of the script; the system's by default. */
  readonly clock?: Clock;
}

/** A running endpoint on the loopback interface. */
export interface StrictProvider extends AsyncDisposable {
  /** Base address for a client, such as `http://127.0.0.1:43210/v1`. */
  readonly url: string;
  /** Every request it was sent, refused ones included. */
  readonly requests: readonly SeenRequest[];
  /** Numbers of the requests whose client went away before the reply was whole. */
  readonly dropped: readonly number[];
  /** Ends it with all its connections. */
  close(): Promise<void>;
}

const WIRES: Readonly<Record<WireShape, Wire>> = { anthropic: anthropicWire, 'openai-chat': openAiWire };

/** Cache marks that the Anthropic shape takes; the other caches by itself. */
const MARKS: Readonly<Record<WireShape, number | undefined>> = { anthropic: 4, 'openai-chat': undefined };

/** Starts an endpoint in one of the shapes, whole replies and streams alike. */
export async function startStrictProvider(options: StrictProviderOptions): Promise<StrictProvider> {
  const { shape, script, window = 128_000, clock = systemClock } = options;
  const endpoint = new ScriptedEndpoint({
    script,
    shape,
    window,
    maxOutput: options.maxOutput ?? Math.min(8_000, Math.floor(window / 2)),
    profile: { system: 'many', firstUser: true, ...options.profile },
    thinking: options.thinking ?? 'text',
    cacheMarks: MARKS[shape],
    minCachedTokens: options.minCachedTokens ?? 1_024,
  });
  const dropped: number[] = [];
  const server = createServer((request, response) => {
    const exchange = new Exchange(WIRES[shape], endpoint, clock, request, response, (n) => dropped.push(n));
    exchange.run().catch((error: unknown) => exchange.fail(error));
  });
  await listening(server);
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`,
    requests: endpoint.requests,
    dropped,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function listening(server: Server): Promise<void> {
  return new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
}

/** One request and what comes of it. */
class Exchange {
  /** Aborts when the client goes away. */
  readonly #gone = new AbortController();

  constructor(
    private readonly wire: Wire,
    private readonly endpoint: ScriptedEndpoint,
    private readonly clock: Clock,
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly drop: (n: number) => void,
  ) {}

  async run(): Promise<void> {
    const { method = '', url = '', headers } = this.request;
    if (method !== 'POST' || url !== `/v1${this.wire.path}`)
      return this.#send({ status: 404, body: { error: { message: `Nothing answers ${method} ${url}.` } } });
    const body = record(parseJson(await text(this.request)));
    if (body === undefined) return this.#send({ status: 400, body: { error: { message: 'The body is not JSON.' } } });
    const n = this.endpoint.requests.length;
    this.response.once('close', () => {
      if (!this.response.writableFinished) this.#gone.abort();
    });
    const answer = await this.endpoint.answer(body, { headers, lacks: this.wire.lacks(body, headers) });
    if (answer.delayMs > 0) await sleep(this.clock, answer.delayMs, this.#gone.signal).catch(() => undefined);
    if (this.#gone.signal.aborted) return this.drop(n);
    if (answer.kind === 'raw') return this.#send(answer.answer);
    if (answer.kind !== 'reply') return this.#send(this.wire.failure(answer));
    const usageAsked = record(body['stream_options'])?.['include_usage'] === true;
    const head = { id: String(n), model: String(body['model']), usageAsked };
    if (body['stream'] !== true) await this.#whole(answer.reply, this.wire.reply(answer.reply, head));
    else await this.#stream(answer.reply, this.wire.events(answer.reply, head));
    if (this.#gone.signal.aborted && !answer.reply.breaks) this.drop(n);
  }

  /** A script that throws is a fault of the test, so it is told and not worth another try. */
  fail(error: unknown): void {
    if (this.response.headersSent) this.response.destroy();
    else this.#send({ status: 400, body: `The script failed: ${messageOf(error)}` });
  }

  #send({ status, headers, body }: RawAnswer): void {
    const isText = typeof body === 'string';
    this.response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers });
    this.response.end(isText ? body : JSON.stringify(body));
  }

  async #whole({ breaks }: FullReply, body: unknown): Promise<void> {
    if (!breaks) return this.#send({ status: 200, body });
    const json = JSON.stringify(body);
    this.response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) });
    await this.#write(json.slice(0, json.length / 2));
    this.response.destroy();
  }

  /** Each event is a write of its own, so that a client meets them apart. */
  async #stream({ breaks }: FullReply, events: readonly WireEvent[]): Promise<void> {
    this.response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    for (const event of breaks ? events.slice(0, Math.ceil(events.length / 2)) : events) {
      if (this.#gone.signal.aborted) return;
      await this.#write(frameOf(event));
    }
    if (breaks) this.response.destroy();
    else this.response.end();
  }

  /** Ends when the bytes are out, or the client is gone. */
  #write(bytes: string): Promise<void> {
    return new Promise((resolve) => this.response.write(bytes, () => setImmediate(resolve)));
  }
}

function frameOf({ event, data }: WireEvent): string {
  const line = `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
  return event === undefined ? line : `event: ${event}\n${line}`;
}
