/** Which workers a job is for, where workers are in other processes (S11). */
import { PithError } from '../../core/index';
import type { CompactPool } from '../../core/index';

/**
 * The subject of a pool, `job.<tenant>.<pool>`, both `default` by default. No other name is ever part of it. Throws `PITH_BUS_SETTINGS` for a name that
 * would be split, matched or routed elsewhere.
 */
export function poolSubject({ tenant = 'default', pool = 'default' }: Partial<CompactPool>): string {
  for (const [key, name] of Object.entries({ tenant, pool })) {
    if (typeof name === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(name)) continue;
    throw new PithError(
      'PITH_BUS_SETTINGS',
      `The ${key} ${JSON.stringify(name).slice(0, 80)} is no part of a subject; use 1 to 64 letters, digits, _ and - only.`,
      { details: { setting: key } },
    );
  }
  return `job.${tenant}.${pool}`;
}
