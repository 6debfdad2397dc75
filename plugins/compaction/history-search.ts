/** Finding items of the part to summarise by their words (S9.5). */
import type { Item } from '../../core/index';
import { oneLine } from './blocks';
import { headerOf, indented, partsText, type History } from './history';
import { inSlices } from './slices';

/** Characters that are shown before and behind a place. */
const BEFORE = 120;
const BEHIND = 200;

/**
 * The items that hold every word of the query, newest first, each with the place around it. Blanks and case do not matter.
 * What is masked is not found.
 */
export async function searchHistory(history: History, query: string, limit: number): Promise<string> {
  const wanted = query.toLowerCase().split(/\s+/u).filter(Boolean);
  const holds = (lower: string): boolean => wanted.every((word) => lower.includes(word));
  const lines: string[] = [];
  let hits = 0;
  await inSlices(backwards(history), (number) => {
    const item = history.item(number);
    const raw = item === undefined ? '' : plainText(item);
    if (item === undefined || !holds(raw.toLowerCase())) return;
    const text = history.mask(raw);
    const lower = text.toLowerCase();
    if (!holds(lower) || ++hits > limit) return;
    const phrase = lower.indexOf(wanted.join(' '));
    lines.push(
      headerOf(history, number, item),
      indented(around(text, phrase === -1 ? lower.indexOf(wanted[0] ?? '') : phrase)),
    );
  });
  const rest = hits > limit ? `; ${String(hits - limit)} older ones are not shown` : '';
  const found = `(${String(hits)} ${hits === 1 ? 'item holds' : 'items hold'} ${JSON.stringify(oneLine(query))}${rest})`;
  return [...lines, found].join('\n').toWellFormed();
}

function* backwards({ from, to }: History): Iterable<number> {
  for (let number = to - 1; number >= from; number--) yield number;
}

function around(text: string, at: number): string {
  const start = Math.max(0, at - BEFORE);
  const end = Math.min(text.length, at + BEHIND);
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}

function plainText(item: Item): string {
  switch (item.kind) {
    case 'message':
      return partsText(item.parts);
    case 'tool_call':
      return `${item.name} ${typeof item.arguments === 'string' ? item.arguments : JSON.stringify(item.arguments)}`;
    case 'tool_result':
      return item.content === undefined ? item.summary : `${item.summary}\n${partsText(item.content)}`;
    case 'reasoning':
      return item.text ?? '';
  }
}
