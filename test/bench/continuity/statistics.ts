/** Means over sessions, and how far they can be trusted with so few of them. */

/** A mean over sessions with the ends of its 95% interval. */
export interface Estimate {
  readonly mean: number;
  readonly from: number;
  readonly to: number;
  /** Sessions. */
  readonly n: number;
}

/** Samples that are drawn for an interval. */
const DRAWS = 2000;

export function meanOf(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The mean of each session's values, by session; sessions without any are left out. */
export function bySession<T extends { readonly session: string }>(
  rows: readonly T[],
  valueOf: (row: T) => number | undefined,
): ReadonlyMap<string, number> {
  const values = new Map<string, number[]>();
  for (const row of rows) {
    const value = valueOf(row);
    if (value !== undefined) values.set(row.session, [...(values.get(row.session) ?? []), value]);
  }
  return new Map([...values].map(([session, of]) => [session, meanOf(of) ?? 0]));
}

/**
 * The mean of values, one for each session, with the interval that holds 95% of the means of samples drawn from them with
 * replacement; the same draws at each run. Undefined without values.
 */
export function estimate(values: readonly number[]): Estimate | undefined {
  const mean = meanOf(values);
  if (mean === undefined) return undefined;
  const random = randomFrom(values.length * 7919 + 17);
  const means = Array.from(
    { length: DRAWS },
    () => meanOf(values.map(() => values[Math.floor(random() * values.length)] ?? 0)) ?? 0,
  ).sort((a, b) => a - b);
  const at = (share: number): number => means[Math.floor((DRAWS - 1) * share)] ?? mean;
  return { mean, from: at(0.025), to: at(0.975), n: values.length };
}

/** How one policy does against another on the sessions that both have values for. */
export interface Comparison {
  /** Mean of the differences, session by session. */
  readonly difference: Estimate;
  /** Sessions on which it is better, and on which it is worse by more than {@link CLEARLY}. */
  readonly won: number;
  readonly clearlyLost: number;
}

/** A difference that is more than chance of the cuts. */
export const CLEARLY = 0.05;
/** Rounding of sums is no win. */
const EQUAL = 1e-9;

export function compared(
  ours: ReadonlyMap<string, number>,
  theirs: ReadonlyMap<string, number>,
): Comparison | undefined {
  const differences = [...ours].flatMap(([session, value]) => {
    const other = theirs.get(session);
    return other === undefined ? [] : [value - other];
  });
  const difference = estimate(differences);
  return (
    difference && {
      difference,
      won: differences.filter((by) => by > EQUAL).length,
      clearlyLost: differences.filter((by) => by < -CLEARLY).length,
    }
  );
}

/** A generator of numbers from 0 up to 1 that begins the same way each time (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
