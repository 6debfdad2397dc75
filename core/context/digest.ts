/**
 * Digests of contexts (S9.10): equal digests mean that the same is sent. Entries are digested in blocks, and the digests of
 * whole blocks are kept as long as their entries stay, so that asking again costs what is new.
 */
import { createHash } from 'node:crypto';
import type { Item } from '../session/items';
import type { SystemPart } from './view';

const BLOCK = 64;

/** Digest of system content and the first `length` items; `kept` holds the digests of whole blocks that are known. */
export function digestContext(
  system: readonly SystemPart[],
  length: number,
  items: (from: number, to: number) => Iterable<Item>,
  kept: string[] = [],
): string {
  const hash = createHash('sha256');
  for (const part of system) hash.update(`${part.kind} ${part.text.length}\n${part.text}`);
  for (let start = 0; start < length; start += BLOCK) {
    const end = Math.min(length, start + BLOCK);
    const digest =
      end - start < BLOCK ? digestBlock(items(start, end)) : (kept[start / BLOCK] ??= digestBlock(items(start, end)));
    hash.update(digest);
  }
  return hash.digest('base64url');
}

/** The kept digests of blocks that lie before a changed entry. */
export function blocksBefore(kept: readonly string[], changed: number): string[] {
  return kept.slice(0, Math.floor(changed / BLOCK));
}

function digestBlock(items: Iterable<Item>): string {
  const hash = createHash('sha256');
  for (const item of items) {
    const { id: _, ...said } = item;
    hash.update(JSON.stringify(said));
  }
  return hash.digest('base64url');
}
