import { summaryFormatContract } from '../../core/testing';
import type { SummaryFormatUnderTest } from '../../core/testing';
import type { SummaryFormat } from '../../plugins/compaction';
import { renderSummary, stockSummaryFormat } from '../../plugins/compaction/summary-format';
import { expectEachToFail } from './contract-can-fail';

const stock: SummaryFormatUnderTest = {
  format: stockSummaryFormat,
  write: (said, quotes) =>
    renderSummary({
      completed: [{ name: 'Lexer', lines: ['`lex` in src/lex.ts'] }],
      active: [{ name: 'Parser', lines: [said] }],
      decisions: ['streams — memory'],
      directives: quotes.map((quote) => `"${quote}"`),
      current: ['at the parser'],
    }),
};

/** A format of one section, without a place for the words of the user. */
const plain: SummaryFormatUnderTest = {
  format: {
    name: 'plain',
    instructions: 'Write one section, ## State.',
    check: (text, { maxTokens, countText }) => [
      ...(text.replace(/^#.*$/gm, '').trim() === '' ? [{ problem: 'empty', message: 'It says nothing.' }] : []),
      ...(countText(text) > maxTokens ? [{ problem: 'too-long', message: 'Shorten it.' }] : []),
    ],
    repair: (text) => text,
  },
  write: (said) => `## State\n${said}`,
};

describe('the contract of summary formats holds for', () => {
  describe('the stock format', () => {
    test.each(summaryFormatContract(stock))('$name', ({ run }) => run());
  });
  describe('a format that quotes nobody', () => {
    test.each(summaryFormatContract(plain))('$name', ({ run }) => run());
  });
});

/** The stock format with something else in place of what it does. */
const but = (broken: Partial<SummaryFormat>): SummaryFormatUnderTest => ({
  ...stock,
  format: { ...stock.format, ...broken },
});
const { check, repair } = stockSummaryFormat;
let asked = 0;

describe('the contract of summary formats', () => {
  expectEachToFail(summaryFormatContract, {
    'it has a name, and instructions that are short enough to be sent with every job': but({ instructions: ' ' }),
    'what is written in it is taken as it is, with quotations and without': but({ repair: (text) => `${text}\n` }),
    'a summary that says nothing is empty: no text, blanks, headings alone': but({
      check: (text, facts) => (text.trim() === '' ? check(text, facts) : check(`${text}\nsaid`, facts)),
    }),
    'what has more tokens than are allowed is too long as a whole; exactly as many are not': but({
      check: (text, facts) => check(text, { ...facts, maxTokens: facts.maxTokens + 1 }),
    }),
    'a quotation that nobody said is a problem, by its line': but({
      check: (text, facts) => check(text, { ...facts, isQuoted: () => true }),
    }),
    'the same text has the same problems, however often it is checked': but({
      check: (text, facts) => [...check(text, facts), { problem: `no. ${String(asked++)}`, message: 'Another one.' }],
    }),
    'any text can be checked, however odd and long': but({
      check: (text, facts) => (encodeURIComponent(text) === '' ? [] : check(text, facts)),
    }),
    'a line at fault is dropped, and nothing else': but({
      repair: (text, problems) => (problems.length === 0 ? text : text.replace(/^- ".*\n?/gm, '')),
    }),
    'where every quotation is dropped the summary is still whole': but({
      repair: (text, problems) => (problems.length === 0 ? text : (text.split('## User Directives')[0] ?? '')),
    }),
    'problems that no line is to blame for change nothing': but({
      repair: (text, problems) => (problems.length === 0 ? text : repair(text.trimEnd().slice(0, -1), problems)),
    }),
    'what was repaired is not repaired again': but({
      repair: (text, problems) => (problems.length === 0 ? text : `${repair(text, problems)}\n`),
    }),
  });
});
