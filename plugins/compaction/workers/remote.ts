/**
 * The compact worker that is another process (S9.12, S11): it offers the job on the bus and answers at the desk whatever the
 * one that takes it asks. That one is not trusted.
 */
import { ERROR_CODES, oneLine, PithError, sleep } from '../../../core/index';
import type { Bus, Clock, CompactPool, ErrorCode, ToolResult } from '../../../core/index';
import { loadProtocol } from '../load-protocol';
import type { CompactAsk } from '../protocol';
import type { CompactJob, CompactWorker, Desk, WorkerProgress } from '../worker';

/** What a remote worker is reached by. */
export interface RemoteWorkerParts extends Partial<CompactPool> {
  /** A bus that reaches the workers. */
  readonly bus: Bus;
  readonly clock: Clock;
  /** Milliseconds that a job waits for a worker to take it; 0 by default. */
  readonly waitMs?: number;
  /** A number from 0 up to 1, by which agents that wait do not all ask at once. */
  random?(): number;
}

/**
 * Milliseconds between two offers of a job that nobody takes: the first, and the longest, unless the job has waited so long
 * that a share of that is longer.
 */
const FIRST_WAIT_MS = 10;
const LONGEST_WAIT_MS = 100;
const SHARE_OF_WAIT = 0.02;
/** Milliseconds in which one that has just become busy leaves the queue, so that a job reaches one that is free. */
const BUSY_MS = 100;
/** Milliseconds between two steps of progress that are passed on. */
const PROGRESS_MS = 100;
/** Characters of a result of the desk, so that it fits a message whatever they are; no tool of the desk gives as many. */
const MOST_RESULT = 150_000;
/** Characters of what a worker says of its failure. */
const MOST_REASON = 1000;

/** Errors by which a worker says that it is going away, with the job undone. */
const HANDED_BACK: ReadonlySet<unknown> = new Set<ErrorCode>([
  'PITH_BUS_RESPONDER_LOST',
  'PITH_BUS_TRANSPORT_CLOSED',
  'PITH_KERNEL_STOPPED',
]);

/**
 * A worker of a pool. It rejects with the error of the one that took the job, `PITH_BUS_NO_RESPONDER` where nobody did in
 * time, `PITH_BUS_RESPONDER_LOST` where that one is gone, and what {@link Bus.request} says else. Throws `PITH_BUS_SETTINGS`
 * for names that are no part of a subject.
 */
export function remoteWorker({
  bus,
  clock,
  waitMs = 0,
  random = Math.random,
  readsFiles = true,
  ...pool
}: RemoteWorkerParts): CompactWorker {
  const { compactAsk, compactChannel, compactProgress, compactReport } = loadProtocol();
  const channel = compactChannel(pool);
  return {
    name: 'remote',
    waitMs,
    readsFiles,
    async run(job, desk, { signal, attempt = 1, trace, progress }) {
      const told = thinned(clock, progress);
      const begun = clock.now();
      try {
        for (let offers = 0; ; offers++) {
          try {
            const report = await bus.request(channel, job, {
              deadlineMs: job.limits.timeoutMs,
              job: { id: job.id, attempt },
              signal,
              ...(trace !== undefined && { trace }),
              onProgress: (step) => told.hear(compactProgress.parse(step)),
              onAsk: (ask, over) => answerAt(desk, job, compactAsk.parse(ask), over),
            });
            return compactReport.parse(report);
          } catch (thrown) {
            const waited = clock.now() - begun;
            const left = patienceAfter(thrown, waitMs) - waited;
            if (left <= 0) throw failureOfWorker(thrown);
            const longest = Math.max(LONGEST_WAIT_MS, SHARE_OF_WAIT * waited);
            const wait = Math.min(longest, FIRST_WAIT_MS * 2 ** offers);
            await sleep(clock, Math.min(left, wait * (0.5 + random() / 2)), signal);
          }
        }
      } finally {
        told.end();
      }
    },
  };
}

/** Milliseconds after its first offer in which a job is offered again; none where it was taken. */
function patienceAfter(thrown: unknown, waitMs: number): number {
  if (!PithError.is(thrown, 'PITH_BUS_NO_RESPONDER')) return 0;
  return thrown.details?.['busy'] === true ? Math.max(waitMs, BUSY_MS) : waitMs;
}

/** Does what is asked at the desk, whose refusals are answers like others; no tool but those of the job can be asked for. */
async function answerAt(
  desk: Desk,
  job: CompactJob,
  { tool, args }: CompactAsk,
  over: AbortSignal,
): Promise<ToolResult> {
  if (!job.tools.some(({ name }) => name === tool)) {
    const names = job.tools.map(({ name }) => name).join(', ');
    throw new PithError(
      'PITH_BUS_BAD_MESSAGE',
      `The job has no tool ${oneLine(tool).slice(0, 80)}; there are ${names}.`,
    );
  }
  return portable(await desk.call(tool, args, over));
}

/** The result as it crosses: bounded and well-formed, whatever plugins have put into it. */
function portable({ summary, content, isError }: ToolResult): ToolResult {
  const parts = content === undefined || typeof content === 'string' ? [] : content;
  const characters =
    summary.length +
    (typeof content === 'string' ? content.length : 0) +
    parts.reduce((sum, part) => sum + JSON.stringify(part).length, 0);
  if (characters > MOST_RESULT) {
    const text = `The result has ${characters} characters, which is more than may be sent; ask for less.`;
    return { summary: text, isError: true };
  }
  const mended =
    typeof content === 'string'
      ? content.toWellFormed()
      : content && parts.map((part) => (part.type === 'text' ? { ...part, text: part.text.toWellFormed() } : part));
  return {
    summary: summary.toWellFormed(),
    ...(mended !== undefined && { content: mended }),
    ...(isError === true && { isError }),
  };
}

/** The error of a worker as its own, and what the transport says as it is. */
function failureOfWorker(thrown: unknown): unknown {
  if (!PithError.is(thrown, 'PITH_BUS_REJECTED')) return thrown;
  const { code, details } = thrown.details ?? {};
  const message = thrown.message.slice(0, MOST_REASON).toWellFormed();
  if (HANDED_BACK.has(code)) return new PithError('PITH_BUS_RESPONDER_LOST', message, { cause: thrown });
  if (!isOwnCode(code)) return new PithError('PITH_BUS_REJECTED', message, { cause: thrown });
  return new PithError(code, message, { cause: thrown, ...(isRecord(details) && { details }) });
}

/** Whether it is the code of an error that a worker may have; of the bus this side speaks for itself. */
function isOwnCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERROR_CODES, code) && !code.startsWith('PITH_BUS_');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Passes on a step in so many milliseconds; the last one is passed on at the end, since it says what the work has cost. */
function thinned(
  clock: Clock,
  pass: (step: WorkerProgress) => void,
): { hear(step: WorkerProgress): void; end(): void } {
  let held: WorkerProgress | undefined;
  let next = -Infinity;
  return {
    hear(step) {
      const now = clock.now();
      if (now < next) held = step;
      else {
        held = undefined;
        next = now + PROGRESS_MS;
        pass(step);
      }
    },
    end() {
      if (held !== undefined) pass(held);
    },
  };
}
