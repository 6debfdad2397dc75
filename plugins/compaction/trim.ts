/** Trimming (S9.3): texts lose their middle, with a marker that says how much; results share what there is evenly. */
import type { ContextView, Edit, Tokenizer, ToolResultItem } from '../../core/index';

/** Tokens below which a result is not trimmed any further. */
const SMALLEST = 64;
/** How often a trim is tightened. */
const ATTEMPTS = 6;

/** The text with its middle cut out so that it is at most `max` tokens; the text itself where it fits. */
export function trimMiddle(text: string, max: number, tokenizer: Pick<Tokenizer, 'countText' | 'truncate'>): string {
  const head = tokenizer.truncate(text, max, 'head');
  if (!head.truncated) return text;
  const tokens = tokenizer.countText(text);
  const marker = `\n[… ${tokens - max} of ${tokens} tokens left out here …]\n`;
  const room = Math.max(2, max - tokenizer.countText(marker) - 2);
  const begin = tokenizer.truncate(text, Math.ceil(room / 2), 'head').text;
  const end = tokenizer.truncate(text, Math.floor(room / 2), 'tail').text;
  return `${begin}${marker}${end}`;
}

/** Text that a result sends as content, or undefined where its summary stands alone. */
export function contentText(result: ToolResultItem): string | undefined {
  if (result.content === undefined) return undefined;
  return result.content.map((part) => (part.type === 'text' ? part.text : `[image ${part.mediaType}]`)).join('\n');
}

/**
 * Edits that bring the entries from `from` on within `max` tokens: results that the model has seen fall to their summary,
 * the largest of the others lose their middle. Never trims below a few lines, so the outcome may stay above `max` where
 * calls and texts alone are larger.
 */
export function trimResults(
  context: ContextView,
  from: number,
  max: number,
  seen: number,
  tokenizer: Pick<Tokenizer, 'countText' | 'truncate'>,
): readonly Edit[] {
  const edits: Edit[] = [];
  const fresh: {
    readonly result: ToolResultItem;
    readonly text: string;
    readonly tokens: number;
    readonly counted: number;
  }[] = [];
  for (let position = from; position < context.length; position++) {
    const entry = context.at(position);
    if (entry.kind !== 'tool_result') continue;
    const text = contentText(entry);
    if (text === undefined) continue;
    const counted = tokenizer.countText(text);
    if (position >= seen) fresh.push({ result: entry, text, counted, tokens: context.tokens(position, position + 1) });
    else if (tokenizer.countText(entry.summary) < counted) edits.push({ edit: 'content', item: entry.id, text: null });
  }
  const excessOf = (tried: readonly Edit[]): number =>
    (tried.length === 0 ? context : context.with(tried)).tokens(from) - max;
  const sizes = fresh.map(({ tokens }) => tokens);
  let excess = excessOf(edits);
  let lost = excess;
  // Counts are estimates and a cut text has a marker, so more is cut until the context itself says it fits.
  for (let attempt = 0; excess > 0 && attempt < ATTEMPTS; attempt++) {
    const shares = evenShares(sizes, lost);
    const trims = fresh.flatMap(({ result, text, tokens, counted }, index): Edit[] => {
      const share = shares[index] ?? tokens;
      if (share >= tokens) return [];
      const rate = counted / Math.max(1, tokens);
      return [
        {
          edit: 'content',
          item: result.id,
          text: trimMiddle(text, Math.max(SMALLEST, Math.floor(share * rate)), tokenizer),
        },
      ];
    });
    const tried = [...edits, ...trims];
    excess = excessOf(tried);
    if (excess <= 0 || attempt === ATTEMPTS - 1 || trims.length === 0) return tried;
    lost += Math.ceil(excess * 1.25);
  }
  return edits;
}

/** What each may keep so that all together lose `excess`: the largest lose first, down to one common height. */
export function evenShares(sizes: readonly number[], excess: number): readonly number[] {
  let left = sizes.reduce((sum, size) => sum + size, 0) - excess;
  const ascending = sizes.map((size, index) => ({ size, index })).sort((a, b) => a.size - b.size);
  const shares = sizes.slice();
  for (const [rank, { size, index }] of ascending.entries()) {
    const share = Math.min(size, Math.max(0, left / (ascending.length - rank)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}
