// A summary for support work: what customers wait for, what was settled, what they were promised.

const SECTIONS = ['Open Issues', 'Settled Issues', 'Promises', 'Next Step'];

/** @type {import('pith/plugins/compaction').SummaryFormat} */
export const supportFormat = {
  name: 'support/issues',
  instructions: [
    'Write at most 1000 tokens under exactly these headings, in this order; a section with nothing to say holds (none).',
    '## Open Issues',
    'Per ticket a line "### ticket:NUMBER", then: what the customer reports, what was found, what is missing.',
    '## Settled Issues',
    'One line "- ticket:NUMBER — how it was settled" each.',
    '## Promises',
    'One line "- ticket:NUMBER — what the customer was told, with its date" each.',
    '## Next Step',
    'One or two lines.',
  ].join('\n'),

  check(text, { countText, maxTokens }) {
    if (text.trim() === '') return [{ problem: 'empty', message: 'The summary is empty.' }];
    const lines = text.split('\n').map((line) => line.trim());
    const missing = SECTIONS.filter((name) => !lines.includes(`## ${name}`)).map((name) => ({
      problem: 'missing-section',
      message: `The section "## ${name}" is missing.`,
    }));
    const tokens = countText(text);
    const tooLong = { problem: 'too-long', message: `The summary has ${tokens} tokens; ${maxTokens} are allowed.` };
    return tokens > maxTokens ? [...missing, tooLong] : missing;
  },

  repair: (text) => text,
};
