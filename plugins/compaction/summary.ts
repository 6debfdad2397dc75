/** The summary format (S9.8), a service: what a summary must look like and how it is checked. */

/** One fault of a summary, in words that a worker can act on. */
export interface SummaryProblem {
  readonly problem: 'empty' | 'too-long' | 'missing-section' | 'quotation' | (string & {});
  readonly message: string;
  /** The line at fault, where one line is. */
  readonly line?: string;
}

/** What a summary is checked against. */
export interface SummaryFacts {
  readonly maxTokens: number;
  countText(text: string): number;
  /** Whether a quotation stands verbatim in some message of the user. */
  isQuoted(text: string): boolean;
}

/**
 * A format as the offline worker is held to it: its sections are those of the stock format, whatever another one asks for, so
 * that `missing-section` is no fault of its summaries.
 */
export function withoutSections(format: SummaryFormat): SummaryFormat {
  return {
    name: format.name,
    instructions: format.instructions,
    check: (text, facts) => format.check(text, facts).filter(({ problem }) => problem !== 'missing-section'),
    repair: (text, problems) => format.repair(text, problems),
  };
}

/** What a summary looks like, and how it is checked and mended (S9.7, S9.8). */
export interface SummaryFormat {
  readonly name: string;
  /** What a worker is told about the form. */
  readonly instructions: string;
  check(text: string, facts: SummaryFacts): readonly SummaryProblem[];
  /** The text without the lines at fault, where dropping them is allowed (unquoted directives). */
  repair(text: string, problems: readonly SummaryProblem[]): string;
}
