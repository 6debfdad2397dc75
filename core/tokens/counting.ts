/** Counting text of any size and shape in bounded chunks (S6.1). */
import { chunkEnd } from './chunks';
import type { Encoder } from './encoder';

/** From this length on, an unbroken run of base64, hex or the like is sampled: it is even, and slow to encode. */
const DENSE_UNITS = 65_536;

/** In a dense run, this much of each period is counted. */
const SAMPLE_UNITS = 2048;
const SAMPLE_PERIOD = 8192;

const DENSE = new Uint8Array(128);
for (let code = 0; code < 128; code++) if (/[A-Za-z0-9+/=_%\r\n-]/.test(String.fromCharCode(code))) DENSE[code] = 1;

/**
 * Tokens of a text. Exact, except that unbroken runs above 64 KB of base64, hex or URL characters are counted in evenly
 * spread samples, so that a megabyte of them costs no more than a megabyte of prose.
 */
export function countText(encoder: Encoder, text: string): number {
  let tokens = 0;
  for (let at = 0; at < text.length;) {
    const dense = denseEnd(text, at);
    const end = dense > at ? dense : chunkEnd(text, at);
    tokens += dense > at ? sampledCount(encoder, text, at, end) : encoder.count(text.slice(at, end));
    at = end;
  }
  return tokens;
}

/** Tokens of a text that has to stay below a limit: never less than {@link countText}, and without sampling. */
export function countStrictly(encoder: Encoder, text: string): number {
  const tokens = countText(encoder, text);
  return text.length < DENSE_UNITS ? tokens : Math.max(tokens, countExactly(encoder, text));
}

function countExactly(encoder: Encoder, text: string): number {
  let tokens = 0;
  for (let at = 0; at < text.length;) {
    const end = chunkEnd(text, at);
    tokens += encoder.count(text.slice(at, end));
    at = end;
  }
  return tokens;
}

/** The end of the dense run that starts at `from`, or `from` where there is none that is worth sampling. */
function denseEnd(text: string, from: number): number {
  if (text.length - from < DENSE_UNITS) return from;
  for (let at = from; at < from + DENSE_UNITS; at += 1024) if (!isDense(text, at)) return from;
  let end = from;
  while (end < text.length && isDense(text, end)) end += 1;
  return end - from < DENSE_UNITS ? from : end;
}

function isDense(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 128 && DENSE[code] === 1;
}

function sampledCount(encoder: Encoder, text: string, from: number, to: number): number {
  let counted = 0;
  let tokens = 0;
  for (let at = from; at < to; at += SAMPLE_PERIOD) {
    const sample = text.slice(at, Math.min(to, at + SAMPLE_UNITS));
    tokens += countExactly(encoder, sample);
    counted += sample.length;
  }
  return Math.round((tokens / counted) * (to - from));
}
