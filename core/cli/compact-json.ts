/** What `pith compact --json` prints, exactly as S12.1 gives it; `docs/schemas/pith.compact-1.json` describes it. */
import type { CompactionReport } from '../agent/compaction';
import type { Estimate } from '../tokens/occupancy';
import type { CompactRun } from './compact-run';
import type { SourceFacts } from './opened-session';

/** `pith.compact/1` (S12.1); parts that were not reached are null. Tokens are whole numbers. */
export interface CompactJson {
  readonly schema: 'pith.compact/1';
  readonly source: SourceFacts;
  readonly before: { readonly tokens: number; readonly source: Estimate['source'] };
  readonly prune: { readonly candidates: number; readonly savedTokens: number } | null;
  readonly plan: CompactionReport['plan'] | null;
  readonly outcome: CompactionReport['outcome'];
  readonly worker: string | null;
  readonly usage: CompactionReport['usage'] | null;
  readonly summary: CompactionReport['summary'] | null;
  readonly autoRead:
    | readonly {
        readonly path: string;
        readonly fromLine: number;
        readonly toLine: number;
        readonly tokens: number;
        readonly source: string;
        readonly reason: string | null;
      }[]
    | null;
  readonly references: readonly { readonly path: string; readonly note: string | null }[] | null;
  readonly after: { readonly tokens: number; readonly items: number } | null;
  readonly durationsMs: {
    readonly load: number;
    readonly plan: number;
    readonly worker: number;
    readonly apply: number;
    readonly total: number;
  };
}

/** The run as JSON, exactly as S12.1 gives it. */
export function compactJson({ opened, before, prune, report, loadMs, totalMs }: CompactRun): CompactJson {
  const { plan, outcome, summary, after, durationsMs } = report;
  const isDone = outcome === 'done';
  return {
    schema: 'pith.compact/1',
    source: opened.facts,
    before: { tokens: Math.round(before.tokens), source: before.source },
    prune: prune === undefined ? null : { candidates: prune.candidates, savedTokens: prune.savedTokens },
    plan:
      plan === undefined
        ? null
        : { cutItem: plan.cutItem, summarised: rounded(plan.summarised), retained: rounded(plan.retained) },
    outcome,
    worker: plan === undefined ? null : report.worker,
    usage: plan === undefined ? null : report.usage,
    summary: summary === undefined ? null : rounded(summary),
    autoRead: isDone
      ? report.marks.map(({ path, fromLine, toLine, tokens, source, reason }) => {
          return { path, fromLine, toLine, tokens: Math.round(tokens), source, reason: reason ?? null };
        })
      : null,
    references: isDone ? report.references.map(({ path, note }) => ({ path, note: note ?? null })) : null,
    after: after === undefined || !isDone ? null : rounded(after),
    durationsMs: {
      load: tenths(loadMs),
      plan: tenths(durationsMs.plan),
      worker: tenths(durationsMs.worker),
      apply: tenths(durationsMs.apply),
      total: tenths(totalMs),
    },
  };
}

function rounded<T extends { readonly tokens: number }>(value: T): T {
  return { ...value, tokens: Math.round(value.tokens) };
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}
