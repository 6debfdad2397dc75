import { readFileSync } from 'node:fs';
import { CLOCK, FILE_SOURCE, IDS } from '../../core';
import type { Kernel, PluginModule } from '../../core';
import { compactWorkerContract, createScriptedModel, prose } from '../../core/testing';
import type { CheckedDesk, CheckedJob, CheckedWork, CheckedWorker, CompactWorkerUnderTest } from '../../core/testing';
import type { CompactWorker, SummaryFormat } from '../../plugins/compaction';
import { llmWorker, offlineWorker } from '../../plugins/compaction';
import type { CheckedFormat } from '../../core/testing';
import { STOCK } from '../support/kernel';
import { summaryOf, USED } from '../support/worker';
import { expectEachToFail } from './contract-can-fail';

const plugins: readonly PluginModule[] = STOCK;

/** The worker with a model that reads, marks and writes as it is told to. */
const withModel: CompactWorkerUnderTest = {
  plugins,
  create(kernel) {
    const model = createScriptedModel({
      clock: kernel.get(CLOCK) as never,
      script: ({ turns, last }) => {
        const replies = turns.filter(({ role }) => role === 'assistant').length;
        if (replies === 0)
          return {
            calls: [
              { name: 'read_history', arguments: { from: 0 } },
              { name: 'read_file', arguments: { path: 'src/parser.ts' } },
            ],
          };
        if (replies === 1) return { calls: [{ name: 'mark_read_required', arguments: { path: 'src/parser.ts' } }] };
        if (replies === 2 || last.includes('write_summary'))
          return { calls: [{ name: 'write_summary', arguments: { text: summaryOf('The parser is half ported.') } }] };
        return 'Done.';
      },
    });
    return llmWorker({ model, kernel, clock: kernel.get(CLOCK), ids: kernel.get(IDS) });
  },
};

type Run = (job: CheckedJob, desk: CheckedDesk, work: CheckedWork, kernel: Kernel) => Promise<unknown>;

/** A worker that does this, and then tells what it used. */
const doing = (run: Run): CompactWorkerUnderTest => ({
  plugins,
  create: (kernel): CheckedWorker => ({
    name: 'doing',
    async run(job, desk, work) {
      await run(job, desk, work, kernel);
      return USED;
    },
  }),
});

const write = (text: string, desk: CheckedDesk, { signal }: Pick<CheckedWork, 'signal'>): Promise<unknown> =>
  desk.call('write_summary', { text }, signal);

/** The plainest worker that holds. */
const plain: Run = async (_job, desk, work) => {
  const { signal, progress } = work;
  signal.throwIfAborted();
  progress({ phase: 'reading', tokens: 10 });
  const { content } = await desk.call('read_history', { from: 0 }, signal);
  await desk.call('mark_read_required', { path: 'src/parser.ts' }, signal);
  const said = /Port the parser\. (\S+)/.exec(typeof content === 'string' ? content : '')?.[1] ?? 'nothing';
  await write(summaryOf(`The user said ${said}`), desk, work);
};

describe('the contract of compact workers holds for', () => {
  describe('the offline worker', () => {
    test.each(compactWorkerContract({ plugins, create: () => offlineWorker }))('$name', ({ run }) => run());
  });
  describe('the worker with a model', () => {
    test.each(compactWorkerContract(withModel))('$name', ({ run }) => run());
  });
  describe('a plain worker', () => {
    test.each(compactWorkerContract(doing(plain)))('$name', ({ run }) => run());
  });
  test('the types of the plugin: what an author writes by them is what the kit takes', () => {
    const worker = (given: CompactWorker): CheckedWorker => given;
    const format = (given: SummaryFormat): CheckedFormat => given;
    expect([worker(offlineWorker).name, format.length]).toEqual(['offline', 1]);
  });
});

/** What a worker that is no good remembers. */
const remembered: string[] = [];

describe('the contract of compact workers', () => {
  expectEachToFail(compactWorkerContract, {
    'it hands in a summary that the format takes, and says what that cost': {
      plugins,
      create: () => ({
        name: 'costly',
        async run(_job, desk, work) {
          await write(summaryOf('Going on.'), desk, work);
          return { usage: { ...USED.usage, inputTokens: Number.NaN } };
        },
      }),
    },
    'it calls the tools that the job offers and no others, with an object of arguments and a signal': doing(
      async (job, desk, work, kernel) => {
        await desk.call('run_command', { command: 'ls' }, work.signal);
        await plain(job, desk, work, kernel);
      },
    ),
    'it says how far it is in named phases and tokens that never fall, and nothing after its end': doing(
      async (job, desk, work, kernel) => {
        await plain(job, desk, work, kernel);
        work.progress({ phase: 'summary', tokens: 3 });
      },
    ),
    'it leaves the job as it is': doing(async (job, desk, work, kernel) => {
      (job.limits as { summaryMaxTokens: number }).summaryMaxTokens = 100;
      await plain(job, desk, work, kernel);
    }),
    'it knows of files what the desk shows, and reads none by itself': doing(async (_job, desk, work, kernel) => {
      const text = readFileSync(kernel.get(FILE_SOURCE).canonical('src/lexer.ts'), 'utf8');
      await write(summaryOf(text.trim()), desk, work);
    }),
    'it works at several sessions at the same time and mixes nothing up': doing(async (job, desk, work, kernel) => {
      await plain(
        job,
        {
          call: (tool, args, signal) => {
            if (tool !== 'write_summary') return desk.call(tool, args, signal);
            remembered.push((args as { text: string }).text.split('The user said ')[1]?.split('\n')[0] ?? '');
            return desk.call(tool, { text: summaryOf(`They said ${remembered.join(', ')}`) }, signal);
          },
        },
        work,
        kernel,
      );
    }),
    'it keeps to the limit of the summary': doing((_job, desk, work) => write(summaryOf(prose(1500)), desk, work)),
    'it goes on where the budget refuses a mark': doing(async (_job, desk, work) => {
      const { isError, summary } = await desk.call('mark_read_required', { path: 'src/parser.ts' }, work.signal);
      if (isError === true) throw new Error(summary);
      await write(summaryOf('Going on.'), desk, work);
    }),
    'it ends where no summary is ever taken': doing(async (_job, desk, work) => {
      const again = async (): Promise<void> => {
        const { isError } = await desk.call('write_summary', { text: summaryOf('Again.') }, work.signal);
        if (isError === true) await again();
      };
      await again();
    }),
    'it ends where the desk refuses everything': doing(async (_job, desk, work) => {
      while ((await desk.call('read_history', { from: 0 }, work.signal)).isError === true);
      await write(summaryOf('Going on.'), desk, work);
    }),
    'it fails where the desk does not answer any more, and does not pretend to be done': doing(
      async (job, desk, work, kernel) => {
        await plain(job, desk, work, kernel).catch(() => undefined);
      },
    ),
    'it ends when it is aborted while it waits for the desk, does nothing more, and can work again': doing(
      async (_job, desk, { signal, progress }, kernel) => {
        await plain(_job, desk, { signal: new AbortController().signal, progress }, kernel);
        signal.throwIfAborted();
      },
    ),
    'it does nothing at a job that was aborted before': doing(async (_job, desk, work) => {
      await write(summaryOf('Going on.'), desk, work);
      work.signal.throwIfAborted();
    }),
  });
});
