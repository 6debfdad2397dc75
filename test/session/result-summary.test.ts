import fc from 'fast-check';
import type { Part } from '../../core/session/items';
import { summariseResult } from '../../core/session/result-summary';

const text = (value: string): Part => ({ type: 'text', text: value });
const image: Part = { type: 'image', mediaType: 'image/png', data: 'AAAA' };

describe('the summary of a result whose tool gave none', () => {
  test.each([
    ['Bash', [text('PASS a.test.ts\nPASS b.test.ts\n')], false, 'Bash, 30 characters in 2 lines: PASS a.test.ts'],
    ['Bash', [text('x')], true, 'Bash failed, 1 character: x'],
    ['Read', [text('\n\n  first\n')], false, 'Read, 10 characters in 3 lines: first'],
    ['Shot', [image], false, 'Shot, 1 image'],
    ['Shot', [text('Done'), image, image], false, 'Shot, 4 characters and 2 images: Done'],
    ['Bash', [], false, 'Bash, no output'],
    ['Bash', [text('   \n')], false, 'Bash, 4 characters'],
  ] as const)('of %s says name, size and first line', (tool, content, isError, expected) => {
    expect(summariseResult(tool, content, isError)).toBe(expected);
  });

  test('is one short, well-formed line whatever the content is', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 400 })), fc.boolean(), (contents, isError) => {
        const summary = summariseResult('Bash', contents.map(text), isError);
        expect(summary).not.toContain('\n');
        expect(summary.length).toBeLessThan(260);
        expect(summary.isWellFormed()).toBe(true);
      }),
    );
  });

  test('is made of the start of a content of any length', () => {
    expect(summariseResult('Bash', [text('a'.repeat(1_000_000))])).toBe(
      `Bash, 1000000 characters: ${'a'.repeat(160)}…`,
    );
  });
});
