import fc from 'fast-check';
import { wildcard } from '../../../core';
import { pathPattern } from '../../../plugins/permissions/path-pattern';
import { parsePattern } from '../../../plugins/permissions/patterns';

/** The plain meaning of a pattern of paths. */
function expressionOf(pattern: string): RegExp {
  const parts = pattern.split('/');
  const source = parts
    .map((part, at) => {
      const isLast = at === parts.length - 1;
      if (part === '**') return isLast ? (at === 0 ? '.*' : '(?:/.*)?') : '(?:[^/]+/)*?';
      const own = part.replace(/[.?+^$()[\]{}|]/g, '\\$&').replaceAll('*', '[^/]*');
      return isLast || (parts.length === at + 2 && parts[at + 1] === '**') ? own : `${own}/`;
    })
    .join('');
  return new RegExp(`^${source}$`);
}

const part = fc.stringMatching(/^[ab][ab.]{0,2}$/);
const path = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('/'));

describe('patterns of paths', () => {
  test.each([
    ['**', ['a', 'a/b', '.'], ['/a', 'C:/a']],
    ['src/**', ['src', 'src/a', 'src/a/b'], ['srcs', 'a/src/b', 'src.ts']],
    ['src/', ['src/a', 'src'], ['srcs']],
    ['./src/*', ['src/a'], ['src/a/b', 'src']],
    ['**/*.ts', ['a.ts', 'a/b.ts'], ['a.tsx', 'a.ts/b']],
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['a/bb', 'b', 'a/b/c']],
    ['/etc/**', ['/etc/passwd'], ['etc/passwd']],
    ['C:/x/*', ['C:/x/a'], ['C:/y/a', 'x/a']],
    ['a\\*', ['a*'], ['ab', 'a\\x']],
    ['a?', ['a?'], ['ab']],
    ['A', ['A'], ['a']],
  ])('%j', (pattern, fitting, others) => {
    const fits = pathPattern(pattern);
    expect(fitting.filter((one) => !fits(one))).toEqual([]);
    expect(others.filter(fits)).toEqual([]);
  });

  test('mean what they say', () => {
    const pattern = fc
      .array(fc.oneof(part, fc.constantFrom('*', '**', 'a*', '*b', 'a*b')), { minLength: 1, maxLength: 5 })
      .filter((parts) => parts.every((one, at) => one !== '**' || parts[at + 1] !== '**'))
      .map((parts) => parts.join('/'));
    fc.assert(
      fc.property(pattern, path, (given, name) => {
        expect(pathPattern(given)(name)).toBe(expressionOf(given).test(name));
      }),
      { numRuns: 2000 },
    );
  });

  test('take no longer for a path that is made to', () => {
    const long = `${'a/'.repeat(2000)}b`;
    expect(pathPattern(`${'**/a/'.repeat(20)}c`)(long)).toBe(false);
    expect(pathPattern(`${'*a'.repeat(50)}c`)('a'.repeat(50_000))).toBe(false);
  });
});

describe('a wildcard', () => {
  test('is any text, and a star behind a backslash is a star', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ab*]{0,8}$/), fc.stringMatching(/^[ab]{0,12}$/), (pattern, text) => {
        expect(wildcard(pattern)(text)).toBe(new RegExp(`^${pattern.replaceAll('*', '[^]*')}$`).test(text));
        expect(wildcard(pattern.replaceAll('*', '\\*'))(pattern)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a pattern', () => {
  test('is a tool, or a tool with a subject; anything else is a fault', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), (text) => {
        const pattern = parsePattern(text);
        if (typeof pattern === 'string') expect(pattern).toMatch(/^(?:is no pattern|has nothing)/);
        else expect(text.trim()).toMatch(/^[\w.:/*-]+(?:\([^]*\))?$/);
      }),
    );
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z_]{1,10}$/),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
        (tool, subject) => {
          fc.pre(subject.trim() !== '');
          const pattern = parsePattern(`${tool}(${subject})`);
          expect(typeof pattern !== 'string' && pattern.isOf(tool) && !pattern.isOf(`${tool}x`)).toBe(true);
        },
      ),
    );
  });
});
