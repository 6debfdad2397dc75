/** The shapes that a context is written in (S12.1), by name. */
import type { ContextWriter } from '../format';
import { writeAiSdk } from './ai-sdk';
import { writeAnthropic } from './anthropic';
import { writeOpenAiChat } from './openai-chat';
import { writePith } from './pith';

export type { AiSdkContext, AiSdkMessage } from './ai-sdk';
export { writeAiSdk } from './ai-sdk';
export type { AnthropicBlock, AnthropicContext } from './anthropic';
export { writeAnthropic } from './anthropic';
export type { OpenAiChatOptions, OpenAiMessage } from './openai-chat';
export { writeOpenAiChat } from './openai-chat';
export { writePith } from './pith';

/** Every writer; `pith` gives the text of a file, the others a JSON value. */
export const WRITERS: readonly ContextWriter[] = [
  { name: 'pith', write: (context) => writePith(context) },
  { name: 'openai-chat', write: (context) => writeOpenAiChat(context) },
  { name: 'anthropic', write: (context) => writeAnthropic(context) },
  { name: 'ai-sdk', write: (context) => writeAiSdk(context) },
];
