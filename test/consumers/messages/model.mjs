// A strict endpoint that keeps a loop busy: it reads a file after the other, then says that it is done.
import { prose, startStrictProvider } from 'pith/testing';

export const STEPS_PER_RUN = 16;

/** Starts the endpoint; each run of the host has so many steps with tools, then a last word. */
export async function startModel(shape, steps = STEPS_PER_RUN) {
  let step = 0;
  return startStrictProvider({
    shape,
    window: 24_000,
    maxOutput: 2_000,
    script: () => {
      step++;
      if (step % (steps + 1) === 0) return `Done after ${step} steps.`;
      return { text: `Step ${step}.`, calls: [{ name: 'read_file', arguments: { path: `src/file-${step}.ts` } }] };
    },
  });
}

/** What reading a file gives. */
export function readFile({ path }) {
  return prose(1_100, `contents of ${path}`);
}

export const TOOL = {
  name: 'read_file',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

export const PITH = {
  limits: { contextWindow: 24_000, maxOutput: 2_000 },
  config: { compaction: { retainedTokens: 4_000 }, prune: { minSavings: 1_000_000 } },
  log: { level: 'error', write: () => undefined },
};
