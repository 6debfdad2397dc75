/** The user's own words for the summary (S9.8): the newest messages whole, standing rules of the older ones. */
import { inSlices } from '../../../../core/index';
import { collapseBlanks, quotationsOf } from '../../quotation';
import { directivesOf, type Directive } from './directives';
import type { Entry } from './pages';
import { roughTokens } from './prose';
import { isGoingOn, userWords } from './user-words';

/** Messages of at most this many tokens are quoted whole, if they are among the newest. */
const WHOLE_TOKENS = 200;
const NEWEST = 5;
/** A message of at most this many characters is not taken apart. */
const SHORT = 200;
/** Rules of newer messages that come before those of an earlier summary. */
const RULES_FIRST = 12;

/** A quotation and when it was said; those of an earlier summary are below 0. */
interface Quotation {
  readonly quotation: string;
  readonly at: number;
}

export interface Quotations {
  /** The newest short messages, as far as they are not carried over. They are in every summary. */
  readonly must: readonly Quotation[];
  /** What else may be quoted, the most worth first. */
  readonly may: readonly Quotation[];
}

/** Everything worth quoting, on one line each and verbatim but for blanks. */
export async function gatherQuotations(
  entries: readonly Entry[],
  earlier: readonly string[],
  signal: AbortSignal,
): Promise<Quotations> {
  const users = entries.filter(({ kind }) => kind === 'user');
  const earlierToo = entries.filter(({ kind }) => kind === 'earlier' || kind === 'user');
  const short = earlierToo.flatMap(({ kept, text, tokens, number }) => {
    const quotation = wholeQuotation(text);
    const fits = tokens <= WHOLE_TOKENS || roughTokens(quotation) <= WHOLE_TOKENS;
    return fits && quotation !== '' ? [{ kept, quotation, at: number }] : [];
  });
  const must = short.slice(-NEWEST).flatMap(({ kept, ...one }) => (kept ? [] : [one]));
  const said: (Directive & { readonly at: number })[] = [];
  await inSlices(
    users,
    (entry) => {
      if (!entry.kept) for (const directive of saidIn(entry)) said.push({ ...directive, at: entry.number });
    },
    signal,
  );
  said.sort((a, b) => b.binding - a.binding || b.at - a.at);
  const rules = said.filter(({ binding }) => binding === 2);
  const carried = earlier.flatMap((line, index) =>
    quotationsOf(line)
      .slice(0, 1)
      .map((quotation) => ({ quotation: collapseBlanks(quotation), at: index - earlier.length })),
  );
  const wishes = said.filter(({ binding }) => binding < 2);
  return { must, may: [...rules.slice(0, RULES_FIRST), ...carried, ...rules.slice(RULES_FIRST), ...wishes] };
}

/**
 * The quotations that must be told and as many of the others as fit, in the order in which they were said; none twice. With
 * `sure` none of an earlier summary, whose quotations cannot be verified here.
 */
export function chosenQuotations({ must, may }: Quotations, tokens: number, sure: boolean): readonly string[] {
  const chosen: Quotation[] = [...must];
  let left = Math.max(tokens / 2, tokens - must.reduce((sum, { quotation }) => sum + roughTokens(quotation) + 4, 0));
  for (const candidate of may) {
    if (sure && candidate.at < 0) continue;
    const size = roughTokens(candidate.quotation) + 4;
    if (size > left || chosen.some(({ quotation }) => quotation.includes(candidate.quotation))) continue;
    chosen.push(candidate);
    left -= size;
  }
  const lines = chosen.sort((a, b) => a.at - b.at).map(({ quotation }) => quotation);
  return lines.filter(
    (line, index) => !lines.some((other, at) => at !== index && other.includes(line) && (other !== line || at < index)),
  );
}

/** A message on one line; what a harness put into it only where it is short. Empty where a part of it is not known. */
function wholeQuotation(text: string): string {
  if (text.includes('characters left out …]')) return '';
  const lines = text.split('\n').filter((line) => !/^\[image [^\]]*\]$/.test(line));
  const whole = collapseBlanks(lines.join('\n'));
  const words = collapseBlanks(userWords(text));
  return words !== '' && whole.length - words.length > SHORT && whole.includes(words) ? words : whole;
}

/** What a message rules or wishes: a short message as a whole, else the sentences that do. */
function saidIn({ text }: Entry): readonly Directive[] {
  const prompt = userWords(text);
  const directives = directivesOf(prompt);
  const whole = collapseBlanks(prompt);
  if (whole === '' || whole.length > SHORT || isGoingOn(prompt) || !collapseBlanks(text).includes(whole))
    return directives;
  return [{ quotation: whole, binding: Math.max(0, ...directives.map(({ binding }) => binding)) }];
}
