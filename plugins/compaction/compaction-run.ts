/**
 * One compaction of one session (S9): plan → job → result → checkpoint. It ends exactly once, whatever happens, and applies
 * its result at once where it is urged or no turn is open, else when the turn that runs has ended (S9.11).
 */
import { CONTEXT, nextSlice, PithError } from '../../core/index';
import type { CompactionReport, CompactOptions, Session, Tokenizer } from '../../core/index';
import { apply, bestCase, buildFrom, draftOf } from './apply';
import type { Draft } from './apply';
import type { CheckpointResult } from './checkpoint';
import type { OpenDesk } from './desk';
import { warmDigests } from './digests';
import { cancelled, Ending, endingOf } from './ending';
import type { CompactorParts } from './parts';
import { planCompaction } from './plan';
import type { Plan } from './plan';
import { adviceOf } from './pre-compact';
import type { Advice } from './pre-compact';
import { noGain, REST_NAMESPACE } from './rest';
import { RunRecord, toldPlan } from './run-record';
import { staff } from './staff';

export interface RunOptions extends CompactOptions {
  /** Whether there is no time for anybody but the offline worker. */
  readonly inHaste?: boolean;
}

/** A result that can be applied. */
interface Result {
  readonly draft: Draft;
  readonly desk: OpenDesk;
  readonly built: CheckpointResult & { readonly fits: true };
}

/** Outcomes of a pass without gain, after which the automatic check rests (S9.10). */
const WITHOUT_GAIN: ReadonlySet<string> = new Set(['nothing-to-do', 'inflated', 'over-target']);
/** Outcomes that say nothing about the next pass. */
const PASSING: ReadonlySet<string> = new Set(['cancelled', 'stale']);

export class CompactionRun {
  /** Resolves when all is over; never rejects. */
  readonly end: Promise<CompactionReport>;
  readonly #parts: CompactorParts;
  readonly #session: Session;
  readonly #options: RunOptions;
  readonly #told: RunRecord;
  readonly #cancel = new AbortController();
  readonly #signal: AbortSignal;
  #advice: Advice | undefined;
  #isUrged: boolean;
  #isApplying = false;
  /** Called whenever what it waits for may have come. */
  readonly #waiting = new Set<() => void>();

