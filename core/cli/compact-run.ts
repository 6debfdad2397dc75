/** One compaction of one session file (S12.1): prune is evaluated, the plan made, the worker run, the checkpoint applied. */
import { COMPACTION } from '../agent/compaction';
import type { CompactionReport } from '../agent/compaction';
import '../../plugins/compaction/events';
import { PRUNE } from '../../plugins/prune/token';
import type { PruneEvaluation } from '../../plugins/prune/token';
import { CONTEXT } from '../context/context';
import type { ContextView } from '../context/view';
import { PithError } from '../errors';
import type { Report } from '../report/report';
import type { Estimate } from '../tokens/occupancy';
import { TOKENIZER } from '../tokens/tokenizer';
import { contextParts } from './context-parts';
import type { ContextParts } from './context-parts';
import { openAtWork } from './session-at-work';
import type { SessionAtWork, SessionRequest } from './session-at-work';
import { autoReadBudgetOf, reportAtWork } from './session-report';
import { serviceOf } from './started-plugins';
import type { Terminal } from './terminal';
import { transportKeys } from './transport-options';
import type { TransportFlags } from './transport-options';

export interface CompactRequest extends SessionRequest, TransportFlags {
  /** Who writes the summary, instead of who the manifest names. */
  readonly worker?: 'offline' | 'llm' | 'remote' | undefined;
  readonly retainedTokens?: number | undefined;
  readonly autoReadBudget?: number | undefined;
}

/** What was done with a session, and with what. */
export interface CompactRun extends Pick<SessionAtWork, 'opened' | 'manifest' | 'root'> {
  readonly before: Estimate;
  /** What pruning alone would have done; undefined where the plugin is not in use. */
  readonly prune: PruneEvaluation | undefined;
  readonly report: CompactionReport;
  /** The session as it is now, with this compaction as that which is told of. */
  readonly session: Report;
  /** The context that the session leads to now; the old one unless the outcome is `done`. */
  readonly context: ContextView;
  readonly parts: { readonly before: ContextParts; readonly after: ContextParts };
  /** Tokens of all auto-reads together; undefined where nobody keeps a budget. */
  readonly autoReadBudget: number | undefined;
  /** Milliseconds until the session stood, its plugins ran and its tokens were known. */
  readonly loadMs: number;
  /** Milliseconds that the connection to a remote worker's server was waited for; undefined where nobody else is asked. */
  readonly connectMs: number | undefined;
  /** Milliseconds in all. */
  readonly totalMs: number;
}

/**
 * Compacts a session file. What goes wrong with worker or result is an outcome of the report. Throws what opening throws, and
 * `PITH_USAGE` where no plugin in use compacts.
 */
export async function runCompact(request: CompactRequest, terminal: Terminal): Promise<CompactRun> {
  const begun = performance.now();
  const flags = {
    'compaction.retained_tokens': request.retainedTokens,
    'compaction.auto_read_budget': request.autoReadBudget,
    'compaction.worker': request.worker,
    'transport.kind': request.worker === 'remote' ? 'nats' : undefined,
    ...transportKeys(request),
  };
  terminal.progress('reading the session');
  const work = await openAtWork({ ...request, asksWorkers: true }, flags, terminal);
  try {
    return await compactSession(work, begun, terminal);
  } finally {
    await work.close();
  }
}

async function compactSession(work: SessionAtWork, begun: number, terminal: Terminal): Promise<CompactRun> {
  const { opened, manifest, kernel, root } = work;
  const { session } = opened;
  const compaction = serviceOf(kernel, COMPACTION);
  if (compaction === undefined)
    throw new PithError(
      'PITH_USAGE',
      'no plugin in use compacts; leave --only and --without out, or add "compaction" to [plugins] use',
    );
  const tokenizer = kernel.get(TOKENIZER);
  const context = session.get(CONTEXT);
  terminal.progress('counting tokens');
  const before = context.view().occupancy();
  const partsBefore = contextParts(context.view(), tokenizer);
  const prune = serviceOf(kernel, PRUNE)?.evaluate(session);
  const loadMs = performance.now() - begun;
  const connectMs = work.reached && (await timed(work.reached, terminal));
  const stopListening = kernel.bus.on('compaction.progress', ({ phase }) => terminal.progress(phase));
  const report = await compaction.compact(session, { trigger: 'manual' });
  stopListening();
  const totalMs = performance.now() - begun;
  return {
    opened,
    manifest,
    root,
    before,
    prune,
    report,
    session: reportAtWork(work, serviceOf(kernel, PRUNE)?.evaluate(session), report),
    context: context.view(),
    parts: { before: partsBefore, after: contextParts(context.view(), tokenizer) },
    autoReadBudget: autoReadBudgetOf(manifest),
    loadMs,
    connectMs,
    totalMs,
  };
}

async function timed(reached: () => Promise<void>, terminal: Terminal): Promise<number> {
  const begun = performance.now();
  terminal.progress('connecting to NATS');
  await reached();
  terminal.progress('');
  return performance.now() - begun;
}
