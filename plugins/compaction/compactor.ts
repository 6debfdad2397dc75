/** Runs compactions (S9): plan → job → result → checkpoint, one at a time per session. */
import { CONTEXT, messageOf, PithError } from '../../core/index';
import type { Block, Bus, Clock, ContextView, FileSource, Ids, Json, Logger, RecordDraft, Session, Tokenizer, Tool, ToolResult, WorkUsage } from '../../core/index';
import type { Guard } from '../guard/token';
import { readMarks } from './auto-read';
import { stateBlock, summaryText } from './blocks';
import { buildCheckpoint } from './checkpoint';
import type { CheckpointResult } from './checkpoint';
import type { CompactOptions, Compaction, CompactionOutcome, CompactionPlan, CompactionReport } from './compaction';
import type { OpenDesk } from './desk';
import type { createDesks } from './open-desk';
import { buildOverview } from './overview';
import { planCompaction } from './plan';
import type { Plan } from './plan';
import { isStateTool, openState, STATE_MAX_TOKENS } from './state-tools';
import type { SummaryFormat } from './summary';
import { WorkLog } from './work-log';
import type { CompactJob, CompactWorker, WorkerReport } from './worker';

/** What the manifest says of compactions; tokens and seconds. */
export interface CompactionSettings {
  readonly retainedTokens: number;
  readonly overviewTokens: number;
  readonly summaryMaxTokens: number;
  readonly defaultReferences: number;
  readonly compactWorkerMaxInputTokens: number;
  readonly workerTimeoutSeconds: number;
  readonly instructions?: string;
}

export interface CompactorParts {
  readonly settings: CompactionSettings;
  readonly tokenizer: Tokenizer;
  readonly files: FileSource;
  readonly worker: CompactWorker;
  readonly format: SummaryFormat;
  readonly desks: ReturnType<typeof createDesks>;
  readonly guard: Guard | undefined;
  readonly bus: Bus;
  readonly log: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Up to `n` files that the agent touched last, newest first. */
  recentFiles(session: Session, n: number): readonly string[];
  /** Says that contents left the context: files must be read again before an edit, but for these. */
  contentsLeft(session: Session, still: readonly string[]): void;
  /** Input window of the session's model in tokens, where it is known. */
  inputWindow(session: Session): number | undefined;
  /** Runs a tool of the desk with the hooks of role `compact-worker` around it. */
  runTool(session: Session, tool: Tool, args: Json, signal: AbortSignal): Promise<ToolResult>;
}

/** Tokens of auto-reads that are advised where no plugin keeps a budget. */
const ADVISED_BUDGET = 8000;

const NO_USAGE: WorkUsage = { requests: 0, inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };

/** Ends a run with an outcome that is not `done`. */
class Ending extends Error {
  readonly outcome: CompactionOutcome;
  constructor(outcome: CompactionOutcome, reason: string) {
    super(reason);
    this.outcome = outcome;
  }
}

export function createCompactor(parts: CompactorParts): Compaction {
  const running = new Map<Session, Promise<CompactionReport>>();
  return {
    plan(session, { retainedTokens = parts.settings.retainedTokens } = {}) {
      const plan = planOf(session, retainedTokens, parts.tokenizer);
      return plan && toldPlan(plan);
    },
    compact(session, options) {
      const joined = running.get(session);
      if (joined !== undefined) return joined;
      const run = new CompactionRun(parts, session, options).run().finally(() => running.delete(session));
      running.set(session, run);
      return run;
    },
  };
}

class CompactionRun {
  readonly #parts: CompactorParts;
  readonly #session: Session;
  readonly #options: CompactOptions;
  readonly #id: string;
  readonly #before: ReturnType<ContextView['occupancy']>;
  readonly #begun: number;
  readonly #log: WorkLog;
  #durations = { plan: 0, worker: 0, apply: 0 };
  #plan: Plan | undefined;
  #started = false;
  #usage: WorkUsage = NO_USAGE;
  #model: string | undefined;
  #found: Pick<CompactionReport, 'summary' | 'marks' | 'references' | 'after'> = { marks: [], references: [] };

  constructor(parts: CompactorParts, session: Session, options: CompactOptions) {
    this.#parts = parts;
    this.#session = session;
    this.#options = options;
    this.#id = parts.ids.next('compaction');
    this.#begun = parts.clock.now();
    this.#log = new WorkLog((text) => parts.guard?.mask(text) ?? text);
    this.#before = session.get(CONTEXT).view().occupancy();
  }

