/** Worker processes as an operator starts them, and agents that give them jobs. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { systemClock } from '../../core';
import type { ToolResult } from '../../core';
import { connected, createNatsBus, openLink } from '../../core/bus/nats';
import type { LinkOptions } from '../../core/bus/nats';
import type { CompactJob, WorkerReport } from '../../plugins/compaction';
import { remoteWorker } from '../../plugins/compaction/workers/remote';
import type { RemoteWorkerParts } from '../../plugins/compaction/workers/remote';
import { summaryOf } from '../support/worker';
import { commandFile, plainEnvironment } from './command';
import { freshFolder } from './sessions';

/** A line of the log. */
export type LogLine = { readonly level: string; readonly message: string } & Readonly<Record<string, unknown>>;

export interface StartedWorker {
  readonly child: ChildProcess;
  /** What it has logged so far. */
  readonly lines: readonly LogLine[];
  /** Resolves with the first line that says this, of those of the past and of the future. Rejects when it ends without. */
  said(message: string | RegExp, from?: number): Promise<LogLine>;
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  /** Standard output, and what of standard error is no line of the log. */
  output(): string;
  /** Status and text of a page of its health. */
  health(path: string): Promise<readonly [status: number, text: string]>;
}

const started = new Set<ChildProcess>();

/** Ends all workers that a test has left. */
export function endWorkers(): void {
  for (const child of started) child.kill('SIGKILL');
  started.clear();
}

export interface WorkerStart {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts `pith worker`. */
export function startWorker(
  args: readonly string[],
  { cwd = freshFolder(), env = {} }: WorkerStart = {},
): StartedWorker {
  const child = spawn(process.execPath, [commandFile(), 'worker', ...args], {
    cwd,
    env: { ...plainEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.add(child);
  const lines: LogLine[] = [];
  const waiting = new Set<() => void>();
  let other = '';
  let isOver = false;
  const tell = (): void => waiting.forEach((look) => look());
  const hear = (line: string): void => {
    if (line.startsWith('{')) lines.push(JSON.parse(line) as LogLine);
    else other += `${line}\n`;
    tell();
  };
  createInterface({ input: child.stderr }).on('line', hear);
  createInterface({ input: child.stdout }).on('line', hear);
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.on('close', (code, signal) => {
      isOver = true;
      started.delete(child);
      tell();
      resolve(code ?? signal);
    }),
  );
  const said = (message: string | RegExp, from = 0): Promise<LogLine> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = lines.slice(from).find((line) => line.message.match(message) !== null);
        if (found === undefined && !isOver) return;
        waiting.delete(look);
        if (found !== undefined) resolve(found);
        else reject(new Error(`It never said ${String(message)}:\n${JSON.stringify(lines, undefined, 1)}\n${other}`));
      };
      waiting.add(look);
      look();
    });
  return {
    child,
    lines,
    said,
    ended,
    output: () => other,
    async health(path) {
      const { health } = await said('The worker starts.');
      const answer = await fetch(`${String(health)}${path}`);
      return [answer.status, await answer.text()];
    },
  };
}

/** Resolves with the text of a page of a worker's health as soon as it satisfies. */
export async function healthOnce(
  worker: StartedWorker,
  path: string,
  satisfies: (status: number, text: string) => boolean,
): Promise<string> {
  for (;;) {
    const [status, text] = await worker.health(path);
    if (satisfies(status, text)) return text;
    await new Promise(setImmediate);
  }
}

export const isReady = (status: number): boolean => status === 200;

export const JOB: CompactJob = {
  id: 'compaction-1',
  sessionId: 'session-1',
  overview: 'The user wants the parser ported.',
  range: { from: 0, to: 9 },
  defaultReferences: [],
  format: { name: 'stock', instructions: 'Five sections.' },
  tools: ['read_history', 'write_summary'].map((name) => ({
    name,
    description: `The tool ${name}.`,
    parameters: { type: 'object', properties: {} },
  })),
  limits: { summaryMaxTokens: 4000, autoReadBudget: 0, maxInputTokens: 50_000, timeoutMs: 60_000 },
};

export interface JobGiver extends AsyncDisposable {
  /** What was asked at its desks. */
  readonly asked: readonly string[];
  /** Gives a job to whoever serves the pool. */
  give(id?: string, options?: { readonly attempt?: number; readonly signal?: AbortSignal }): Promise<WorkerReport>;
}

/** An agent that gives jobs. Its desk takes every summary, or answers as it is told. */
export async function jobGiver(
  servers: string,
  { answer = () => Promise.resolve({ summary: 'Summary taken.' }), link: linked = {}, ...pool }: JobGiverOptions = {},
): Promise<JobGiver> {
  const link = await openLink({ servers, ...linked });
  await connected(link);
  const bus = createNatsBus(link);
  const worker = remoteWorker({ bus, clock: systemClock, ...pool });
  const asked: string[] = [];
  return {
    asked,
    give: (id = JOB.id, { attempt = 1, signal = new AbortController().signal } = {}) =>
      worker.run(
        { ...JOB, id, sessionId: `session-of-${id}` },
        {
          call(tool) {
            asked.push(tool);
            return answer(tool);
          },
        },
        { attempt, signal, progress: () => undefined },
      ),
    [Symbol.asyncDispose]: () => bus.close(),
  };
}

export interface JobGiverOptions extends Pick<RemoteWorkerParts, 'waitMs' | 'tenant' | 'pool'> {
  readonly answer?: (tool: string) => Promise<ToolResult>;
  readonly link?: Partial<LinkOptions>;
}

/** What a model says that hands in a summary at once. */
export const HANDING_IN = [
  { calls: [{ name: 'write_summary', arguments: { text: summaryOf('Half ported.') } }] },
  'Done.',
] as const;
