// A conversation of a host on one session: runs with tool use, and what is held against every prompt that the model gets.
import assert from 'node:assert/strict';
import { createMemoryStore, inputLimit } from 'pith';
import { checkRequest } from 'pith/testing';
import { createPith } from 'pith/ai-sdk';
import { scriptedModel } from './scripted-model.mjs';

export const SYSTEM = 'You are a careful engineer. Work step by step.';
export const LIMITS = { contextWindow: 22_000, maxOutput: 2_000 };
export const CONFIG = {
  compaction: { compactThreshold: '60%', compactRequestThreshold: '85%', retainedTokens: 3_000, autoReadBudget: 500 },
  // What is read stays, so that the larger threshold is reached.
  prune: { protectedTools: ['read_file'] },
};

const LINE = 'export const value = compute(previous, step) ?? fallback; // kept as it was\n';

/** What a tool gives: some 600 tokens. */
export const fileOf = (path) => `// ${path}\n${LINE.repeat(32)}`;

/** Runs with this many tool calls each: long ones cross the larger threshold, short ones end above the smaller one. */
export const RUNS = [24, 14, 24, 10, 24, 10];
export const REQUESTS = RUNS.reduce((sum, calls) => sum + calls + 1, 0);

/** A host with its conversation, and all that its model was sent. */
export function host(major, options = {}) {
  const script = { left: 0, ...options.script };
  const { model, seen } = scriptedModel(major, script);
  const events = [];
  const history = [];
  const pairs = [];
  const steps = [];
  const store = createMemoryStore();
  /** Keeps what the host wanted to send and what arrived at the model, object by object. */
  const outer = {
    specificationVersion: 'v3',
    wrapGenerate: ({ doGenerate, params }) => (pairs.push(params.prompt), doGenerate()),
    wrapStream: ({ doStream, params }) => (pairs.push(params.prompt), doStream()),
  };
  return {
    major,
    script,
    seen,
    pairs,
    steps,
    events,
    history,
    store,
    tools: major.tools(fileOf),
    /** Starts Pith, and keeps what it tells with the number of the request that was to come. */
    start: async (more = {}) => {
      const pith = await createPith({ limits: LIMITS, config: CONFIG, store, ...options.pith, ...more });
      pith.kernel.bus.onAny((name, payload) => events.push({ name, payload, at: seen.length }));
      return pith;
    },
    /** The model of the host with Pith around it. */
    wrapped: (pith, sessionId = 'chat') =>
      major.ai.wrapLanguageModel({ model, middleware: [outer, pith.middleware({ sessionId })] }),
    /** The model alone. */
    plain: () => major.ai.wrapLanguageModel({ model, middleware: [] }),
    /** Steps of which is kept what they were offered. */
    watch: ({ prepareStep, ...rest }) => ({
      ...rest,
      prepareStep: async (options) => {
        const settings = await prepareStep(options);
        const sent = settings?.messages ?? options.messages;
        steps.push({ offered: options.messages, sent });
        return settings;
      },
    }),
    settings() {
      return { ...major.system(SYSTEM), tools: this.tools, stopWhen: major.stopAfter(60), messages: [...history] };
    },
    prompt: (text) => history.push({ role: 'user', content: text }),
  };
}

/** How Pith stands in the settings of a run. */
export const WIRINGS = {
  middleware: (scene, pith) => ({ model: scene.wrapped(pith) }),
  steps: (scene, pith) => ({ model: scene.plain(), ...scene.watch(pith.steps({ sessionId: 'chat' })) }),
};

export const compactions = ({ events }) => events.filter(({ name }) => name === 'compaction.done');
export const failures = ({ events }) =>
  events.filter(({ name }) => name === 'host.failed' || name === 'plugin.error').map(({ payload }) => payload);

