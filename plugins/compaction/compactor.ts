/** The compaction service (S9): what hosts, commands and people ask. */
import type { Compaction, Session } from '../../core/index';
import { planOf } from './compaction-run';
import type { CompactorParts } from './parts';
import { toldPlan } from './run-record';
import { SESSION_COMPACTOR } from './session-compactor';

export function createCompactor({ settings, tokenizer }: CompactorParts): Compaction {
  return {
    plan(session, { retainedTokens = settings.retainedTokens } = {}) {
      const plan = planOf(session, retainedTokens, tokenizer);
      return plan && toldPlan(plan);
    },
    async compact(session: Session, options) {
      return session.get(SESSION_COMPACTOR).begin(options, true).end;
    },
  };
}
