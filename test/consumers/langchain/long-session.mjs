// What the tests of a long session share: an agent that reads files, what it is asked, and what is told of it.
import { MemorySaver } from '@langchain/langgraph';
import { createAgent, tool } from 'langchain';
import { z } from 'zod';
import { StrictModel } from './strict-model.mjs';

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
export function createReader({
  middleware,
  model: given,
  tokens = 800,
  checkpointer = new MemorySaver(),
  systemPrompt = PROMPT,
  ...options
}) {
  let seed = 0;
  const readFile = tool(({ path }) => `${path}\n${text(++seed, tokens)}`, {
    name: 'read_file',
    description: 'Reads a file.',
    schema: z.object({ path: z.string() }),
  });
  let made = 0;
  const model =
    given ??
    new StrictModel({
      prompt: PROMPT,
      script(prompt, step) {
        const steps = stepsOf(prompt);
        if (step >= steps) return { text: `Done with: ${prompt.slice(0, 40)}` };
        const call = () => ({ name: 'read_file', args: { path: `src/file-${++made}.ts` } });
        // Every third step makes two calls at once.
        return { calls: step % 3 === 0 && step + 2 <= steps ? [call(), call()] : [call()] };
      },
      ...options,
    });
  const agentOf = (used) => createAgent({ model, tools: [readFile], systemPrompt, checkpointer, middleware: used });
  return { agent: agentOf(middleware), agentOf, model, seen: model.seen };
}

/** Counts what the plugins tell, and remembers how many requests the model had seen by then. */
export function listen(pith, seen, told = { changes: [], done: [], failed: [], host: [] }) {
  const at = () => seen.requests.length;
  pith.kernel.bus.on('compaction.done', (event) => {
    told.done.push({ trigger: event.trigger, at: at() });
    told.changes.push(at());
  });
  pith.kernel.bus.on('compaction.failed', (event) => told.failed.push({ outcome: event.outcome, at: at() }));
  pith.kernel.bus.on('prune.fired', () => told.changes.push(at()));
  pith.kernel.bus.on('host.failed', (event) => told.host.push(event.message));
  return told;
}

/** Our middleware between two that see what it did to messages: passed on by reference, changed, or made. */
export function watched(middleware) {
  const seen = { kept: 0, changed: 0, strange: [] };
  let own = [];
  const outer = {
    name: 'outer',
    wrapModelCall(request, handler) {
      own = request.messages;
      seen.before = own.map((message) => JSON.stringify(message));
      return handler(request);
    },
  };
  const inner = {
    name: 'inner',
    wrapModelCall(request, handler) {
      const known = new Set(own);
      for (const message of request.messages) {
        if (known.has(message)) seen.kept++;
        else if (own.some((one) => isCopy(one, message))) seen.changed++;
        else seen.strange.push(message);
      }
      if (own.some((message, at) => JSON.stringify(message) !== seen.before[at])) seen.strange.push('the host’s own');
      return handler(request);
    },
  };
  return { middleware: [outer, middleware, inner], seen };
}

/** A copy is of the same class; results are pruned, replies lose their thinking. */
function isCopy(one, copy) {
  if (one.constructor !== copy.constructor) return false;
  if (copy.type === 'tool') return one.tool_call_id === copy.tool_call_id;
  return (
    copy.type === 'ai' &&
    one.text === copy.text &&
    String(one.tool_calls.map(idOf)) === String(copy.tool_calls.map(idOf))
  );
}

const idOf = ({ id }) => id;

/** One run after another, each with a prompt of its own, `between` after each; returns what they ended with. */
export async function runAll({ agent, thread, from = 0, runs, between, streams = false }) {
  const ends = [];
  const config = { configurable: { thread_id: thread }, recursionLimit: 200 };
  for (let n = from; n < from + runs; n++) {
    const input = { messages: [{ role: 'user', content: `Task ${n}: look into module ${n} and say what it does.` }] };
    let messages;
    if (streams) {
      for await (const [mode, chunk] of await agent.stream(input, { ...config, streamMode: ['messages', 'values'] }))
        if (mode === 'values') ({ messages } = chunk);
    } else ({ messages } = await agent.invoke(input, config));
    ends.push(messages.at(-1).text);
    await between?.();
  }
  return ends;
}

/** Requests that neither extend the one before byte for byte, nor come right after a recorded prune or compaction. */
export function strays(requests, changes) {
  return requests.flatMap((request, n) => {
    const before = requests[n - 1];
    if (before === undefined || changes.includes(n)) return [];
    return before.messages.every((message, at) => JSON.stringify(message) === JSON.stringify(request.messages[at]))
      ? []
      : [n];
  });
}
