import { COMPACTION } from '../../../core/index';
import { assistant, call, prose, result, user } from '../../support/context';
import { start } from '../../support/kernel';

const turns = Array.from({ length: 10 }, (_, at) => [
  user(`Step ${String(at)}`),
  call(`c${String(at)}`, 'Bash', { command: 'make' }),
  result(`c${String(at)}`, prose(1500)),
  assistant('Done.'),
]).flat();

describe('a plan that is asked for', () => {
  test('is the one that the compaction then follows, and changes nothing', async () => {
    await using host = await start();
    const session = host.open(turns);
    const compaction = host.kernel.get(COMPACTION);
    const position = session.position;
    for (const retainedTokens of [undefined, 4000]) {
      const plan = compaction.plan(session, retainedTokens === undefined ? {} : { retainedTokens });
      expect(plan?.retained.tokens).toBeLessThanOrEqual(retainedTokens ?? 8000);
    }
    const plan = compaction.plan(session);
    expect(session.position).toBe(position);
    const report = await compaction.compact(session, { trigger: 'manual' });
    expect(report.plan).toEqual(plan);
  });

  test('is undefined where nothing would be summarised', async () => {
    await using host = await start();
    expect(host.kernel.get(COMPACTION).plan(host.open([user('Hello'), assistant('Hi.')]))).toBeUndefined();
  });
});
