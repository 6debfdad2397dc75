/** A compact worker that does what a script says: the stand-in for a model. */
import { definePlugin } from '../../core';
import type { Plugin } from '../../core';
import { COMPACT_WORKER } from '../../plugins/compaction/tokens';
import type { CompactJob, CompactWorker, Desk, WorkerReport } from '../../plugins/compaction/worker';

export type Script = (desk: Desk, job: CompactJob, signal: AbortSignal) => Promise<unknown>;

export interface ScriptedWorker {
  readonly plugin: Plugin;
  /** The jobs it was given, in order. */
  readonly jobs: readonly CompactJob[];
  /** Everything it was told, for each job: the job itself, then what the desk answered. */
  readonly given: readonly (readonly string[])[];
}

export const USED: WorkerReport = {
  usage: { requests: 1, inputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 10 },
};

/** A summary in the stock format that says one thing. */
export const summaryOf = (said: string): string =>
  [
    '## Completed Tasks\n(none)',
    `## Active Task\n### Port it\n${said}`,
    '## Key Decisions\n(none)',
    '## User Directives\n(none)',
    '## Current Work\nPorting.',
  ].join('\n\n');

/** Hands in a summary and nothing else. */
export const writing =
  (text: string): Script =>
  (desk, _job, signal) =>
    desk.call('write_summary', { text }, signal);

export function scriptedWorker(script: Script): ScriptedWorker {
  const jobs: CompactJob[] = [];
  const given: string[][] = [];
  const worker: CompactWorker = {
    name: 'scripted',
    async run(job, desk, { signal }) {
      const told = [JSON.stringify(job)];
      jobs.push(job);
      given.push(told);
      const heard: Desk = {
        async call(tool, args, abort) {
          const answer = await desk.call(tool, args, abort);
          told.push(`${answer.summary}\n${textOf(answer.content)}`);
          return answer;
        },
      };
      await script(heard, job, signal);
      return USED;
    },
  };
  const plugin = definePlugin({
    name: 'scripted',
    api: 1,
    provides: [COMPACT_WORKER],
    setup: ({ provide }) => provide(COMPACT_WORKER, () => worker),
  });
  return { plugin, jobs, given };
}

/** Reads all of the history that the desk shows, page by page, in the detail asked for. */
export async function readAll(
  desk: Desk,
  job: CompactJob,
  signal: AbortSignal,
  detail: 'brief' | 'full' = 'full',
): Promise<void> {
  for (let from: number | undefined = job.range.from > 0 ? -1 : 0; from !== undefined;) {
    const { content } = await desk.call('read_history', { from, limit: 100, detail }, signal);
    const next = /; go on with from=(\d+)\)$/.exec(textOf(content))?.[1];
    from = next === undefined ? undefined : Number(next);
  }
}

function textOf(content: string | readonly { readonly type: string; readonly text?: string }[] | undefined): string {
  if (content === undefined || typeof content === 'string') return content ?? '';
  return content.map((part) => part.text ?? '').join('\n');
}
