/** Faults with the limits of models that users of similar tools reported, by the ids of `cases.json`. */
import { COMPACTION } from '../../core/index';
import { CONTEXT } from '../../core';
import type { NewItem } from '../../core';
import { writeOpenAiChat } from '../../core/formats/write';
import { fitsInput, inputLimit, modelLimits } from '../../core/tokens/model-limits';
import { assistant, call, prose, result, user } from '../support/context';
import { countOf } from '../support/counter';
import { start, STOCK } from '../support/kernel';
import { scriptedWorker, summaryOf, writing } from '../support/worker';

describe('C24: the reply allowance comes out of the window', () => {
  const limits = modelLimits('some-model', { contextWindow: 131_072, maxOutput: 65_536 });

  it('so that the input may take what is left', () => {
    expect(inputLimit(limits)).toBe(65_536);
  });

  it.each([
    [64_000, true],
    [65_536, true],
    [65_537, false],
  ])('an input of %i fits: %s', (tokens, fits) => {
    expect(fitsInput(tokens, limits)).toBe(fits);
  });

  it('and the same holds for a worker with a summary allowance of its own', () => {
    const worker = modelLimits('some-model', { contextWindow: 131_072, maxOutput: 4000 });
    expect(fitsInput(127_072, worker)).toBe(true);
    expect(fitsInput(127_073, worker)).toBe(false);
  });
});

describe('X12: a switch to a model with a smaller window', () => {
  const small = modelLimits('small-model', { contextWindow: 128_000, maxOutput: 8000 });
  const fact = (at: number): string => `Remember that port ${String(8100 + at)} belongs to service-${String(at)}.`;
  const history = Array.from({ length: 40 }, (_, at): readonly NewItem[] => [
    user(fact(at)),
    ...Array.from({ length: 10 }, (_, step) => [
      call(`c${String(at)}-${String(step)}`, 'read_file', { path: `src/service-${String(at)}.ts` }),
      result(`c${String(at)}-${String(step)}`, prose(1000)),
    ]).flat(),
    assistant(`I set up service-${String(at)} in src/service-${String(at)}.ts.`),
  ]).flat();

  test('X12: one pass of bounded inputs makes a request that the small model takes, with facts from all parts', async () => {
    await using host = await start({ config: { compaction: { compactWorkerMaxInputTokens: 100_000 } } });
    const session = host.open(history, { t: 'settings', model: 'large-model', system: 'You set up services.' });
    session.record({ t: 'settings', model: 'small-model' });
    session.append([user('PROMPT: which ports are taken?')]);
    expect(session.get(CONTEXT).view().occupancy().tokens).toBeGreaterThan(400_000);
    const report = await host.kernel
      .get(COMPACTION)
      .compact(session, { trigger: 'request', threshold: inputLimit(small) });
    expect(report.outcome).toBe('done');
    const request = JSON.stringify(writeOpenAiChat(session.get(CONTEXT).view()));
    expect(countOf(request)).toBeLessThanOrEqual(inputLimit(small));
    expect(request).toContain('PROMPT: which ports are taken?');
    expect(request).toMatch(/port 810[0-7]/);
    expect(request).toMatch(/port 81(?:3[2-9])/);
  });

  test('X12: whatever the limits, a job is never larger than its share of them', async () => {
    for (const [overviewTokens, compactWorkerMaxInputTokens, most] of [
      [8000, 100_000, 8000],
      [8000, 30_000, 3000],
      [500, 100_000, 500],
      [8000, 5000, 500],
    ] as const) {
      const worker = scriptedWorker(writing(summaryOf('Services were set up.')));
      await using host = await start({
        plugins: [...STOCK, worker.plugin],
        config: { compaction: { overviewTokens, compactWorkerMaxInputTokens } },
      });
      const session = host.open(history.slice(0, 150));
      for (let pass = 0; pass < 3; pass++) {
        expect(
          (await host.kernel.get(COMPACTION).compact(session, { trigger: 'manual', focus: prose(3000) })).outcome,
        ).toBe('done');
        session.append(history.slice(0, 60));
      }
      expect(worker.jobs).toHaveLength(3);
      for (const job of worker.jobs) expect(countOf(job.overview)).toBeLessThanOrEqual(most);
    }
  });
});
