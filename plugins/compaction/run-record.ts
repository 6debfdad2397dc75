/** What is told of one compaction while it runs and when it ends: records, events, report (S9.13). Exactly one end for each start. */
import { CONTEXT, messageOf, oneLine, PithError } from '../../core/index';
import type {
  CompactionOutcome,
  CompactionPlan,
  CompactionReport,
  CompactOptions,
  Estimate,
  Json,
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
  before: Estimate;
  /** What the worker was given and did. */
  readonly work: WorkLog;
  found: Findings = { marks: [], references: [] };
  /** Who works, or did last. */
  worker: string;
  /** How often somebody began to work. */
  attempts = 0;
  readonly #parts: CompactorParts;
  readonly #session: Session;
  readonly #trigger: CompactOptions['trigger'];
  readonly #begun: number;
  readonly #durations = { plan: 0, worker: 0, apply: 0 };
  readonly #notes: string[] = [];
  #plan: CompactionPlan | undefined;
  #hasStarted = false;
  #usage: WorkUsage = NO_USAGE;
  #model: string | undefined;

  constructor(parts: CompactorParts, session: Session, trigger: CompactOptions['trigger']) {
    this.#parts = parts;
    this.#session = session;
    this.#trigger = trigger;
    this.id = parts.ids.next('compaction');
    this.worker = parts.worker.name;
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

  planned(plan: Plan): void {
    this.#plan = toldPlan(plan);
  }

  /** Something that the end should say beside its reason. */
  note(text: string): void {
    this.#notes.push(text);
  }

  /** Counts an attempt, and tells the start, once: a second plan or worker of the same compaction is no second start. */
  start(worker: string): void {
    this.worker = worker;
    this.attempts++;
    if (this.#hasStarted || this.#plan === undefined) return;
    const { summarised } = this.#plan;
    const facts = { trigger: this.#trigger, worker, before: this.before.tokens, summarised };
    this.#session.record({ t: 'compaction', phase: 'start', compaction: this.id, data: facts });
    this.#hasStarted = true;
    this.#parts.bus.publish('compaction.started', { ...this.named, ...facts });
    this.#parts.log.info('A compaction began.', { ...this.named, worker });
  }

  progress({ phase, tokens }: WorkerProgress, budgetLeft: number | undefined): void {
    const left = budgetLeft === undefined ? {} : { budgetLeft };
    this.#parts.bus.publish('compaction.progress', { ...this.named, phase: this.#told(phase), tokens, ...left });
  }

  spend({ model, usage }: WorkerReport): void {
    if (model !== undefined) this.#model = this.#told(model);
    this.#usage = sumOf(this.#usage, usage);
  }

  /** Tells the end. To be called once. */
  end(outcome: CompactionOutcome, reason?: string, veto?: CompactionReport['veto']): CompactionReport {
    const { found, before } = this;
    const why = [...this.#notes, ...(reason === undefined ? [] : [reason])].join(' ');
    const said = {
      outcome,
      worker: this.worker,
      ...(this.#model !== undefined && { model: this.#model }),
      usage: this.#usage,
      durationsMs: { ...this.#durations, total: this.#parts.clock.now() - this.#begun },
      ...(why !== '' && { reason: this.#mask(why) }),
    };
    if (this.#hasStarted) this.#tellEnd(said);
    else this.#tellSkip(outcome, said.reason);
    return {
      id: this.id,
      trigger: this.#trigger,
      before: { tokens: before.tokens, source: before.source },
      ...(this.#plan !== undefined && { plan: this.#plan }),
      ...found,
      ...said,
      ...(veto !== undefined && { veto }),
    };
  }

  #tellSkip(outcome: CompactionOutcome, reason: string | undefined): void {
    this.#parts.bus.publish('compaction.skipped', {
      ...this.named,
      outcome,
      before: this.before.tokens,
      ...(this.#plan !== undefined && { plan: this.#plan }),
      ...(reason !== undefined && { reason }),
    });
  }

  #tellEnd(said: Omit<CompactionEnd, keyof RunRecord['named'] | 'before' | 'after' | 'marks' | 'references'>): void {
    const { bus, log } = this.#parts;
    const { marks, references, after } = this.found;
    const facts = {
      ...said,
      before: this.before.tokens,
      ...(after !== undefined && { after: after.tokens }),
      marks: marks.length,
      references: references.length,
    };
    const { outcome, reason, usage } = facts;
    const phase = outcome === 'done' ? 'done' : 'failed';
    const data = { ...facts, usage: { ...usage }, ...this.#results(), ...this.work.data };
    this.record({ t: 'compaction', phase, compaction: this.id, data });
    bus.publish(phase === 'done' ? 'compaction.done' : 'compaction.failed', { ...this.named, ...facts });
    if (phase === 'failed') log.warn(`A compaction ended as ${outcome}.`, { ...this.named, outcome, reason });
    else if (reason !== undefined) log.warn(`A compaction is done, with a remark: ${reason}`, this.named);
    else log.info('A compaction is done.', { ...this.named, worker: said.worker });
  }

  /** What was planned and chosen, each file with its reason, so that a later report can tell it. */
  #results(): { readonly [name: string]: Json } {
    const { marks, references } = this.found;
    const { cutItem, summarised, retained } = this.#plan ?? {};
    return {
      ...(cutItem !== undefined && { plan: { cutItem, summarised: { ...summarised }, retained: { ...retained } } }),
      marks: marks.map((mark) => ({ ...mark })),
      references: references.map(({ path, note }) => ({ path, ...(note !== undefined && { note: this.#told(note) }) })),
    };
  }

  /** Records what is known by now in any case: a session that was closed, or a store that fails, changes no end. */
  record(draft: RecordDraft): void {
    try {
      this.#session.record(draft);
    } catch (thrown) {
      if (PithError.is(thrown, 'PITH_SESSION_CLOSED')) return;
      this.#parts.log.error(`The end of a compaction could not be recorded: ${messageOf(thrown)}`, this.named);
    }
  }

  /** A word of a worker as it is told: on one line, masked. */
  #told(word: string): string {
    return this.#mask(oneLine(word));
  }

  #mask(text: string): string {
    return this.#parts.guard?.mask(text) ?? text;
  }
}

/** A plan as it is told. */
export function toldPlan({ cutItem, summarised, retained }: Plan): CompactionPlan {
  return { cutItem, summarised, retained };
}

function sumOf(a: WorkUsage, b: WorkUsage): WorkUsage {
  return {
    requests: a.requests + b.requests,
    inputTokens: a.inputTokens + b.inputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  };
}
