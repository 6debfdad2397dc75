/** Summaries as incident reports. What holds for every summary is left to the format that it replaces. */
import type { SummaryFormat } from 'pith/plugins/compaction';

const SECTIONS = ['Impact', 'Timeline', 'Causes', 'Next Steps', 'User Directives'] as const;

/** A format with the sections of an incident report, on top of another one. */
export function incidentFormat(base: SummaryFormat): SummaryFormat {
  return {
    name: 'incident/report',
    instructions: [
      'Write at most 1200 tokens under exactly these headings, in this order; a section with nothing to say holds (none).',
      '## Impact',
      'Two or three lines: who is affected, since when, how badly.',
      '## Timeline',
      'One line "- time — what happened or was done" each, with what came of it.',
      '## Causes',
      'One line "- cause — the evidence for or against it" each; ruled out causes too.',
      '## Next Steps',
      'What is being done right now, and what comes after it.',
      '## User Directives',
      'One line - "…" each: the words of the user verbatim between double quotes, only those that still matter.',
    ].join('\n'),
    check(text, facts) {
      const lines = new Set(text.split('\n').map((line) => line.trim()));
      return [
        ...base.check(text, facts).filter(({ problem }) => problem !== 'missing-section'),
        ...SECTIONS.filter((name) => !lines.has(`## ${name}`)).map((name) => ({
          problem: 'missing-section',
          message: `The section "## ${name}" is missing. Add it; write (none) where there is nothing to say.`,
        })),
      ];
    },
    repair: (text, problems) => base.repair(text, problems),
  };
}
