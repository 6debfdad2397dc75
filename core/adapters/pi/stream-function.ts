/** The stream function of an agent with Pith around it. */
import { systemTextsOf } from './codec';
import type { Conversation } from './conversation';
import type { PiMessage } from './host-types';
import { SecondTry } from './second-try';
import type { PiStream } from './second-try';

/** A request as a stream function gets it. */
interface PiContext {
  readonly systemPrompt?: string;
  readonly messages: readonly PiMessage[];
}

/** A stream function as it is called. */
export type Streams = (model: unknown, context: PiContext, options?: unknown) => PiStream | Promise<PiStream>;

export interface StreamParts {
  readonly streamFn: Streams;
  readonly conversation: Conversation;
  /** What a model is sent of messages of the loop. */
  convert(messages: readonly PiMessage[]): Promise<readonly PiMessage[]>;
}

/**
 * It has system content in the system prompt, and sends once more, smaller, what the provider finds too large (S9.2). Only the
 * loop's own request is: the application may use the function for others too.
 */
export function withPith({ streamFn, conversation, convert }: StreamParts): Streams {
  return async (model, context, options) => {
    const request = conversation.takeRequest();
    const stream = await streamFn(model, withSystem(context), options);
    if (request === undefined) return stream;
    const retry = async (words: string): Promise<PiStream | undefined> => {
      const smaller = await conversation.afterFailure(request, words);
      if (smaller === undefined) return undefined;
      return streamFn(model, withSystem({ ...context, messages: await convert(smaller) }), options);
    };
    return new SecondTry(stream, retry).stream;
  };
}

/** System content moves from the messages into the system prompt, behind what the agent says there. */
function withSystem(context: PiContext): PiContext {
  const texts = context.messages.flatMap((message) => systemTextsOf(message) ?? []);
  if (texts.length === 0) return context;
  const messages = context.messages.filter((message) => systemTextsOf(message) === undefined);
  const systemPrompt = [context.systemPrompt ?? '', ...texts].filter((text) => text !== '').join('\n\n');
  return { ...context, systemPrompt, messages };
}
