/** The summary that lies at a desk (S9.7): the last one counts, and what is wrong with one is asked to be corrected once. */
import type { DeskAnswer } from './desk-tools';
import { SUMMARY_FINAL, SUMMARY_TAKEN } from './worker-task';
import type { SummaryFacts, SummaryFormat, SummaryProblem } from './summary';

/** Characters of a summary that are looked at; far more than any limit allows. */
const MOST_CHARACTERS = 200_000;

/** What a worker may be asked for, each once: a summary at all, a shorter one, a corrected one. */
type Request = 'any' | 'shorter' | 'corrected';

export class HandedIn {
  /** The summary that was taken last. */
  text: string | undefined;
  /** What the format finds wrong with it. */
  problems: readonly SummaryProblem[] = [];
  readonly #format: SummaryFormat;
  readonly #asked = new Set<Request>();

  constructor(format: SummaryFormat) {
    this.#format = format;
  }

  /** Takes a summary, and says at once what is wrong with it; an empty one or one that nobody could read is not taken. */
  take(text: string, facts: SummaryFacts): DeskAnswer {
    if (text.length > MOST_CHARACTERS) {
      const size = `The summary has ${text.length} characters; at most ${facts.maxTokens} tokens are allowed.`;
      return { summary: this.#ask('shorter') ? size : `${size} ${SUMMARY_FINAL}`, isError: true };
    }
    const problems = this.#format.check(text, facts);
    if (problems.some(({ problem }) => problem === 'empty')) {
      const fault = problems.map(({ message }) => message).join('\n');
      return { summary: this.#ask('any') ? fault : `${fault} ${SUMMARY_FINAL}`, isError: true };
    }
    this.text = text;
    this.problems = problems;
    const taken = `${SUMMARY_TAKEN}, ${facts.countText(text)} tokens.`;
    if (problems.length === 0) return { summary: taken };
    const list = problems.map(({ message }) => `- ${message}`);
    const wanted = new Set(problems.map(({ problem }) => (problem === 'too-long' ? 'shorter' : 'corrected')));
    if ([...wanted].filter((request) => this.#ask(request)).length > 0)
      return {
        summary: [`${taken} Call write_summary again with this corrected:`, ...list].join('\n'),
        isError: true,
      };
    if (problems.every(({ line }) => line !== undefined))
      return { summary: [`${taken} These lines will be left out:`, ...list].join('\n') };
    return { summary: [`${taken} It cannot be used:`, ...list, SUMMARY_FINAL].join('\n'), isError: true };
  }

  /** Whether a request may still be made; it is then made. */
  #ask(request: Request): boolean {
    if (this.#asked.has(request)) return false;
    this.#asked.add(request);
    return true;
  }
}
