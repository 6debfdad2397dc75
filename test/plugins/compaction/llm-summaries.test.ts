import { stockSummaryFormat } from '../../../plugins/compaction';
import { HandedIn } from '../../../plugins/compaction/handed-in';
import { prose } from '../../support/context';
import { countOf } from '../../support/counter';
import { summaryOf } from '../../support/worker';
import { calls, mark, workplace, write } from './llm-kit';

const long = summaryOf(prose(500));
const config = { summaryMaxTokens: 300 };
const quoting = (...quotations: readonly string[]): string =>
  summaryOf('Ported.').replace(
    '## User Directives\n(none)',
    ['## User Directives', ...quotations.map((quotation) => `- "${quotation}"`)].join('\n'),
  );

describe('a summary that is too long', () => {
  test('is to be shortened, once, and the shorter one is taken', async () => {
    await using place = await workplace([calls(mark(), write(long)), calls(write()), 'Done.'], { config });
    expect(await place.compact()).toMatchObject({ outcome: 'done', summary: { text: summaryOf('Ported.') } });
    expect(place.model.requests[1]?.last).toMatch(
      /Summary taken, \d+ tokens\. Call write_summary again with this corrected:\n- The summary has \d+ tokens; at most 300 are allowed\. Shorten it\.$/,
    );
  });

  test('and not shortened ends as inflated, without a third request', async () => {
    await using place = await workplace(() => calls(mark(), write(long)), { config });
    expect(await place.compact()).toMatchObject({ outcome: 'inflated', usage: { requests: 2 } });
  });

  test('may be corrected after it was shortened', async () => {
    const texts = [long, quoting('use spaces'), quoting('use tabs')];
    await using place = await workplace([...texts.map((text) => calls(mark(), write(text))), 'Done.'], { config });
    expect(await place.compact()).toMatchObject({ outcome: 'done', summary: { text: quoting('use tabs') } });
  });
});

describe('a summary with faults', () => {
  test('is to be corrected where it quotes what no message of the user says', async () => {
    await using place = await workplace([
      calls(mark(), write(quoting('use spaces'))),
      calls(write(quoting('use tabs'))),
      'Done.',
    ]);
    expect((await place.compact()).summary?.text).toBe(quoting('use tabs'));
    expect(place.model.requests[1]?.last).toContain('- "use spaces"');
  });

  test('loses such lines where they are not corrected, which is reported', async () => {
    const wrong = quoting('use tabs', 'use spaces');
    await using place = await workplace([calls(mark(), write(wrong)), calls(write(wrong)), 'Done.']);
    const report = await place.compact();
    expect(report).toMatchObject({ outcome: 'done', summary: { text: quoting('use tabs') } });
    expect(place.model.requests[2]?.last).toContain('These lines will be left out:\n- ');
    expect(place.test.log).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringContaining('were dropped') }),
    );
  });

  test('is to have all sections; without them it cannot be used, and no third one is asked for', async () => {
    const partial = summaryOf('Ported.').replace('## Key Decisions', '## Decisions');
    await using place = await workplace(() => calls(mark(), write(partial)));
    expect(await place.compact()).toMatchObject({ outcome: 'worker-failed', usage: { requests: 2 } });
    expect(place.model.requests[1]?.last).toContain('"## Key Decisions" is missing');
  });

  test('C10: of bare headings is none, and no third one is asked for', async () => {
    const bare = '## Completed Tasks\n(none)\n\n## Current Work\n';
    await using place = await workplace(() => calls(mark(), write(bare)));
    expect(await place.compact()).toMatchObject({ outcome: 'empty-summary', usage: { requests: 2 } });
  });
});

describe('what is handed in at a desk', () => {
  const facts = { maxTokens: 300, countText: countOf, isQuoted: (text: string) => text === 'use tabs' };
  const handIn = (...texts: readonly string[]): readonly string[] => {
    const place = new HandedIn(stockSummaryFormat);
    return texts.map((text) => place.take(text, facts).summary);
  };

  test('an unusable one is the last word only when its kind of fault was told before', () => {
    const partial = summaryOf('x').replace('## Key', '## K');
    const said = handIn(long, partial, long, partial);
    expect(said[0]).toContain('Call write_summary again');
    expect(said[1]).toContain('Call write_summary again');
    expect(said[2]).toMatch(
      /^Summary taken, \d+ tokens\. It cannot be used:\n- .*\nNo further summary is asked for\.$/,
    );
    expect(said[3]).toMatch(/No further summary is asked for\.$/);
  });

  test('one that nobody could read is not taken, and an empty one leaves the earlier one in its place', () => {
    const place = new HandedIn(stockSummaryFormat);
    expect(place.take('x'.repeat(200_001), facts)).toMatchObject({ isError: true });
    expect(place.text).toBeUndefined();
    place.take(summaryOf('kept'), facts);
    expect(place.take('## Current Work', facts)).toMatchObject({ isError: true });
    expect(place.text).toBe(summaryOf('kept'));
    expect(place.problems).toEqual([]);
  });
});
