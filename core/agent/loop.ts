/** The agent loop: request, reply, tools, until the model is done (S2). One turn of one session, over one driver. */
import { PithError } from '../errors';
import type { LlmClient, LlmReply } from '../llm/client';
import type { Driver } from './driver';
import type { PreparedRequest } from './request';
import type { AgentEvent, RunEnd } from './run-events';
import { failedEnd } from './run-end';
import type { AdmittedCall } from './tool-calls';
import { unlessAborted } from '../bus/unless-aborted';

/** What the loop runs a turn with. */
export interface LoopOptions {
  readonly driver: Driver;
  readonly model: LlmClient;
  /** Most tokens of each reply; what the model allows by default. */
  readonly maxOutputTokens?: number | undefined;
  /** Hears what happens, in order. */
  emit?(event: AgentEvent): void;
}

/** Runs the turn that is open to its end. Never rejects. */
export async function runTurn(options: LoopOptions): Promise<RunEnd> {
  const { driver, emit } = options;
  emit?.({ type: 'turn', turn: driver.session.turn });
  const end = await untilEnded(options);
  emit?.({ type: 'end', end });
  return end;
}

async function untilEnded(options: LoopOptions): Promise<RunEnd> {
  const { driver } = options;
  const said = new Said();
  try {
    for (;;) {
      said.clear();
      const reply = await ask(options, said);
      const calls = await driver.afterReply(reply);
      if (reply.usage !== undefined) options.emit?.({ type: 'usage', usage: reply.usage });
      await runCalls(options, calls);
      if (reply.items.some(({ kind }) => kind === 'tool_call')) continue;
      const failure = failureOf(reply);
      if (failure !== undefined) throw failure;
      if (driver.joining || (await driver.end('finished'))) continue;
      return { outcome: 'finished', text: said.text };
    }
  } catch (thrown) {
    const end = failedEnd(thrown, driver.signal);
    // What the user saw of a reply that was cut off by an abort is part of the conversation.
    if (end.outcome === 'aborted' && said.isPartial) said.keep(driver);
    await driver.end(end.outcome, end.reason ?? end.error?.message, end.error?.code);
    return { ...end, text: said.text };
  }
}

/** One reply of the model. What the provider finds too large is prepared again, as long as the driver finds a way. */
async function ask(options: LoopOptions, said: Said): Promise<LlmReply> {
  let prepared = await options.driver.beforeRequest();
  for (;;) {
    try {
      return await stream(options, prepared, said);
    } catch (thrown) {
      if (!PithError.is(thrown, 'PITH_LLM_OVERFLOW')) throw thrown;
      prepared = await options.driver.beforeRequest(thrown);
    }
  }
}

async function stream(options: LoopOptions, prepared: PreparedRequest, said: Said): Promise<LlmReply> {
  const { context, tools, stable } = prepared;
  const { driver, model, maxOutputTokens, emit } = options;
  emit?.({ type: 'request', occupancy: context.occupancy() });
  const { signal } = driver;
  const request = {
    context,
    tools,
    signal,
    ...(stable !== undefined && { stable }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  };
  const parts = model.stream(request)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value: part } = await unlessAborted(signal, () => parts.next());
      if (done === true) break;
      if (part.type === 'reply') {
        said.whole(part.reply);
        return part.reply;
      }
      if (part.type === 'text') said.add(part.text);
      if (part.type === 'retry') said.clear();
      if (part.type !== 'tool-call') emit?.(part);
    }
  } finally {
    // The client lets go of connection and signal; it need not be waited for.
    void parts.return?.();
  }
  throw new PithError('PITH_LLM_TRANSPORT', `The stream of model "${model.model}" ended without a reply.`);
}

async function runCalls({ driver, emit }: LoopOptions, calls: readonly AdmittedCall[]): Promise<void> {
  const outcomes = await Promise.allSettled(
    calls.map(async (admitted) => {
      emit?.({ type: 'tool-call', call: admitted.call });
      const { call, result } = await driver.toolCall(admitted);
      emit?.({ type: 'tool-result', call, result });
    }),
  );
  const failed = outcomes.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** A reply that is none: refused, or cut off before anything could be done with it. Its items are in the log all the same. */
function failureOf({ stop }: LlmReply): PithError | undefined {
  switch (stop) {
    case 'refusal':
      return new PithError('PITH_LLM_REFUSED', 'The model refused to answer; reword the prompt or ask another model.');
    case 'length':
      return new PithError(
        'PITH_LLM_OUTPUT_LIMIT',
        'The reply was cut off at the output limit. What came of it is in the session; raise max_output_tokens, or ask it to go on.',
      );
    default:
      return undefined;
  }
}

/** What the model says in the reply that is under way. */
class Said {
  text = '';
  isPartial = false;

  add(text: string): void {
    this.text += text;
    this.isPartial = true;
  }

  whole({ items }: LlmReply): void {
    this.clear();
    for (const item of items) {
      if (item.kind !== 'message') continue;
      for (const part of item.parts) if (part.type === 'text') this.text += part.text;
    }
  }

  keep({ session }: Driver): void {
    if (this.text.trim() === '') return;
    session.append([{ kind: 'message', role: 'assistant', parts: [{ type: 'text', text: this.text }] }]);
  }

  clear(): void {
    this.text = '';
    this.isPartial = false;
  }
}
