// A model that answers at once: it reads fifty files, ten at a time, and writes a summary.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { createScriptedModel } = require('../../dist/core/testing/index.js');

export const FILES = 50;
const AT_ONCE = 10;

const SECTIONS = ['Completed Tasks', 'Active Task', 'Key Decisions', 'User Directives', 'Current Work'];
/** A summary that the desk takes. */
export const SUMMARY = SECTIONS.map((name) => `## ${name}\n${name === 'Active Task' ? 'Porting.' : '(none)'}`).join(
  '\n\n',
);

/** The name of one of the files, in the root that the desk reads from. */
export const fileName = (n) => `part-${n}.txt`;

export function fileReadingModel() {
  return createScriptedModel({
    window: 1_000_000,
    script({ turns }) {
      const read = turns.flatMap(({ results }) => results).length;
      if (read > FILES) return 'Done.';
      if (read === FILES) return { calls: [{ name: 'write_summary', arguments: { text: SUMMARY } }] };
      const paths = Array.from({ length: AT_ONCE }, (_, n) => fileName(read + n));
      return { calls: paths.map((path) => ({ name: 'read_file', arguments: { path } })) };
    },
  });
}