/** No prompt breaks a rule that endpoints have. */
export function assertShape({ seen }, { system = 'many' } = {}) {
  const profile = {
    system,
    firstUser: true,
    prompt: SYSTEM,
    budget: { window: LIMITS.contextWindow, reply: 0, count: (text) => Math.ceil(text.length / 4), perImage: 1_000 },
  };
  for (const [index, { prompt }] of seen.entries()) {
    const violations = checkRequest(
      'ai-sdk',
      JSON.parse(JSON.stringify({ messages: withResultsBehind(prompt) })),
      profile,
    );
    assert.deepEqual(violations, [], `request ${index} of the model`);
  }
}

/** Results that a provider has itself stand in its reply; for the rules they count as those that follow it. */
function withResultsBehind(prompt) {
  return prompt.flatMap((message) => {
    if (message.role !== 'assistant') return [message];
    const served = message.content.filter(({ type }) => type === 'tool-result');
    if (served.length === 0) return [message];
    const said = message.content.filter(({ type }) => type !== 'tool-result');
    return [
      { role: 'assistant', content: said },
      { role: 'tool', content: served },
    ];
  });
}

/** Each prompt goes on where the one before ended, but where a compaction or a prune was recorded in between. */
export function assertPrefixes({ seen, events }) {
  const rewritten = new Set(
    events.filter(({ name }) => name === 'compaction.done' || name === 'prune.fired').map(({ at }) => at),
  );
  for (const [index, { prompt }] of seen.entries()) {
    if (index === 0 || rewritten.has(index)) continue;
    const before = seen[index - 1].prompt.map((message) => JSON.stringify(message));
    const broken = before.findIndex((text, at) => text !== JSON.stringify(prompt[at]));
    assert.equal(broken, -1, `request ${index} differs from the one before at message ${broken}`);
  }
}

/** What the model gets of the newest messages is what the host had, by reference. */
export function assertTail({ seen, pairs }) {
  assert.equal(seen.length, pairs.length);
  for (const [index, { prompt }] of seen.entries()) {
    const offered = pairs[index];
    const own = new Set(offered);
    assert.equal(prompt.at(-1), offered.at(-1), `the newest message of request ${index}`);
    const kept = prompt.filter((message) => own.has(message)).length;
    assert.ok(kept >= Math.min(4, offered.length), `request ${index} keeps ${kept} of ${prompt.length}`);
  }
}

/** The same of steps: messages of theirs, not of the prompts that are made of them. */
export function assertSteps({ seen, steps }) {
  assert.equal(seen.length, steps.length);
  for (const [index, { offered, sent }] of steps.entries()) {
    assert.equal(sent.at(-1), offered.at(-1), `the newest message of step ${index}`);
    assert.ok(sent.filter((message) => offered.includes(message)).length >= Math.min(4, offered.length));
  }
}

/** One compaction for each crossing of a threshold: one for each run, by turns between requests and between runs. */
export function assertCrossings(scene) {
  const done = compactions(scene).map(({ payload }) => payload);
  const by = (trigger) => done.filter((one) => one.trigger === trigger);
  const input = inputLimit({ ...LIMITS, source: 'user' });
  for (const { before, after, trigger } of done) {
    // Between requests an estimate counts for the most that it may be.
    assert.ok(before > input * (trigger === 'request' ? 0.79 : 0.6), `${trigger} at ${before} tokens`);
    assert.ok(after < input * 0.6, `${trigger} leaves ${after} tokens`);
  }
  assert.deepEqual([by('request').length, by('post_run').length], [RUNS.length / 2, RUNS.length / 2]);
  assert.equal(scene.events.filter(({ name }) => name === 'compaction.started').length, done.length);
}

/** The ways in which a host makes a run. */
export const WAYS = {
  generateText: async ({ major }, settings) => major.ai.generateText(settings),
  streamText: async ({ major }, settings) => {
    const result = major.ai.streamText(settings);
    await result.consumeStream();
    return result;
  },
  agent: async ({ major }, { messages, system, ...settings }) => {
    const prompt = major.version === 3 ? { instructions: system } : { system };
    return new major.Agent({ ...prompt, ...settings }).generate({ messages });
  },
};
