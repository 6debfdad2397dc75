/** One tool call from beginning to end (S3.5, S3.8): hooks, validation, run, result. Loop and desk call tools this way only. */
import type { Bus } from '../bus/bus';
import { messageOf } from '../errors';
import type { PithError } from '../errors';
import type { Dispatch } from '../kernel/hooks';
import { nearest } from '../kernel/nearest';
import type { Json, Role, ToolCallItem } from '../session/items';
import type { Session } from '../session/session';
import type { PreToolCallEvent } from './hooks';
import { errorResult, normaliseResult } from './tool-results';
import type { ParsedArguments, Tool, ToolResult } from './tools';
import { unlessAborted } from '../bus/unless-aborted';

/** Which call of which tool runs. */
export interface RunningTool {
  readonly sessionId: string;
  readonly role: Role;
  readonly callId: string;
  readonly tool: string;
}

/** A running tool says how far it is. */
export interface ToolProgressEvent extends RunningTool {
  readonly text: string;
}

/** A tool has run; what went wrong is an error result, and what was cut off has none. */
export interface ToolEndedEvent extends RunningTool {
  readonly outcome: 'done' | 'error' | 'interrupted';
}

declare module '../bus/bus' {
  interface EventMap {
    /** A tool runs now: its call was admitted and its arguments fit. */
    'tool.started': RunningTool;
    'tool.progress': ToolProgressEvent;
    /** Each start has exactly one end. */
    'tool.ended': ToolEndedEvent;
  }
}

/** What of a kernel a tool call needs. */
export interface CallingKernel {
  readonly bus: Bus;
  readonly dispatch: Dispatch;
}

/** What a tool call is a part of. */
export interface ToolCallOptions {
  readonly session: Session;
  readonly role: Role;
  readonly call: ToolCallItem;
  /** The tools of the run; those whose roles leave this one out do not exist for it. */
  readonly tools: readonly Tool[];
  /** Ends the call; its result then says so. */
  readonly signal: AbortSignal;
}

/** Why the run must end, and the plugin that asked for it. */
export interface RunAbort {
  readonly reason: string;
  readonly plugin: string | undefined;
  /** The error that the run fails with; without one it counts as aborted. */
  readonly error?: PithError;
}

/** A call that has passed `pre_tool_call`. */
export interface AdmittedCall {
  /** The call as it will run: with revised arguments, and the plugin that revised them under `by`. */
  readonly call: ToolCallItem;
  /** The result of a call that will not run: denied, unknown, invalid. */
  readonly refused?: ToolResult;
  readonly abort?: RunAbort;
}

/** What came of a call. Every call has a result for the log, also one that was denied, invalid, failed or cut off. */
export interface ToolOutcome {
  /** The call as it ran. */
  readonly call: ToolCallItem;
  readonly result: ToolResult;
  /** The plugin that revised the result. */
  readonly by: string | undefined;
  readonly abort: RunAbort | undefined;
}

/** Carries out a tool call. Never rejects: what goes wrong is an error result, and what ends the run is its `abort`. */
export async function callTool(kernel: CallingKernel, options: ToolCallOptions): Promise<ToolOutcome> {
  return runAdmitted(kernel, await admitCall(kernel, options), options);
}

/** Asks the plugins whether and how a call may run. Nothing has run afterwards. Never rejects. */
export async function admitCall(kernel: CallingKernel, options: ToolCallOptions): Promise<AdmittedCall> {
  const { session, role, tools, signal, call } = options;
  const tool = toolOf(options);
  if (tool === undefined) return { call, refused: errorResult(call.name, unknownTool(call.name, role, tools)) };
  try {
    const asked: PreToolCallEvent = { role, session, call, tool, arguments: call.arguments };
    const { event, results, ended } = await kernel.dispatch('pre_tool_call', asked, signal);
    const revised = revisedCall(call, event.arguments, revisedBy(results));
    const end = ended?.result;
    if (end?.do === 'deny') return { call: revised, refused: errorResult(tool.name, end.text) };
    if (end?.do !== 'abort') return { call: revised };
    return {
      call: revised,
      refused: errorResult(tool.name, `Not run: ${end.reason}`),
      abort: { ...end, plugin: ended?.plugin },
    };
  } catch (thrown) {
    return { call, ...interrupted(tool.name, thrown, signal) };
  }
}

/** Runs an admitted call. Never rejects. */
export async function runAdmitted(
  kernel: CallingKernel,
  admitted: AdmittedCall,
  options: ToolCallOptions,
): Promise<ToolOutcome> {
  const { session, role, signal } = options;
  const { call, refused, abort } = admitted;
  const tool = toolOf(options);
  if (refused !== undefined || tool === undefined)
    return outcome(call, refused ?? errorResult(call.name, unknownTool(call.name, role, options.tools)), { abort });
  let result: ToolResult | undefined;
  try {
    const parsed = await parse(tool, call.arguments);
    if (!parsed.ok) return outcome(call, errorResult(tool.name, badArguments(tool.name, parsed.message)));
    result = await run(kernel, tool, parsed.value, { ...options, call });
    const paths = pathsOf(tool, parsed.value);
    const ran = { role, session, call, tool, arguments: call.arguments, result, paths };
    const { event, results, ended } = await kernel.dispatch('post_tool_call', ran, signal);
    const end = ended?.result;
    // A plugin that would rather end the run than let the result pass unseen has not seen it.
    const kept = ended?.error === undefined ? event.result : errorResult(tool.name, withheld(ended.plugin));
    return outcome(call, kept, {
      by: revisedBy(results),
      ...(end?.do === 'abort' && { abort: { ...end, plugin: ended?.plugin } }),
    });
  } catch (thrown) {
    const { refused: cutOff, abort: why } = interrupted(tool.name, thrown, signal);
    return outcome(call, result ?? cutOff, { abort: why });
  }
}

function toolOf({ tools, call, role }: ToolCallOptions): Tool | undefined {
  return tools.find(({ name, roles }) => name === call.name && roles.includes(role));
}

function interrupted(
  tool: string,
  thrown: unknown,
  signal: AbortSignal,
): { readonly refused: ToolResult; readonly abort: RunAbort } {
  const reason = messageOf(signal.aborted ? signal.reason : thrown);
  return { refused: errorResult(tool, 'Interrupted before it was done.'), abort: { reason, plugin: undefined } };
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
  const running: RunningTool = { sessionId: session.id, role, callId, tool: tool.name };
  const progress = (text: string): void => kernel.bus.publish('tool.progress', { ...running, text });
  let outcome: ToolEndedEvent['outcome'] = 'interrupted';
  kernel.bus.publish('tool.started', running);
  try {
    const result = await outputOf();
    outcome = result.isError === true ? 'error' : 'done';
    return result;
  } finally {
    kernel.bus.publish('tool.ended', { ...running, outcome });
  }

  async function outputOf(): Promise<ToolResult> {
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

function withheld(plugin: string): string {
  return `Error: it ran, and its result is withheld, as "${plugin}" failed while looking at it.`;
}

function badArguments(tool: string, problem: string): string {
  return `Error: the arguments of ${tool} do not fit its schema: ${problem}. Correct them and call it again.`;
}
