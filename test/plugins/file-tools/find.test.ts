import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { CLOCK, defaultService, type Clock } from '../../../core';
import { lineMatcher, linesOf, shownLine } from '../../../plugins/file-tools/line-search';
import { matcherOf } from '../../../plugins/file-tools/walk';
import { workplace } from './workplace';

const TREE = {
  '.gitignore': 'dist/\n*.log\n',
  '.git/config': 'needle',
  'README.md': 'A needle.\n',
  'dist/out.js': 'needle',
  'debug.log': 'needle',
  'src/.gitignore': 'generated.ts\n',
  'src/a.ts': 'const needle = 1;\r\n// other\r\nneedle();\r\n',
  'src/b.tsx': 'no such thing\n',
  'src/generated.ts': 'needle',
  'src/deep/c.ts': 'NEEDLE',
  'src/deep/data.bin': Uint8Array.of(0, 1, 2),
};

describe('list_files', () => {
  test('lists a folder without what git ignores, and says so', async () => {
    const { root, call } = await workplace(TREE);
    symlinkSync('README.md', join(root, 'link.md'));
    expect(await call('list_files', {})).toMatchObject({
      summary: 'Listed the root: 4 entries',
      text: '.gitignore\nREADME.md\nlink.md (link)\nsrc/\n[3 ignored by git]',
    });
    expect((await call('list_files', { path: './src' })).text).toBe(
      'src/.gitignore\nsrc/a.ts\nsrc/b.tsx\nsrc/deep/\n[1 ignored by git]',
    );
    expect((await call('list_files', { path: 'dist' })).text).toBe('dist/out.js');
  });

  test('with a glob finds files at any depth, and follows no link', async () => {
    const { root, call } = await workplace(TREE);
    symlinkSync('src', join(root, 'lib'));
    symlinkSync('..', join(root, 'src/up'));
    const found = async (glob: string, path = '.'): Promise<string> => (await call('list_files', { glob, path })).text;
    expect(await found('*.ts')).toBe('src/a.ts\nsrc/deep/c.ts');
    expect(await found('**/*.{ts,tsx}')).toBe('src/a.ts\nsrc/b.tsx\nsrc/deep/c.ts');
    expect(await found('src/*.ts')).toBe('src/a.ts');
    expect(await found('./src/*.ts')).toBe('src/a.ts');
    expect(await found('deep/*', 'src')).toBe('src/deep/c.ts\nsrc/deep/data.bin');
    expect(await found('*.rs')).toBe('No file matches *.rs');
    expect(await found('**', 'src')).not.toContain('generated');
  });

  test('is bounded and says so', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 620 }, (_, at) => [`f/${String(at).padStart(4, '0')}.txt`, '']),
    );
    const { call } = await workplace(many);
    const folder = (await call('list_files', { path: 'f' })).text.split('\n');
    expect([folder.length, folder.at(-1)]).toEqual([501, '[120 more entries; use a glob]']);
    const matches = (await call('list_files', { glob: '*.txt' })).text.split('\n');
    expect([matches.length, matches.at(-1)]).toEqual([501, '[more than 500 files match; narrow path or glob]']);
  });

  test('a name with a line break is shown on one line', async () => {
    const { call } = await workplace({ 'a\n[3 ignored by git].ts': 'hit' });
    expect((await call('list_files', {})).text).toBe('a\\u000a[3 ignored by git].ts');
    expect((await call('list_files', { glob: '*.ts' })).text).toBe('a\\u000a[3 ignored by git].ts');
    expect((await call('search_files', { pattern: 'hit' })).text).toBe('a\\u000a[3 ignored by git].ts\n1: hit');
  });

  test('says what is no folder', async () => {
    const { call } = await workplace({ 'a.ts': 'x', 'empty/.gitignore': '*' });
    expect((await call('list_files', { path: 'a.ts' })).text).toBe('Error: a.ts is not a folder.');
    expect((await call('list_files', { path: 'gone', glob: '*' })).text).toBe('Error: gone does not exist.');
    expect((await call('list_files', { path: 'empty' })).text).toBe('[1 ignored by git]');
  });
});

