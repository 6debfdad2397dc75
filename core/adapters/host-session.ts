/**
 * Pith inside a host that brings its own loop (S2, S3.5): each conversation of the host is mirrored in a session, and what
 * the plugins make of it is written back onto the host's own messages. Every adapter is a codec on top of this.
 */
import type { FileSource } from '../files/file-source';
import type { RawConfig } from '../kernel/config';
import type { Kernel } from '../kernel/kernel';
import type { LogSink } from '../kernel/logger';
import type { PluginModule } from '../kernel/plugin';
import type { LlmClient } from '../llm/client';
import type { AiSdkModel } from '../llm/language-model';
import type { RunOutcome } from '../session/records';
import type { SessionStore } from '../session/store';
import type { LimitOverrides } from '../tokens/model-limits';
import type { HostAnswer, HostCodec, HostReply, HostRequest } from './host-codec';
import { startHostKernel } from './host-kernel';
import type { HostKernel } from './host-kernel';
import { MirroredSession } from './mirrored-session';

/** What Pith is started with for a host; every adapter takes these. */
export interface HostOptions {
  /** Instead of the stock plugins `tracker`, `prune`, `compaction`, `auto-read-budget` and `guard`. */
  readonly plugins?: readonly PluginModule[] | undefined;
  /**
   * Configuration by section, keys in camelCase: `{ compaction: { retainedTokens: 12_000 } }`. The thresholds of compaction
   * are 75% and 90% where it names neither.
   */
  readonly config?: RawConfig | undefined;
  /** The path of a manifest, which then says all that is not given here. */
  readonly manifest?: string | undefined;
  /** Where sessions are kept, so that another process goes on with them; memory by default. */
  readonly store?: SessionStore | undefined;
  /** What writes summaries; without one the offline worker does. */
  readonly model?: LlmClient | AiSdkModel | undefined;
  /** Tokens of window and reply of the host's model, where they are not those that are known of it. */
  readonly limits?: LimitOverrides | undefined;
  /** The folder of the files that the host's agent works on; the working folder by default. */
  readonly root?: string | undefined;
  /** Where contents of files come from; the disk below `root` by default. */
  readonly files?: FileSource | undefined;
  /** Where log lines go; stderr from `warn` on by default. */
  readonly log?: LogSink | undefined;
  /** Gets work that goes on in the background, for hosts that stop when nothing holds them; never rejects. */
  waitUntil?(work: Promise<void>): void;
}

/** Pith as an adapter uses it. */
export interface Host extends AsyncDisposable {
  readonly kernel: Kernel;
  /**
   * The conversation of this id; asked for again, it is the same one. Nothing is read or kept before it is first used. As long
   * as it is open, the codec that it was first used with reads it.
   */
  session<M extends object>(sessionId: string, codec: HostCodec<M>): HostSession<M>;
  /** Resolves when no conversation has work under way, in the background or not. Never rejects. */
  idle(): Promise<void>;
  /** Closes all conversations and stops the kernel. */
  close(): Promise<void>;
}

/**
 * One conversation of a host. Calls wait for each other, and none of them rejects: where Pith fails, the host goes on with
 * its own messages, and `host.failed` is told.
 */
export interface HostSession<M extends object> {
  readonly id: string;
  /** What to send in place of a request. */
  beforeRequest(request: HostRequest<M>): Promise<HostAnswer<M>>;
  /**
   * What to send in place of a request that failed, where the provider found it too large and it has become smaller;
   * undefined where the failure is the host's to deal with.
   */
  afterFailure(request: HostRequest<M>, thrown: unknown): Promise<HostAnswer<M> | undefined>;
  /** Takes in what came back of the newest request. */
  afterReply(reply: HostReply): Promise<void>;
  /**
   * The run is over; `messages` is the whole conversation, where the host tells more than it did before. Work in the
   * background may begin.
   */
  afterRun(messages?: readonly M[], outcome?: Exclude<RunOutcome, 'yielded'>): Promise<void>;
  /** Lets go of the session; the next use opens it again. */
  close(): Promise<void>;
}

/**
 * Starts Pith for a host. Throws `PITH_PLUGIN_GRAPH` or `PITH_PLUGIN_SETUP`, and for a manifest what `loadManifest` throws; what
 * fails later, the host does not notice.
 */
export async function createHost(options: HostOptions = {}): Promise<Host> {
  return new LiveHost(await startHostKernel(options), options);
}

/** Conversations that are open at once; of more, those that rested longest are closed, and opened again when they go on. */
const MOST_OPEN = 64;

class LiveHost implements Host {
  readonly kernel: Kernel;
  readonly #root: string | undefined;
  readonly #options: HostOptions;
  /** The open conversations, those that were used last behind the others. */
  readonly #open = new Map<string, MirroredSession<object>>();

  constructor({ kernel, root }: HostKernel, options: HostOptions) {
    this.kernel = kernel;
    this.#root = root;
    this.#options = options;
  }

  session<M extends object>(id: string, codec: HostCodec<M>): HostSession<M> {
    const use = (): MirroredSession<M> => this.#use(id, codec);
    return {
      id,
      beforeRequest: (request) => use().beforeRequest(request),
      afterFailure: (request, thrown) => use().afterFailure(request, thrown),
      afterReply: (reply) => use().afterReply(reply),
      afterRun: (messages, outcome) => use().afterRun(messages, outcome),
      close: () => this.#close(id),
    };
  }

  async idle(): Promise<void> {
    await Promise.all([...this.#open.values()].map((session) => session.idle()));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.#close(id)));
    await this.kernel.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #use<M extends object>(id: string, codec: HostCodec<M>): MirroredSession<M> {
    const session = this.#open.get(id) ?? this.#begin(id, codec as HostCodec<never>);
    this.#open.delete(id);
    this.#open.set(id, session);
    if (this.#open.size > MOST_OPEN) this.#closeOldest();
    return session as MirroredSession<object> as MirroredSession<M>;
  }

  #begin(id: string, codec: HostCodec<object>): MirroredSession<object> {
    const { waitUntil } = this.#options;
    return new MirroredSession(this.kernel, id, codec, { root: this.#root, ...(waitUntil && { waitUntil }) });
  }

  #closeOldest(): void {
    for (const [id, session] of this.#open) {
      if (!session.isResting) continue;
      void this.#close(id);
      return;
    }
  }

  /** It stays in the list until it is closed, so that nobody opens it meanwhile. */
  async #close(id: string): Promise<void> {
    const session = this.#open.get(id);
    await session?.close();
    if (session?.isClosed === true && this.#open.get(id) === session) this.#open.delete(id);
  }
}
