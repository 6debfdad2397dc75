/** A job as the worker has it that took it: does what its machine wants done, and tells it what happens (S11). */
import { PithError } from '../../errors';
import { Call } from '../call';
import { cancelled, timedOut } from '../refusals';
import type { Responder } from '../responder';
import { decode, encode } from './envelope';
import { bodyFrame, EMPTY, errorFrame, errorOf, HEADER, post, send, statusOf } from './frames';
import type { Frame, Headers } from './frames';
import type { WorkAction, WorkEnd, WorkInput } from './job-machine';
import type { LinkMessage } from './link-contract';
import { optionsOf } from './plain-call';
import type { Beating } from './pulse';
import type { RequestFacts } from './request-headers';
import { WorkMachine } from './work-machine';
import type { Wire } from './wire';

/** An ask of the work, and who waits for its answer. */
interface Asked {
  readonly data: Uint8Array;
  /** Where it is answered, once it is sent. */
  address: string | undefined;
  resolve(answer: unknown): void;
  reject(error: PithError): void;
}

export class Work extends Call implements Beating {
  readonly #wire: Wire;
  readonly #facts: RequestFacts;
  readonly #to: string;
  readonly #machine: WorkMachine;
  readonly #asks = new Set<Asked>();
  readonly #addresses = new Set<string>();
  #heartbeatsAt: string | undefined;
  #replyAt: string | undefined;
  /** Resolves when nothing more is to be done for the job. */
  readonly over: Promise<void>;
  #isOver!: () => void;

  /** Accepts the job; `to` is where its requester hears of it, `forget` is called once it is over. */
  constructor(
    wire: Wire,
    responder: Responder,
    body: unknown,
    facts: RequestFacts,
    to: string,
    private readonly forget: () => void,
  ) {
    super(wire.host, responder, responder.channel, body, { ...optionsOf(facts), deadlineMs: Infinity });
    const { link, timings, pulse } = wire;
    this.#wire = wire;
    this.#facts = facts;
    this.#to = to;
    this.#machine = new WorkMachine(facts, timings, pulse.now);
    this.over = new Promise((resolve) => (this.#isOver = resolve));
    pulse.follow(this);
    const accepted = { worker: link.name, heartbeatMs: this.#machine.heartbeatMs };
    post(link, to, { data: Buffer.from(JSON.stringify(accepted)), headers: typed('accepted') }, this.channel.subject);
  }

  protected replied(reply: unknown): void {
    this.#finish(bodyFrame(reply, this.channel.subject));
  }

  protected failed(error: PithError): void {
    this.#finish(errorFrame(error));
  }

  tick(): void {
    this.#tell({ type: 'tick' });
  }

  reconnected(): void {
    this.#tell({ type: 'reconnected' });
  }

  /** Gives the job up: nothing more is sent for it. */
  abandon(error: PithError): void {
    this.#tell({ type: 'end', error });
  }

  protected override tell(progress: unknown): void {
    try {
      this.#tell({ type: 'progress', progress: encode(progress, this.channel.subject) });
    } catch (thrown) {
      this.end(thrown as PithError);
    }
  }

  protected override async handOver(ask: unknown): Promise<unknown> {
    const data = encode(ask, this.channel.subject);
    return new Promise((resolve, reject) => {
      const asked: Asked = { data, address: undefined, resolve, reject };
      this.#asks.add(asked);
      this.#tell({ type: 'ask', ask: asked });
    });
  }

  #finish({ data, headers }: Frame): void {
    for (const asked of this.#asks) asked.reject(cancelled(this.channel.subject, 'answered'));
    if (headers === undefined) this.#tell({ type: 'finished', reply: { data, headers: typed('result') } });
    else this.#tell({ type: 'failed', error: { data, headers } });
  }

  #tell(input: WorkInput): void {
    for (const action of this.#machine.step(input, this.#wire.pulse.now)) this.#do(action);
  }

  #do(action: WorkAction): void {
    switch (action.type) {
      case 'heartbeat':
        this.#heartbeatsAt ??= this.#listen(() => this.#tell({ type: 'heard' }));
        return this.#post({ ...EMPTY, headers: typed('heartbeat') }, this.#heartbeatsAt);
      case 'progress':
        return this.#sendProgress(action.seq, action.progress as Uint8Array);
      case 'ask':
        return this.#sendAsk(action.seq, action.ask as Asked);
      case 'answer':
        return this.#answered(action.ask as Asked, action.answer as LinkMessage | PithError);
      case 'result':
        return this.#sendReply(action.reply as Frame);
      case 'error':
        return this.#sendReply(action.error as Frame);
      case 'over':
        return this.#leave(action.end);
    }
  }

  #sendProgress(seq: number, data: Uint8Array): void {
    const { link } = this.#wire;
    try {
      send(link, this.#to, { data, headers: typed('progress', seq) }, this.channel.subject);
    } catch (thrown) {
      this.end(thrown as PithError);
    }
  }

  #sendAsk(seq: number, asked: Asked): void {
    const { link } = this.#wire;
    asked.address ??= this.#listen((message, status) => {
      if (status !== TOO_MANY) this.#tell({ type: 'answer', seq, answer: message });
    });
    if (asked.address === undefined) return;
    try {
      send(link, this.#to, { data: asked.data, headers: typed('ask', seq) }, this.channel.subject, asked.address);
    } catch (thrown) {
      this.#tell({ type: 'answer', seq, answer: thrown });
    }
  }