describe('search_files', () => {
  test('shows the lines that match under their file, by number', async () => {
    const { call } = await workplace(TREE);
    expect(await call('search_files', { pattern: 'needle' })).toMatchObject({
      summary: '3 lines match needle in 2 of 6 files',
      text: 'README.md\n1: A needle.\n\nsrc/a.ts\n1: const needle = 1;\n3: needle();',
    });
    const text = async (args: object): Promise<string> => (await call('search_files', args as never)).text;
    expect(await text({ pattern: 'needle', glob: '*.ts', ignore_case: true })).toBe(
      'src/a.ts\n1: const needle = 1;\n3: needle();\n\nsrc/deep/c.ts\n1: NEEDLE',
    );
    expect(await text({ pattern: 'needle\\(\\);$', path: 'src/a.ts' })).toBe('src/a.ts\n3: needle();');
    expect(await text({ pattern: 'needle', path: 'dist' })).toBe('dist/out.js\n1: needle');
    expect(await text({ pattern: 'nowhere', path: 'src' })).toBe('No line matches nowhere in 4 files');
    expect(await text({ pattern: 'x', path: 'gone' })).toBe('Error: gone does not exist.');
    expect(await text({ pattern: 'x', path: 'src/deep/data.bin' })).toBe('Error: src/deep/data.bin is binary.');
  });

  test('is bounded and says so', async () => {
    const { call } = await workplace({ 'a.txt': 'hit\n'.repeat(150), 'b.txt': 'hit\n'.repeat(150) });
    const lines = (await call('search_files', { pattern: 'hit' })).text.split('\n');
    expect(lines.filter((line) => line.endsWith(': hit'))).toHaveLength(200);
    expect(lines.at(-1)).toContain('[200 lines, there may be more');
  });

  test('an expression that it does not know is named as such', async () => {
    const { call } = await workplace();
    for (const pattern of ['foo(', '(?=x)', '(a)\\1', '[z-a]']) {
      const { text, isError } = await call('search_files', { pattern });
      expect([isError, text]).toEqual([true, expect.stringContaining('is no regular expression of RE2')]);
    }
    expect((await call('search_files', { pattern: '(a?){1000}' })).text).toContain('pattern is too large');
  });

  test('gives up after 20 seconds, with what it found', async () => {
    let now = 0;
    const clock: Clock = { now: () => (now += 7), after: () => () => undefined };
    const services = [defaultService(CLOCK, () => clock)];
    const { call } = await workplace({ 'a.txt': `hit\n${'x\n'.repeat(20_000)}hit\n` }, { services });
    const { text } = await call('search_files', { pattern: 'hit' });
    expect(text).toBe('a.txt\n1: hit\n\n[stopped after 20 s; narrow path or glob]');
  });

  test('ends with the run', async () => {
    const { call } = await workplace({ 'a.txt': 'x' });
    const controller = new AbortController();
    controller.abort(new Error('stop'));
    expect((await call('search_files', { pattern: 'x' }, controller.signal)).isError).toBe(true);
  });
});

describe('matching lines', () => {
  const LINE = fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 40 }),
  );

  test('agrees with the expressions of JavaScript where both have the same syntax', () => {
    const pattern = fc.constantFrom(
      'a+b',
      '^a',
      'b$',
      '[^ ]+ b',
      '(a|bb)+ ',
      '\\bab\\b',
      'a{2,3}b',
      '.',
      '\\w\\s\\w',
      '',
    );
    fc.assert(
      fc.property(pattern, LINE, (given, line) => {
        const match = lineMatcher(given, false) as (text: string) => number;
        expect(match(line)).toBe(line.search(new RegExp(given)));
      }),
    );
  });

  test.each(['(a+)+$', '(a|aa)+$', '(.*)*x', '(\\w+\\s?)*:$', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    '%s does not hang on lines that make others hang',
    (pattern) => {
      const match = lineMatcher(pattern, false) as (text: string) => number;
      expect(match(`${'a'.repeat(100_000)}!`)).toBeDefined();
    },
  );

  test('lines are those of the text, whatever they end with', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '\n', '\r', 'é') }), (text) => {
        const expected = text.split('\n').map((line) => line.replace(/\r$/, ''));
        if (text === '' || text.endsWith('\n')) expected.pop();
        expect([...linesOf(text)]).toEqual(expected);
      }),
    );
  });

  test('a long line is shown around its match', () => {
    const line = `${'x'.repeat(1000)}needle${'y'.repeat(1000)}`;
    const shown = shownLine(line, 1000);
    expect(shown).toMatch(/^…x+needley+…$/);
    expect(shown).toHaveLength(302);
    expect(shownLine('short', 2)).toBe('short');
  });
});

describe('globs', () => {
  test.each([
    '*a*a*a*a*a*a*a*b',
    '**/*a/**/*a/**/*a/**/b',
    '+(a|aa)+(a|aa)b',
    '{a,b}'.repeat(50),
    '{1..99999999}',
    '*('.repeat(60),
    '[a-'.repeat(60),
    '?*'.repeat(100),
    '!(*a)!(*a)!(*a)b',
  ])('%s neither hangs nor throws', (glob) => {
    const matches = matcherOf(glob);
    for (const path of ['a'.repeat(250), 'aa/'.repeat(80), `${'a'.repeat(200)}b`])
      expect(typeof matches(path)).toBe('boolean');
  });
});