  async run(): Promise<CompactionReport> {
    try {
      const retained = this.#options.retainedTokens ?? this.#parts.settings.retainedTokens;
      // One new plan with half the tail, where the first one leaves too much (S9.10).
      if (!(await this.#attempt(retained, true))) await this.#attempt(Math.floor(retained / 2), false);
      return this.#end('done');
    } catch (thrown) {
      if (thrown instanceof Ending) return this.#end(thrown.outcome, thrown.message);
      if (PithError.is(thrown, 'PITH_SESSION_CLOSED')) return this.#end('cancelled', 'The session was closed meanwhile.');
      return this.#end('worker-failed', messageOf(thrown));
    }
  }

  /** Compacts with this tail. False where the result does not fit and another plan may be tried. */
  async #attempt(retainedTokens: number, mayPlanAgain: boolean): Promise<boolean> {
    const view = this.#session.get(CONTEXT).view();
    const plan = this.#timed('plan', () => planOf(this.#session, retainedTokens, this.#parts.tokenizer));
    if (plan === undefined) throw new Ending('nothing-to-do', 'There is nothing to summarise before what is kept.');
    this.#plan = plan;
    this.#start(plan);
    const desk = await this.#work(view, plan);
    const begun = this.#parts.clock.now();
    const result = await this.#checkpoint(view, plan, desk);
    if (result.fits) {
      this.#apply(plan, desk, result);
    } else if (!mayPlanAgain || result.outcome === 'inflated' || retainedTokens === 0) {
      throw new Ending(result.outcome, `The new context would have ${Math.round(result.after)} tokens after ${this.#before.tokens}.`);
    }
    this.#durations.apply += this.#parts.clock.now() - begun;
    return result.fits;
  }

  /** Has the worker write its summary and marks at a desk. */
  async #work(view: ContextView, plan: Plan): Promise<OpenDesk> {
    const { desks, files, format, guard, settings, tokenizer, worker } = this.#parts;
    const session = this.#session;
    const checkpoint = session.get(CONTEXT).checkpoint();
    const summary = checkpoint?.blocks.find((block) => block.kind === 'summary');
    const previousSummary = summary === undefined ? undefined : summaryText(summary);
    const defaultReferences = this.#parts.recentFiles(session, settings.defaultReferences);
    const desk = desks.open({
      compaction: this.#id,
      session,
      range: { from: checkpoint?.cut ?? 0, to: plan.cutItem },
      retained: view.items(plan.cut),
      ...(previousSummary !== undefined && { previousSummary }),
      defaultReferences,
      format,
      summaryMaxTokens: settings.summaryMaxTokens,
      tokenizer,
      files,
      guard,
      runTool: async (tool, args, signal) => {
        const result = await this.#parts.runTool(session, tool, args, signal);
        this.#log.called(tool.name, args, result);
        return result;
      },
    });
    const signal = AbortSignal.any([
      AbortSignal.timeout(settings.workerTimeoutSeconds * 1000),
      ...(this.#options.signal === undefined ? [] : [this.#options.signal]),
    ]);
    const job = this.#job(view, plan, desk, previousSummary, defaultReferences);
    this.#log.given(job.overview);
    const begun = this.#parts.clock.now();
    try {
      const report = await untilAborted(
        worker.run(job, desk, {
          signal,
          progress: ({ phase, tokens }) => this.#progress(phase, tokens, desk),
        }),
        signal,
      );
      this.#spend(report);
    } catch (thrown) {
      throw this.#endingOf(thrown, signal);
    } finally {
      this.#durations.worker += this.#parts.clock.now() - begun;
      desks.close(desk);
    }
    if (desk.summary === undefined) throw new Ending('empty-summary', `The worker "${worker.name}" wrote no summary.`);
    const beyondRepair = desk.problems.filter(({ line }) => line === undefined);
    if (beyondRepair.length > 0) {
      const why = beyondRepair.map(({ message }) => message).join(' ');
      throw new Ending('worker-failed', `The worker "${worker.name}" left a summary that cannot be used. ${why}`);
    }
    return desk;
  }

  #job(view: ContextView, plan: Plan, desk: OpenDesk, previousSummary: string | undefined, defaultReferences: readonly string[]): CompactJob {
    const { desks, files, format, guard, settings, tokenizer } = this.#parts;
    const { focus } = this.#options;
    const { instructions } = settings;
    const mask = (text: string): string => guard?.mask(text) ?? text;
    const told = {
      ...(previousSummary !== undefined && { previousSummary: mask(previousSummary) }),
      ...(focus !== undefined && { focus: mask(focus) }),
      ...(instructions !== undefined && { instructions }),
      defaultReferences: defaultReferences.map((path) => files.display(path)),
    };
    const maxTokens = Math.min(settings.overviewTokens, Math.floor(settings.compactWorkerMaxInputTokens / 10));
    const overview = buildOverview({
      ...told,
      items: [...view.items(0, plan.cut)],
      numberOf: (item) => this.#session.indexOf(item.id),
      mask,
      maxTokens,
      tokenizer,
    });
    return {
      id: this.#id,
      sessionId: this.#session.id,
      overview: mask(overview),
      ...told,
      range: { from: this.#session.get(CONTEXT).checkpoint()?.cut ?? 0, to: plan.cutItem },
      format: { name: format.name, instructions: format.instructions },
      tools: desk.tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
      limits: {
        summaryMaxTokens: settings.summaryMaxTokens,
        autoReadBudget: desks.budget ?? ADVISED_BUDGET,
        maxInputTokens: settings.compactWorkerMaxInputTokens,
        timeoutMs: settings.workerTimeoutSeconds * 1000,
      },
    };
  }

  /** Builds the checkpoint: contents are read now (S9.9). */
  async #checkpoint(view: ContextView, plan: Plan, desk: OpenDesk): Promise<CheckpointResult> {
    const { desks, files, format, guard, log, tokenizer } = this.#parts;
    const context = this.#session.get(CONTEXT);
    const countText = (text: string): number => tokenizer.countText(text);
    const summary = format.repair(desk.summary ?? '', desk.problems);
    const dropped = desk.problems.length;
    if (dropped > 0) log.warn('Lines of a summary were dropped: they quote what no message says.', { ...this.#named, dropped });
    const read = await readMarks({ files, guard, marks: desk.marks, budget: desks.budget, countText });
    this.#found = {
      summary: { text: summary, tokens: countText(summary) },
      marks: desk.marks,
      references: [...desk.references, ...read.references],
    };
    return buildCheckpoint({
      compaction: this.#id,
      context: view,
      plan,
      summary,
      state: this.#stateBlock(view, plan),
      autoReads: read.blocks,
      references: this.#found.references,
      before: this.#before.tokens,
      limit: this.#options.threshold ?? this.#parts.inputWindow(this.#session),
      seen: context.seen(),
      tokenizer,
      measure: (checkpoint) => context.foresee(checkpoint).occupancy().tokens,
    });
  }

  #stateBlock(view: ContextView, plan: Plan): Block | undefined {
    const { guard, tokenizer } = this.#parts;
    const state = openState(view, plan.cut, isStateTool);
    if (state === undefined) return undefined;
    const block = stateBlock(state.tool, guard?.mask(state.text) ?? state.text);
    return tokenizer.countText(block.text) <= STATE_MAX_TOKENS ? block : undefined;
  }

