// Means over sessions, and how far they can be trusted with so few sessions.

/** Mean of each measure over the cuts of a session, then over sessions; cuts and sessions where it says nothing are left out. */
export function overSessions(rows, measure) {
  const bySession = Map.groupBy?.(rows, ({ session }) => session) ?? groupBy(rows, ({ session }) => session);
  return [...bySession.values()].flatMap(
    (of) => mean(of.map((row) => row[measure]).filter((value) => value !== null)) ?? [],
  );
}

function groupBy(rows, keyOf) {
  const groups = new Map();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}

export function mean(values) {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The interval that holds 95% of the means of samples drawn from the values, with the same draws at each run. */
export function interval(values, draws = 2000) {
  if (values.length === 0) return undefined;
  const random = randomFrom(values.length * 7919 + 17);
  const means = Array.from({ length: draws }, () =>
    mean(Array.from(values, () => values[Math.floor(random() * values.length)])),
  ).sort((a, b) => a - b);
  return [means[Math.floor(draws * 0.025)], means[Math.floor(draws * 0.975)]];
}

/** A generator of numbers from 0 up to 1 that begins the same way each time (mulberry32). */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
