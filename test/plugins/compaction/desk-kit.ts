/** A desk on a real kernel: hooks, budget and guard act on its tools as they do on any worker's. */
import {
  callTool,
  createDiskFiles,
  createKernel,
  definePlugin,
  type FileSource,
  type Json,
  type Kernel,
  type NewItem,
  type Plugin,
  type RecordDraft,
  type Session,
  type ToolResult,
} from '../../../core';
import { createSession } from '../../../core/session/log-session';
import autoReadBudget from '../../../plugins/auto-read-budget';
import type { JobSize } from '../../../plugins/compaction/allowance';
import type { OpenDesk } from '../../../plugins/compaction/desk';
import { createDesks } from '../../../plugins/compaction/open-desk';
import { stockSummaryFormat } from '../../../plugins/compaction/summary-format';
import { DESKS } from '../../../plugins/compaction/tokens';
import type { CompactJob } from '../../../plugins/compaction/worker';
import { offlineWorker } from '../../../plugins/compaction/workers/offline/offline-worker';
import guard from '../../../plugins/guard';
import { GUARD } from '../../../plugins/guard/token';
import { folderWith } from '../../files/folder';
import { tokenizer } from '../../support/context';

export interface DeskSetup {
  readonly items?: readonly NewItem[];
  /** Records beside the items, after them. */
  readonly records?: readonly RecordDraft[];
  /** Number of the first item to summarise, and of the first that is kept; all by default. */
  readonly from?: number;
  readonly to?: number;
  /** Files on disk, by path; or a file source of one's own. */
  readonly files?: Readonly<Record<string, string | Uint8Array>> | FileSource;
  /** Tokens; `null`: no plugin keeps a budget. */
  readonly budget?: number | null;
  readonly guarded?: boolean;
  readonly previousSummary?: string;
  readonly defaultReferences?: readonly string[];
  readonly summaryMaxTokens?: number;
  readonly readsFiles?: boolean;
  /** How much there is to read; far more than any test reads by default. */
  readonly size?: JobSize;
  readonly plugins?: readonly Plugin[];
}

export interface TestDesk {
  readonly desk: OpenDesk;
  readonly session: Session;
  readonly kernel: Kernel;
  readonly job: CompactJob;
  /** The folder of the files, where they are on disk. */
  readonly root: string;
  /** Calls a tool; the text is what a worker reads. */
  call(tool: string, args?: Json): Promise<{ readonly text: string; readonly isError: boolean }>;
  /** Has the offline worker do the job. */
  compact(): Promise<OpenDesk>;
}

const kernels: Kernel[] = [];
afterEach(async () => {
  for (const kernel of kernels.splice(0)) await kernel.stop();
});

const signal = new AbortController().signal;

export async function openTestDesk(setup: DeskSetup = {}): Promise<TestDesk> {
  const { items = [], budget = 8000, guarded = false, summaryMaxTokens = 4000 } = setup;
  const desks = createDesks();
  const registry = definePlugin({
    name: 'desks',
    api: 1,
    provides: [DESKS],
    setup: ({ provide }) => provide(DESKS, () => desks),
  });
  const kernel = await createKernel({
    plugins: [
      registry,
      ...(budget === null ? [] : [autoReadBudget]),
      ...(guarded ? [guard] : []),
      ...(setup.plugins ?? []),
    ],
    config: budget === null ? {} : { compaction: { autoReadBudget: budget } },
  });
  kernels.push(kernel);
  const session = createSession({ id: 's', now: () => 0 });
  session.append(items);
  session.record(...(setup.records ?? []));
  const { root, files } = filesOf(setup.files ?? {});
  const range = { from: setup.from ?? 0, to: setup.to ?? session.itemCount };
  let calls = 0;
  const desk = desks.open({
    compaction: 'c',
    session,
    range,
    retained: session.items(range.to),
    ...(setup.previousSummary !== undefined && { previousSummary: setup.previousSummary }),
    defaultReferences: setup.defaultReferences ?? [],
    ...(setup.readsFiles !== undefined && { readsFiles: setup.readsFiles }),
    format: stockSummaryFormat,
    summaryMaxTokens,
    tokenizer,
    files,
    guard: guarded ? kernel.get(GUARD) : undefined,
    size: setup.size ?? { items: 100_000, tokens: 10_000_000, maxInputTokens: 50_000 },
    async runTool(tool, args, aborted) {
      const id = `desk-${calls++}`;
      const call = { id, kind: 'tool_call' as const, callId: id, name: tool.name, arguments: args };
      return (await callTool(kernel, { session, role: 'compact-worker', call, tools: [tool], signal: aborted })).result;
    },
  });
  const job: CompactJob = {
    id: 'c',
    sessionId: 's',
    overview: '',
    range,
    ...(setup.previousSummary !== undefined && { previousSummary: setup.previousSummary }),
    defaultReferences: setup.defaultReferences ?? [],
    format: stockSummaryFormat,
    tools: [],
    limits: { summaryMaxTokens, autoReadBudget: desks.budget ?? 8000, maxInputTokens: 50_000, timeoutMs: 60_000 },
  };
  return {
    desk,
    session,
    kernel,
    job,
    root,
    async call(tool, args = {}) {
      const result = await desk.call(tool, args, signal);
      return { text: textOf(result), isError: result.isError === true };
    },
    async compact() {
      await offlineWorker.run(job, desk, { signal, progress: () => undefined });
      return desk;
    },
  };
}

function filesOf(files: NonNullable<DeskSetup['files']>): { readonly root: string; readonly files: FileSource } {
  if (typeof files['read'] === 'function') return { root: '', files: files as FileSource };
  const root = folderWith(files as Readonly<Record<string, string>>);
  return { root, files: createDiskFiles({ root }) };
}

function textOf({ content, summary }: ToolResult): string {
  if (content === undefined || typeof content === 'string') return content ?? summary;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}