  /** Begins at once. Throws `PITH_SESSION_CLOSED` where the session is. */
  constructor(parts: CompactorParts, session: Session, options: RunOptions, isUrged: boolean) {
    this.#parts = parts;
    this.#session = session;
    this.#options = options;
    this.#isUrged = isUrged;
    this.#told = new RunRecord(parts, session, options.trigger);
    const { signal } = this.#cancel;
    this.#signal = options.signal === undefined ? signal : AbortSignal.any([signal, options.signal]);
    this.#signal.addEventListener('abort', () => this.#wake(), { once: true });
    const stop = session.observe(({ t }) => void (t === 'turn' && this.#wake()));
    this.end = this.#run().finally(stop);
  }

  /** Has the result applied as soon as it is there, also inside a turn. */
  urge(): void {
    this.#isUrged = true;
    this.#wake();
  }

  /** Ends it without a result, unless that is applied already. */
  cancel(reason: string): void {
    this.#cancel.abort(new PithError('PITH_CANCELLED', reason));
  }

  /** Resolves when nothing is being applied: it has ended, its worker works, or it waits for a turn to end. */
  async settled(): Promise<void> {
    while (this.#isApplying) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  async #run(): Promise<CompactionReport> {
    const ending = await this.#attempt();
    if (ending !== undefined) this.#remember(ending.outcome);
    const report = this.#told.end(ending?.outcome ?? 'done', ending?.message, ending?.veto);
    this.#isApplying = false;
    this.#wake();
    return report;
  }

  /** Compacts, or says how that ended. */
  async #attempt(): Promise<Ending | undefined> {
    try {
      await this.#apply(await this.#work());
      return undefined;
    } catch (thrown) {
      return endingOf(thrown, this.#signal);
    }
  }

  /** Has a summary written that makes the context fit. Where the tail leaves too much there is one new plan with half of it (S9.10). */
  async #work(): Promise<Result> {
    const retained = this.#options.retainedTokens ?? this.#parts.settings.retainedTokens;
    let misfit: CheckpointResult | undefined;
    for (const tokens of new Set([retained, Math.floor(retained / 2)])) {
      const planned = draftOf(
        this.#parts,
        await this.#plan(tokens),
        this.#session,
        this.#told,
        this.#options.threshold,
      );
      misfit = bestCase(this.#parts, planned);
      await nextSlice();
      if (!misfit.fits) continue;
      const { draft, desk } = await this.#served(planned);
      this.#isApplying = this.#mayApply;
      const built = await this.#told.timed('apply', () => buildFrom(this.#parts, draft, desk));
      if (built.fits) return { draft, desk, built };
      misfit = built;
      this.#isApplying = false;
      this.#wake();
    }
    throw misfitting(misfit, this.#told.before.tokens);
  }

  async #plan(retainedTokens: number): Promise<Plan> {
    const session = this.#session;
    const plan = await this.#told.timed('plan', async () => {
      await warmDigests(session.get(CONTEXT).view(), this.#signal);
      return planOf(session, retainedTokens, this.#parts.tokenizer);
    });
    await nextSlice();
    this.#requireNotCancelled();
    if (plan === undefined) throw new Ending('nothing-to-do', 'There is nothing to summarise before what is kept.');
    this.#told.planned(plan);
    return plan;
  }

  /** Asks the plugins, once for all plans, and has a worker write. */
  async #served(draft: Draft): Promise<{ readonly draft: Draft; readonly desk: OpenDesk }> {
    const session = this.#session;
    const { plan, told } = draft;
    const { focus, trigger } = this.#options;
    const advice = (this.#advice ??= await this.#ask(plan));
    const view = session.get(CONTEXT).view();
    const desk = await staff(
      this.#parts,
      { session, view, plan, told, advice, focus, signal: this.#signal },
      { insists: trigger === 'manual', inHaste: this.#options.inHaste === true },
    );
    return { draft: { ...draft, pins: advice.pins }, desk };
  }

  async #ask(plan: Plan): Promise<Advice> {
    const session = this.#session;
    const { focus, trigger } = this.#options;
    const event = { role: 'main', session, trigger, plan: toldPlan(plan), ...(focus !== undefined && { focus }) };
    const advice = adviceOf(await this.#parts.dispatch('pre_compact', event, this.#signal));
    const { veto } = advice;
    if (veto !== undefined) throw new Ending('cancelled', `Plugin "${veto.plugin}" said no: ${veto.reason}`, { veto });
    return advice;
  }

  /** Applies the result when it may be. After a wait it is built anew, of the contents of then. */
  async #apply({ draft, desk, built: first }: Result): Promise<void> {
    let built: CheckpointResult = first;
    for (let isFresh = true; ; isFresh = false) {
      this.#requireNotCancelled();
      this.#isApplying = this.#mayApply;
      if (!this.#isApplying) {
        await this.#chance();
        continue;
      }
      if (!isFresh) built = await this.#told.timed('apply', () => buildFrom(this.#parts, draft, desk));
      this.#requireNotCancelled();
      if (!built.fits) throw misfitting(built, this.#told.before.tokens);
      if (!this.#mayApply) continue;
      return apply(this.#parts, draft, desk, built);
    }
  }

  get #mayApply(): boolean {
    return this.#isUrged || !this.#session.turnOpen;
  }

  /** Resolves when a turn began or ended, somebody urges, or all is cancelled. */
  #chance(): Promise<void> {
    this.#wake();
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }

  #requireNotCancelled(): void {
    if (this.#signal.aborted) throw cancelled(this.#signal);
  }

  /** Has the log say that a pass gained nothing, so that the next ones wait until there is more to gain. */
  #remember(outcome: Ending['outcome']): void {
    const { trigger } = this.#options;
    if (trigger === 'manual') return;
    const isAtNet = trigger !== 'post_run';
    if (!WITHOUT_GAIN.has(outcome) && (!isAtNet || PASSING.has(outcome))) return;
    this.#told.record({ t: 'state', namespace: REST_NAMESPACE, value: noGain(this.#told.id, outcome) });
  }
}

/** The plan for a session as it is now; undefined where nothing would be summarised. */
export function planOf(session: Session, retainedTokens: number, tokenizer: Tokenizer): Plan | undefined {
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

function misfitting(result: CheckpointResult | undefined, before: number): Ending {
  if (result === undefined || result.fits) return new Ending('worker-failed', 'The new context could not be built.');
  const after = Math.round(result.after);
  return new Ending(result.outcome, `The new context would have ${after} tokens after ${before}.`);
}
