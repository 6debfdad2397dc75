/** A second attempt after a request that was too large for the worker's own model (pure). */
import type { ContextView, Edit, Tokenizer } from '../../../../core/index';
import { trimMiddle } from '../../trim';

/** Edits that take the contents of results out and the middle of the first message, of which half is left. */
export function smallerInput(
  context: Pick<ContextView, 'items'>,
  tokenizer: Pick<Tokenizer, 'countText' | 'truncate'>,
): readonly Edit[] {
  const edits: Edit[] = [];
  let isFirst = true;
  for (const item of context.items()) {
    if (item.kind === 'tool_result' && item.content !== undefined)
      edits.push({ edit: 'content', item: item.id, text: null });
    if (item.kind !== 'message' || !isFirst) continue;
    isFirst = false;
    const text = item.parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
    edits.push({
      edit: 'content',
      item: item.id,
      text: trimMiddle(text, Math.floor(tokenizer.countText(text) / 2), tokenizer),
    });
  }
  return edits;
}
