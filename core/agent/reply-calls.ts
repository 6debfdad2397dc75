/** The tool calls of one session between reply and result: each that the log holds gets exactly one result (S5.6). */
import type { ItemId, NewItem, ToolCallItem } from '../session/items';
import type { Session } from '../session/session';
import { admitCall } from './tool-calls';
import type { AdmittedCall, CallingKernel, RunAbort, ToolCallOptions } from './tool-calls';
import { errorResult } from './tool-results';
import type { ToolResult } from './tools';

/** The calls of a reply after the plugins were asked, in order, and the abort that one of them met. */
export interface AdmittedCalls {
  readonly calls: readonly AdmittedCall[];
  readonly abort: RunAbort | undefined;
}

export class ReplyCalls {
  readonly #kernel: CallingKernel;
  readonly #session: Session;
  readonly #unanswered = new Map<string, ToolCallItem>();

  constructor(kernel: CallingKernel, session: Session) {
    this.#kernel = kernel;
    this.#session = session;
  }

  /**
   * Asks the plugins about the calls among these items, one after another, and takes the items into the log: calls as they
   * will run. After an abort the others are not asked about any more, and all have their results.
   */
  async admit(items: readonly NewItem[], optionsOf: (call: ToolCallItem) => ToolCallOptions): Promise<AdmittedCalls> {
    const calls: AdmittedCall[] = [];
    let abort: RunAbort | undefined;
    for (const { call } of callsIn(items)) {
      const admitted: AdmittedCall = abort === undefined ? await admitCall(this.#kernel, optionsOf(call)) : { call };
      calls.push(admitted);
      abort ??= admitted.abort;
    }
    const named = this.#log(items, calls);
    if (abort === undefined) return { calls: named, abort };
    for (const { call, refused } of named)
      this.answer(call, refused ?? errorResult(call.name, `Not run: ${abort.reason}`));
    return { calls: named, abort };
  }

  /** Takes the items of a reply into the log, and returns its calls; nobody is asked about them. */
  take(items: readonly NewItem[]): readonly AdmittedCall[] {
    return this.#log(items, callsIn(items));
  }

  /** Has a call wait for its result that the log holds from before. */
  expect(call: ToolCallItem): void {
    this.#unanswered.set(call.callId, call);
  }

  /** Takes a result into the log; a second one for the same call is not taken. */
  answer(call: ToolCallItem, { summary, content, isError }: ToolResult, by?: string): void {
    if (!this.#unanswered.delete(call.callId)) return;
    const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
    const result: NewItem = {
      kind: 'tool_result',
      callId: call.callId,
      summary,
      ...(parts !== undefined && { content: parts }),
      ...(isError === true && { isError }),
    };
    this.#session.append([result], by);
  }

  /** Says of every call without a result that it was interrupted. */
  closeAll(): void {
    for (const call of this.#unanswered.values())
      this.answer(call, errorResult(call.name, 'Interrupted before it was done.'));
  }

  /** Appends the items of a reply, its calls as they were admitted, and returns these with their ids. */
  #log(items: readonly NewItem[], calls: readonly AdmittedCall[]): readonly AdmittedCall[] {
    let next = 0;
    const logged = this.#session.append(
      items.map((item) => (item.kind === 'tool_call' ? anonymous(calls[next++]?.call ?? item) : item)),
    );
    const named = logged.filter((item) => item.kind === 'tool_call');
    for (const call of named) this.#unanswered.set(call.callId, call);
    return calls.map((admitted, index) => ({ ...admitted, call: named[index] ?? admitted.call }));
  }
}

function callsIn(items: readonly NewItem[]): readonly AdmittedCall[] {
  return items.flatMap((item) => (item.kind === 'tool_call' ? [{ call: { ...item, id: item.id ?? '' } }] : []));
}

/** A call without the empty id that stood for the one the log gives it. */
function anonymous(item: NewItem & { readonly id?: ItemId }): NewItem {
  if (item.id !== '') return item;
  const { id: _, ...rest } = item;
  return rest;
}
