/** When a provider wants to be asked again, as headers and texts tell it. */
import type { ErrorFacts } from './error-facts';

/** Milliseconds from now, or undefined where the provider does not say. `now` is in milliseconds since the epoch. */
export function retryAfterOf(
  { headers, texts }: Pick<ErrorFacts, 'headers' | 'texts'>,
  now: number,
): number | undefined {
  const exact = Number(headers.get('retry-after-ms') ?? NaN);
  if (isDelay(exact)) return Math.ceil(exact);
  const after = headers.get('retry-after')?.trim();
  if (after !== undefined && after !== '') {
    const seconds = Number(after);
    if (isDelay(seconds)) return Math.ceil(seconds * 1000);
    const date = Number.isNaN(seconds) ? Date.parse(after) : NaN;
    if (!Number.isNaN(date)) return Math.max(0, date - now);
  }
  for (const text of texts) {
    const [, minutes = '0', amount, unit] =
      /(?:try again|retry) (?:in|after) (?:(\d{1,4})m)?(\d{1,6}(?:\.\d{1,9})?) ?(ms|s\b|sec)/i.exec(text) ?? [];
    if (amount === undefined) continue;
    return Math.ceil(Number(minutes) * 60_000 + Number(amount) * (unit?.toLowerCase() === 'ms' ? 1 : 1000));
  }
  return undefined;
}

function isDelay(value: number): boolean {
  return Number.isFinite(value) && value >= 0;
}
