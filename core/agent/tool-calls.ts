/** One tool call from beginning to end (S3.5, S3.8): hooks, validation, run, result. Loop and desk call tools this way only. */
import type { Bus } from '../bus/bus';
import { messageOf } from '../errors';
import type { Dispatch } from '../kernel/hooks';
import { nearest } from '../kernel/nearest';
import type { Json, Role, ToolCallItem } from '../session/items';
import type { Session } from '../session/session';
import type { PreToolCallEvent } from './hooks';
import { errorResult, normaliseResult } from './tool-results';
import type { ParsedArguments, Tool, ToolResult } from './tools';

/** A running tool says how far it is. */
export interface ToolProgressEvent {
  readonly sessionId: string;
  readonly role: Role;
  readonly callId: string;
  readonly tool: string;
  readonly text: string;
}

declare module '../bus/bus' {
  interface EventMap {
    'tool.progress': ToolProgressEvent;
  }
}

/** What of a kernel a tool call needs. */
export interface CallingKernel {
  readonly bus: Bus;
  readonly dispatch: Dispatch;
}

export interface ToolCallOptions {
  readonly session: Session;
  readonly role: Role;
  readonly call: ToolCallItem;
  /** The tools of the run; those whose roles leave this one out do not exist for it. */
  readonly tools: readonly Tool[];
  /** Ends the call; its result then says so. */
  readonly signal: AbortSignal;
}

/** What came of a call. Every call has a result for the log, also one that was denied, invalid, failed or cut off. */
export interface ToolOutcome {
  /** The call as it ran: with revised arguments, and the plugin that revised them under `by`. */
  readonly call: ToolCallItem;
  readonly result: ToolResult;
  /** The plugin that revised the result. */
  readonly by: string | undefined;
  /** Why the run must end, and the plugin that asked for it. */
  readonly abort: { readonly reason: string; readonly plugin: string | undefined } | undefined;
}

/** Carries out a tool call. Never rejects: what goes wrong is an error result, and what ends the run is its `abort`. */
export async function callTool(kernel: CallingKernel, options: ToolCallOptions): Promise<ToolOutcome> {
  const { session, role, tools, signal } = options;
  const tool = tools.find(({ name, roles }) => name === options.call.name && roles.includes(role));
  let { call } = options;
  if (tool === undefined) return outcome(call, errorResult(call.name, unknownTool(call.name, role, tools)));
  let result = errorResult(tool.name, 'Interrupted before it was done.');
  try {
    const asked: PreToolCallEvent = { role, session, call, tool, arguments: call.arguments };
    const before = await kernel.dispatch('pre_tool_call', asked, signal);
    call = revisedCall(call, before.event.arguments, revisedBy(before.results));
    const refusal = before.ended?.result;
    if (refusal?.do === 'deny') return outcome(call, errorResult(tool.name, refusal.text));
    if (refusal?.do === 'abort') {
      const { reason } = refusal;
      return outcome(call, errorResult(tool.name, `Not run: ${reason}`), {
        abort: { reason, plugin: before.ended?.plugin },
      });
    }
    const parsed = await parse(tool, call.arguments);
    if (!parsed.ok) return outcome(call, errorResult(tool.name, badArguments(tool.name, parsed.message)));
    result = await run(kernel, tool, parsed.value, { ...options, call });
    const paths = pathsOf(tool, parsed.value);
    const after = await kernel.dispatch('post_tool_call', { ...before.event, call, result, paths }, signal);
    const end = after.ended?.result;
    return outcome(call, after.event.result, {
      by: revisedBy(after.results),
      ...(end?.do === 'abort' && { abort: { reason: end.reason, plugin: after.ended?.plugin } }),
    });
  } catch (thrown) {
    const reason = messageOf(signal.aborted ? signal.reason : thrown);
    return outcome(call, result, { abort: { reason, plugin: undefined } });
  }
}

function outcome(call: ToolCallItem, result: ToolResult, rest: Partial<ToolOutcome> = {}): ToolOutcome {
  return { call, result, by: rest.by, abort: rest.abort };
}

function revisedCall(call: ToolCallItem, args: Json, by: string | undefined): ToolCallItem {
  return by === undefined ? call : { ...call, arguments: args, by };
}

/** The last plugin that revised. */
function revisedBy(
  results: readonly { readonly plugin: string; readonly result: { readonly do: string } }[],
): string | undefined {
  return results.findLast(({ result }) => result.do === 'revise')?.plugin;
}

async function parse(tool: Tool, args: Json): Promise<ParsedArguments> {
  try {
    return await tool.parse(args);
  } catch (thrown) {
    return { ok: false, message: messageOf(thrown) };
  }
}

/** Runs the tool. Throws only when the signal aborts. */
async function run(kernel: CallingKernel, tool: Tool, args: unknown, options: ToolCallOptions): Promise<ToolResult> {
  const { session, role, call, signal } = options;
  const { callId } = call;
  const progress = (text: string): void =>
    kernel.bus.publish('tool.progress', { sessionId: session.id, role, callId, tool: tool.name, text });
  try {
    const output = await unlessAborted(signal, () =>
      tool.run(args as never, { session, role, callId, signal, progress }),
    );
    return normaliseResult(tool.name, output);
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    return errorResult(tool.name, `Error: ${messageOf(thrown)}`);
  }
}

/** Leaves work behind that does not end when its signal aborts. */
function unlessAborted<T>(signal: AbortSignal, work: () => T | Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort);
    const done = new Promise<T>((start) => start(work()));
    done.finally(() => signal.removeEventListener('abort', abort)).then(resolve, reject);
  });
}

/** The files a call touched; a tool that cannot tell has touched none. */
function pathsOf(tool: Tool, args: unknown): readonly string[] {
  try {
    return tool.paths(args);
  } catch {
    return [];
  }
}

function unknownTool(name: string, role: Role, tools: readonly Tool[]): string {
  const names = tools.filter(({ roles }) => roles.includes(role)).map((tool) => tool.name);
  const meant = nearest(name, names);
  if (meant !== undefined) return `Error: there is no tool "${name}". Did you mean "${meant}"?`;
  return `Error: there is no tool "${name}". ${names.length === 0 ? 'There are no tools.' : `Tools: ${names.join(', ')}.`}`;
}

function badArguments(tool: string, problem: string): string {
  return `Error: the arguments of ${tool} do not fit its schema: ${problem}. Correct them and call it again.`;
}
