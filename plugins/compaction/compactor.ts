/** Runs compactions (S9): plan → job → result → checkpoint, one at a time per session. */
import { CONTEXT, messageOf, PithError } from '../../core/index';
import type {
  Block,
  Compaction,
  CompactionOutcome,
  CompactionReport,
  CompactOptions,
  ContextView,
  Session,
  Tokenizer,
} from '../../core/index';
import { readMarks } from './auto-read';
import { stateBlock } from './blocks';
import { buildCheckpoint } from './checkpoint';
import type { CheckpointResult } from './checkpoint';
import type { OpenDesk } from './desk';
import { createJob, summarisedRange } from './job';
import type { CompactorParts } from './parts';
import { planCompaction } from './plan';
import type { Plan } from './plan';
import { RunRecord, toldPlan } from './run-record';
import { isStateTool, openState, STATE_MAX_TOKENS } from './state-tools';

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
      const begin = async (): Promise<CompactionReport> => new CompactionRun(parts, session, options).run();
      const run = begin().finally(() => running.delete(session));
      running.set(session, run);
      return run;
    },
  };
}

class CompactionRun {
  readonly #parts: CompactorParts;
  readonly #session: Session;
  readonly #options: CompactOptions;
  readonly #told: RunRecord;

  constructor(parts: CompactorParts, session: Session, options: CompactOptions) {
    this.#parts = parts;
    this.#session = session;
    this.#options = options;
    this.#told = new RunRecord(parts, session, options.trigger);
  }

