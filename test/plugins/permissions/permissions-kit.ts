/** The permissions on a real kernel, with tools that say what they would do, and a human of whom the test decides. */
import {
  callTool,
  createDiskFiles,
  createKernel,
  createSession,
  defaultService,
  defineTool,
  FILE_SOURCE,
  type Json,
  type Kernel,
  type KernelOptions,
  type Session,
  type Tool,
  type ToolKind,
} from '../../../core';
import permissions, { APPROVAL, type ApprovalAnswer, type ApprovalRequest } from '../../../plugins/permissions';
import { folderWith } from '../../files/folder';

export interface Guarded {
  readonly root: string;
  readonly kernel: Kernel;
  readonly session: Session;
  /** What a human was asked. */
  readonly asked: readonly ApprovalRequest[];
  /** Calls that ran, as `tool(argument)`. */
  readonly ran: readonly string[];
  /** Calls a tool with its one argument, and tells what the model reads; `ran` where it ran. */
  call(tool: string, argument?: string, options?: CallOptions): Promise<string>;
}

interface CallOptions {
  readonly role?: string;
  readonly signal?: AbortSignal;
  readonly session?: Session;
}

interface Setup extends Partial<Pick<KernelOptions, 'plugins'>> {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  /** What the human answers, asked for each question; without it nobody can be asked. */
  readonly answer?: (request: ApprovalRequest, signal: AbortSignal) => ApprovalAnswer | Promise<ApprovalAnswer>;
}

const kernels: Kernel[] = [];
afterEach(async () => {
  for (const kernel of kernels.splice(0)) await kernel.stop();
});

export async function guarded({ files = {}, answer, plugins = [], ...lists }: Setup = {}): Promise<Guarded> {
  const root = folderWith(files);
  const asked: ApprovalRequest[] = [];
  const ran: string[] = [];
  const approval = {
    ask: async (request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> => {
      asked.push(request);
      return (await answer?.(request, signal)) ?? 'no';
    },
  };
  const kernel = await createKernel({
    plugins: [permissions, ...plugins],
    config: { permissions: lists },
    log: { level: 'error', write: () => undefined },
    defaults: [
      defaultService(FILE_SOURCE, () => createDiskFiles({ root })),
      ...(answer === undefined ? [] : [defaultService(APPROVAL, () => approval)]),
    ],
  });
  kernels.push(kernel);
  const tool = (name: string, kind: ToolKind, argument: string): Tool =>
    defineTool({
      name,
      kind,
      description: '',
      roles: ['main', 'compact-worker'],
      input: { type: 'object', properties: { [argument]: { type: 'string' } }, additionalProperties: false },
      run(args) {
        ran.push(`${name}(${Object.values(args as Record<string, Json>).join()})`);
        return 'ran';
      },
    });
  const tools = [
    tool('read_file', 'read', 'path'),
    tool('write_file', 'write', 'path'),
    tool('edit_file', 'write', 'path'),
    tool('run_command', 'exec', 'command'),
    tool('deploy', 'exec', 'target'),
    tool('todo', 'state', 'text'),
    tool('look_up', 'read', 'query'),
  ];
  const session = createSession({ id: 's', services: (one) => kernel.scope(one) });
  let calls = 0;
  return {
    root,
    kernel,
    session,
    asked,
    ran,
    async call(name, argument, options = {}) {
      const { role = 'main', signal = new AbortController().signal } = options;
      const [key = ''] = Object.keys(
        (tools.find((one) => one.name === name)?.parameters as { properties: object }).properties,
      );
      const callId = `c${calls++}`;
      const { result } = await callTool(kernel, {
        session: options.session ?? session,
        role,
        call: {
          id: callId,
          kind: 'tool_call',
          callId,
          name,
          arguments: argument === undefined ? {} : { [key]: argument },
        },
        tools,
        signal,
      });
      return typeof result.content === 'string' ? result.content : result.summary;
    },
  };
}
