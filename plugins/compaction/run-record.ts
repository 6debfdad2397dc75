/** What is told of one compaction while it runs and when it ends: records, events, report (S9.13). Exactly one end for each start. */
import { CONTEXT, PithError } from '../../core/index';
import type {
  CompactionOutcome,
  CompactionPlan,
  CompactionReport,
  CompactOptions,
  Estimate,
  RecordDraft,
  Session,
  WorkUsage,
} from '../../core/index';
import type { CompactionEnd } from './events';
import type { CompactorParts } from './parts';
import type { Plan } from './plan';
import { WorkLog } from './work-log';
import type { WorkerProgress, WorkerReport } from './worker';

const NO_USAGE: WorkUsage = { requests: 0, inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };

/** What a compaction came to so far. */
export type Findings = Pick<CompactionReport, 'summary' | 'marks' | 'references' | 'after'>;

export class RunRecord {
  readonly id: string;
  /** Tokens of the context before. */
  readonly before: Estimate;
  /** What the worker was given and did. */
  readonly work: WorkLog;
  found: Findings = { marks: [], references: [] };
  readonly #parts: CompactorParts;
  readonly #session: Session;
  readonly #trigger: CompactOptions['trigger'];
  readonly #begun: number;
  readonly #durations = { plan: 0, worker: 0, apply: 0 };
  #plan: CompactionPlan | undefined;
  #usage: WorkUsage = NO_USAGE;
  #model: string | undefined;

  constructor(parts: CompactorParts, session: Session, trigger: CompactOptions['trigger']) {
    this.#parts = parts;
    this.#session = session;
    this.#trigger = trigger;
    this.id = parts.ids.next('compaction');
    this.work = new WorkLog((text) => this.#mask(text));
    this.#begun = parts.clock.now();
    this.before = session.get(CONTEXT).view().occupancy();
  }

  get named(): { readonly session: string; readonly compaction: string; readonly trigger: CompactOptions['trigger'] } {
    return { session: this.#session.id, compaction: this.id, trigger: this.#trigger };
  }

  /** Adds the time of some work to a phase, whether or not it succeeds. */
  async timed<T>(phase: 'plan' | 'worker' | 'apply', work: () => T | Promise<T>): Promise<T> {
    const begun = this.#parts.clock.now();
    try {
      return await work();
    } finally {
      this.#durations[phase] += this.#parts.clock.now() - begun;
    }
  }

  /** Tells the start; a second plan of the same compaction is no second start. */
  start(plan: Plan): void {
    const begins = this.#plan === undefined;
    this.#plan = toldPlan(plan);
    if (!begins) return;
    const { bus, worker } = this.#parts;
    const facts = {
      trigger: this.#trigger,
      worker: worker.name,
      before: this.before.tokens,
      summarised: plan.summarised,
    };
    this.#session.record({ t: 'compaction', phase: 'start', compaction: this.id, data: facts });
    bus.publish('compaction.started', { ...this.named, ...facts });
  }

  progress({ phase, tokens }: WorkerProgress, budgetLeft: number | undefined): void {
    const left = budgetLeft === undefined ? {} : { budgetLeft };
    this.#parts.bus.publish('compaction.progress', { ...this.named, phase, tokens, ...left });
  }

  spend({ model, usage }: WorkerReport): void {
    this.#model = model;
    const sum = this.#usage;
    this.#usage = {
      requests: sum.requests + usage.requests,
      inputTokens: sum.inputTokens + usage.inputTokens,
      cacheReadTokens: sum.cacheReadTokens + usage.cacheReadTokens,
      cacheWriteTokens: sum.cacheWriteTokens + usage.cacheWriteTokens,
      outputTokens: sum.outputTokens + usage.outputTokens,
    };
  }

  end(outcome: CompactionOutcome, reason?: string): CompactionReport {
    const { clock, worker } = this.#parts;
    const { found, before } = this;
    const shared = {
      outcome,
      worker: worker.name,
      ...(this.#model !== undefined && { model: this.#model }),
      usage: this.#usage,
      durationsMs: { ...this.#durations, total: clock.now() - this.#begun },
      ...(reason !== undefined && { reason: this.#mask(reason) }),
    };
    if (this.#plan === undefined) {
      this.#parts.bus.publish('compaction.skipped', { ...this.named, ...shared });
    } else {
      const marks = found.marks.length;
      const references = found.references.length;
      const after = found.after === undefined ? {} : { after: found.after.tokens };
      this.#tellEnd({ ...shared, before: before.tokens, ...after, marks, references });
    }
    return {
      id: this.id,
      trigger: this.#trigger,
      before: { tokens: before.tokens, source: before.source },
      ...(this.#plan !== undefined && { plan: this.#plan }),
      ...found,
      ...shared,
    };
  }

  #tellEnd(facts: Omit<CompactionEnd, keyof RunRecord['named']>): void {
    const { bus, log } = this.#parts;
    const { outcome, reason, usage } = facts;
    const phase = outcome === 'done' ? 'done' : 'failed';
    this.#record({
      t: 'compaction',
      phase,
      compaction: this.id,
      data: { ...facts, usage: { ...usage }, ...this.work.data },
    });
    bus.publish(phase === 'done' ? 'compaction.done' : 'compaction.failed', { ...this.named, ...facts });
    if (phase === 'failed') log.warn(`A compaction ended as ${outcome}.`, { ...this.named, outcome, reason });
  }

  /** A session that was closed meanwhile takes no record; the end is told all the same. */
  #record(draft: RecordDraft): void {
    try {
      this.#session.record(draft);
    } catch (thrown) {
      if (!PithError.is(thrown, 'PITH_SESSION_CLOSED')) throw thrown;
    }
  }

  #mask(text: string): string {
    return this.#parts.guard?.mask(text) ?? text;
  }
}

/** A plan as it is told. */
export function toldPlan({ cutItem, summarised, retained }: Plan): CompactionPlan {
  return { cutItem, summarised, retained };
}
