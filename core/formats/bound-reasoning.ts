/**
 * Reasoning that a provider takes back, and only in the form in which it gave it (S5.1, S9.9). Readers mark it with what
 * names the form; writers give it out where their shape has that form, and leave it out elsewhere.
 */
import type { Json, ReasoningItem } from '../session/items';
import type { ItemExtras } from './draft';
import { isFields } from './shape';

/** Anthropic: thinking with its signature in `opaque`. */
export const SIGNED_THINKING: ItemExtras = { provider: { anthropic: { type: 'thinking' } } };

/** Anthropic: thinking that is encrypted whole, in `opaque`. */
export const REDACTED_THINKING: ItemExtras = { provider: { anthropic: { type: 'redacted_thinking' } } };

/** Fields in which OpenAI-compatible endpoints give readable reasoning and ask for it back. */
export const REASONING_FIELDS = ['reasoning_content', 'reasoning'] as const;

/** OpenAI-compatible: readable reasoning in a field of the message. */
export function reasoningIn(field: (typeof REASONING_FIELDS)[number]): ItemExtras {
  return { provider: { openaiChat: { field } } };
}

/** The mark of an item for one provider, or undefined. */
export function markOf(
  item: ReasoningItem,
  provider: 'anthropic' | 'openaiChat',
): { readonly [key: string]: Json } | undefined {
  const mark = item.provider?.[provider];
  return isFields(mark) ? (mark as { readonly [key: string]: Json }) : undefined;
}
