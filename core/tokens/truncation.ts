/** Cutting a text to a number of tokens from either end, reading little more of it than is kept (S6.1). */
import { boundaryIn, chunkEnd, wholeBefore, wholeFrom } from './chunks';
import { countStrictly, countText } from './counting';
import type { Encoder } from './encoder';
import type { Truncated } from './tokenizer';

/** UTF-16 units that are looked at in one step: about 1000 tokens of prose. */
const STEP_UNITS = 4096;

/** The longest head or tail of `text` within `max` tokens: always a slice of `text`, never above `max`. */
export function truncateText(encoder: Encoder, text: string, max: number, from: 'head' | 'tail'): Truncated {
  const likelyFits = text.length <= 4 * max;
  let cut = likelyFits ? undefined : edgeOf(encoder, text, max, from);
  if (cut === undefined) {
    const tokens = countText(encoder, text);
    if (tokens <= max) return { text, tokens, truncated: false };
    cut = edgeOf(encoder, text, max, from) ?? text.length - (from === 'tail' ? text.length : 0);
  }
  for (;;) {
    const kept = from === 'head' ? text.slice(0, cut) : text.slice(cut);
    const tokens = countStrictly(encoder, kept);
    if (tokens <= max || kept === '') return { text: kept, tokens, truncated: true };
    // Rarely, the tokens at a cut merge worse than they did in the whole; then a few more characters go.
    const excess = tokens - max;
    cut =
      from === 'head'
        ? wholeBefore(text, Math.max(0, cut - excess))
        : wholeFrom(text, Math.min(text.length, cut + excess));
  }
}

/** Where the kept head ends or the kept tail begins, or undefined where the whole text fits. */
function edgeOf(encoder: Encoder, text: string, max: number, from: 'head' | 'tail'): number | undefined {
  return from === 'head' ? headEnd(encoder, text, max) : tailStart(encoder, text, max);
}

function headEnd(encoder: Encoder, text: string, max: number): number | undefined {
  let left = Math.max(0, max);
  for (let at = 0; at < text.length;) {
    const end = chunkEnd(text, at, STEP_UNITS);
    const chunk = text.slice(at, end);
    const tokens = encoder.count(chunk);
    if (tokens > left) return at + encoder.head(chunk, left);
    left -= tokens;
    at = end;
  }
  return undefined;
}

function tailStart(encoder: Encoder, text: string, max: number): number | undefined {
  let left = Math.max(0, max);
  for (let end = text.length; end > 0;) {
    const least = Math.max(0, end - STEP_UNITS);
    const start = least === 0 ? 0 : (boundaryIn(text, least, end) ?? wholeFrom(text, least));
    const step = text.slice(start, end);
    const ends: number[] = [];
    for (let at = 0; at < step.length; ends.push(at)) at = chunkEnd(step, at);
    for (let index = ends.length - 1; index >= 0; index--) {
      const at = ends[index - 1] ?? 0;
      const chunk = step.slice(at, ends[index]);
      const tokens = encoder.count(chunk);
      if (tokens > left) return start + at + encoder.tail(chunk, left);
      left -= tokens;
    }
    end = start;
  }
  return undefined;
}
