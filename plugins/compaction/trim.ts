/** Trimming (S9.3): texts lose their middle, with a marker that says how much; results share what there is evenly. */
import type { ContextView, Edit, ItemId, Part, Tokenizer, ToolResultItem } from '../../core/index';

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
export function contentText({ content }: ToolResultItem): string | undefined {
  return content === undefined ? undefined : partsText(content);
}

function partsText(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : `[image ${part.mediaType}]`)).join('\n');
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
  const falls: Edit[] = [];
  const fresh: Unseen[] = [];
  for (let position = from; position < context.length; position++) {
    const entry = context.at(position);
    if (entry.kind !== 'tool_result' || entry.content === undefined) continue;
    const text = partsText(entry.content);
    const shows = entry.content.some((part) => part.type === 'image');
    const counted = tokenizer.countItem(entry).text;
    if (position >= seen) {
      fresh.push({ item: entry.id, text, shows, counted, tokens: context.tokens(position, position + 1) });
    } else if (shows || tokenizer.countText(entry.summary) < counted) {
      falls.push({ edit: 'content', item: entry.id, text: null });
    }
  }
  const sizes = fresh.map(({ tokens }) => tokens);
  const excessOf = (edits: readonly Edit[]): number => context.with(edits).tokens(from) - max;
  let edits: readonly Edit[] = falls;
  let excess = excessOf(edits);
  let lost = excess;
  // Counts are estimates and a cut text has a marker, so more is cut until the context itself says it fits.
  for (let attempt = 0; excess > 0 && attempt < ATTEMPTS; attempt++) {
    const shares = evenShares(sizes, lost);
    const trims = fresh.flatMap((result, index) => trimResult(result, shares[index] ?? 0, tokenizer));
    edits = [...falls, ...trims];
    excess = excessOf(edits);
    lost += Math.ceil(excess * 1.25);
  }
  return edits;
}

/** The edit that brings a result down to its share of tokens, where it is larger and can be cut. */
function trimResult(result: Unseen, share: number, tokenizer: TrimTokenizer): readonly Edit[] {
  const { item, text, shows, counted, tokens } = result;
  if (share >= tokens) return [];
  const cut = trimMiddle(text, Math.max(SMALLEST, Math.floor((share * counted) / tokens)), tokenizer);
  return cut === text && !shows ? [] : [{ edit: 'content', item, text: cut }];
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
