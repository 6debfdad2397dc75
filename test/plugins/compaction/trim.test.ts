import fc from 'fast-check';
import type { ContextView, Edit, NewItem } from '../../../core';
import { contentText, evenShares, trimMiddle, trimResults } from '../../../plugins/compaction/trim';
import { anyText } from '../../arbitraries/history';
import { call, open, prose, read, result, tokenizer, user } from '../../support/context';

const MARKER = /\n\[… (\d+) of (\d+) characters left out here …\]\n/;
const long = fc.tuple(anyText, fc.integer({ min: 1, max: 60 })).map(([text, times]) => `${text} `.repeat(times));

describe('a text without its middle', () => {
  test('is the text itself where it fits, to the token', () => {
    const text = prose(100);
    const tokens = tokenizer.countText(text);
    expect(trimMiddle(text, tokens, tokenizer)).toBe(text);
    expect(trimMiddle(text, tokens - 1, tokenizer)).not.toBe(text);
  });

  test('begins and ends as the text does, says exactly what is missing, and is at most as large as asked', () => {
    fc.assert(
      fc.property(long, fc.integer({ min: 40, max: 300 }), (text, max) => {
        const trimmed = trimMiddle(text, max, tokenizer);
        expect(tokenizer.countText(trimmed)).toBeLessThanOrEqual(max);
        if (trimmed === text) return;
        const [marker = '', missing, all] = MARKER.exec(trimmed) ?? [];
        const [begin = '', end = ''] = trimmed.split(marker);
        expect(text.startsWith(begin) && text.endsWith(end)).toBe(true);
        expect([Number(missing), Number(all)]).toEqual([text.length - begin.length - end.length, text.length]);
      }),
    );
  });

  test('fills the room there is, as much with its beginning as with its end', () => {
    for (const max of [100, 500, 2000]) {
      const [begin = '', end = ''] = trimMiddle(prose(5000), max, tokenizer).split(/\n\[.*\]\n/);
      const sizes = [begin, end].map((text) => tokenizer.countText(text));
      expect(Math.abs((sizes[0] ?? 0) - (sizes[1] ?? 0))).toBeLessThanOrEqual(2);
      expect((sizes[0] ?? 0) + (sizes[1] ?? 0)).toBeGreaterThan(max - 24);
    }
  });

  test('has a word of both ends however little is asked for', () => {
    for (const max of [0, 1, 10]) {
      expect(trimMiddle(`begin ${prose(100)} end`, max, tokenizer)).toMatch(/^begin?\n\[.*\]\n end$/);
    }
  });
});

test('what a result sends are its parts line by line, images by their kind, and nothing where its summary stands alone', () => {
  const summary = { kind: 'tool_result', id: 'i', callId: 'c', summary: 'done' } as const;
  expect(contentText(summary)).toBeUndefined();
  const image = { type: 'image', mediaType: 'image/png', data: 'AA==' } as const;
  const content = [{ type: 'text', text: 'a' }, image, { type: 'text', text: 'b' }] as const;
  expect(contentText({ ...summary, content })).toBe('a\n[image image/png]\nb');
});

describe('shares', () => {
  const sizes = fc.array(fc.nat(1000), { maxLength: 8 });
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

  test('together lose just the excess, and those that lose are of one height that no other is above', () => {
    fc.assert(
      fc.property(sizes, fc.double({ min: 0, max: 1, noNaN: true }), (of, part) => {
        const excess = part * sum(of);
        const shares = evenShares(of, excess);
        expect(sum(shares)).toBeCloseTo(sum(of) - excess, 6);
        const height = Math.max(0, ...shares);
        shares.forEach((share, index) => expect(share).toBeCloseTo(Math.min(of[index] ?? 0, height), 6));
      }),
    );
  });

  test('are nothing where more is to be lost than there is, and all where nothing is', () => {
    expect(evenShares([5, 10], 20)).toEqual([0, 0]);
    expect(evenShares([10, 5], 0)).toEqual([10, 5]);
    expect(evenShares([10, 5], -3)).toEqual([10, 5]);
  });
});

