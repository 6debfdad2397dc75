/** Bills requests as providers with a prompt cache do: a prefix that an earlier request had, byte for byte, is a cache read. */
import { createHash } from 'node:crypto';
import { turnsOfSegment } from './request-segments';
import type { RequestSegment } from './request-segments';
import type { WireShape } from './script';

export interface PrefixBillingOptions {
  readonly shape: WireShape;
  /**
   * `automatic`: every request is cached whole, as OpenAI-compatible endpoints do. `marked`: the prefixes that end at a cache
   * mark are, and found again at a mark or up to 20 pieces before it, as Anthropic does.
   */
  readonly caching: 'automatic' | 'marked';
  /** Tokens of a text. */
  readonly count: (text: string) => number;
  readonly perImage: number;
  /** Prefixes with fewer tokens are not cached. */
  readonly minCachedTokens: number;
}

/** What one request costs, in tokens. */
export interface Bill {
  /** The whole input, cache reads and writes included. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  /** 0 where caching is automatic, since such providers do not charge for it. */
  readonly cacheWriteTokens: number;
  /** Digest of the whole request: what its reply is bound to. */
  readonly digest: string;
  /** Digests of the prefixes that are cached once the request is accepted. */
  readonly cacheable: readonly string[];
}

/** How many pieces before a mark a cached prefix is looked for. */
const LOOK_BACK = 20;

/** The prompt cache of a provider. */
export class PrefixBilling {
  readonly #cached = new Set<string>();
  readonly #weights = new Map<string, number>();

  constructor(private readonly options: PrefixBillingOptions) {}

  /** What a request costs now, without caching it. */
  bill(segments: readonly RequestSegment[]): Bill {
    const { caching, minCachedTokens } = this.options;
    const digests = prefixDigests(segments);
    const sums: number[] = [];
    for (const segment of segments) sums.push((sums.at(-1) ?? 0) + this.#weigh(segment));
    // where a cached prefix may end
    const ends = segments.flatMap(({ marked }, at) => (caching === 'automatic' || marked ? [at] : []));
    let read = 0;
    for (const end of ends) {
      const from = caching === 'marked' ? Math.max(0, end - LOOK_BACK) : end;
      for (let at = end; at >= from && (sums[at] ?? 0) > read; at--) {
        if (this.#cached.has(digests[at] ?? '')) read = sums[at] ?? 0;
      }
    }
    const cacheable = ends.filter((end) => (sums[end] ?? 0) >= minCachedTokens);
    const written = caching === 'marked' ? (sums[cacheable.at(-1) ?? -1] ?? 0) : 0;
    return {
      inputTokens: sums.at(-1) ?? 0,
      cacheReadTokens: read,
      cacheWriteTokens: Math.max(0, written - read),
      digest: digests.at(-1) ?? '',
      cacheable: cacheable.map((end) => digests[end] ?? ''),
    };
  }

  /** Caches what was accepted. */
  admit({ cacheable }: Bill): void {
    for (const digest of cacheable) this.#cached.add(digest);
  }

  #weigh(segment: RequestSegment): number {
    const known = this.#weights.get(segment.json);
    if (known !== undefined) return known;
    const { shape, count, perImage } = this.options;
    let weight = segment.part === 'tools' ? count(segment.json) : 0;
    for (const { texts, images } of turnsOfSegment(shape, segment)) {
      weight += images * perImage;
      for (const text of texts) weight += count(text);
    }
    this.#weights.set(segment.json, weight);
    return weight;
  }
}

/** A digest for each prefix of a request; equal digests mean equal bytes. */
export function prefixDigests(segments: readonly RequestSegment[]): readonly string[] {
  const digests: string[] = [];
  for (const { part, json } of segments) {
    const hash = createHash('sha256')
      .update(digests.at(-1) ?? '')
      .update(part)
      .update(json);
    digests.push(hash.digest('hex').slice(0, 32));
  }
  return digests;
}
