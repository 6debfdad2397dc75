/** What the rows of all sessions say: means over sessions, comparisons, and scores on sessions that were left out. */
import { MEASURES } from './measures';
import type { Measure } from './measures';
import type { Budget, Row } from './replay';
import { bySession, compared, estimate, meanOf } from './statistics';
import type { Comparison, Estimate } from './statistics';

/** The measures by which policies are compared and settings are chosen. */
export const COMPARED = ['files', 'lines', 'names', 'directives', 'reads'] as const satisfies readonly Measure[];

export type Estimates = Readonly<Record<Measure, Estimate | undefined>>;

export interface PolicySummary extends Estimates {
  readonly policy: string;
  readonly sessions: number;
  readonly cuts: number;
  /** Cuts at which it took more tokens than it was given, and the largest share by which it did. */
  readonly over: { readonly cuts: number; readonly most: number };
}

export interface ComparisonSummary {
  /** The policy that the first one is compared with. */
  readonly against: string;
  readonly measures: Readonly<Record<(typeof COMPARED)[number], Comparison | undefined>>;
}

export interface Summary {
  readonly budget: Budget;
  readonly horizon: number;
  readonly policies: readonly PolicySummary[];
  readonly comparisons: readonly ComparisonSummary[];
}

/** A summary for each budget and horizon; the first policy is compared with all others but the oracle. */
export function summarise(rows: readonly Row[]): readonly Summary[] {
  return groupsOf(rows).map(({ budget, horizon, of }) => {
    const names = [...new Set(of.map(({ policy }) => policy))];
    const [first, ...others] = names.map((policy) => of.filter((row) => row.policy === policy));
    return {
      budget,
      horizon,
      policies: names.map((policy) =>
        policySummary(
          policy,
          of.filter((row) => row.policy === policy),
        ),
      ),
      comparisons: others.flatMap((their) => {
        const against = their[0]?.policy ?? '';
        return against === 'oracle' ? [] : [{ against, measures: comparison(first ?? [], their) }];
      }),
    };
  });
}

function groupsOf(
  rows: readonly Row[],
): readonly { readonly budget: Budget; readonly horizon: number; readonly of: readonly Row[] }[] {
  const groups = new Map<string, { readonly budget: Budget; readonly horizon: number; readonly of: Row[] }>();
  for (const row of rows) {
    const key = `${String(row.budget)} ${String(row.horizon)}`;
    const group = groups.get(key) ?? { budget: row.budget, horizon: row.horizon, of: [] };
    groups.set(key, group);
    group.of.push(row);
  }
  return [...groups.values()].sort((a, b) => sizeOf(b.budget) - sizeOf(a.budget) || a.horizon - b.horizon);
}

function sizeOf(budget: Budget): number {
  return budget === 'defaults' ? 0 : budget;
}

function policySummary(policy: string, rows: readonly Row[]): PolicySummary {
  const over = rows.map(({ measured, given }) => (measured.tokens ?? 0) / given - 1).filter((share) => share > 0);
  return {
    policy,
    sessions: new Set(rows.map(({ session }) => session)).size,
    cuts: rows.length,
    over: { cuts: over.length, most: Math.max(0, ...over) },
    ...estimatesOf(rows),
  };
}

function estimatesOf(rows: readonly Row[]): Estimates {
  return Object.fromEntries(
    MEASURES.map((measure) => [measure, estimate([...bySession(rows, (row) => row.measured[measure]).values()])]),
  ) as unknown as Estimates;
}

function comparison(ours: readonly Row[], theirs: readonly Row[]): ComparisonSummary['measures'] {
  return Object.fromEntries(
    COMPARED.map((measure) => [
      measure,
      compared(
        bySession(ours, (row) => row.measured[measure]),
        bySession(theirs, (row) => row.measured[measure]),
      ),
    ]),
  ) as unknown as ComparisonSummary['measures'];
}

/** Settings chosen on all sessions but one, and how they do on that one. */
export interface HeldOut {
  readonly budget: Budget;
  readonly horizon: number;
  /** By the session that was left out: the settings that were best on the others. */
  readonly chosen: readonly { readonly session: string; readonly settings: string }[];
  /** Means over the sessions that were left out, each by the settings that were chosen without it. */
  readonly scores: Estimates;
  /** The settings that are best on all sessions, and their means, which flatter. */
  readonly best: { readonly settings: string; readonly scores: Estimates };
}

/**
 * Leaves out one session after another. Of the rows of the given policies, the policy counts as best whose mean of the compared
 * measures is highest over all budgets and horizons; of equals the first.
 */
export function heldOut(rows: readonly Row[], candidates: readonly string[]): readonly HeldOut[] {
  const of = rows.filter(({ policy }) => candidates.includes(policy));
  const sessions = [...new Set(of.map(({ session }) => session))];
  const chosen = sessions.map((session) => ({
    session,
    settings: bestOf(
      of.filter((row) => row.session !== session),
      candidates,
    ),
  }));
  const best = bestOf(of, candidates);
  return groupsOf(of).map(({ budget, horizon, of: group }) => ({
    budget,
    horizon,
    chosen,
    scores: estimatesOf(
      group.filter((row) => chosen.some(({ session, settings }) => row.session === session && row.policy === settings)),
    ),
    best: { settings: best, scores: estimatesOf(group.filter(({ policy }) => policy === best)) },
  }));
}

function bestOf(rows: readonly Row[], candidates: readonly string[]): string {
  const scored = candidates.map((policy) => ({ policy, score: scoreOf(rows.filter((row) => row.policy === policy)) }));
  return scored.reduce((best, next) => (next.score > best.score ? next : best)).policy;
}

function scoreOf(rows: readonly Row[]): number {
  const means = groupsOf(rows).flatMap(({ of }) =>
    COMPARED.flatMap((measure) => meanOf([...bySession(of, (row) => row.measured[measure]).values()]) ?? []),
  );
  return meanOf(means) ?? 0;
}
