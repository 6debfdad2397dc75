/** Pith by the settings of `generateText`, `streamText` and the agent classes, for those who want to see its messages. */
import { profileOf } from '../../llm/profiles';
import type { Host, HostSession } from '../host-session';
import { codecBeside, codecOf } from './codec';
import type { AiSdkInstruction, AiSdkMessage, AiSdkReply, AiSdkSteps, StepOptions, StepSettings } from './host-types';
import { tellReply } from './reply';

/** Whose steps these are. */
export interface StepsOptions {
  /** The conversation, by an id of the host. */
  readonly sessionId: string;
}

/** Settings for one run after another of one conversation. */
export function createSteps(host: Host, { sessionId }: StepsOptions): AiSdkSteps {
  const run = new StepRun(host, sessionId);
  return {
    prepareStep: (options) => run.prepare(options),
    onStepFinish: (step) => run.finished(step),
    onFinish: () => run.end(),
  };
}

/** What a step sends, and what it stands for. */
interface Sent {
  readonly messages: readonly AiSdkMessage[];
  readonly conversation: readonly AiSdkMessage[];
}

const NONE: readonly AiSdkMessage[] = [];
const NOTHING: Sent = { messages: NONE, conversation: NONE };

class StepRun {
  readonly #host: Host;
  readonly #id: string;
  #session: HostSession<AiSdkMessage> | undefined;
  #model = '';
  #sent = NOTHING;

  constructor(host: Host, id: string) {
    this.#host = host;
    this.#id = id;
  }

  async prepare<Message extends AiSdkMessage>(
    options: StepOptions<Message>,
  ): Promise<StepSettings<Message> | undefined> {
    const { messages: offered, model, stepNumber } = options;
    if (stepNumber === 0) this.#sent = NOTHING;
    this.#model = typeof model === 'string' ? model : model.modelId;
    const conversation = conversationOf(options, this.#sent);
    const own = instructionsOf(options);
    this.#session = this.#host.session(this.#id, own === undefined ? BEFORE_7 : FROM_7);
    const system = own?.map(({ content }) => content).join('\n\n');
    const { messages, ...beside } = await this.#session.beforeRequest({
      messages: conversation,
      system,
      model: this.#model,
    });
    this.#sent = { messages, conversation };
    const instructions = own && beside.system.length > 0 ? withSystem(own, beside.system, model) : own;
    if (messages === offered && beside.system.length === 0) return undefined;
    return { messages: [...messages] as Message[], ...(instructions && { instructions: [...instructions] }) };
  }

  finished({ content, finishReason, usage: flat, providerMetadata }: AiSdkReply): void {
    if (this.#session === undefined) return;
    const usage = nestedUsage(flat);
    const source = { model: this.#model, version: usage === flat ? 'v2' : 'v3' } as const;
    tellReply(this.#session, { content, finishReason, usage, providerMetadata }, source);
  }

  end(): void {
    void this.#session?.afterRun();
  }
}

/** Version 7 refuses system messages among the others, and tells its instructions. */
const BEFORE_7 = codecOf('v2');
const FROM_7 = codecBeside('v4');

/** The system prompt of version 7, which may have none; undefined before. */
function instructionsOf(options: StepOptions<AiSdkMessage>): readonly AiSdkInstruction[] | undefined {
  if (!('initialInstructions' in options)) return undefined;
  const { initialInstructions: given = [] } = options;
  if (typeof given === 'string') return [{ role: 'system', content: given }];
  return 'role' in given ? [given] : given;
}

function withSystem(
  own: readonly AiSdkInstruction[],
  texts: readonly string[],
  model: StepOptions<AiSdkMessage>['model'],
): readonly AiSdkInstruction[] {
  const all = [...own, ...texts.map((content) => ({ role: 'system' as const, content }))];
  if (typeof model === 'string' || profileOf(model.provider).system === 'many') return all;
  return [{ ...own[0], role: 'system', content: all.map(({ content }) => content).join('\n\n') }];
}

/**
 * The whole conversation. From version 7 on, what a step sends is what the next one is offered, with what came since behind
 * it; before, each is offered the conversation itself.
 */
function conversationOf<Message extends AiSdkMessage>(
  { messages, initialMessages, responseMessages }: StepOptions<Message>,
  sent: Sent,
): readonly AiSdkMessage[] {
  if (sent.messages === sent.conversation) return messages;
  if (sent.messages.every((one, at) => one === messages[at]))
    return [...sent.conversation, ...messages.slice(sent.messages.length)];
  return initialMessages && responseMessages ? [...initialMessages, ...responseMessages] : messages;
}

/** Versions 6 and 7 tell the parts of a count beside it; the same figures as a model of version 3 reports. */
function nestedUsage(usage: unknown): unknown {
  if (typeof usage !== 'object' || usage === null || !('inputTokenDetails' in usage)) return usage;
  const { inputTokens, inputTokenDetails, outputTokens, outputTokenDetails } = usage as FlatUsage;
  const { noCacheTokens: noCache, cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite } = inputTokenDetails ?? {};
  return {
    inputTokens: { total: inputTokens, noCache, cacheRead, cacheWrite },
    outputTokens: { total: outputTokens, reasoning: outputTokenDetails?.['reasoningTokens'] },
  };
}

interface FlatUsage {
  readonly inputTokens?: unknown;
  readonly inputTokenDetails?: { readonly [part: string]: unknown };
  readonly outputTokens?: unknown;
  readonly outputTokenDetails?: { readonly [part: string]: unknown };
}
