/** When a failed request is sent again (S6.1): back-off with full jitter, and what the provider asks for. */
import type { PithError } from '../errors';

export interface RetryPolicy {
  /** How often a request is sent again; 0 is never. */
  readonly maxRetries: number;
  /** A number from 0 up to 1. */
  readonly random: () => number;
}

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;
/** A provider that wants to be left alone for longer gets no further request; the caller hears when it may come back. */
const LONGEST_ASKED_MS = 60_000;

/**
 * Milliseconds until the request is sent again, or undefined where the error stands. Only what is transient is tried again:
 * rate limits, 5xx, transport; never an overflow or what the provider finds wrong.
 *
 * @param attempt how often it has been sent again already
 */
export function retryDelay(error: PithError, attempt: number, { maxRetries, random }: RetryPolicy): number | undefined {
  const { transient, retryAfterMs } = error.details ?? {};
  if (transient !== true || attempt >= maxRetries) return undefined;
  const asked = typeof retryAfterMs === 'number' ? retryAfterMs : 0;
  if (asked > LONGEST_ASKED_MS) return undefined;
  return Math.max(asked, Math.round(random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt)));
}
