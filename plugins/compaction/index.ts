/** The plugin `compaction`: old history becomes a summary with the needed files already read (S9). */
import {
  callTool,
  CLOCK,
  COMPACTION,
  CONTEXT,
  defaultService,
  definePlugin,
  FILE_SOURCE,
  IDS,
  inputLimit,
  optional,
  TOKENIZER,
} from '../../core/index';
import type { Json, Session, Tool, ToolResult } from '../../core/index';
import { GUARD } from '../guard/token';
import { TRACKER } from '../tracker/token';
import { createCompactor } from './compactor';
import './events';
import { createDesks } from './open-desk';
import { compactionKeys } from './settings';
import { stockSummaryFormat } from './summary-format';
import { COMPACT_WORKER, DESKS, SUMMARY_FORMAT } from './tokens';
import { offlineWorker } from './workers/offline/offline-worker';

export { COMPACT_WORKER, DESKS, SUMMARY_FORMAT } from './tokens';
export { offlineWorker } from './workers/offline/offline-worker';
export { stockSummaryFormat } from './summary-format';
export type { Desks, OpenDesk } from './desk';
export type { SummaryFacts, SummaryFormat, SummaryProblem } from './summary';
export type { CompactJob, CompactWorker, Desk, WorkerProgress, WorkerReport } from './worker';

export default definePlugin({
  name: 'compaction',
  api: 1,
  config: compactionKeys,
  defaults: [
    defaultService(COMPACT_WORKER, () => offlineWorker),
    defaultService(SUMMARY_FORMAT, () => stockSummaryFormat),
  ],
  needs: {
    worker: COMPACT_WORKER,
    format: SUMMARY_FORMAT,
    tokenizer: TOKENIZER,
    files: FILE_SOURCE,
    clock: CLOCK,
    ids: IDS,
    guard: optional(GUARD),
    tracker: optional(TRACKER),
  },
  provides: [COMPACTION, DESKS],
  setup({ config, needs, hooks, bus, log, provide }) {
    const desks = createDesks();
    provide(DESKS, () => desks);
    const { tracker } = needs;
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

    provide(COMPACTION, () =>
      createCompactor({
        settings: config,
        desks,
        bus,
        log,
        runTool,
        recentFiles: (session, n) => (tracker === undefined ? [] : session.get(tracker).recentFiles(n)),
        contentsLeft: (session, still) =>
          tracker === undefined ? undefined : session.get(tracker).forgetContents(still),
        inputWindow: (session) => {
          const limits = session.get(CONTEXT).limits();
          return limits.source === 'default' ? undefined : inputLimit(limits);
        },
        ...needs,
      }),
    );
  },
});
