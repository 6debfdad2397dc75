/** Trimming (S9.3): texts lose their middle, with a marker that says how much; results share what there is evenly. */
import type { ContextView, Edit, ItemId, Tokenizer, ToolResultItem } from '../../core/index';

/** Tokens below which a result is not trimmed any further. */
const SMALLEST = 64;
/** How often a trim is tightened. */
const ATTEMPTS = 6;

/** The text with its middle cut out so that it is at most `max` tokens; the text itself where it fits. Costs what is kept. */
export function trimMiddle(text: string, max: number, tokenizer: Pick<Tokenizer, 'countText' | 'truncate'>): string {
  const head = tokenizer.truncate(text, max, 'head');
  if (!head.truncated) return text;
  const room = Math.max(2, max - tokenizer.countText(markerOf(text.length, text.length)) - 2);
  const begin = tokenizer.truncate(text, Math.ceil(room / 2), 'head').text;
  const end = tokenizer.truncate(text, Math.floor(room / 2), 'tail').text;
  return `${begin}${markerOf(text.length - begin.length - end.length, text.length)}${end}`;
}

function markerOf(missing: number, all: number): string {
  return `\n[… ${missing} of ${all} characters left out here …]\n`;
}

/** Text that a result sends as content, or undefined where its summary stands alone. */
export function contentText(result: ToolResultItem): string | undefined {
  if (result.content === undefined) return undefined;
  return result.content.map((part) => (part.type === 'text' ? part.text : `[image ${part.mediaType}]`)).join('\n');
}

export type TrimTokenizer = Pick<Tokenizer, 'countItem' | 'countText' | 'truncate'>;

/** A result that the model has not seen: its text, and what it takes with all that wraps it. */
interface Unseen {
  readonly item: ItemId;
  readonly text: string;
  /** Whether it holds images; they go with the first cut. */
  readonly shows: boolean;
  readonly counted: number;
  readonly tokens: number;
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
  tokenizer: TrimTokenizer,
): readonly Edit[] {
  const edits: Edit[] = [];
  const fresh: Unseen[] = [];
  for (let position = from; position < context.length; position++) {
    const entry = context.at(position);
    if (entry.kind !== 'tool_result') continue;
    const text = contentText(entry);
    if (text === undefined) continue;
    const counted = tokenizer.countItem(entry).text;
    const shows = entry.content?.some((part) => part.type === 'image') === true;
    if (position >= seen) {
      fresh.push({ item: entry.id, text, shows, counted, tokens: context.tokens(position, position + 1) });
    } else if (shows || tokenizer.countText(entry.summary) < counted) {
      edits.push({ edit: 'content', item: entry.id, text: null });
    }
  }
  const excessOf = (tried: readonly Edit[]): number =>
    (tried.length === 0 ? context : context.with(tried)).tokens(from) - max;
  const sizes = fresh.map(({ tokens }) => tokens);
  let excess = excessOf(edits);
  let lost = excess;
  // Counts are estimates and a cut text has a marker, so more is cut until the context itself says it fits.
  for (let attempt = 0; excess > 0 && attempt < ATTEMPTS; attempt++) {
    const shares = evenShares(sizes, lost);
    const trims = fresh.flatMap(({ item, text, shows, tokens, counted }, index): Edit[] => {
      const share = shares[index] ?? tokens;
      if (share >= tokens) return [];
      const rate = counted / Math.max(1, tokens);
      const cut = trimMiddle(text, Math.max(SMALLEST, Math.floor(share * rate)), tokenizer);
      return cut === text && !shows ? [] : [{ edit: 'content', item, text: cut }];
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
