/** A page of one long text, by characters. */
import { entryText, maskedSlice, type Tokenizer } from '../../core/index';

/** Characters that a token has at most on such a page; denser texts are cut again. */
const CHARACTERS_PER_TOKEN = 5;
/** Characters that are given up so that a page ends with a line. */
const LINE_REST = 200;

export interface LongTextRequest {
  readonly head: string;
  readonly text: string;
  /** 0-based place of the first character. */
  readonly offset: number;
  readonly maxTokens: number;
  readonly tokenizer: Pick<Tokenizer, 'countText'>;
  mask(text: string): string;
}

/** The page, with where to go on. `offset` must lie inside of the text. */
export function longTextPage({ head, text, offset, maxTokens, tokenizer, mask }: LongTextRequest): string {
  let size = maxTokens * CHARACTERS_PER_TOKEN;
  for (;;) {
    const end = pageEnd(text, offset, size);
    const shown = entryText(head, maskedSlice(text, offset, end, mask)).toWellFormed();
    const place = `characters ${String(offset)} to ${String(end)} of ${String(text.length)}`;
    const rest = end < text.length ? `go on with offset=${String(end)}` : 'this is the end';
    const page = offset === 0 && end === text.length ? shown : `${shown}\n(${place}; ${rest})`;
    const tokens = tokenizer.countText(page);
    if (tokens <= maxTokens || size <= 1) return page;
    size = Math.floor(Math.min(0.9, maxTokens / tokens) * Math.min(size, end - offset));
  }
}

/** Where a page of about so many characters ends: behind a line if one ends near, never inside of a character. */
function pageEnd(text: string, offset: number, size: number): number {
  const end = offset + Math.max(1, size);
  if (end >= text.length) return text.length;
  const line = text.lastIndexOf('\n', end - 1) + 1;
  if (line > offset && end - line <= LINE_REST) return line;
  const splits = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(end - 1, end + 1));
  return splits ? end + 1 : end;
}
