import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { lineOf, Draft } from '../../core/cli/draft';
import { TypedInput } from '../../core/cli/typed-input';

/** What comes of these chunks, in order: `[k]` a key or sequence of keys, else text that comes as a whole. */
async function heard(chunks: readonly (string | Buffer)[]): Promise<readonly string[]> {
  const source = new PassThrough();
  const events: string[] = [];
  const input = new TypedInput(source, (text) => events.push(text));
  input.on('data', (keys: string) => events.push(`[${keys}]`));
  input.resume();
  for (const chunk of chunks) source.write(chunk);
  source.end();
  await new Promise((resolve) => input.once('end', resolve));
  return events;
}

describe('typed input', () => {
  test('hands a paste on as a whole, wherever the chunks are cut, and keys before and after it', async () => {
    const typed = 'h\u001b[200~first\r\nsecond\rthird\u001b[201~o\r';
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(typed.length), { maxLength: 6 }), async (cuts) => {
        // The first two characters of the mark begin other keys, too: terminals send them at once.
        const places = new Set([0, ...cuts.filter((cut) => cut < 2 || cut > 3), typed.length]);
        const ends = [...places].sort((a, b) => a - b);
        const chunks = ends.slice(1).map((to, at) => typed.slice(ends[at], to));
        expect(await heard(chunks)).toEqual(['[h]', 'first\nsecond\nthird', '[o]', '[\r]']);
      }),
    );
  });

  test('Alt+Enter is a line end that sends nothing', async () => {
    expect(await heard(['one\u001b\rtwo\r'])).toEqual(['one', '\n', 'two', '[\r]']);
  });

  test('hands on key by key, and text that came at once together', async () => {
    expect(await heard(['ab\u001b[1;5C\u001bOH\u007f日本\u0003'])).toEqual([
      'ab',
      '[\u001b[1;5C]',
      '[\u001bOH]',
      '[\u007f]',
      '日本',
      '[\u0003]',
    ]);
  });

  test('holds no key up, and makes characters whole that were cut in the middle', async () => {
    const bytes = Buffer.from('日');
    expect(await heard(['\u001b', '[A', bytes.subarray(0, 1), bytes.subarray(1)])).toEqual([
      '[\u001b]',
      '[[A]',
      '[日]',
    ]);
  });
});

describe('a line that is being typed', () => {
  test('stands for the text that was pasted into it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('a', '\n', '\t', ' b', 'ü'), maxLength: 900 }), { maxLength: 4 }),
        (pastes) => {
          const draft = new Draft();
          const line = pastes.map((text) => draft.pasted(text)).join('|');
          expect(line).not.toMatch(/[\n\t]/);
          expect(draft.textOf(line)).toBe(pastes.join('|').trim());
        },
      ),
    );
  });

  test('shows line ends as signs and a long paste by its name', () => {
    expect(lineOf('a\n\tb')).toBe('a⏎⇥b');
    expect(new Draft().pasted('row\n'.repeat(200))).toBe('[paste 1: 200 lines]');
  });

  test('takes no control characters from the clipboard', () => {
    expect(new Draft().pasted('a\u001b[31mb\u0000c')).toBe('abc');
  });
});
