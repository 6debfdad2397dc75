/** An agent: a kernel with plugins, a model, tools, and the sessions it talks in (S2, S3). */
import { createDiskFiles } from '../files/disk-files';
import { FILE_SOURCE } from '../files/file-source';
import type { FileSource } from '../files/file-source';
import type { Kernel, KernelOptions } from '../kernel/kernel';
import { defaultService } from '../kernel/services';
import type { DefaultService } from '../kernel/services';
import { LLM } from '../llm/client';
import type { LlmClient } from '../llm/client';
import type { Position } from '../session/records';
import { SESSION_STORE } from '../session/store';
import type { SessionStore } from '../session/store';
import { LIMITS, modelLimits } from '../tokens/model-limits';
import { TOKENIZER } from '../tokens/tokenizer';
import type { Conversation } from './conversation';
import { createKernel } from './create-kernel';
import { drive } from './session-driver';
import { converse } from './live-conversation';
import { openSession } from './open-session';
import { toolsFrom, toolsOf } from './tool-registry';
import type { ToolSource } from './tool-registry';
import { toolInvalid } from './tools';
import type { Tool } from './tools';

/** What an agent is made of. */
export interface AgentOptions extends Pick<KernelOptions, 'plugins' | 'config' | 'bus' | 'log' | 'onError' | 'faults'> {
  readonly model?: LlmClient | undefined;
  /** The system prompt; it stays byte for byte through every compaction (R1). */
  readonly system?: string | undefined;
  /** Tools beside those of the plugins. */
  readonly tools?: ToolSource | undefined;
  /** Where sessions are kept; memory by default. */
  readonly store?: SessionStore | undefined;
  /** Where contents of files come from; the disk below `root` by default. */
  readonly files?: FileSource | undefined;
  /** The folder of the sessions' files; the working folder by default. */
  readonly root?: string | undefined;
  /** Most tokens of each reply; what the model allows by default. */
  readonly maxOutputTokens?: number | undefined;
  /** Further services that stand where no plugin serves them. */
  readonly defaults?: readonly DefaultService[] | undefined;
}

/** How a conversation is opened. */
export interface OpenOptions {
  /** A position of the log to go on from, in a session of its own; the newest by default. */
  readonly at?: Position;
  /** Whether a session begins where none of this id is kept; true by default. */
  readonly create?: boolean;
}

/** Plugins, a model and tools that hold conversations (S2). */
export interface Agent extends AsyncDisposable {
  readonly kernel: Kernel;
  /** What the model may call, of all plugins. */
  readonly tools: readonly Tool[];
  /**
   * Begins a session, or opens the one of this id; a second conversation in it is refused with `PITH_SESSION_LOCKED`.
   */
  open(id?: string, options?: OpenOptions): Promise<Conversation>;
  /** Closes every conversation and stops the kernel. */
  close(): Promise<void>;
}

/**
 * Starts an agent. Throws what {@link createKernel} throws, and `PITH_TOOL_INVALID` where a tool has a name that is taken.
 */
export async function createAgent(options: AgentOptions): Promise<Agent> {
  const { plugins, config, bus, log, onError, faults } = options;
  const kernel = await createKernel({ plugins, config, bus, log, onError, faults, defaults: defaultsOf(options) });
  try {
    return new LiveAgent(kernel, options, withOwn(kernel, options.tools));
  } catch (thrown) {
    await kernel.stop();
    throw thrown;
  }
}

class LiveAgent implements Agent {
  readonly kernel: Kernel;
  readonly tools: readonly Tool[];
  readonly #options: AgentOptions;
  readonly #open = new Set<Conversation>();

  constructor(kernel: Kernel, options: AgentOptions, tools: readonly Tool[]) {
    this.kernel = kernel;
    this.tools = tools;
    this.#options = options;
  }

  async open(id?: string, { at, create }: OpenOptions = {}): Promise<Conversation> {
    const { kernel, tools } = this;
    const { model, system, root, maxOutputTokens } = this.#options;
    const { session, restored } = await openSession(kernel, { id, at, root, create });
    const driver = drive(kernel, session, { tools, system, model: model?.model, provider: model?.profile.name });
    await driver.start(restored);
    const conversation = converse({ kernel, driver, model, maxOutputTokens });
    this.#open.add(conversation);
    return conversation;
  }

  async close(): Promise<void> {
    const open = [...this.#open];
    this.#open.clear();
    const closed = await Promise.allSettled(open.map((conversation) => conversation.close()));
    await this.kernel.stop();
    for (const outcome of closed) if (outcome.status === 'rejected') throw outcome.reason;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function defaultsOf({ model, store, root, files, defaults = [] }: AgentOptions): readonly DefaultService[] {
  const source = files ?? (root === undefined ? undefined : createDiskFiles({ root }));
  return [
    ...(model === undefined
      ? []
      : [
          defaultService(LLM, () => model),
          defaultService(TOKENIZER, () => model.tokenizer()),
          defaultService(LIMITS, () => (name) => (name === model.model ? model.limits() : modelLimits(name))),
        ]),
    ...(store === undefined ? [] : [defaultService(SESSION_STORE, () => store)]),
    ...(source === undefined ? [] : [defaultService(FILE_SOURCE, () => source)]),
    ...defaults,
  ];
}

function withOwn(kernel: Kernel, source: ToolSource | undefined): readonly Tool[] {
  const tools = [...toolsOf(kernel)];
  for (const tool of source === undefined ? [] : toolsFrom(source)) {
    if (tools.some(({ name }) => name === tool.name)) throw toolInvalid(tool.name, 'a plugin brings one of that name');
    tools.push(tool);
  }
  return tools;
}
