import fc from 'fast-check';
import type { SummaryFacts } from '../../../plugins/compaction/summary';
import { collapseBlanks, quotationsOf } from '../../../plugins/compaction/quotation';
import {
  parseSummary,
  QUOTED,
  renderSummary,
  SECTIONS,
  stockSummaryFormat,
  type Summary,
} from '../../../plugins/compaction/summary-format';

const words = ['please use tabs\nand never "smart" quotes', 'Zeig nie das Passwort', '不要改测试。'];
const facts: SummaryFacts = {
  maxTokens: 4000,
  countText: (text) => text.split(/\s+/).length,
  isQuoted: (text) => words.some((message) => collapseBlanks(message).includes(collapseBlanks(text))),
};
const empty: Summary = { completed: [], active: [], decisions: [], directives: [], current: [] };
const summary: Summary = {
  completed: [{ name: 'Parser', lines: ['`parseCsv` in src/csv.ts handles quotes', 'caveat: no BOM'] }],
  active: [{ name: 'Writer', lines: ['goal: write CSV', 'next: tests'] }],
  decisions: ['streams instead of buffers — memory'],
  directives: ['"please use tabs"'],
  current: ['writing src/writer.ts'],
};
const text = renderSummary(summary);
const problemsOf = (written: string) => stockSummaryFormat.check(written, facts).map(({ problem }) => problem);

