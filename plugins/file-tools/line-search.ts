/** Searches the lines of a text by a regular expression whose time is linear in the text, whatever the expression (pure). */
import type * as re2 from 're2js';
import { messageOf } from '../../core/index';

/** Instructions of a compiled expression at most: each may cost something for every character. */
const MOST_INSTRUCTIONS = 1000;
/** Characters of a line that are searched. */
const SEARCHED_CHARACTERS = 2000;
/** Characters of a line that are shown. */
const SHOWN_CHARACTERS = 300;

/** Tells where a line matches first, or -1. */
export type LineMatcher = (line: string) => number;

/** A matcher for an expression in the syntax of RE2, or a sentence that says what is wrong with it. */
export function lineMatcher(pattern: string, ignoreCase: boolean): LineMatcher | string {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- loaded at the first search, not with the plugin
  const { RE2JS } = require('re2js') as typeof re2;
  let expression: re2.RE2JS;
  try {
    expression = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (thrown) {
    return `pattern is no regular expression of RE2 (${messageOf(thrown)}). Put \\ before a character that is meant as it is; look-around and back-references are not available.`;
  }
  if (expression.programSize() > MOST_INSTRUCTIONS) return 'pattern is too large; repeat less in it.';
  return (line) => {
    const searched = line.length > SEARCHED_CHARACTERS ? line.slice(0, SEARCHED_CHARACTERS) : line;
    if (!expression.test(searched)) return -1;
    const matcher = expression.matcher(searched);
    return matcher.find() ? matcher.start() : -1;
  };
}

/** The lines of a text without their endings, with their 1-based numbers. */
export function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const feed = text.indexOf('\n', start);
    const end = feed === -1 ? text.length : feed;
    yield text.slice(start, end > start && text[end - 1] === '\r' ? end - 1 : end);
    start = end + 1;
  }
}

/** A line as a result shows it: cut around the match where it is long. */
export function shownLine(line: string, at = 0): string {
  if (line.length <= SHOWN_CHARACTERS) return line;
  const start = Math.max(0, Math.min(at - SHOWN_CHARACTERS / 3, line.length - SHOWN_CHARACTERS));
  const end = start + SHOWN_CHARACTERS;
  return `${start > 0 ? '…' : ''}${line.slice(start, end).toWellFormed()}${end < line.length ? '…' : ''}`;
}
