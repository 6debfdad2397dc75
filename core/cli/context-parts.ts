/** What a context is made of, for the bars of the reports. */
import type { ContextView } from '../context/view';
import type { Tokenizer } from '../tokens/tokenizer';

/** Tokens of the parts of a context, in the order in which they are sent; together they are its occupancy. */
export interface ContextParts {
  /** System prompt, pins and tool schemas, also those that only the provider's measurements tell of. */
  readonly fixed: number;
  readonly summary: number;
  /** Contents of files that a compaction read. */
  readonly files: number;
  /** What else a compaction put there: names of files, the state of a tool. */
  readonly others: number;
  readonly conversation: number;
}

/** Measures the parts of a context. */
export function contextParts(view: ContextView, tokenizer: Pick<Tokenizer, 'countText'>): ContextParts {
  const blocks = { summary: 0, files: 0, others: 0 };
  for (const { kind, text, block } of view.system) {
    if (kind !== 'block') continue;
    const part = block?.kind === 'summary' ? 'summary' : block?.kind === 'auto-read' ? 'files' : 'others';
    blocks[part] += tokenizer.countText(text);
  }
  const before = view.prefix(0).tokens;
  return {
    fixed: Math.max(0, before - blocks.summary - blocks.files - blocks.others),
    ...blocks,
    conversation: Math.max(0, view.occupancy().tokens - before),
  };
}
