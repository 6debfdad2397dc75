/** Drops the content of old tool results and keeps their summary, in batches that are recorded (S8). */
import { configKeys, CONTEXT, definePlugin } from '../../core/index';
import type { Session } from '../../core/index';
import { batchOf, EMPTY_SCAN, scanForPruning } from './select';
import type { PruneScan } from './select';
import { PRUNE } from './token';
import type { PruneEvaluation } from './token';

declare module '../../core/index' {
  interface EventMap {
    'prune.fired': { readonly session: string; readonly candidates: number; readonly tokensSaved: number };
    'prune.skipped': {
      readonly session: string;
      readonly reason: 'no-candidates' | 'too-little' | 'compacting';
      readonly candidates: number;
      readonly tokensSaved: number;
    };
  }
}

export { PRUNE } from './token';
export type { Prune, PruneEvaluation } from './token';

export default definePlugin({
  name: 'prune',
  api: 1,
  config: configKeys({
    protected_tokens: {
      type: 'integer',
      unit: 'tokens',
      default: 8000,
      doc: 'Newest tokens of the conversation whose tool results keep their content.',
    },
    min_savings: {
      type: 'integer',
      unit: 'tokens',
      default: 4096,
      doc: 'Tokens that a batch must save; smaller ones wait.',
    },
    protected_tools: { type: 'strings', default: [], doc: 'Tools whose results are never pruned.' },
  }),
  provides: [PRUNE],
  setup({ config, hooks, bus, provide }) {
    const scans = new WeakMap<Session, PruneScan>();
    /**
     * Sessions whose old part is being summarised. To drop contents from it now would break the prompt cache twice and make
     * the summary stale.
     */
    const summarised = new Set<string>();
    bus.on('compaction.started', ({ session }) => void summarised.add(session));
    bus.on('compaction.done', ({ session }) => void summarised.delete(session));
    bus.on('compaction.failed', ({ session }) => void summarised.delete(session));

    const evaluate = (session: Session): PruneEvaluation => {
      const context = session.get(CONTEXT).view();
      const scan = scanForPruning(context, scans.get(session) ?? EMPTY_SCAN, config);
      scans.set(session, scan);
      return { candidates: scan.candidates.length, ...batchOf(scan, config) };
    };

    /** Says what became of an evaluation (S8.3). */
    const report = (session: Session, { candidates, savedTokens: tokensSaved, edits }: PruneEvaluation): void => {
      const facts = { session: session.id, candidates, tokensSaved };
      if (edits.length > 0) {
        scans.delete(session);
        bus.publish('prune.fired', facts);
      } else bus.publish('prune.skipped', { ...facts, reason: candidates === 0 ? 'no-candidates' : 'too-little' });
    };

    provide(PRUNE, () => ({
      evaluate,
      prune: (session) => {
        const evaluation = evaluate(session);
        session.get(CONTEXT).keep(evaluation.edits, 'prune');
        report(session, evaluation);
        return evaluation;
      },
    }));

    hooks.on('pre_llm_request', ({ session }) => {
      const evaluation = evaluate(session);
      if (summarised.has(session.id)) {
        const { candidates, savedTokens: tokensSaved } = evaluation;
        bus.publish('prune.skipped', { session: session.id, reason: 'compacting', candidates, tokensSaved });
        return undefined;
      }
      report(session, evaluation);
      return evaluation.edits.length === 0 ? undefined : { do: 'project', edits: evaluation.edits, keep: true };
    });
  },
});
