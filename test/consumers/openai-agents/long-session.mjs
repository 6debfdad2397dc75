// What the tests of a long session share: an agent that reads files, what it is asked, and what is told of it.
import { Agent, run, tool } from '@openai/agents';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { createStrictModel } from './strict-model.mjs';

export const LIMITS = { contextWindow: 24_000, maxOutput: 4_000 };
export const CONFIG = {
  compaction: { compactThreshold: '60%', compactRequestThreshold: '90%', retainedTokens: 3_000, autoReadBudget: 1_000 },
  prune: { protectedTokens: 8_000, minSavings: 4_096 },
};
export const PROMPT = 'You look after a repository. Read before you answer.';

const WORDS = 'parser token buffer cursor branch symbol header column record stream window digest'.split(' ');

/** A text of about so many tokens that is never the same. */
export function text(seed, tokens) {
  const words = [];
  for (let at = 0; words.length < tokens; at++)
    words.push(WORDS[(seed * 7 + at * 5 + ((at * at) % 11)) % WORDS.length] + (at % 9 === 0 ? `\n${seed}.${at}` : ''));
  return words.join(' ');
}

/** Steps with tools that a prompt takes: every second task is a long one, in which the safety net is needed. */
const stepsOf = (prompt) => (Number(/^Task (\d+)/.exec(prompt)?.[1]) % 2 === 1 ? 24 : 9);

/** An agent that reads a file of about so many tokens in each step. */
export function createAgent({ tokens = 800, ...options } = {}) {
  let seed = 0;
  const readFile = tool({
    name: 'read_file',
    description: 'Reads a file.',
    parameters: z.object({ path: z.string() }),
    execute: ({ path }) => `${path}\n${text(++seed, tokens)}`,
  });
  let made = 0;
  const model = createStrictModel({
    prompt: PROMPT,
    script(prompt, step) {
      const steps = stepsOf(prompt);
      if (step >= steps) return { text: `Done with: ${prompt.slice(0, 40)}` };
      const call = () => ({ name: 'read_file', arguments: JSON.stringify({ path: `src/file-${++made}.ts` }) });
      // Every third step makes two calls at once.
      return { calls: step % 3 === 0 && step + 2 <= steps ? [call(), call()] : [call()] };
    },
    ...options,
  });
  return { agent: new Agent({ name: 'Keeper', instructions: PROMPT, model, tools: [readFile] }), model };
}

/** Counts what the plugins tell, and remembers how many requests the model had seen by then. */
export function listen(pith, model, told = { changes: [], done: [], failed: [], host: [] }) {
  const at = () => model.requests.length;
  pith.kernel.bus.on('compaction.done', (event) => {
    told.done.push({ trigger: event.trigger, at: at() });
    told.changes.push(at());
  });
  pith.kernel.bus.on('compaction.failed', (event) => told.failed.push({ outcome: event.outcome, at: at() }));
  pith.kernel.bus.on('prune.fired', () => told.changes.push(at()));
  pith.kernel.bus.on('host.failed', (event) => told.host.push(event.message));
  return told;
}

/** The filter, and what it did to items beside passing them on: neither kept by reference, nor pruned, nor without an id. */
export function watched(filter) {
  const seen = { kept: 0, changed: 0, strange: [] };
  const outer = async (asked) => {
    const { input } = asked.modelData;
    const own = new Set(input);
    const answer = await filter(asked);
    for (const item of answer.input) {
      if (own.has(item)) seen.kept++;
      else if (input.some((one) => isChanged(one, item))) seen.changed++;
      else seen.strange.push(item);
    }
    return answer;
  };
  return { filter: Object.assign(outer, { preserveInputIdentity: true }), seen };
}

function isChanged(one, item) {
  if (one.type !== item.type) return false;
  if (one.type === 'function_call_result') return one.callId === item.callId;
  const { id: _, ...rest } = one;
  return isDeepStrictEqual(rest, item);
}

/** One run after another, each with a prompt of its own, `between` after each; returns what they ended with. */
export async function runAll({ agent, from = 0, runs, options, between, stream = false }) {
  const ends = [];
  for (let n = from; n < from + runs; n++) {
    const result = await run(agent, `Task ${n}: look into module ${n} and say what it does.`, {
      maxTurns: 100,
      stream,
      ...(await options(n)),
    });
    if (stream) for await (const _ of result);
    if (stream) await result.completed;
    ends.push(result.finalOutput);
    await between?.();
  }
  return ends;
}

/** Requests that neither extend the one before byte for byte, nor come right after a recorded prune or compaction. */
export function strays(requests, changes) {
  return requests.flatMap((request, n) => {
    const before = requests[n - 1];
    if (before === undefined || changes.includes(n)) return [];
    const grows =
      request.systemInstructions === before.systemInstructions &&
      before.input.every((item, at) => sameBytes(item, request.input[at]));
    return grows ? [] : [n];
  });
}

/** The host's own session takes the ids off calls once a run is kept. */
function sameBytes(one, other) {
  const plain = (item) => JSON.stringify(item?.type === 'function_call' ? { ...item, id: undefined } : item);
  return plain(one) === plain(other);
}