  /** Records the checkpoint, unless the prefix is no longer what the result was made for (S9.10). */
  #apply(plan: Plan, desk: OpenDesk, { checkpoint, references, autoReads }: CheckpointResult & { readonly fits: true }): void {
    const session = this.#session;
    const context = session.get(CONTEXT);
    if (this.#options.signal?.aborted === true) throw new Ending('cancelled', 'It was cancelled before the result was applied.');
    if (context.view().digestOf(plan.cut) !== plan.digest) {
      throw new Ending('stale', 'The summarised part of the context changed while the worker ran.');
    }
    session.record({ t: 'checkpoint', ...checkpoint });
    const shown = new Set(autoReads.flatMap(({ path }) => (path === undefined ? [] : [path])));
    this.#parts.contentsLeft(session, [...shown]);
    const after = context.view();
    this.#found = {
      ...this.#found,
      marks: desk.marks.filter(({ path }) => shown.has(path)),
      references,
      after: { tokens: after.occupancy().tokens, items: after.length },
    };
  }

  #start({ summarised }: Plan): void {
    if (this.#started) return;
    this.#started = true;
    const { bus, worker } = this.#parts;
    const before = this.#before.tokens;
    const facts = { trigger: this.#options.trigger, worker: worker.name, before, summarised };
    this.#session.record({ t: 'compaction', phase: 'start', compaction: this.#id, data: facts });
    bus.publish('compaction.started', { ...this.#named, ...facts });
  }

  #progress(phase: string, tokens: number, desk: OpenDesk): void {
    const { budget } = this.#parts.desks;
    const budgetLeft = budget === undefined ? {} : { budgetLeft: budget - desk.markedTokens };
    this.#parts.bus.publish('compaction.progress', { ...this.#named, phase, tokens, ...budgetLeft });
  }

  #spend({ model, usage }: WorkerReport): void {
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

  #endingOf(thrown: unknown, signal: AbortSignal): Ending {
    const { settings, worker } = this.#parts;
    if (this.#options.signal?.aborted === true) return new Ending('cancelled', 'It was cancelled.');
    if (signal.aborted) return new Ending('timeout', `The worker "${worker.name}" did not end within ${settings.workerTimeoutSeconds} s.`);
    const outcome = PithError.is(thrown, 'PITH_BUS_NO_RESPONDER') ? 'worker-unavailable' : 'worker-failed';
    return new Ending(outcome, `The worker "${worker.name}" failed: ${messageOf(thrown)}`);
  }

  /** Reports, logs and publishes the end; exactly one for each start. */
  #end(outcome: CompactionOutcome, reason?: string): CompactionReport {
    const { bus, clock, log, worker } = this.#parts;
    const durationsMs = { ...this.#durations, total: clock.now() - this.#begun };
    const said = reason === undefined ? {} : { reason: this.#parts.guard?.mask(reason) ?? reason };
    const model = this.#model === undefined ? {} : { model: this.#model };
    const { summary, marks, references, after } = this.#found;
    if (!this.#started) bus.publish('compaction.skipped', { ...this.#named, outcome, ...said });
    else {
      const ended = {
        outcome,
        worker: worker.name,
        ...model,
        usage: this.#usage,
        before: this.#before.tokens,
        ...(after !== undefined && { after: after.tokens }),
        marks: marks.length,
        references: references.length,
        durationsMs,
        ...said,
      };
      this.#record({ t: 'compaction', phase: outcome === 'done' ? 'done' : 'failed', compaction: this.#id, data: { ...ended, usage: { ...this.#usage }, ...this.#log.data } });
      bus.publish(outcome === 'done' ? 'compaction.done' : 'compaction.failed', { ...this.#named, ...ended });
      if (outcome !== 'done') log.warn(`A compaction ended as ${outcome}.`, { session: this.#session.id, compaction: this.#id, outcome, ...said });
    }
    const plan = this.#plan;
    return {
      id: this.#id,
      outcome,
      trigger: this.#options.trigger,
      worker: worker.name,
      ...model,
      usage: this.#usage,
      before: { tokens: this.#before.tokens, source: this.#before.source },
      ...(plan !== undefined && { plan: toldPlan(plan) }),
      ...(summary !== undefined && { summary }),
      marks,
      references,
      ...(after !== undefined && { after }),
      durationsMs,
      ...said,
    };
  }

  /** A session that was closed meanwhile takes no record; its end is told all the same. */
  #record(draft: RecordDraft): void {
    try {
      this.#session.record(draft);
    } catch (thrown) {
      if (!PithError.is(thrown, 'PITH_SESSION_CLOSED')) throw thrown;
    }
  }

  get #named(): { readonly session: string; readonly compaction: string; readonly trigger: CompactOptions['trigger'] } {
    return { session: this.#session.id, compaction: this.#id, trigger: this.#options.trigger };
  }

  #timed<T>(phase: 'plan' | 'worker' | 'apply', work: () => T): T {
    const begun = this.#parts.clock.now();
    const result = work();
    this.#durations[phase] += this.#parts.clock.now() - begun;
    return result;
  }
}

function planOf(session: Session, retainedTokens: number, tokenizer: Tokenizer): Plan | undefined {
  const context = session.get(CONTEXT);
  return planCompaction({
    context: context.view(),
    retainedTokens,
    seen: context.seen(),
    openings: context.openings(),
    session,
    tokenizer,
  });
}

function toldPlan({ cutItem, summarised, retained }: Plan): CompactionPlan {
  return { cutItem, summarised, retained };
}

/** The outcome of a worker, or the reason of the signal as soon as it aborts, whether or not the worker heeds it. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
