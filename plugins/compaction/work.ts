/** A worker at its desk (S9.5): bounded by time and signal, cut off from the desk when it is over. */
import { nextSlice, PithError, unlessAborted } from '../../core/index';
import type { ContextView, Session } from '../../core/index';
import type { OpenDesk } from './desk';
import type { DeskOptions } from './desk-history';
import { cancelled, Ending, failureOf } from './ending';
import { createJob, summarisedRange } from './job';
import type { CompactorParts } from './parts';
import type { Plan } from './plan';
import type { Advice } from './pre-compact';
import type { RunRecord } from './run-record';
import { withoutSections } from './summary';
import { stockSummaryFormat } from './summary-format';
import type { CompactWorker, Desk, WorkerReport } from './worker';
import { offlineWorker } from './workers/offline/offline-worker';

/** What is to be worked on. */
export interface Work {
  readonly session: Session;
  readonly view: ContextView;
  readonly plan: Plan;
  readonly told: RunRecord;
  /** What plugins said in `pre_compact`. */
  readonly advice: Advice;
  /** Focus of a manual compaction, in the user's words. */
  readonly focus: string | undefined;
  /** Aborts when the compaction is cancelled. */
  readonly signal: AbortSignal;
}

/**
 * Has a worker write a summary at a fresh desk, in its own time, and returns that desk. Throws an {@link Ending} where it left
 * nothing that can be used.
 */
export async function workAtDesk(parts: CompactorParts, work: Work, worker: CompactWorker): Promise<OpenDesk> {
  const { clock, desks, settings } = parts;
  const { told, signal: asked } = work;
  const over = new AbortController();
  const signal = AbortSignal.any([asked, over.signal]);
  const seconds = settings.workerTimeoutSeconds;
  const late = new Ending('timeout', `The worker "${worker.name}" did not end within ${seconds} s.`);
  const defaultReferences = parts.recentFiles(work.session, settings.defaultReferences);
  await nextSlice();
  const isOffline = worker === offlineWorker || (parts.isOffline && worker === parts.worker);
  const isForeign = isOffline && parts.format !== stockSummaryFormat;
  const format = isForeign ? withoutSections(parts.format) : parts.format;
  const desk = openDesk({ ...parts, format }, work, { defaultReferences, readsFiles: worker.readsFiles ?? true });
  const stopTimer = clock.after(seconds * 1000 + (worker.waitMs ?? 0), () => over.abort(late));
  let spent: WorkerReport | undefined;
  try {
    await nextSlice();
    const { session, view, plan, focus, advice } = work;
    const named = { id: told.id, session, view, plan, desk, defaultReferences };
    const job = await createJob(parts, { ...named, focus, advised: advice.focus });
    told.work.given(job.overview);
    for (const reference of advice.references) await desk.call('add_reference', reference, signal);
    spent = await unlessAborted(signal, () =>
      worker.run(job, onlyUntil(signal, desk), {
        signal,
        attempt: told.attempts,
        trace: parts.tracing?.traceOf(told.id),
        progress(step) {
          if (signal.aborted) return;
          spent = step.spent ?? spent;
          told.progress(step, desks.budget === undefined ? undefined : desks.budget - desk.markedTokens);
        },
      }),
    );
  } catch (thrown) {
    if (asked.aborted) throw cancelled(asked);
    const isLate = over.signal.aborted || PithError.is(thrown, 'PITH_BUS_TIMEOUT');
    throw isLate ? late : failureOf(worker.name, thrown);
  } finally {
    stopTimer();
    over.abort(new PithError('PITH_CANCELLED', 'The work at this desk is over.'));
    desks.close(desk);
    if (spent !== undefined) told.spend(spent);
  }
  return usable(desk, worker.name);
}

function openDesk(
  parts: CompactorParts,
  { session, view, plan, told }: Work,
  forWorker: Pick<DeskOptions, 'defaultReferences' | 'readsFiles'>,
): OpenDesk {
  const { desks, files, format, guard, settings, tokenizer } = parts;
  const { previousSummary, ...range } = summarisedRange(session, plan);
  return desks.open({
    compaction: told.id,
    session,
    range,
    retained: view.items(plan.cut),
    ...(previousSummary !== undefined && { previousSummary }),
    ...forWorker,
    format,
    summaryMaxTokens: settings.summaryMaxTokens,
    tokenizer,
    files,
    guard,
    size: {
      items: plan.summarised.items + plan.retained.items,
      tokens: plan.summarised.tokens + plan.retained.tokens,
      maxInputTokens: settings.compactWorkerMaxInputTokens,
    },
    runTool: async (tool, args, signal) => {
      const result = await parts.runTool(session, tool, args, signal);
      told.work.called(tool.name, args, result);
      return result;
    },
  });
}

/** The desk as long as the work at it goes on; a worker that was given up can do nothing more. */
function onlyUntil(signal: AbortSignal, desk: OpenDesk): Desk {
  return {
    async call(tool, args, asked) {
      signal.throwIfAborted();
      return desk.call(tool, args, AbortSignal.any([signal, asked]));
    },
  };
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
