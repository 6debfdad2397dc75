/** The user's own words for the summary (S9.8): the newest messages whole, standing rules of the older ones. */
import { collapseBlanks, quotationsOf } from '../../summary-format';
import { directivesOf } from './directives';
import type { Entry } from './pages';
import { roughTokens } from './prose';
import { userWords } from './user-words';

/** Messages of at most this many tokens are quoted whole, if they are among the newest. */
const WHOLE_TOKENS = 200;
const NEWEST = 5;

/**
 * Lines for User Directives: first those that must be there (the newest short messages that are not carried over), then as
 * many as fit of the rules of earlier messages and of the earlier summary, the binding and the newest first. In the order in
 * which they were said.
 */
export function quotedDirectives(entries: readonly Entry[], earlier: readonly string[], maxTokens: number): readonly string[] {
  const users = entries.filter(({ kind }) => kind === 'user');
  const newest = users.filter(({ tokens }) => tokens <= WHOLE_TOKENS).slice(-NEWEST);
  const must = newest.filter(({ kept }) => !kept).map((entry) => ({ quotation: wholeQuotation(entry.text), at: entry.number }));
  const chosen = must.filter(({ quotation }) => quotation !== '');
  let left = maxTokens - chosen.reduce((sum, { quotation }) => sum + roughTokens(quotation) + 4, 0);
  for (const candidate of candidatesOf(users, earlier)) {
    const tokens = roughTokens(candidate.quotation) + 4;
    if (tokens > left || chosen.some(({ quotation }) => quotation.includes(candidate.quotation))) continue;
    chosen.push(candidate);
    left -= tokens;
  }
  const lines = chosen.sort((a, b) => a.at - b.at).map(({ quotation }) => quotation);
  return lines.filter((line, index) => !lines.some((other, at) => at !== index && other.includes(line) && (other !== line || at < index))).map((line) => `"${line}"`);
}

interface Candidate {
  readonly quotation: string;
  readonly at: number;
}

/** What may be quoted besides, the most worth first. */
function candidatesOf(users: readonly Entry[], earlier: readonly string[]): readonly Candidate[] {
  const summarised = users.filter(({ kept }) => !kept);
  const said = summarised.flatMap(({ text, number }) => directivesOf(userWords(text)).map((directive) => ({ ...directive, at: number })));
  const newestFirst = said.sort((a, b) => b.binding - a.binding || b.at - a.at);
  const carried = earlier.flatMap((line, index) => quotationsOf(line).slice(0, 1).map((quotation) => ({ quotation: collapseBlanks(quotation), at: index - earlier.length })));
  const rules = newestFirst.filter(({ binding }) => binding === 2);
  const wishes = newestFirst.filter(({ binding }) => binding < 2);
  return [...rules.slice(0, 12), ...carried, ...rules.slice(12), ...wishes];
}

/** A message on one line without the placeholders of its images; empty where a part of it is not known. */
function wholeQuotation(text: string): string {
  if (text.includes('characters left out …]')) return '';
  return collapseBlanks(
    text
      .split('\n')
      .filter((line) => !/^\[image [^\]]*\]$/.test(line))
      .join('\n'),
  );
}
