/**
 * What every summary format must do, whatever its sections are (S9.7, S9.8): take what is written in it, tell what is wrong in
 * words that a worker can act on, and drop what nobody said.
 */
import type { CheckedFormat } from './compaction-shapes';
import type { ContractCheck } from './contract-check';
import { formatChecks } from './summary-checks';
import { repairChecks } from './summary-repairs';

/** A summary format as the contract of formats tests it. */
export interface SummaryFormatUnderTest {
  readonly format: CheckedFormat;
  /**
   * Writes a whole summary in the format that says `said` somewhere, and quotes each of `quotes` where the format has a place
   * for the words of the user; a format without one leaves them out.
   */
  write(said: string, quotes: readonly string[]): string;
}

/** A check on a format. */
export interface FormatCheck {
  readonly name: string;
  check(under: SummaryFormatUnderTest): void;
}

/** The checks of the contract of summary formats; `test.each` of any runner takes them. */
export function summaryFormatContract(under: SummaryFormatUnderTest): readonly ContractCheck[] {
  return [...formatChecks, ...repairChecks].map(({ name, check }) => ({
    name,
    // what a check throws is the rejection of its run
    async run() {
      check(under);
    },
  }));
}
