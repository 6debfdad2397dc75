/** `pith/messages`: Pith for loops that send plain OpenAI or Anthropic requests. */
import { anthropicUsage, checkUsage, openAiUsage } from '../../formats/foreign-usage';
import { isFields, listOf, stringOf } from '../../formats/shape';
import type { Kernel } from '../../kernel/kernel';
import { createHost } from '../host-session';
import type { HostOptions } from '../host-session';
import { anthropicCodec } from './anthropic-codec';
import { chatSession } from './chat-session';
import type { ChatSession, Shape } from './chat-session';
import { openAiCodec } from './openai-codec';
import { besideMessages, inOneMessage } from './system-content';

export type { HostOptions } from '../host-session';
export type { ChatRequest, ChatSession } from './chat-session';

/** What the endpoint takes. */
export interface OpenAiOptions {
  /** System content as `many` messages (default), or in `one`, as some compatible endpoints ask for. */
  readonly system?: 'many' | 'one';
}

/** Pith for loops over plain messages. */
export interface MessagesPith extends AsyncDisposable {
  readonly kernel: Kernel;
  /** The conversation of this id, in requests of the chat completions API and those that are like it. */
  openai(sessionId: string, options?: OpenAiOptions): ChatSession;
  /** The conversation of this id, in requests of the Anthropic messages API. */
  anthropic(sessionId: string): ChatSession;
  /** Resolves when no work is under way, in the background or not. */
  idle(): Promise<void>;
  /** Closes all conversations. */
  close(): Promise<void>;
}

/** Starts Pith. Throws `PITH_PLUGIN_GRAPH` or `PITH_PLUGIN_SETUP`, and for a manifest what `loadManifest` throws. */
export async function createPith(options: HostOptions = {}): Promise<MessagesPith> {
  const host = await createHost(options);
  return {
    kernel: host.kernel,
    openai: (id, { system = 'many' } = {}) => {
      const shape = system === 'one' ? OPENAI_ONE : OPENAI;
      return chatSession(host.session(id, shape.codec), shape);
    },
    anthropic: (id) => chatSession(host.session(id, ANTHROPIC.codec), ANTHROPIC),
    idle: () => host.idle(),
    close: () => host.close(),
    [Symbol.asyncDispose]: () => host.close(),
  };
}

const OPENAI: Shape = {
  codec: openAiCodec,
  system: () => '',
  withSystem: (request) => request,
  reply(response) {
    const { choices, usage } = response;
    const [choice, ...others] = listOf(choices).filter(isFields);
    const message = others.length === 0 ? choice?.['message'] : undefined;
    return {
      usage: checkUsage(openAiUsage(usage), undefined),
      items: isFields(message) ? openAiCodec.read({ role: 'assistant', ...message }) : undefined,
    };
  },
};

const OPENAI_ONE: Shape = {
  ...OPENAI,
  codec: { ...openAiCodec, system: undefined },
  withSystem: inOneMessage,
};

const ANTHROPIC: Shape = {
  codec: anthropicCodec,
  system: ({ system }) =>
    typeof system === 'string'
      ? system
      : listOf(system)
          .map((block) => (isFields(block) ? (stringOf(block['text']) ?? '') : ''))
          .join('\n\n'),
  withSystem: besideMessages,
  reply: ({ content, usage }) => ({
    usage: checkUsage(anthropicUsage(usage), undefined),
    items: anthropicCodec.read({ role: 'assistant', content }),
  }),
};
