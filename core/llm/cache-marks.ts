/** Prompt-cache marks: where the provider may end a cached prefix. */
import type { PromptMessage, ProviderOptions } from './language-model';

/** Places of a prompt worth a mark: indices of messages, -1 where there is none. */
export interface MarkPlaces {
  /** The last message of system prompt and pins, which compactions leave alone. */
  readonly prompt: number;
  /** The last system message: the newest checkpoint's blocks. */
  readonly system: number;
  /** The newest message that later requests send again. */
  readonly newest: number;
}

/**
 * The prompt with marks: at its newest stable message, after the system prompt, after the blocks, and where the request
 * before this one ended, since a provider looks back from a mark only so far. Marks that the user's own options bring stay
 * and count. Messages that get none are the very same objects.
 *
 * @param most marks of one request, those of the user included
 */
export function withCacheMarks(
  messages: readonly PromptMessage[],
  places: MarkPlaces,
  most: number,
  requestOptions: ProviderOptions | undefined,
): readonly PromptMessage[] {
  let left = most - countOwn(messages) - (isMarked(requestOptions) ? 1 : 0);
  const wanted = [places.newest, places.prompt, places.system, endOfRequestBefore(messages, places.newest)];
  const chosen = new Set<number>();
  for (const index of wanted) {
    const message = messages[index];
    if (left <= 0 || message === undefined || chosen.has(index)) continue;
    if (isMarked(message.providerOptions) || partsOf(message).some(isMarkedPart)) continue;
    chosen.add(index);
    left--;
  }
  return chosen.size === 0
    ? messages
    : messages.map((message, index) => (chosen.has(index) ? marked(message) : message));
}

/** The message before the newest reply. */
function endOfRequestBefore(messages: readonly PromptMessage[], newest: number): number {
  for (let index = newest; index > 0; index--) if (messages[index]?.role === 'assistant') return index - 1;
  return -1;
}

function marked(message: PromptMessage): PromptMessage {
  const { anthropic, ...others } = message.providerOptions ?? {};
  return {
    ...message,
    providerOptions: { ...others, anthropic: { ...anthropic, cacheControl: { type: 'ephemeral' } } },
  };
}

function countOwn(messages: readonly PromptMessage[]): number {
  let own = 0;
  for (const message of messages) {
    if (isMarked(message.providerOptions)) own++;
    for (const part of partsOf(message)) if (isMarkedPart(part)) own++;
  }
  return own;
}

function partsOf(message: PromptMessage): readonly object[] {
  return typeof message.content === 'string' ? [] : message.content;
}

function isMarkedPart(part: { readonly providerOptions?: ProviderOptions }): boolean {
  return isMarked(part.providerOptions);
}

function isMarked(options: ProviderOptions | undefined): boolean {
  const own = options?.['anthropic'];
  return own !== undefined && (own['cacheControl'] ?? own['cache_control'] ?? null) !== null;
}
