/** The other end of a remote compaction (S11): any compact worker, at the service of agents in other processes. */
import { messageOf, PithError, unlessAborted } from '../../../core/index';
import type { Bus, CompactPool } from '../../../core/index';
import { loadProtocol } from '../load-protocol';
import { portableJson } from '../portable-json';
import type { CompactJob, CompactWorker, Desk } from '../worker';

/** Characters of what an agent is told of a failure: the message, and the details. */
const MOST_MESSAGE = 2000;
const MOST_DETAILS = 10_000;

/** Which pool is served, and how many of its jobs at once. */
export interface ServeCompactOptions extends Partial<Pick<CompactPool, 'tenant' | 'pool'>> {
  /** Jobs at once, 1 by default; while there are as many, further ones go to other workers. */
  readonly concurrency?: number;
}

/**
 * Serves the jobs of a pool with a worker. All that it does at the desk is done by the agent, which keeps scope and budget.
 * Disposing takes no more jobs and ends when those at work have ended. Throws `PITH_BUS_SETTINGS` for names that are no part
 * of a subject, `PITH_BUS_TRANSPORT_CLOSED` on a closed bus.
 */
export function serveCompactWorker(
  bus: Bus,
  worker: CompactWorker,
  { concurrency = 1, ...pool }: ServeCompactOptions = {},
): AsyncDisposable {
  const { compactAnswer, compactChannel, compactJob } = loadProtocol();
  return bus.serve(
    compactChannel(pool),
    async (body, call) => {
      const job = compactJob.parse(body) as CompactJob;
      const desk: Desk = {
        call: async (tool, args, signal) =>
          compactAnswer.parse(await unlessAborted(signal, () => call.ask({ tool, args }))),
      };
      try {
        return await worker.run(job, desk, {
          signal: call.signal,
          attempt: call.job.attempt,
          trace: call.trace,
          progress: (step) => call.progress(step),
        });
      } catch (thrown) {
        throw told(thrown);
      }
    },
    { concurrency, whenFull: 'refuse' },
  );
}

/** What an agent is told of a failure: its code, its message and its details, all bounded. */
function told(thrown: unknown): PithError {
  const { code, details } = PithError.is(thrown) ? thrown : foreign(thrown);
  const said = code === 'PITH_LLM_RATE_LIMITED' ? { ...details, reason: 'rate-limited' } : details;
  const isPortable = said !== undefined && portableJson(said, MOST_DETAILS) === undefined;
  const message = messageOf(thrown).slice(0, MOST_MESSAGE).toWellFormed();
  return new PithError(code, message, { cause: thrown, ...(isPortable && { details: said }) });
}

/** An error that is none of Pith keeps its name and its own code. */
function foreign(thrown: unknown): Pick<PithError, 'code' | 'details'> {
  const { name, code } = (thrown ?? {}) as { readonly name?: unknown; readonly code?: unknown };
  const kept = { ...(typeof name === 'string' && { name }), ...(typeof code === 'string' && { code }) };
  return { code: 'PITH_RUN_FAILED', details: kept };
}
