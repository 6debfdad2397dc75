/** Where the contract of compact workers has them work: a kernel, a session that is worth compacting, and a watched desk. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { COMPACTION } from '../agent/compaction';
import type { CompactionReport, CompactOptions } from '../agent/compaction';
import type { ToolResult } from '../agent/tools';
import { FILE_SOURCE } from '../files/file-source';
import { defaultService } from '../kernel/services';
import { createToken } from '../kernel/token';
import type { NewItem } from '../session/items';
import type { Session } from '../session/session';
import type { CompactWorkerUnderTest } from './compact-worker-contract';
import type { CheckedDesk, CheckedJob, CheckedProgress, CheckedWork, CheckedWorker } from './compaction-shapes';
import { createMemoryFiles } from './memory-files';
import { assistantMessage, prose, toolCall, toolResult, userMessage } from './session-builders';
import { createTestKernel } from './test-kernel';
import type { TestKernel } from './test-kernel';

/** The service of the plugin `compaction` for the worker; a token is known by its name. */
const COMPACT_WORKER = createToken<CheckedWorker>('pith/compact-worker');

/** What stands on the disk where the desk shows something else. */
export const ON_DISK = 'sentinelOfTheDisk7qXw';

/** A call at the desk. */
export interface DeskCall {
  readonly tool: string;
  readonly args: unknown;
  readonly signal: unknown;
}

/** One job of the worker. */
export interface WatchedRun {
  readonly job: CheckedJob;
  readonly calls: readonly DeskCall[];
  readonly progress: readonly CheckedProgress[];
  /** Calls and words of progress after its end or its abort. */
  readonly late: readonly string[];
  /** Resolves with how the worker ended; never rejects. */
  readonly ended: Promise<{ readonly ok: boolean; readonly error?: unknown }>;
}

/** Answers in place of the desk; `next` asks the desk itself. */
export type Answer = (call: DeskCall, next: () => Promise<ToolResult>) => Promise<ToolResult>;

export interface WorkplaceSetup {
  /** Stands between the worker and the desk. */
  readonly answer?: Answer;
  /** Keys of `[compaction]`. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Whether the job can be changed by nobody. */
  readonly frozen?: boolean;
}

export interface Workplace extends AsyncDisposable {
  readonly test: TestKernel;
  readonly worker: CheckedWorker;
  /** Every job of the worker, in order. */
  readonly runs: readonly WatchedRun[];
  /** Opens a session with some work in it, in which the user says these words. */
  session(words?: string): Promise<Session>;
  compact(session: Session, options?: Partial<CompactOptions>): Promise<CompactionReport>;
}

const FILES = ['src/lexer.ts', 'src/parser.ts', 'test/parser.test.ts'];

/** Starts a kernel on which the worker under test serves, and nobody falls back. */
export async function openWorkplace(under: CompactWorkerUnderTest, setup: WorkplaceSetup): Promise<Workplace> {
  const root = mkdtempSync(join(tmpdir(), 'pith-worker-'));
  for (const path of FILES) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), `// ${ON_DISK}\n`);
  }
  const files = createMemoryFiles(Object.fromEntries(FILES.map((path) => [path, `// ${path}\nexport {};\n`])), root);
  const runs: WatchedRun[] = [];
  let made: Promise<CheckedWorker> | undefined;
  const worker: CheckedWorker = {
    name: 'under-contract',
    async run(job, desk, work) {
      made ??= Promise.resolve(under.create(test.kernel));
      return watched(await made, job, desk, work, setup, runs);
    },
  };
  const test: TestKernel = await createTestKernel({
    plugins: under.plugins,
    config: { compaction: { retainedTokens: 1000, fallback: 'none', ...setup.config } },
    services: [defaultService(COMPACT_WORKER, () => worker), defaultService(FILE_SOURCE, () => files)],
  });
  return {
    test,
    worker,
    runs,
    session: (words = 'Use tabs.') => test.openSession(history(root, words)),
    compact: (session, options = {}) => test.kernel.get(COMPACTION).compact(session, { trigger: 'manual', ...options }),
    async [Symbol.asyncDispose]() {
      await test[Symbol.asyncDispose]();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Some work on three files, of about 13,000 tokens. */
function history(root: string, words: string): readonly NewItem[] {
  const reads = Array.from({ length: 24 }, (_, n) => {
    const path = join(root, FILES[n % FILES.length] ?? '');
    return [toolCall(`c${n}`, 'read_file', { path }), toolResult(`c${n}`, prose(500, `part ${n} of`), `${path}: read`)];
  });
  return [
    userMessage(`Port the parser. ${words}`),
    ...reads.flat(),
    assistantMessage('The lexer is ported; the parser comes next.'),
    userMessage('Go on.'),
    assistantMessage('I am at the parser.'),
  ];
}

/** Has the worker do a job, and writes down all of it. */
async function watched(
  worker: CheckedWorker,
  job: CheckedJob,
  desk: CheckedDesk,
  work: CheckedWork,
  { answer = (_, next) => next(), frozen = false }: WorkplaceSetup,
  runs: WatchedRun[],
): ReturnType<CheckedWorker['run']> {
  const calls: DeskCall[] = [];
  const progress: CheckedProgress[] = [];
  const late: string[] = [];
  let isOver = false;
  const note = (what: string): void => {
    if (isOver || work.signal.aborted) late.push(what);
  };
  const watchedDesk: CheckedDesk = {
    call(tool, args, signal) {
      note(tool);
      const call = { tool, args, signal };
      calls.push(call);
      return answer(call, () => desk.call(tool, args, signal));
    },
  };
  const outcome = worker.run(frozen ? deepFreeze(structuredClone(job)) : job, watchedDesk, {
    ...work,
    progress(step) {
      note(`progress: ${step.phase}`);
      progress.push(step);
      work.progress(step);
    },
  });
  const ended = outcome.then(
    () => ({ ok: true }),
    (error: unknown) => ({ ok: false, error }),
  );
  runs.push({ job, calls, progress, late, ended });
  return outcome.finally(() => (isOver = true));
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
