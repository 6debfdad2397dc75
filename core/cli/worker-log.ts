/** The log of a worker process: every line that is written on behalf of a job carries the ids of job and session. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createLogger } from '../kernel/logger';
import type { Logger, LogSink } from '../kernel/logger';

/** Which job a line is about. */
export interface JobNames {
  readonly job: string;
  readonly session: string;
  readonly attempt: number;
}

export interface WorkerLog {
  /** For the kernel, so that the lines of its plugins carry the ids, too. */
  readonly sink: LogSink;
  readonly log: Logger;
  /** Does work on behalf of a job. */
  within<T>(names: JobNames, work: () => T): T;
}

export function createWorkerLog({ level, write }: LogSink): WorkerLog {
  const current = new AsyncLocalStorage<JobNames>();
  const sink: LogSink = {
    level,
    write: ({ fields, ...entry }) => write({ ...entry, fields: { ...fields, ...current.getStore() } }),
  };
  return { sink, log: createLogger(() => sink), within: (names, work) => current.run(names, work) };
}
