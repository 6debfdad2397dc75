/** What an entry of a context is on the wire: enough to know its wrapping and its place in a turn (S6.3). */
import type { Item } from '../session/items';

/**
 * `prompt`: a user message, opens a turn; `text`, `call` and `reasoning`: parts of a reply; `input`: a tool result or anything
 * else that is handed to the model inside a turn.
 */
export type EntryShape = 'prompt' | 'input' | 'text' | 'call' | 'reasoning';

/** Wrapping of an entry in frame units; what a unit costs is calibrated per model. Calls carry most of it. */
export const FRAME_UNITS: Readonly<Record<EntryShape, number>> = {
  prompt: 0.2,
  input: 0.6,
  text: 0.2,
  call: 2,
  reasoning: 1,
};

/** The shape of an item. */
export function shapeOf(item: Item): EntryShape {
  switch (item.kind) {
    case 'message':
      return item.role === 'user' ? 'prompt' : item.role === 'assistant' ? 'text' : 'input';
    case 'tool_call':
      return 'call';
    case 'tool_result':
      return 'input';
    case 'reasoning':
      return 'reasoning';
  }
}

/** Whether an entry is part of a reply of the model. */
export function isReply(shape: EntryShape): boolean {
  return shape !== 'prompt' && shape !== 'input';
}
