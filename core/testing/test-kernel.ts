/** A running kernel, or a whole agent, of which a test sees everything: what is logged, published and dispatched. */
import { createAgent } from '../agent/agent';
import type { Agent, AgentOptions } from '../agent/agent';
import { createKernel } from '../agent/create-kernel';
import { openSession } from '../agent/open-session';
import type { Kernel, KernelOptions } from '../kernel/kernel';
import type { NewItem } from '../session/items';
import type { RecordDraft } from '../session/records';
import type { Session } from '../session/session';
import { createRecorder } from './recorder';
import type { RecorderOptions, Recording } from './recorder';

export interface TestKernelOptions
  extends RecorderOptions, Omit<KernelOptions, 'kinds' | 'bus' | 'log' | 'defaults' | 'plugins'> {
  readonly plugins?: KernelOptions['plugins'];
}

export interface TestKernel extends Recording, AsyncDisposable {
  readonly kernel: Kernel;
  /** Opens a session that is kept in the store of the kernel, with these items and then these records in its log. */
  openSession(items?: readonly NewItem[], ...records: readonly RecordDraft[]): Promise<Session>;
  /** Opens a session of the store again, as after a restart; close it before. Throws what the store throws. */
  reopenSession(id: string): Promise<Session>;
}

/**
 * Starts plugins on a real kernel with sessions in memory, a clock that stands still, and ids that are counted. Dispose of it
 * to stop it. Throws `PITH_PLUGIN_GRAPH` or `PITH_PLUGIN_SETUP` as a start does.
 */
export async function createTestKernel(options: TestKernelOptions = {}): Promise<TestKernel> {
  const { plugins = [], services, clock, bus, ...rest } = options;
  const recorder = createRecorder({ services, clock, bus });
  const kernel = await createKernel({ ...rest, plugins, ...recorder.options });
  return {
    ...recorder,
    kernel,
    async openSession(items = [], ...records) {
      const { session } = await openSession(kernel, {});
      session.append(items);
      session.record(...records);
      return session;
    },
    reopenSession: async (id) => (await openSession(kernel, { id, create: false })).session,
    async [Symbol.asyncDispose]() {
      try {
        await kernel.stop();
      } finally {
        await recorder.close();
      }
    },
  };
}

export interface TestAgentOptions extends RecorderOptions, Omit<AgentOptions, 'bus' | 'log' | 'defaults' | 'plugins'> {
  readonly plugins?: AgentOptions['plugins'];
}

export interface TestAgent extends Recording, AsyncDisposable {
  readonly agent: Agent;
}

/** Starts an agent as {@link createTestKernel} starts a kernel; most tests give it a scripted model. */
export async function createTestAgent(options: TestAgentOptions = {}): Promise<TestAgent> {
  const { plugins = [], services, clock, bus, ...rest } = options;
  const recorder = createRecorder({ services, clock, bus });
  const agent = await createAgent({ ...rest, plugins, ...recorder.options });
  return {
    ...recorder,
    agent,
    async [Symbol.asyncDispose]() {
      try {
        await agent.close();
      } finally {
        await recorder.close();
      }
    },
  };
}
