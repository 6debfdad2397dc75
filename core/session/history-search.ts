/** Finding items of a history by their words (S9.5). Linear, in slices, whatever the size of a text. */
import { maskedSlice, oneLine } from './clip';
import { entryText, headerOf, itemWords, type History } from './history';
import { inSlices } from './slices';

/** Characters that are shown before and behind a place. */
const BEFORE = 120;
const BEHIND = 200;
/** Characters of a text that are looked at in one step, and those that two steps share, so that no word falls between. */
const PIECE = 65_536;
const SHARED = 512;

/** A text that is searched, under the header that it is shown with. */
export interface SearchedText {
  readonly text: string;
  header(): string;
}

/** What was found: entries with the place around the words, newest first, and how many texts hold the words in all. */
export interface Found {
  readonly entries: readonly string[];
  readonly hits: number;
}

/** The items with these numbers as texts to search. */
export function* searchedItems(history: History, numbers: Iterable<number>): Iterable<SearchedText> {
  for (const number of numbers) {
    const item = history.item(number);
    if (item !== undefined) yield { text: itemWords(item), header: () => headerOf(history, number, item) };
  }
}

/**
 * The texts that hold every word of the query, in their order, the first `limit` with the place around it. Blanks and case do
 * not matter. What is masked is not found.
 */
export async function searchTexts(
  texts: Iterable<SearchedText>,
  query: string,
  limit: number,
  mask: (text: string) => string,
  signal?: AbortSignal,
): Promise<Found> {
  const words = query.toLowerCase().split(/\s+/u).filter(Boolean);
  const entries: string[] = [];
  let hits = 0;
  let missing = new Set<string>();
  const step = ({ text: { text, header }, from }: Piece): void => {
    if (from === 0) missing = new Set(words);
    if (missing.size === 0) return;
    const to = Math.min(text.length, from + PIECE + SHARED);
    const raw = text.slice(from, to).toLowerCase();
    if (!words.some((word) => missing.has(word) && raw.includes(word))) return;
    const shown = maskedSlice(text, from, to, mask);
    const lower = shown.toLowerCase();
    const fresh = words.filter((word) => missing.has(word) && lower.includes(word));
    for (const word of fresh) missing.delete(word);
    if (missing.size > 0 || ++hits > limit) return;
    entries.push(entryText(header(), placeOf(shown, lower.indexOf(words.join(' ')), lower.indexOf(fresh[0] ?? ''))));
  };
  await inSlices(pieces(texts), step, signal);
  return { entries, hits };
}

/** What a search of items says, with how many items hold the words. */
export function foundText({ entries, hits }: Found, query: string, limit: number): string {
  const rest = hits > limit ? `; ${String(hits - limit)} older ones are not shown` : '';
  const found = `(${String(hits)} ${hits === 1 ? 'item holds' : 'items hold'} ${JSON.stringify(oneLine(query))}${rest})`;
  return [...entries, found].join('\n').toWellFormed();
}

interface Piece {
  readonly text: SearchedText;
  readonly from: number;
}

function* pieces(texts: Iterable<SearchedText>): Iterable<Piece> {
  for (const text of texts)
    for (let from = 0; from === 0 || from < text.text.length; from += PIECE) yield { text, from };
}

/** The text around the words where they stand together, else around the one that was found last. */
function placeOf(text: string, together: number, alone: number): string {
  const at = together === -1 ? alone : together;
  const start = Math.max(0, at - BEFORE);
  const end = Math.min(text.length, at + BEHIND);
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}
