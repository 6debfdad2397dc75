/** A kernel with tools, a session and a way to call: the real parts of one tool call. */
import { createKernel } from '../../core/agent/create-kernel';
import { callTool } from '../../core/agent/tool-calls';
import type { ToolOutcome } from '../../core/agent/tool-calls';
import { toolsOf } from '../../core/agent/tool-registry';
import type { Tool } from '../../core/agent/tools';
import { createLocalBus } from '../../core/bus/local-bus';
import type { Bus } from '../../core/bus/bus';
import type { Kernel } from '../../core/kernel/kernel';
import { definePlugin } from '../../core/kernel/plugin';
import type { Plugin, PluginContext } from '../../core/kernel/plugin';
import type { PluginErrorEvent } from '../../core/kernel/plugin-error';
import type { Json, Role, ToolCallItem } from '../../core/session/items';
import type { Session } from '../../core/session/session';
import { createSession } from '../../core/session/log-session';

export interface Agent {
  readonly kernel: Kernel;
  readonly bus: Bus;
  readonly session: Session;
  readonly errors: readonly PluginErrorEvent[];
  call(name: string, args: Json, options?: { role?: Role; signal?: AbortSignal }): Promise<ToolOutcome>;
}

const running: Kernel[] = [];
afterEach(async () => {
  for (const kernel of running.splice(0)) await kernel.stop().catch(() => undefined);
});

/** A plugin of which only the setup matters. */
export function plugin(name: string, setup: (ctx: PluginContext) => void): Plugin {
  return definePlugin({ name, api: 1, setup: setup as never });
}

export async function agent(tools: readonly Tool[], ...plugins: readonly Plugin[]): Promise<Agent> {
  const bus = createLocalBus();
  const errors: PluginErrorEvent[] = [];
  bus.on('plugin.error', (event) => errors.push(event));
  const kernel = await createKernel({
    bus,
    log: { level: 'error', write: () => undefined },
    plugins: [...plugins, plugin('tools', (ctx) => ctx.tools.add(tools))],
  });
  running.push(kernel);
  const session = createSession({ id: 'session', now: () => 0 });
  let calls = 0;
  return {
    kernel,
    bus,
    session,
    errors,
    call(name, args, { role = 'main', signal = new AbortController().signal } = {}) {
      const call: ToolCallItem = {
        kind: 'tool_call',
        id: `i${String(calls)}`,
        callId: `c${String(calls++)}`,
        name,
        arguments: args,
      };
      return callTool(kernel, {
        session,
        role,
        call,
        signal,
        tools: toolsOf(kernel),
      });
    },
  };
}
