/** Real kernels for tests: what they log and publish is kept, and each is stopped when its test is over. */
import type { Hook } from '../../core/index';
import type { LogEntry, LogSink } from '../../core/kernel/logger';
import { startKernel } from '../../core/kernel/kernel';
import type { Kernel, KernelOptions } from '../../core/kernel/kernel';
import { definePlugin } from '../../core/kernel/plugin';
import type { Plugin, PluginContext } from '../../core/kernel/plugin';
import type { PluginErrorEvent } from '../../core/kernel/plugin-error';
import type { HookDefinition } from '../../core/kernel/hooks';
import type { Bus } from '../../core/bus/bus';
import { createLocalBus } from '../../core/bus/local-bus';

export interface Step {
  readonly role?: string;
  readonly text: string;
}
export type StepResult =
  | { readonly do: 'add'; readonly text: string }
  | { readonly do: 'stop'; readonly why: string }
  | { readonly do: 'deny'; readonly text: string };

declare module '../../core/index' {
  interface HookMap {
    test_step: Hook<Step, StepResult>;
    test_note: Hook<{ readonly role?: string }>;
  }
}

/** A hook that knows every outcome there is. */
export const STEP: HookDefinition<'test_step'> = {
  name: 'test_step',
  onError: 'skip',
  may: ['add', 'stop', 'deny'],
  ends: ['stop', 'deny'],
  failure: { deny: (text) => ({ do: 'deny', text }), abort: (why) => ({ do: 'stop', why }) },
  check: (result) => (result.do === 'add' && result.text === 'forbidden' ? 'its text is forbidden' : undefined),
  apply(event, result) {
    if (result.do !== 'add') return event;
    if (result.text === 'unfit') throw new Error('does not fit');
    return { ...event, text: `${event.text}${result.text}` };
  },
};

/** A hook whose handlers can only listen. */
export const NOTE: HookDefinition<'test_note'> = { name: 'test_note', onError: 'skip', may: [] };

export interface Started {
  readonly kernel: Kernel;
  readonly log: readonly LogEntry[];
  readonly errors: readonly PluginErrorEvent[];
}

/** What a kernel under test says, whether or not it starts. */
export interface Listening {
  readonly options: KernelOptions;
  readonly log: readonly LogEntry[];
  readonly errors: readonly PluginErrorEvent[];
}

const running: Kernel[] = [];
afterEach(async () => {
  for (const kernel of running.splice(0)) await kernel.stop().catch(() => undefined);
});

export function listening(options: KernelOptions & { readonly bus?: Bus }): Listening {
  const log: LogEntry[] = [];
  const errors: PluginErrorEvent[] = [];
  const sink: LogSink = { level: 'debug', write: (entry) => log.push(entry) };
  const bus = options.bus ?? createLocalBus();
  bus.on('plugin.error', (event) => errors.push(event));
  return { options: { log: sink, hooks: [STEP, NOTE] as never, ...options, bus }, log, errors };
}

export async function start(options: KernelOptions & { readonly bus?: Bus }): Promise<Started> {
  const { options: heard, log, errors } = listening(options);
  const kernel = await startKernel(heard);
  running.push(kernel);
  return { kernel, log, errors };
}

/** A plugin of which only the setup matters. */
export function plugin(
  name: string,
  setup: (ctx: PluginContext) => void | Promise<void> = () => undefined,
  rest: Partial<Plugin> = {},
): Plugin {
  return { ...definePlugin({ name, api: 1, setup: setup as never }), ...rest };
}

/** The rejection of a promise; fails the test where there is none. */
export async function rejection(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => {
      throw new Error('nothing was rejected');
    },
    (error: Error) => error,
  );
}

/** A promise that never settles. */
export function never(): Promise<never> {
  return new Promise(() => undefined);
}
