/** Jobs, desks and buses for workers that are reached by messages. */
import { PithError } from '../../../core';
import type { Bus, ToolResult } from '../../../core';
import type { CompactJob, CompactWorker, Desk } from '../../../plugins/compaction';
import { USED } from '../../support/worker';

export const JOB: CompactJob = {
  id: 'compaction-1',
  sessionId: 's',
  overview: 'What was said.',
  range: { from: 0, to: 9 },
  defaultReferences: ['src/a.ts'],
  format: { name: 'stock', instructions: 'Five sections.' },
  tools: [
    { name: 'read_file', description: 'Reads.', parameters: { type: 'object', properties: {} } },
    { name: 'write_summary', description: 'Hands in.', parameters: { type: 'object' } },
  ],
  limits: { summaryMaxTokens: 4000, autoReadBudget: 8000, maxInputTokens: 50_000, timeoutMs: 60_000 },
};

export interface RecordingDesk extends Desk {
  readonly asked: readonly (readonly [tool: string, args: unknown])[];
}

/** A desk that answers all alike and remembers what it was asked. */
export function recordingDesk(answer: ToolResult = { summary: 'ok' }): RecordingDesk {
  const asked: (readonly [string, unknown])[] = [];
  return {
    asked,
    async call(tool, args) {
      asked.push([tool, args]);
      return answer;
    },
  };
}

/** A worker that does one thing. */
export function workerOf(run: CompactWorker['run']): CompactWorker {
  return { name: 'one', run };
}

/** A worker that asks for one tool and is done. */
export const askingWorker = (tool: string, args: unknown): CompactWorker =>
  workerOf(async (_job, desk, { signal }) => {
    await desk.call(tool, args, signal);
    return USED;
  });

/**
 * The bus with a connection that breaks so many times: the worker does its job to the end, and its reply never arrives.
 * `attempts` is told of every attempt.
 */
export function losing(bus: Bus, losses: number, attempts: number[] = []): Bus {
  return {
    ...bus,
    async request(channel, body, options) {
      attempts.push(options.job?.attempt ?? 0);
      const reply = await bus.request(channel, body, options);
      if (attempts.length > losses) return reply;
      throw new PithError('PITH_BUS_RESPONDER_LOST', 'The worker is gone.');
    },
  };
}

/** The error of a promise; fails where there is none. */
export async function errorOf(promise: Promise<unknown>): Promise<PithError> {
  const thrown: unknown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!PithError.is(thrown)) throw new Error(`expected a Pith error, got ${String(thrown)}`);
  return thrown;
}
