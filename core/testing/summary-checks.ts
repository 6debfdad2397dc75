/** The checks of the contract of summary formats about what is wrong with a summary (S9.7). */
import assert from 'node:assert/strict';
import type { CheckedFacts, CheckedProblem } from './compaction-shapes';
import type { FormatCheck, SummaryFormatUnderTest } from './summary-format-contract';

export const SAID = 'The parser of src/csv.ts reads quoted fields; next come the tests.';
/** What the user said, and what nobody did. */
export const QUOTES = ['please use tabs', 'Zeig nie das Passwort', '不要改测试'] as const;
export const MADE_UP = 'delete all of the tests';

/** What a summary is checked against: four characters are a token, and the user said {@link QUOTES}. */
export function facts(given: Partial<CheckedFacts> = {}): CheckedFacts {
  const words = QUOTES.map((quote) => `Well: ${quote}. Thank you!`);
  return {
    maxTokens: 4000,
    countText: (text) => Math.ceil(text.length / 4),
    isQuoted: (text) => text.trim() !== '' && words.some((message) => message.includes(text)),
    ...given,
  };
}

/** The problems of a text. Throws where one is not of the form of one. */
export function problemsOf(
  { format }: SummaryFormatUnderTest,
  text: string,
  given: Partial<CheckedFacts> = {},
): readonly CheckedProblem[] {
  const problems = format.check(text, facts(given));
  for (const { problem, message, line } of problems) {
    assert.ok(problem !== '' && message.trim() !== '', `a problem "${problem}" says nothing`);
    assert.ok(message.isWellFormed() && message.length <= 2000, `the message of "${problem}" is no sentence`);
    assert.ok(
      line === undefined || (line !== '' && text.includes(line)),
      `"${problem}" is about a line that is not there`,
    );
  }
  return problems;
}

/** Names of the problems of a text. */
export function namesOf(under: SummaryFormatUnderTest, text: string, given?: Partial<CheckedFacts>): readonly string[] {
  return problemsOf(under, text, given).map(({ problem }) => problem);
}

/** Text that models write when they go wrong, and text that regular expressions stumble over. */
export const ODD_TEXTS: readonly string[] = [
  '',
  'Sure! Here is the summary.',
  '\0',
  'a\ud800b',
  '## \n### \n- \n"',
  '\r\n\r\n',
  '#'.repeat(50_000),
  '"'.repeat(50_000),
  '- "'.repeat(20_000),
  '- “a” '.repeat(10_000),
  ' \n'.repeat(50_000),
  `## ${'x'.repeat(100_000)}`,
  '[End of summary]\n[Auto-read file: a]',
];

export const formatChecks: readonly FormatCheck[] = [
  {
    name: 'it has a name, and instructions that are short enough to be sent with every job',
    check({ format: { name, instructions } }) {
      assert.ok(name.trim() !== '', 'the name is empty');
      assert.ok(instructions.trim() !== '' && instructions.isWellFormed(), 'the instructions say nothing');
      assert.ok(instructions.length <= 8000, `the instructions have ${instructions.length} characters`);
    },
  },
  {
    name: 'what is written in it is taken as it is, with quotations and without',
    check(under) {
      for (const quotes of [[], [QUOTES[0]], QUOTES]) {
        const text = under.write(SAID, quotes);
        assert.ok(text.includes(SAID), 'what was to be said is not there');
        assert.deepEqual(problemsOf(under, text), []);
        assert.equal(under.format.repair(text, []), text);
      }
    },
  },
  {
    name: 'a summary that says nothing is empty: no text, blanks, headings alone',
    check(under) {
      const headings = under
        .write(SAID, [])
        .split('\n')
        .filter((line) => /^#+ /.test(line));
      for (const text of ['', '   ', '\n\n\t\n', headings.join('\n'), headings.join('\n\n\n')])
        assert.ok(namesOf(under, text).includes('empty'), `${JSON.stringify(text)} is not empty`);
    },
  },
  {
    name: 'what has more tokens than are allowed is too long as a whole; exactly as many are not',
    check(under) {
      const text = under.write(SAID, QUOTES);
      const tokens = facts().countText(text);
      assert.deepEqual(namesOf(under, text, { maxTokens: tokens }), []);
      const [problem, ...others] = problemsOf(under, text, { maxTokens: tokens - 1 });
      assert.deepEqual([problem?.problem, problem?.line, others], ['too-long', undefined, []]);
    },
  },
  {
    name: 'a quotation that nobody said is a problem, by its line',
    check(under) {
      const text = under.write(SAID, [QUOTES[0], MADE_UP]);
      if (!text.includes(MADE_UP)) return;
      const problems = problemsOf(under, text);
      assert.deepEqual(
        problems.map(({ problem }) => problem),
        ['quotation'],
      );
      assert.ok(problems[0]?.line?.includes(MADE_UP), 'the line at fault is not named');
    },
  },
  {
    name: 'the same text has the same problems, however often it is checked',
    check(under) {
      for (const text of [under.write(SAID, [MADE_UP]), ...ODD_TEXTS]) {
        const first = under.format.check(text, facts());
        assert.deepEqual(under.format.check(text, facts()), first);
        assert.deepEqual(under.format.check(text, facts()), first);
      }
    },
  },
  {
    name: 'any text can be checked, however odd and long',
    check(under) {
      for (const text of ODD_TEXTS) problemsOf(under, text);
    },
  },
];
