/**
 * The compact worker with a model (S9.12): the agent loop in role `compact-worker`, on a session of its own in memory, acting
 * through the desk alone. Limits of its input and the prompts for what it forgot are the guard's.
 */
import { CONTEXT, createSession, drive, messageOf, PithError, runTurn } from '../../../../core/index';
import type { Clock, Driver, Ids, LlmClient, NewItem, RunEnd } from '../../../../core/index';
import { workerTask } from '../../worker-task';
import type { CompactJob, CompactWorker, Desk, WorkerProgress, WorkerReport } from '../../worker';
import { modelSide, toolsAt, WORKER_ROLE } from './model-side';
import type { WorkerKernel } from './model-side';
import { cutOffPrompt, OVERFLOW_PROMPT, SYSTEM_PROMPT, taskPrompt } from './prompts';
import { smallerInput } from './smaller-input';
import { Spending } from './spending';
import { wholeReplies } from './whole-replies';

/** What a worker with a model is made of. */
export interface LlmWorkerParts {
  readonly model: LlmClient;
  /** The kernel whose plugins hear the worker; the agent's own, or that of a process that serves workers. */
  readonly kernel: WorkerKernel;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** A worker with this model. Rejects with the error of the model where it fails, see {@link CompactWorker}. */
export function llmWorker(parts: LlmWorkerParts): CompactWorker {
  return {
    name: 'llm',
    run: (job, desk, { signal, attempt = 1, trace, progress }) => {
      const work = new LlmWork(parts, job, desk, progress);
      const taken = { job: job.id, attempt, session: work.session, ...(trace !== undefined && { trace }) };
      parts.kernel.bus.publish('job.taken', taken);
      return work.run(signal);
    },
  };
}

class LlmWork {
  readonly #model: LlmClient;
  readonly #job: CompactJob;
  readonly #driver: Driver;
  readonly #spending: Spending;
  /** Why the last request came to nothing, until the one that is to make up for it is sent. */
  #trouble: PithError | undefined;
  /** Troubles that were met with another request; each kind is once. */
  readonly #met = new Set<string>();
  #lost: { readonly cause: unknown } | undefined;

  constructor(
    { model, kernel, clock, ids }: LlmWorkerParts,
    job: CompactJob,
    desk: Desk,
    progress: (progress: WorkerProgress) => void,
  ) {
    const session = createSession({
      id: ids.next('worker'),
      now: () => clock.now(),
      services: (one) => kernel.scope(one),
    });
    const { maxInputTokens, autoReadBudget } = job.limits;
    const judgesFiles = job.defaultReferences.length > 0 && autoReadBudget > 0;
    workerTask(session).set({ maxInputTokens, judgesFiles });
    this.#model = wholeReplies(model);
    this.#job = job;
    this.#spending = new Spending(model.model, progress);
    this.#driver = drive(modelSide(kernel), session, {
      role: WORKER_ROLE,
      system: SYSTEM_PROMPT,
      model: model.model,
      provider: model.profile.name,
      tools: toolsAt(desk, job, (cause) => this.#lose(cause)),
    });
  }

  /** The id of the session that it works in. */
  get session(): string {
    return this.#driver.session.id;
  }

  async run(signal: AbortSignal): Promise<WorkerReport> {
    const driver = this.#driver;
    const abort = (): void => driver.abort(messageOf(signal.reason));
    signal.addEventListener('abort', abort);
    try {
      signal.throwIfAborted();
      await driver.start(false);
      let prompt: string | undefined = taskPrompt(this.#job);
      while (prompt !== undefined) {
        signal.throwIfAborted();
        driver.open([said(prompt)]);
        const end = await runTurn({ driver, model: this.#model, emit: (event) => this.#heard(event) });
        signal.throwIfAborted();
        prompt = this.#after(end);
      }
      return this.#spending.report;
    } finally {
      signal.removeEventListener('abort', abort);
      await driver.close();
    }
  }

  #heard(event: Parameters<Spending['heard']>[0]): void {
    if (event.type === 'request') this.#trouble = undefined;
    this.#spending.heard(event);
  }

  /** The prompt of another turn, or undefined where the work is over. Throws where it has failed. */
  #after({ outcome, error, reason = '' }: RunEnd): string | undefined {
    if (this.#lost !== undefined) throw this.#lost.cause;
    // The request that was to make up for a trouble was not allowed any more.
    if (this.#trouble !== undefined) throw this.#trouble;
    if (outcome === 'finished' || error?.details?.['ended'] === true) return undefined;
    const failure = error ?? new PithError('PITH_RUN_ABORTED', reason);
    if (this.#met.has(failure.code)) throw failure;
    this.#met.add(failure.code);
    this.#trouble = failure;
    switch (failure.code) {
      case 'PITH_LLM_OUTPUT_LIMIT':
        return cutOffPrompt(this.#job);
      case 'PITH_LLM_OVERFLOW':
        this.#shorten();
        return OVERFLOW_PROMPT;
      default:
        throw failure;
    }
  }

  /** Has later requests leave out what was read so far, and half of the record. */
  #shorten(): void {
    const context = this.#driver.session.get(CONTEXT);
    context.keep(smallerInput(context.view(), this.#model.tokenizer()), 'compaction', 'too large for the model');
  }

  /** A desk that does not answer ends the work. */
  #lose(cause: unknown): void {
    this.#lost ??= { cause };
    this.#driver.abort(`The desk does not answer: ${messageOf(cause)}`);
  }
}

function said(text: string): NewItem {
  return { kind: 'message', role: 'user', parts: [{ type: 'text', text }] };
}