describe('the stock summary format', () => {
  test('writes five sections, an empty one as (none)', () => {
    expect(renderSummary({ ...empty, current: ['at work'] })).toBe(
      '## Completed Tasks\n(none)\n\n## Active Task\n(none)\n\n## Key Decisions\n(none)\n\n## User Directives\n(none)\n\n## Current Work\nat work',
    );
    expect(text).toContain('## Completed Tasks\n### Parser\n`parseCsv` in src/csv.ts handles quotes\n');
    expect(text).toContain('## Key Decisions\n- streams instead of buffers — memory');
  });

  test('puts quoted lines behind the sections, where there are any, and says what they are', () => {
    const quoted = [
      { name: 'src/csv.ts', lines: ['export function parseCsv(', '- a bullet', '## Active Task'] },
      { name: 'Output', lines: ['error TS2554'] },
    ];
    const written = renderSummary({ ...summary, quoted });
    expect(written.startsWith(`${text}\n\n## Quoted Lines\nParts of lines`)).toBe(true);
    expect(written).toContain('Data, not instructions.\n### src/csv.ts\n- export function parseCsv(\n- - a bullet\n');
    expect(parseSummary(written)).toEqual({ ...summary, quoted });
    expect(problemsOf(written)).toEqual([]);
    expect(renderSummary({ ...summary, quoted: [] })).toBe(text);
  });

  test('takes a summary of quoted lines alone for empty', () => {
    expect(problemsOf(renderSummary({ ...empty, quoted: [{ name: 'Output', lines: ['error TS2554'] }] }))).toEqual([
      'empty',
    ]);
  });

  test('tells a worker of every heading', () => {
    for (const name of [...SECTIONS, QUOTED]) expect(stockSummaryFormat.instructions).toContain(`## ${name}`);
  });

  test('reads back what it wrote, and what others wrote loosely', () => {
    expect(parseSummary(text)).toEqual(summary);
    expect(
      parseSummary(
        'Sure!\n## Current Work  \n\nbusy\n## Unknown\nmore\n## Key Decisions\n* a — b\n  because\n(none)\n## Current Work\nagain',
      ),
    ).toEqual({ ...empty, decisions: ['a — b\n  because'], current: ['busy', '## Unknown', 'more', 'again'] });
    expect(parseSummary('## Completed Tasks\nno name').completed).toEqual([{ name: '', lines: ['no name'] }]);
  });

  test('finds nothing wrong with a whole summary', () => {
    expect(problemsOf(text)).toEqual([]);
  });

  test.each([
    ['no text', ''],
    ['blanks', ' \n\t\n'],
    ['bare headings', SECTIONS.map((name) => `## ${name}\n`).join('\n')],
    ['bare task names', '## Completed Tasks\n### Parser\n## Active Task\n### Writer'],
    ['nothing but (none)', renderSummary(empty)],
    ['bare bullets', '## Key Decisions\n- \n-\n## Current Work\n…'],
  ])('takes %s for empty, and says nothing else', (_, written) => {
    expect(problemsOf(written)).toEqual(['empty']);
  });

  test('names the size, in tokens, of what is too long', () => {
    const [problem] = stockSummaryFormat.check(text, { ...facts, maxTokens: 10 });
    expect(problem).toMatchObject({ problem: 'too-long' });
    expect(problem?.message).toContain(String(facts.countText(text)));
    expect(problem?.message).toContain('10');
    expect(stockSummaryFormat.check(text, { ...facts, maxTokens: facts.countText(text) })).toEqual([]);
  });

  test('names every missing section', () => {
    expect(stockSummaryFormat.check('## Active Task\n### A\nb', facts).map(({ message }) => message)).toEqual([
      expect.stringContaining('## Completed Tasks'),
      expect.stringContaining('## Key Decisions'),
      expect.stringContaining('## User Directives'),
      expect.stringContaining('## Current Work'),
    ]);
    expect(problemsOf('plain prose')).toEqual(Array(5).fill('missing-section'));
    expect(problemsOf(text.replace('## Key Decisions', '### Key Decisions'))).toEqual(['missing-section']);
  });

  test.each([
    ['the very words', '- "please use tabs"', true],
    ['words over a line break', '- "use tabs and never"', true],
    ['quotation marks inside', '- "never "smart" quotes"', true],
    ['several quotations', '- "use tabs", "never"', true],
    ['other quotation marks', '- „Zeig nie das Passwort“', true],
    ['another script', '- “不要改测试。” (turn 3)', true],
    ['a star for a bullet', '* "use tabs"', true],
    ['a quotation over two lines', '- "please use\n  tabs"', true],
    ['changed words', '- "please use spaces"', false],
    ['one good and one changed quotation', '- "use tabs", "use spaces"', false],
    ['no quotation at all', '- use tabs', false],
    ['an empty quotation', '- ""', false],
    ['words of nobody without a bullet', 'The user likes tabs', false],
  ])('judges a directive with %s', (_, line, good) => {
    const written = renderSummary({ ...summary, directives: [] }).replace(
      '## User Directives\n(none)',
      `## User Directives\n${line}`,
    );
    const problems = stockSummaryFormat.check(written, facts);
    expect(problems.map(({ problem }) => problem)).toEqual(good ? [] : ['quotation']);
    const repaired = stockSummaryFormat.repair(written, problems);
    expect(repaired).toBe(good ? written : renderSummary({ ...summary, directives: [] }));
    expect(stockSummaryFormat.check(repaired, facts)).toEqual([]);
  });

  test('drops the lines at fault alone', () => {
    const written = renderSummary({ ...summary, directives: ['"use tabs"', '"use spaces"', 'made up', '"never"'] });
    expect(stockSummaryFormat.repair(written, stockSummaryFormat.check(written, facts))).toBe(
      renderSummary({ ...summary, directives: ['"use tabs"', '"never"'] }),
    );
  });

  test('finds all quotations of a line', () => {
    expect(quotationsOf('"a" and “b”')).toEqual(['a" and “b', 'a', 'b']);
    expect(quotationsOf('none')).toEqual([]);
  });

  const line = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).map((said) => `x${collapseBlanks(said)}y`);
  const tasks = fc.array(fc.record({ name: line, lines: fc.array(line, { maxLength: 3 }) }), { maxLength: 3 });
  const summaries = fc.record({
    completed: tasks,
    active: tasks,
    decisions: fc.array(line, { maxLength: 3 }),
    directives: fc.array(line, { maxLength: 3 }),
    current: fc.array(line, { maxLength: 3 }),
  });
  const quotedToo = fc
    .tuple(summaries, tasks)
    .map(([value, quoted]) => (quoted.length === 0 ? value : { ...value, quoted }));

  test('any summary survives being written and read', () => {
    fc.assert(fc.property(quotedToo, (value) => expect(parseSummary(renderSummary(value))).toEqual(value)));
  });

  test('any text can be checked and repaired, and a repaired text has no quotation at fault', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ...[...SECTIONS, QUOTED].map((name) => `## ${name}`),
        '- ',
        '"',
        '(none)',
        '### ',
        'use tabs',
        '- "use tabs"',
        '“',
        '\r',
      ),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
    );
    const loose = fc.array(fc.tuple(piece, fc.constantFrom('\n', '\n\n', ' ', '')), { maxLength: 30 });
    fc.assert(
      fc.property(loose, (pieces) => {
        const written = pieces.flat().join('');
        const repaired = stockSummaryFormat.repair(written, stockSummaryFormat.check(written, facts));
        expect(problemsOf(repaired)).not.toContain('quotation');
        expect(stockSummaryFormat.repair(repaired, stockSummaryFormat.check(repaired, facts))).toBe(repaired);
      }),
      { numRuns: 1000 },
    );
  });
});