  async run(): Promise<CompactionReport> {
    try {
      const retained = this.#options.retainedTokens ?? this.#parts.settings.retainedTokens;
      const first = await this.#attempt(retained);
      // One new plan with half the tail, where the first one leaves too much (S9.10).
      const result = first.fits || retained === 0 ? first : await this.#attempt(Math.floor(retained / 2));
      if (result.fits) return this.#told.end('done');
      const after = Math.round(result.after);
      return this.#told.end(
        result.outcome,
        `The new context would have ${after} tokens after ${this.#told.before.tokens}.`,
      );
    } catch (thrown) {
      if (thrown instanceof Ending) return this.#told.end(thrown.outcome, thrown.message);
      if (PithError.is(thrown, 'PITH_SESSION_CLOSED'))
        return this.#told.end('cancelled', 'The session was closed meanwhile.');
      return this.#told.end('worker-failed', messageOf(thrown));
    }
  }

  /** Compacts with this tail. Nothing is applied where the result does not fit. */
  async #attempt(retainedTokens: number): Promise<CheckpointResult> {
    const view = this.#session.get(CONTEXT).view();
    const plan = await this.#told.timed('plan', () => planOf(this.#session, retainedTokens, this.#parts.tokenizer));
    if (plan === undefined) throw new Ending('nothing-to-do', 'There is nothing to summarise before what is kept.');
    this.#told.start(plan);
    const desk = await this.#work(view, plan);
    return this.#told.timed('apply', async () => {
      const result = await this.#checkpoint(view, plan, desk);
      if (result.fits) this.#apply(plan, desk, result);
      return result;
    });
  }

  /** Has the worker write its summary and marks at a desk. */
  async #work(view: ContextView, plan: Plan): Promise<OpenDesk> {
    const { desks, files, format, guard, settings, tokenizer, worker } = this.#parts;
    const session = this.#session;
    const told = this.#told;
    const { previousSummary, ...range } = summarisedRange(session, plan);
    const defaultReferences = this.#parts.recentFiles(session, settings.defaultReferences);
    const desk = desks.open({
      compaction: told.id,
      session,
      range,
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
        told.work.called(tool.name, args, result);
        return result;
      },
    });
    const asked = this.#options.signal;
    const timeout = AbortSignal.timeout(settings.workerTimeoutSeconds * 1000);
    const signal = asked === undefined ? timeout : AbortSignal.any([timeout, asked]);
    try {
      const job = createJob(this.#parts, {
        id: told.id,
        session,
        view,
        plan,
        desk,
        defaultReferences,
        focus: this.#options.focus,
      });
      told.work.given(job.overview);
      const progress = (step: { readonly phase: string; readonly tokens: number }): void =>
        told.progress(step, desks.budget === undefined ? undefined : desks.budget - desk.markedTokens);
      told.spend(await told.timed('worker', () => untilAborted(worker.run(job, desk, { signal, progress }), signal)));
    } catch (thrown) {
      throw this.#endingOf(thrown, signal);
    } finally {
      desks.close(desk);
    }
    return usable(desk, worker.name);
  }

  /** Builds the checkpoint: contents are read now (S9.9). */
  async #checkpoint(view: ContextView, plan: Plan, desk: OpenDesk): Promise<CheckpointResult> {
    const { desks, files, format, guard, log, tokenizer } = this.#parts;
    const context = this.#session.get(CONTEXT);
    const countText = (text: string): number => tokenizer.countText(text);
    const summary = format.repair(desk.summary ?? '', desk.problems);
    const dropped = desk.problems.length;
    if (dropped > 0)
      log.warn('Lines of a summary were dropped: they quote what no message says.', { ...this.#told.named, dropped });
    const read = await readMarks({ files, guard, marks: desk.marks, budget: desks.budget, countText });
    const references = [...desk.references, ...read.references];
    this.#told.found = { summary: { text: summary, tokens: countText(summary) }, marks: desk.marks, references };
    return buildCheckpoint({
      compaction: this.#told.id,
      context: view,
      plan,
      summary,
      state: this.#stateBlock(view, plan),
      autoReads: read.blocks,
      references,
      before: this.#told.before.tokens,
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
  #apply(
    plan: Plan,
    desk: OpenDesk,
    { checkpoint, references, autoReads }: CheckpointResult & { readonly fits: true },
  ): void {
    const session = this.#session;
    const context = session.get(CONTEXT);
    if (this.#options.signal?.aborted === true)
      throw new Ending('cancelled', 'It was cancelled before the result was applied.');
    if (context.view().digestOf(plan.cut) !== plan.digest) {
      throw new Ending('stale', 'The summarised part of the context changed while the worker ran.');
    }
    session.record({ t: 'checkpoint', ...checkpoint });
    const shown = new Set(autoReads.flatMap(({ path }) => (path === undefined ? [] : [path])));
    this.#parts.contentsLeft(session, [...shown]);
    const after = context.view();
    this.#told.found = {
      ...this.#told.found,
      marks: desk.marks.filter(({ path }) => shown.has(path)),
      references,
      after: { tokens: after.occupancy().tokens, items: after.length },
    };
  }

  #endingOf(thrown: unknown, signal: AbortSignal): Ending {
    const { settings, worker } = this.#parts;
    if (this.#options.signal?.aborted === true) return new Ending('cancelled', 'It was cancelled.');
    if (signal.aborted)
      return new Ending(
        'timeout',
        `The worker "${worker.name}" did not end within ${settings.workerTimeoutSeconds} s.`,
      );
    const outcome = PithError.is(thrown, 'PITH_BUS_NO_RESPONDER') ? 'worker-unavailable' : 'worker-failed';
    return new Ending(outcome, `The worker "${worker.name}" failed: ${messageOf(thrown)}`);
  }
}

/** The desk with a summary that can be used, repaired where lines can be dropped (S9.7). */
function usable(desk: OpenDesk, worker: string): OpenDesk {
  if (desk.summary === undefined) throw new Ending('empty-summary', `The worker "${worker}" wrote no summary.`);
  const beyondRepair = desk.problems.filter(({ line }) => line === undefined);
  if (beyondRepair.length === 0) return desk;
  const why = beyondRepair.map(({ message }) => message).join(' ');
  const outcome = beyondRepair.some(({ problem }) => problem === 'too-long') ? 'inflated' : 'worker-failed';
  throw new Ending(outcome, `The worker "${worker}" left a summary that cannot be used. ${why}`);
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

/** The outcome of a worker, or the reason of the signal as soon as it aborts, whether or not the worker heeds it. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
