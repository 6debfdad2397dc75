/** Thinking with a signature, which a provider takes back only as it gave it (S5.1, S9.9). */
import { createHash } from 'node:crypto';
import { prefixDigests } from './prefix-billing';
import type { RequestSegment } from './request-segments';
import type { Violation } from './validators';

/**
 * What a thinking block must have kept to be taken back: `text`, as it was given; or `prefix`, also all that stood before
 * it.
 */
export type ThinkingBound = 'text' | 'prefix';

/** The signature of thinking that answers a request with this digest; base64. It carries what is needed to check it. */
export function signThinking(thinking: string, prefix: string): string {
  const proof = createHash('sha256').update('thinking').update(prefix).update(thinking).digest('hex').slice(0, 32);
  return Buffer.from(`${prefix}${proof}`, 'hex').toString('base64');
}

/** What is wrong with the thinking of a request. */
export function checkThinking(segments: readonly RequestSegment[], bound: ThinkingBound): readonly Violation[] {
  const found: Violation[] = [];
  const report = (index: number, message: string): void => void found.push({ rule: 'signature', index, message });
  const digests = prefixDigests(segments);
  for (const [at, { index, block }] of segments.entries()) {
    if (block?.['type'] !== 'thinking') continue;
    const { thinking, signature } = block as { readonly thinking: string; readonly signature: string };
    const prefix = Buffer.from(signature, 'base64').toString('hex').slice(0, 32);
    if (signThinking(thinking, prefix) !== signature) report(index, 'Invalid `signature` in `thinking` block.');
    else if (bound === 'prefix' && prefix !== digests[at - 1])
      report(index, 'The `thinking` block was made on another prefix.');
  }
  return found;
}
