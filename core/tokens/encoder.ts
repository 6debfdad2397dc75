/**
 * The encoders of the process: one per encoding, built on first use and shared (S6.1). An encoder takes tens of megabytes of
 * WebAssembly memory, so nothing here ever builds one per session or per call.
 */
import { createRequire } from 'node:module';
import type * as tiktokenPackage from 'tiktoken';
import type { EncodingName } from './encodings';
import { messageOf } from '../errors';

/** Counts and cuts bounded chunks of text (see `chunkEnd`); never throws for a string. */
export interface Encoder {
  /** Tokens of a chunk. Special-token text is ordinary text. */
  count(chunk: string): number;
  /** UTF-16 units of the whole characters that the first `tokens` tokens of a chunk cover. */
  head(chunk: string, tokens: number): number;
  /** Where the whole characters that the last `tokens` tokens of a chunk cover begin. */
  tail(chunk: string, tokens: number): number;
}

/** What stands for an encoding in this process: the encoder, or that it cannot be had. */
type Slot = { tiktoken: tiktokenPackage.Tiktoken | undefined; builds: number };

const slots = new Map<EncodingName, Slot>();

/** How often a broken encoder is built again before its text is estimated until {@link releaseEncoders}. */
const MAX_BUILDS = 3;

/** The encoder of an encoding. Builds nothing yet; the vocabulary is loaded with the first text. */
export function encoderOf(encoding: EncodingName): Encoder {
  return {
    count: (chunk) => idsOf(encoding, chunk)?.length ?? estimateOf(chunk),
    head: (chunk, tokens) => {
      const ids = idsOf(encoding, chunk);
      if (ids === undefined) return share(chunk, tokens);
      return tokens >= ids.length ? chunk.length : coveredBy(encoding, chunk, ids, tokens).units;
    },
    tail: (chunk, tokens) => {
      const ids = idsOf(encoding, chunk);
      if (ids === undefined) return chunk.length - share(chunk, tokens);
      if (tokens >= ids.length) return 0;
      const { units, whole } = coveredBy(encoding, chunk, ids, ids.length - tokens);
      return whole ? units : units + ((chunk.codePointAt(units) ?? 0) > 0xffff ? 2 : 1);
    },
  };
}

/** Frees the memory of all encoders. The next count builds what it needs again. */
export function releaseEncoders(): void {
  for (const slot of slots.values()) free(slot);
  slots.clear();
}

/** Token ids of a chunk, or undefined where the encoder fails on it. */
function idsOf(encoding: EncodingName, chunk: string): Uint32Array | undefined {
  const slot = slotOf(encoding);
  if (slot.tiktoken === undefined) return undefined;
  try {
    return slot.tiktoken.encode_ordinary(chunk);
  } catch {
    if (!works(slot.tiktoken)) {
      free(slot);
      build(encoding, slot);
    }
    return undefined;
  }
}

function slotOf(encoding: EncodingName): Slot {
  let slot = slots.get(encoding);
  if (slot === undefined) {
    slot = { tiktoken: undefined, builds: 0 };
    slots.set(encoding, slot);
    build(encoding, slot);
  }
  return slot;
}

function build(encoding: EncodingName, slot: Slot): void {
  slot.builds += 1;
  try {
    if (slot.builds > MAX_BUILDS) throw new Error('it keeps failing');
    const tiktoken = createRequire(__filename)('tiktoken') as typeof tiktokenPackage;
    slot.tiktoken = tiktoken.get_encoding(encoding);
  } catch (thrown) {
    const message = `The tokenizer ${encoding} cannot be used (${causeOf(thrown)}); tokens are estimated at 4 bytes each.`;
    process.emitWarning(message, { code: 'PITH_TOKENIZER_ESTIMATES' });
  }
}

function causeOf(thrown: unknown): string {
  return (thrown as { readonly code?: unknown } | undefined)?.code === 'MODULE_NOT_FOUND'
    ? 'the package tiktoken is not installed beside it; a bundle needs it as a dependency of its own'
    : messageOf(thrown);
}

/** A trap in one text leaves the encoder usable, a broken heap does not. */
function works(tiktoken: tiktokenPackage.Tiktoken): boolean {
  try {
    return tiktoken.encode_ordinary('a').length === 1;
  } catch {
    return false;
  }
}

function free(slot: Slot): void {
  try {
    slot.tiktoken?.free();
  } catch {
    // What is broken may refuse to be freed; it is dropped in any case.
  }
  slot.tiktoken = undefined;
}

function estimateOf(chunk: string): number {
  return Math.ceil(Buffer.byteLength(chunk) / 4);
}

/** UTF-16 units that stand for `tokens` estimated tokens. */
function share(chunk: string, tokens: number): number {
  const all = estimateOf(chunk);
  if (tokens >= all) return chunk.length;
  const units = Math.floor((chunk.length * tokens) / all);
  return units > 0 && (chunk.codePointAt(units - 1) ?? 0) > 0xffff ? units - 1 : units;
}

/** How far the first `tokens` ids reach into the chunk; `whole` tells whether they end between two characters. */
function coveredBy(
  encoding: EncodingName,
  chunk: string,
  ids: Uint32Array,
  tokens: number,
): { readonly units: number; readonly whole: boolean } {
  const bytes = slotOf(encoding).tiktoken?.decode(ids.subarray(0, tokens));
  if (bytes === undefined) return { units: share(chunk, tokens), whole: true };
  // A lone surrogate is encoded as U+FFFD, which is one unit too, so units of the decoded text are units of the chunk.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
  return { units: text.length, whole: Buffer.byteLength(text) === bytes.length };
}
