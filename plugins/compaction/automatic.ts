/**
 * What both checkpoints of automatic compaction share (S9.1): the thresholds of a session's model, and what is told where it
 * is only observed. Warnings are given once.
 */
import { CONTEXT, inputLimit } from '../../core/index';
import type { CompactionTrigger, ModelLimits, Session } from '../../core/index';
import { planOf } from './compaction-run';
import type { CompactorParts } from './parts';
import { noGain, REST_NAMESPACE } from './rest';
import { RunRecord } from './run-record';
import { SESSION_COMPACTOR } from './session-compactor';
import { isShareGiven, thresholdsOf } from './thresholds';
import type { Thresholds } from './thresholds';

/** What the checks of a session go by; tokens. */
export interface Measures extends Thresholds {
  /** The input window; what is assumed where nothing is known of the model. */
  readonly window: number;
  readonly isWindowKnown: boolean;
}

export class Automatic {
  readonly parts: CompactorParts;
  readonly #warned = new Set<'window' | 'order'>();

  constructor(parts: CompactorParts) {
    this.parts = parts;
  }

  get isObserving(): boolean {
    return this.parts.settings.mode === 'observe';
  }

  measures(session: Session): Measures {
    const limits = session.get(CONTEXT).limits();
    const thresholds = thresholdsOf(this.parts.settings, limits);
    this.#warn(limits, thresholds);
    return { ...thresholds, window: inputLimit(limits), isWindowKnown: limits.source !== 'default' };
  }

  /** Plans and reports, runs nothing (S9.11). The next report waits until the context has grown. */
  observe(session: Session, trigger: CompactionTrigger): void {
    const { settings, tokenizer } = this.parts;
    if (session.get(SESSION_COMPACTOR).rest(Infinity) !== undefined) return;
    const told = new RunRecord(this.parts, session, trigger);
    const plan = planOf(session, settings.retainedTokens, tokenizer);
    if (plan !== undefined) told.planned(plan);
    told.record({ t: 'state', namespace: REST_NAMESPACE, value: noGain(told.id, 'cancelled') });
    if (plan === undefined) told.end('nothing-to-do', 'There is nothing to summarise before what is kept.');
    else told.end('cancelled', 'It was only planned: mode is "observe".');
  }

  #warn({ contextWindow, maxOutput, source }: ModelLimits, { postRunThreshold, requestThreshold }: Thresholds): void {
    const { log, settings } = this.parts;
    if (source === 'default' && isShareGiven(settings)) {
      this.#warnOnce('window', () =>
        log.warn(
          'The context window of the model is not known, so thresholds are shares of an assumed one; set context_window.',
          { contextWindow, maxOutput },
        ),
      );
    }
    if (postRunThreshold !== undefined && requestThreshold !== undefined && postRunThreshold >= requestThreshold) {
      this.#warnOnce('order', () =>
        log.warn(
          'compact_threshold is not below compact_request_threshold, so compactions will mostly happen between requests.',
          { compactThreshold: postRunThreshold, compactRequestThreshold: requestThreshold },
        ),
      );
    }
  }

  #warnOnce(what: 'window' | 'order', warn: () => void): void {
    if (this.#warned.has(what)) return;
    this.#warned.add(what);
    warn();
  }
}
