/** A model in process that says what a script says, and refuses and bills as a real one does. */
import { PithError } from '../errors';
import { writeAnthropic, writeOpenAiChat } from '../formats/write';
import { sleep, systemClock } from '../kernel/clock';
import type { Clock } from '../kernel/clock';
import type { LlmClient, LlmReply, LlmRequest, LlmStreamPart, ProviderProfile } from '../llm/client';
import type { NewItem } from '../session/items';
import { createTiktoken } from '../tokens/tiktoken';
import type { Script, SeenRequest, WireShape } from './script';
import { ScriptedEndpoint } from './scripted-endpoint';
import type { Answer, FullReply } from './scripted-endpoint';
import { scriptedError } from './scripted-error';

/** What a scripted model says, and which model it pretends to be. */
export interface ScriptedModelOptions {
  readonly script: Script;
  /** Name of the model; `scripted` by default. */
  readonly model?: string;
  /** Context window in tokens; 128,000 by default. */
  readonly window?: number;
  /** Reply allowance in tokens; 8,000 by default, at most half the window. */
  readonly maxOutput?: number;
  /** The shape that requests are written in, for the rules and the record; `anthropic` by default. */
  readonly shape?: WireShape;
  /** What the client says of its provider. */
  readonly profile?: Partial<ProviderProfile>;
  /** Runs the delays of the script; the system's by default. */
  readonly clock?: Clock;
  /** Fewest tokens that the prompt cache serves; 1024 by default, as providers do. */
  readonly minCachedTokens?: number;
}

/** A model that says what a script says. */
export interface ScriptedModel extends LlmClient {
  /** Every request it was sent, refused ones included. */
  readonly requests: readonly SeenRequest[];
}

/**
 * Makes a model that answers from a script. It rejects as the contract of {@link LlmClient} says: for faults of the script,
 * for a request that breaks one of the rules V1 to V6 (`PITH_LLM_REQUEST`), and for one that does not fit its window with the
 * reply allowance (V7, `PITH_LLM_OVERFLOW`). It has no retries of its own. Usage is counted from what was sent; cache reads
 * are the longest prefix that an earlier request had.
 */
export function createScriptedModel(options: ScriptedModelOptions): ScriptedModel {
  const { script, model = 'scripted', window = 128_000, shape = 'anthropic', clock = systemClock } = options;
  const maxOutput = options.maxOutput ?? Math.min(8_000, Math.floor(window / 2));
  const profile: ProviderProfile = {
    name: 'scripted',
    system: 'many',
    cacheMarks: 0,
    boundReasoning: shape === 'anthropic',
    ...options.profile,
  };
  const endpoint = new ScriptedEndpoint({
    script,
    shape,
    window,
    maxOutput,
    profile: { system: shape === 'anthropic' ? 'many' : profile.system, firstUser: true },
    thinking: 'text',
    cacheMarks: undefined,
    minCachedTokens: options.minCachedTokens ?? 1_024,
  });
  const tokenizer = createTiktoken();

  async function* stream(request: LlmRequest): AsyncGenerator<LlmStreamPart> {
    const { signal } = request;
    const answer = await answered(endpoint, rendered(shape, profile, model, request), clock, signal);
    if (answer.kind !== 'reply') throw scriptedError(answer, model);
    const { reply } = answer;
    const parts = partsOf(reply);
    for (const part of reply.breaks ? parts.slice(0, Math.ceil(parts.length / 2)) : parts) {
      stopIfAborted(signal);
      yield part;
    }
    if (reply.breaks) throw scriptedError({ kind: 'break' }, model);
    stopIfAborted(signal);
    yield { type: 'reply', reply: { items: itemsOf(shape, model, reply), stop: reply.stop, ...usageOf(reply) } };
  }

  return {
    model,
    profile,
    requests: endpoint.requests,
    tokenizer: () => tokenizer,
    limits: () => ({ contextWindow: window, maxOutput, source: 'user' }),
    stream,
    async generate(request) {
      let reply: LlmReply | undefined;
      for await (const part of stream(request)) if (part.type === 'reply') reply = part.reply;
      return reply as LlmReply;
    },
  };
}

/** What comes of a request, after its delay, unless it is cancelled before. */
async function answered(
  endpoint: ScriptedEndpoint,
  body: SeenRequest['body'],
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  stopIfAborted(signal);
  const over = new AbortController();
  const cancelled = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(cancellation(signal)), { once: true, signal: over.signal });
  });
  try {
    const answer = await Promise.race([endpoint.answer(body), cancelled]);
    if (answer.delayMs > 0) await sleep(clock, answer.delayMs, signal);
    return answer;
  } catch (error) {
    stopIfAborted(signal);
    throw error;
  } finally {
    over.abort();
  }
}

/** A request as a client of that shape writes it. */
function rendered(
  shape: WireShape,
  profile: ProviderProfile,
  model: string,
  { context, tools, maxOutputTokens }: LlmRequest,
): SeenRequest['body'] {
  const head = { model, ...(maxOutputTokens !== undefined && { max_tokens: maxOutputTokens }) };
  if (shape === 'anthropic') {
    const named = tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters }));
    return plain({ ...head, ...(tools.length > 0 && { tools: named }), ...writeAnthropic(context) });
  }
  const named = tools.map((tool) => ({ type: 'function', function: tool }));
  const messages = writeOpenAiChat(context, { system: profile.system });
  return plain({ ...head, ...(tools.length > 0 && { tools: named }), messages });
}

/** What JSON leaves of it, so that what is kept are bytes and no objects that may change. */
function plain(body: object): SeenRequest['body'] {
  return JSON.parse(JSON.stringify(body)) as SeenRequest['body'];
}

function partsOf({ reasoning, text, calls }: FullReply): readonly LlmStreamPart[] {
  return [
    ...(reasoning === undefined ? [] : [{ type: 'reasoning' as const, text: reasoning.text }]),
    ...text.map((piece) => ({ type: 'text' as const, text: piece })),
    ...calls.map(({ callId, name }) => ({ type: 'tool-call' as const, callId, name })),
  ];
}

function itemsOf(shape: WireShape, model: string, { reasoning, text, calls }: FullReply): readonly NewItem[] {
  const said = text.join('');
  const items: NewItem[] = [];
  if (reasoning !== undefined) {
    const { text: thought, signature } = reasoning;
    items.push(
      shape === 'anthropic'
        ? { kind: 'reasoning', text: thought, model, opaque: signature, provider: { anthropic: { type: 'thinking' } } }
        : { kind: 'reasoning', text: thought, model, provider: { openaiChat: { field: 'reasoning_content' } } },
    );
  }
  if (said !== '') items.push({ kind: 'message', role: 'assistant', parts: [{ type: 'text', text: said }] });
  return [...items, ...calls.map((call): NewItem => ({ kind: 'tool_call', ...call }))];
}

function usageOf({ usage }: FullReply): Pick<LlmReply, 'usage'> {
  return usage === undefined ? {} : { usage };
}

function stopIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw cancellation(signal);
}

function cancellation({ reason }: AbortSignal): PithError {
  return new PithError('PITH_CANCELLED', 'The request was cancelled; send it again if it is still wanted.', {
    cause: reason,
  });
}