describe('results of a tail', () => {
  const FROM = 1;
  const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;
  const calls = (count: number): readonly NewItem[] => Array.from({ length: count }, (_, at) => call(`c${at}`));
  /** A context of one reply with these results; `seen` of them the model has seen. */
  const trimmed = (
    results: readonly NewItem[],
    max: number,
    { seen = 0, scale = 1 } = {},
  ): { readonly before: ContextView; readonly after: ContextView; readonly edits: readonly Edit[] } => {
    const first = FROM + results.length;
    const before = read(open([user('go'), ...calls(results.length), ...results]).session, scale).context;
    const edits = trimResults(before, FROM, max, first + seen, tokenizer);
    return { before, after: before.with(edits), edits };
  };

  test('that the model has not seen lose their middle, the largest most, the small ones nothing', () => {
    const results = [result('c0', `X ${prose(9000)} X`), result('c1', prose(200)), result('c2', `Z ${prose(3000)} Z`)];
    const { before, after } = trimmed(results, 2000);
    expect(after.tokens(FROM)).toBeLessThanOrEqual(2000);
    expect(after.at(4)).toMatchObject({
      content: [{ text: expect.stringMatching(/^X [^]*left out[^]* X$/) as string }],
    });
    expect(after.at(6)).toMatchObject({
      content: [{ text: expect.stringMatching(/^Z [^]*left out[^]* Z$/) as string }],
    });
    expect(after.at(5)).toBe(before.at(5));
    expect(after.tokens(4, 5)).toBeCloseTo(after.tokens(6, 7), -2);
  });

  test('that the model has seen fall to their summary, unless that is no shorter', () => {
    const results = [result('c0', prose(500)), result('c1', 'ok', prose(90)), result('c2', prose(90), prose(90))];
    const { edits } = trimmed([...results, result('c3', prose(100))], 400, { seen: 3 });
    expect(edits).toEqual([{ edit: 'content', item: 'i5', text: null }]);
  });

  test('lose their images with the first cut, of which they keep the name', () => {
    const shown = (callId: string, text: string): NewItem => ({
      kind: 'tool_result',
      callId,
      summary: prose(50),
      content: [{ type: 'text', text }, image],
    });
    const results = [shown('c0', 'seen'), shown('c1', `new ${prose(3000)}`), shown('c2', 'short')];
    const trims = (max: number): readonly object[] => trimmed(results, max, { seen: 1 }).edits;
    const falls = { item: 'i4', text: null };
    const middle = { item: 'i5', text: expect.stringMatching(/^new [^]*left out/) as string };
    expect(trims(3600)).toMatchObject([falls, middle]);
    expect(trims(300)).toMatchObject([falls, middle, { item: 'i6', text: 'short\n[image image/png]' }]);
  });

  test('without content, and those as short as can be, stay as they are', () => {
    const results: readonly NewItem[] = [
      result('c0', prose(3000)),
      { kind: 'tool_result', callId: 'c1', summary: prose(300) },
      {
        kind: 'tool_result',
        callId: 'c2',
        summary: 'done',
        content: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two' },
        ],
      },
    ];
    const { edits, after } = trimmed(results, 5);
    expect(edits.map((edit) => 'item' in edit && edit.item)).toEqual(['i4']);
    expect(tokenizer.countItem(after.at(4)).text).toBeLessThanOrEqual(64);
  });

  test('before the tail are left alone', () => {
    const { context } = open([user('go'), call('a'), result('a', prose(900)), call('b'), result('b', prose(900))]);
    const edits = trimResults(context, 3, 300, 3, tokenizer);
    expect(edits.map((edit) => 'item' in edit && edit.item)).toEqual(['i4']);
  });

  test('fit, and fill the room there is, however the counts of parts and whole differ', () => {
    const size = fc.record({ tokens: fc.integer({ min: 1, max: 1500 }), words: fc.boolean() });
    fc.assert(
      fc.property(
        fc.array(size, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 500, max: 1500 }),
        fc.constantFrom(0.5, 1, 1.6),
        (of, max, scale) => {
          const results = of.map(({ tokens, words }, at) =>
            result(`c${at}`, words ? prose(tokens) : 'fn(x); '.repeat(tokens / 4)),
          );
          const { before, after, edits } = trimmed(results, max, { scale });
          if (before.tokens(FROM) <= max) return expect(edits).toEqual([]);
          expect(after.tokens(FROM)).toBeLessThanOrEqual(max);
          expect(after.tokens(FROM)).toBeGreaterThan(0.85 * max);
        },
      ),
    );
  });
});
