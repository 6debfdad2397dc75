/** The shell on a real kernel and real processes. */
import {
  callTool,
  createDiskFiles,
  createKernel,
  createSession,
  defaultService,
  FILE_SOURCE,
  type Json,
  type Kernel,
  type Plugin,
  type ToolResult,
} from '../../../core';
import { toolsOf } from '../../../core/agent/tool-registry';
import shell from '../../../plugins/shell';
import { folderWith } from '../../files/folder';

export interface TestShell {
  readonly root: string;
  readonly kernel: Kernel;
  /** What was told as `tool.progress`. */
  readonly progress: readonly string[];
  /** Calls another tool of the kernel. */
  call(name: string, args: Json): Promise<ShellAnswer>;
  run(command: string, args?: Readonly<Record<string, Json>>, signal?: AbortSignal): Promise<ShellAnswer>;
}

export interface ShellAnswer extends ToolResult {
  /** What the model reads. */
  readonly text: string;
}

const kernels: Kernel[] = [];
afterEach(async () => {
  for (const kernel of kernels.splice(0)) await kernel.stop();
});

export async function openShell(
  config: Readonly<Record<string, unknown>> = {},
  plugins: readonly Plugin[] = [],
): Promise<TestShell> {
  const root = folderWith({});
  const kernel = await createKernel({
    plugins: [...plugins, shell],
    config: { shell: config },
    log: { level: 'error', write: () => undefined },
    defaults: [defaultService(FILE_SOURCE, () => createDiskFiles({ root }))],
  });
  kernels.push(kernel);
  const session = createSession({ id: 's', services: (one) => kernel.scope(one) });
  const progress: string[] = [];
  kernel.bus.on('tool.progress', ({ text }) => void progress.push(text));
  let calls = 0;
  const call = async (name: string, args: Json, signal = new AbortController().signal): Promise<ShellAnswer> => {
    const callId = `c${calls++}`;
    const { result } = await callTool(kernel, {
      session,
      role: 'main',
      call: { id: callId, kind: 'tool_call', callId, name, arguments: args },
      tools: toolsOf(kernel),
      signal,
    });
    const { content = result.summary } = result;
    return { ...result, text: typeof content === 'string' ? content : '' };
  };
  return {
    root,
    kernel,
    progress,
    call,
    run: (command, args = {}, signal) => call('run_command', { command, ...args }, signal),
  };
}
