// What the tests of a long session share: an agent of pi that reads files, the endpoint behind it, and what is told of it.
import { Agent } from '@mariozechner/pi-agent-core';
import { getModel, streamSimple, Type } from '@mariozechner/pi-ai';
import { prose, startStrictProvider } from 'pith/testing';

export const LIMITS = { contextWindow: 24_000, maxOutput: 4_000 };
/** Signed thinking of the endpoint is bound to all that stood before it, so nothing is pruned. */
export const CONFIG = {
  compaction: { compactThreshold: '60%', compactRequestThreshold: '90%', retainedTokens: 3_000, autoReadBudget: 1_000 },
  prune: { minSavings: 1_000_000 },
};
export const PRUNING = { ...CONFIG, prune: { protectedTokens: 8_000, minSavings: 4_096 } };
export const PROMPT = 'You look after a repository. Read before you answer.';

/** Steps with tools that a task takes: every second one is long, so that the safety net is needed in it. */
export const stepsOf = (task) => (task % 2 === 1 ? 24 : 9);

const MODELS = {
  anthropic: { model: getModel('anthropic', 'claude-sonnet-4-5'), base: (url) => url.replace(/\/v1$/, '') },
  'openai-chat': { model: getModel('groq', 'llama-3.3-70b-versatile'), base: (url) => url },
};

/** An endpoint that refuses what real ones refuse, and pi's model behind it. */
export async function startModel(t, { shape = 'anthropic', window = LIMITS.contextWindow } = {}) {
  let made = 0;
  const script = ({ turns }) => {
    const asked = turns
      .flatMap(({ role, texts }) => (role === 'user' ? texts : []))
      .filter((text) => /^Task \d/.test(text));
    const task = Number(/\d+/.exec(asked.at(-1))[0]);
    const step = (done.get(task) ?? 0) + 1;
    done.set(task, step);
    if (step > stepsOf(task)) return { text: `Done with task ${task}.`, reasoning: `Task ${task} is done.` };
    const call = () => ({ name: 'read_file', arguments: { path: `src/file-${++made}.ts` } });
    // Every third step makes two calls at once.
    return { reasoning: `Step ${step}.`, calls: step % 3 === 0 ? [call(), call()] : [call()] };
  };
  const done = new Map();
  const endpoint = await startStrictProvider({
    shape,
    window,
    maxOutput: LIMITS.maxOutput,
    thinking: 'prefix',
    script,
  });
  t.after(() => endpoint.close());
  const { model, base } = MODELS[shape];
  return { endpoint, model: { ...model, baseUrl: base(endpoint.url), maxTokens: LIMITS.maxOutput } };
}

/** An agent that reads a file of about so many tokens in each step; `sent` are its requests as pi hands them to a provider. */
export function createAgent({ model, tokens = 800, messages = [], ...options }) {
  const readFile = {
    name: 'read_file',
    label: 'Read',
    description: 'Reads a file.',
    parameters: Type.Object({ path: Type.String() }),
    execute: async (_, { path }) => ({
      content: [{ type: 'text', text: prose(tokens, `contents of ${path}`) }],
      details: {},
    }),
  };
  const sent = [];
  const streamFn = (given, context, settings) => {
    sent.push(structuredClone({ systemPrompt: context.systemPrompt, messages: context.messages }));
    return streamSimple(given, context, settings);
  };
  const agent = new Agent({
    initialState: { systemPrompt: PROMPT, model, tools: [readFile], messages },
    streamFn,
    getApiKey: () => 'key',
    ...options,
  });
  return { agent, sent };
}

/** Counts what the plugins tell, and remembers how many requests were sent by then. */
export function listen(pith, sent, told = { changes: [], done: [], failed: [], host: [], usage: [] }) {
  const { bus } = pith.kernel;
  bus.on('compaction.done', ({ trigger }) => {
    told.done.push({ trigger, at: sent.length });
    told.changes.push(sent.length);
  });
  bus.on('compaction.failed', ({ outcome }) => told.failed.push({ outcome, at: sent.length }));
  bus.on('prune.fired', () => told.changes.push(sent.length));
  bus.on('host.failed', ({ message }) => told.host.push(message));
  bus.on('hook:post_llm_response', ({ usage }) => told.usage.push(usage?.inputTokens));
  return told;
}

/** What the transform does to messages beside passing them on as the very objects: an edited copy, or neither of the two. */
export function watch(agent) {
  const seen = { kept: 0, edited: 0, strange: [] };
  const { transformContext } = agent;
  agent.transformContext = async (messages, signal) => {
    const own = new Set(messages);
    const answer = await transformContext(messages, signal);
    for (const [at, message] of answer.entries()) {
      if (own.has(message)) seen.kept++;
      else if (messages.some(({ role, timestamp }) => role === message.role && timestamp === message.timestamp))
        seen.edited++;
      else if (at > 0 || message.role !== 'user') seen.strange.push(message);
    }
    return answer;
  };
  return seen;
}

/** One task after another, `between` after each; returns what the model said last. */
export async function runAll(agent, { from = 0, tasks, between }) {
  const ends = [];
  for (let n = from; n < from + tasks; n++) {
    await agent.prompt(`Task ${n}: look into module ${n} and say what it does.`);
    ends.push(agent.state.errorMessage ?? textOf(agent.state.messages.at(-1)));
    await between?.();
  }
  return ends;
}

export function textOf({ content }) {
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('');
}

/** How many requests followed a result. */
export function stepsIn(sent) {
  return sent.filter(({ messages }) => messages.at(-1).role === 'toolResult').length;
}

/** Requests that neither extend the one before byte for byte, nor come right after a recorded prune or compaction. */
export function strays(sent, changes) {
  return sent.flatMap((request, n) => {
    const before = sent[n - 1];
    if (before === undefined || changes.includes(n)) return [];
    const grows =
      request.systemPrompt === before.systemPrompt &&
      before.messages.every((message, at) => JSON.stringify(message) === JSON.stringify(request.messages[at]));
    return grows ? [] : [n];
  });
}

/** What the endpoint found wrong, by request. */
export function violationsIn({ requests }) {
  return requests.flatMap(({ n, violations }) => violations.map(({ rule, message }) => `${n}: ${rule} ${message}`));
}
