/** The plugin `compaction`: old history becomes a summary with the needed files already read (S9). */
import {
  callTool,
  CLOCK,
  COMPACT_POOL,
  COMPACTION,
  defaultService,
  definePlugin,
  FILE_SOURCE,
  IDS,
  LLM,
  optional,
  TOKENIZER,
} from '../../core/index';
import type { Json, Session, Tool, ToolResult } from '../../core/index';
import { GUARD } from '../guard/token';
import { PRUNE } from '../prune/token';
import { TRACING } from '../telemetry/token';
import { TRACKER } from '../tracker/token';
import { Automatic } from './automatic';
import { awaitApplication, compactAfterTurn } from './between-turns';
import { Breaker } from './breaker';
import { createCompactor } from './compactor';
import './events';
import { SafetyNet } from './net';
import { createDesks } from './open-desk';
import type { CompactorParts } from './parts';
import { PRE_COMPACT } from './pre-compact';
import { SESSION_COMPACTOR, SessionCompactor } from './session-compactor';
import { compactionKeys } from './settings';
import { noteStateTool } from './state-tools';
import { stockSummaryFormat } from './summary-format';
import { COMPACT_MODEL, COMPACT_WORKER, DESKS, STOCK_WORKERS, SUMMARY_FORMAT } from './tokens';
import { llmWorker } from './workers/llm/llm-worker';
import { remoteWorker } from './workers/remote';
import { StockWorkers } from './workers/stock-workers';

export { COMPACT_MODEL, COMPACT_WORKER, DESKS, SUMMARY_FORMAT } from './tokens';
export { llmWorker } from './workers/llm/llm-worker';
export type { LlmWorkerParts } from './workers/llm/llm-worker';
export { offlineWorker } from './workers/offline/offline-worker';
export { remoteWorker } from './workers/remote';
export type { RemoteWorkerParts } from './workers/remote';
export { serveCompactWorker } from './workers/serve';
export type { ServeCompactOptions } from './workers/serve';
export { stockSummaryFormat } from './summary-format';
export type { CompactionEnd } from './events';
export type { Desks, OpenDesk } from './desk';
export type {
  CancelCompaction,
  ContributeToCompaction,
  PreCompactEvent,
  ReplaceCompaction,
  ReplacedResult,
} from './pre-compact';
export type { SummaryFacts, SummaryFormat, SummaryProblem } from './summary';
export type { CompactJob, CompactWorker, Desk, WorkerProgress, WorkerReport, WorkOptions } from './worker';

export default definePlugin({
  name: 'compaction',
  api: 1,
  config: compactionKeys,
  defaults: [
    defaultService(STOCK_WORKERS, () => new StockWorkers()),
    defaultService(COMPACT_WORKER, (get) => get(STOCK_WORKERS).configured),
    defaultService(SUMMARY_FORMAT, () => stockSummaryFormat),
  ],
  needs: {
    worker: COMPACT_WORKER,
    workers: STOCK_WORKERS,
    model: optional(LLM),
    ownModel: optional(COMPACT_MODEL),
    pool: optional(COMPACT_POOL),
    format: SUMMARY_FORMAT,
    tokenizer: TOKENIZER,
    files: FILE_SOURCE,
    clock: CLOCK,
    ids: IDS,
    guard: optional(GUARD),
    prune: optional(PRUNE),
    tracker: optional(TRACKER),
    tracing: optional(TRACING),
  },
  provides: [COMPACTION, DESKS, SESSION_COMPACTOR],
  setup({ config, needs, hooks, bus, log, provide, scope }) {
    const desks = createDesks();
    const { prune, tracker, workers, model: agentModel, ownModel: model = agentModel, pool, ...services } = needs;
    let calls = 0;

    /** A tool of the desk passes the hooks of the agent's side, whoever the worker is (S3.5). */
    async function runTool(session: Session, tool: Tool, args: Json, signal: AbortSignal): Promise<ToolResult> {
      const id = `desk-${calls++}`;
      const call = { id, kind: 'tool_call' as const, callId: id, name: tool.name, arguments: args };
      const { result } = await callTool(
        { bus, dispatch: hooks.dispatch },
        { session, role: 'compact-worker', call, tools: [tool], signal },
      );
      signal.throwIfAborted();
      return result;
    }

    if (model !== undefined) {
      const kernel = { bus, dispatch: hooks.dispatch, log, scope };
      workers.offer('llm', llmWorker({ model, kernel, clock: needs.clock, ids: needs.ids }));
    }
    if (config.worker === 'remote' && pool !== undefined) {
      const waitMs = config.workerWaitSeconds * 1000;
      workers.offer('remote', remoteWorker({ bus, clock: needs.clock, waitMs, ...pool }));
    }
    workers.ask(config.worker);
    const parts: CompactorParts = {
      ...services,
      settings: config,
      desks,
      bus,
      log,
      isOffline: workers.isOffline(needs.worker),
      breaker: new Breaker({
        failures: config.breakerFailures,
        cooldownMs: config.breakerCooldownSeconds * 1000,
      }),
      dispatch: hooks.dispatch,
      runTool,
      recentFiles: (session, n) => (tracker === undefined ? [] : session.get(tracker).recentFiles(n)),
      contentsLeft: (session, still) =>
        tracker === undefined ? undefined : session.get(tracker).forgetContents(still),
    };
    provide(DESKS, () => desks);
    provide(SESSION_COMPACTOR, (session) => new SessionCompactor(parts, session));
    provide(COMPACTION, () => createCompactor(parts));
    hooks.define(PRE_COMPACT);
    hooks.on('post_tool_call', ({ session, tool }) => noteStateTool(session, tool));
    hooks.on('session_end', ({ session }) => session.get(SESSION_COMPACTOR).cancel('The session is being closed.'));

    const { compactThreshold, compactRequestThreshold, mode } = config;
    if (mode === 'off') return;
    if (compactThreshold === undefined && compactRequestThreshold === undefined) {
      log.warn(
        'Automatic compaction is off: neither compact_threshold nor compact_request_threshold is set. Sessions are compacted on request only.',
      );
      return;
    }
    const automatic = new Automatic(parts);
    if (compactThreshold !== undefined) {
      hooks.on('post_run', (event) => compactAfterTurn(automatic, event), { deadlineMs: null });
      hooks.on('prompt_submit', awaitApplication);
    }
    const net = new SafetyNet(automatic, prune);
    hooks.on('pre_llm_request', (event) => net.check(event), { order: 'last' });
  },
});