  #answered(asked: Asked, answer: LinkMessage | PithError): void {
    const { subject } = this.channel;
    this.#asks.delete(asked);
    if (asked.address !== undefined) this.#close(asked.address);
    if (answer instanceof PithError) return asked.reject(answer);
    const status = statusOf(answer);
    if (status !== undefined) return asked.reject(errorOf(answer, status, subject));
    try {
      asked.resolve(decode(answer.data, subject));
    } catch (thrown) {
      asked.reject(thrown as PithError);
    }
  }

  #sendReply(frame: Frame): void {
    this.#replyAt ??= this.#listen(() => this.#tell({ type: 'acknowledged' }));
    this.#post(frame, this.#replyAt);
  }

  #post(frame: Frame, reply: string | undefined): void {
    if (reply !== undefined) post(this.#wire.link, this.#to, frame, this.channel.subject, reply);
  }

  /**
   * Where something is answered. That nobody is there any more, or may be heard, is the same for all: where the server does not
   * let this process hear answers, the job is given up and there is no such place.
   */
  #listen(answered: (message: LinkMessage, status: string | undefined) => void): string | undefined {
    const hear = (message: LinkMessage): void => {
      const status = statusOf(message);
      if (message.nobody) this.#tell({ type: 'nobody' });
      else if (status === GONE) this.#tell({ type: 'gone' });
      else answered(message, status);
    };
    try {
      const address = this.#wire.inbox.open({ to: this.#to, hear, fail: (error) => this.abandon(error) });
      this.#addresses.add(address);
      return address;
    } catch (thrown) {
      this.abandon(thrown as PithError);
      return undefined;
    }
  }

  #close(address: string): void {
    this.#wire.inbox.close(address);
    this.#addresses.delete(address);
  }

  #leave(end: WorkEnd): void {
    this.#wire.pulse.leave(this);
    for (const address of this.#addresses) this.#close(address);
    this.end(this.#why(end));
    this.forget();
    this.#isOver();
  }

  #why(end: WorkEnd): PithError {
    const { subject } = this.channel;
    if (end.type === 'ended') return end.error;
    return end.type === 'timeout' ? timedOut(subject, this.#facts.deadlineMs) : cancelled(subject, end.type);
  }
}

/** The agent says that the job is over, or that too many asks are open. */
const GONE = '410';
const TOO_MANY = '429';

function typed(type: string, seq?: number): Headers {
  return seq === undefined
    ? [[HEADER.type, type]]
    : [
        [HEADER.type, type],
        [HEADER.seq, String(seq)],
      ];
}
