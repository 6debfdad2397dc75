// What agents of LangChain do beside running on: take back, refuse, nest, answer in a form, fail.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContextOverflowError } from '@langchain/core/errors';
import { AIMessage, HumanMessage, RemoveMessage, SystemMessage } from '@langchain/core/messages';
import { Command, MemorySaver } from '@langchain/langgraph';
import {
  createAgent,
  FakeToolCallingModel,
  humanInTheLoopMiddleware,
  modelRetryMiddleware,
  tool,
  toolStrategy,
} from 'langchain';
import { definePlugin } from 'pith';
import { createPith } from 'pith/langchain';
import { z } from 'zod';
import { CONFIG, createReader, LIMITS, listen, PROMPT, runAll, strays } from './long-session.mjs';
import { StrictModel, textOf } from './strict-model.mjs';

const WINDOW = LIMITS.contextWindow - LIMITS.maxOutput;
const configurable = (thread_id) => ({ configurable: { thread_id } });
const said = (content) => ({ messages: [{ role: 'user', content }] });
const textsOf = (request, type) =>
  request.messages.filter((one) => one.type === type).map(({ content }) => textOf(content));

async function begin(t, options = {}) {
  const pith = await createPith({ limits: LIMITS, config: CONFIG, ...options });
  t.after(() => pith.close());
  return pith;
}

test('a message that is taken back and asked anew goes on from the newest checkpoint that still holds', async (t) => {
  const pith = await begin(t);
  const { agent, seen } = createReader({ middleware: [pith.middleware()], window: WINDOW });
  const told = listen(pith, seen);
  await runAll({ agent, thread: 'anew', runs: 2, between: () => pith.idle() });
  const { messages } = (await agent.graph.getState(configurable('anew'))).values;
  const last = messages.findLastIndex(({ type }) => type === 'human');
  const gone = messages.slice(last).map(({ id }) => new RemoveMessage({ id }));
  await agent.graph.updateState(configurable('anew'), { messages: gone }, 'tools');
  const [before, first] = [told.done.length, seen.requests.length];
  await runAll({ agent, thread: 'anew', from: 4, runs: 1 });

  assert.deepEqual(seen.violations, []);
  assert.deepEqual(told.host, []);
  const request = seen.requests[first];
  const [prompts, [system]] = [textsOf(request, 'human'), textsOf(request, 'system')];
  assert.ok(prompts.some((text) => text.startsWith('Task 4')) && !prompts.some((text) => text.startsWith('Task 1')));
  assert.ok(before > 0 && system.includes('[Compacted context summary') && !system.includes('Task 1'));
});

test('what a plugin puts in or changes is sent, and the state keeps what the host said', async (t) => {
  const plugin = definePlugin({
    name: 'notes',
    api: 1,
    setup({ hooks }) {
      hooks.on('prompt_submit', ({ items }) => ({
        do: 'revise',
        to: items.map((item) => ({ ...item, parts: [{ type: 'text', text: `${item.parts[0].text} Be brief.` }] })),
      }));
      hooks.on('pre_llm_request', ({ context }) =>
        context.length === 1
          ? {
              do: 'append',
              items: [{ kind: 'message', role: 'user', parts: [{ type: 'text', text: 'The build is red.' }] }],
            }
          : undefined,
      );
    },
  });
  const pith = await begin(t, { plugins: [plugin], config: {} });
  const made = [];
  const watch = {
    name: 'watch',
    wrapModelCall: (request, handler) => (made.push(...request.messages), handler(request)),
  };
  const { agent, seen } = createReader({ middleware: [pith.middleware(), watch] });
  const told = listen(pith, seen);
  await runAll({ agent, thread: 'notes', runs: 2 });

  assert.deepEqual(told.host, []);
  assert.deepEqual(strays(seen.requests, told.changes), []);
  assert.ok(made.every((message) => HumanMessage.isInstance(message) || message.type !== 'human'));
  const tasks = [0, 1].map((n) => `Task ${n}: look into module ${n} and say what it does.`);
  assert.deepEqual(textsOf(seen.requests.at(-1), 'human'), [
    `${tasks[0]} Be brief.`,
    'The build is red.',
    `${tasks[1]} Be brief.`,
  ]);
  const { messages } = (await agent.graph.getState(configurable('notes'))).values;
  assert.deepEqual(
    messages.filter(({ type }) => type === 'human').map(({ content }) => content),
    tasks,
  );
});

test('a request that the provider finds too large goes out once more, smaller', async (t) => {
  const pith = await begin(t, { limits: { contextWindow: 200_000, maxOutput: 4_000 } });
  let refused = 0;
  const refuse = (_, request) => {
    if (JSON.stringify(request).length < 60_000) return;
    refused++;
    throw refused === 1
      ? new ContextOverflowError('Too much.')
      : Object.assign(new Error('400 Your input exceeds the context window of this model.'), { status: 400 });
  };
  // Errors of middleware further in come wrapped.
  const inner = { name: 'inner', wrapModelCall: (request, handler) => handler(request) };
  const { agent, seen } = createReader({ middleware: [pith.middleware(), inner], refuse });
  const told = listen(pith, seen);
  const ends = await runAll({ agent, thread: 'large', runs: 4, between: () => pith.idle() });

  assert.ok(refused >= 2, `${refused} refused`);
  assert.ok(ends.every((end) => end.startsWith('Done with: Task')));
  assert.deepEqual(seen.violations, []);
  assert.deepEqual(told.host, []);
  assert.equal(told.done.length, refused);
});

test('errors of the provider are the host’s own, and the next run goes on', async (t) => {
  const pith = await begin(t);
  let fails = 3;
  const refuse = () => {
    if (fails-- > 0) throw Object.assign(new Error('503 overloaded'), { status: 503 });
  };
  const { agentOf, seen } = createReader({ middleware: [], refuse });
  const told = listen(pith, seen);
  const ours = pith.middleware();
  await assert.rejects(runAll({ agent: agentOf([ours]), thread: 'down', runs: 1 }), /503 overloaded/);
  await pith.idle();
  const retry = modelRetryMiddleware({ maxRetries: 3, initialDelayMs: 1, jitter: false, onFailure: 'error' });
  const ends = await runAll({
    agent: agentOf([retry, ours]),
    thread: 'down',
    from: 2,
    runs: 2,
    between: () => pith.idle(),
  });

  assert.ok(ends.every((end) => end.startsWith('Done with: Task')));
  assert.deepEqual(seen.violations, []);
  assert.deepEqual(told.host, []);
  assert.deepEqual(strays(seen.requests, told.changes), []);
});

test('where Pith fails, the request goes out with the messages of the host', async (t) => {
  const broken = definePlugin({
    name: 'broken',
    api: 1,
    setup: ({ hooks }) => hooks.on('pre_llm_request', () => Promise.reject(new Error('It broke.'))),
  });
  const store = { create: () => Promise.reject(new Error('The disk is full.')) };
  const log = { level: 'silent', write: () => undefined };
  for (const options of [{ plugins: [broken], config: {} }, { store }]) {
    const pith = await begin(t, { ...options, log });
    const { agent, seen } = createReader({ middleware: [pith.middleware()] });
    const ends = await runAll({ agent, thread: 'broken', runs: 1 });
    assert.ok(ends[0].startsWith('Done with: Task'));
    assert.deepEqual(seen.violations, []);
    assert.equal(textsOf(seen.requests.at(-1), 'system').join(), PROMPT);
  }
});

test('an agent that runs as a tool is a conversation of its own, also where it shares thread and middleware', async (t) => {
  const pith = await begin(t);
  const ours = pith.middleware();
  const seenBy = { main: [], count: [] };
  const opened = new Set();
  pith.kernel.bus.on('hook:session_start', ({ session }) => opened.add(session.id));
  const model = (name, script) => new StrictModel({ script, refuse: (_, request) => void seenBy[name].push(request) });
  const counter = createAgent({
    model: model('count', (prompt) => ({ text: `There are ${prompt.length}.` })),
    tools: [],
    systemPrompt: 'You count.',
    middleware: [ours],
  });
  const count = tool(async ({ what }) => (await counter.invoke(said(what))).messages.at(-1).text, {
    name: 'count',
    description: 'Counts.',
    schema: z.object({ what: z.string() }),
  });
  const calls = ['files', 'folders'].map((what) => ({ name: 'count', args: { what } }));
  const agent = createAgent({
    model: model('main', (_, step) => (step < 2 ? { calls } : { text: 'Counted.' })),
    tools: [count],
    systemPrompt: PROMPT,
    checkpointer: new MemorySaver(),
    middleware: [ours],
  });
  const { messages } = await agent.invoke(said('How many?'), configurable('nested'));

  assert.equal(messages.at(-1).text, 'Counted.');
  assert.equal(seenBy.count.length, 4);
  assert.ok(seenBy.count.every((request) => request.messages.length === 2));
  assert.deepEqual(strays(seenBy.main, []), []);
  const ids = [...opened];
  assert.ok(
    ids.includes('nested') && ids.length === 5 && ids.every((id) => /^nested(\|tools:[^|]+)?$/.test(id)),
    ids.join(),
  );
});

test('structured output and results that end the run are part of it', async (t) => {
  const pith = await begin(t);
  const usage = [];
  pith.kernel.bus.on('hook:post_llm_response', (event) => usage.push(event.usage?.inputTokens > 0));
  const outcomes = [];
  pith.kernel.bus.on('hook:post_run', ({ outcome }) => outcomes.push(outcome));
  const Page = z.object({ title: z.string() });
  const publish = tool(() => 'It is out.', {
    name: 'publish',
    description: 'Publishes.',
    schema: Page,
    returnDirect: true,
  });
  const form = toolStrategy(Page);
  const formed = createAgent({
    model: new StrictModel({ script: () => ({ calls: [{ name: form[0].name, args: { title: 'Intro' } }] }) }),
    tools: [],
    responseFormat: form,
    middleware: [pith.middleware()],
  });
  const direct = createAgent({
    model: new StrictModel({ script: () => ({ calls: [{ name: 'publish', args: { title: 'Intro' } }] }) }),
    tools: [publish],
    middleware: [pith.middleware()],
  });
  const { structuredResponse } = await formed.invoke(said('Write a page.'), configurable('formed'));
  const { messages } = await direct.invoke(said('Publish it.'), configurable('direct'));

  assert.deepEqual(structuredResponse, { title: 'Intro' });
  assert.equal(messages.at(-1).text, 'It is out.');
  assert.deepEqual(outcomes, ['finished', 'finished']);
  assert.ok(usage.includes(true));
});

test('a run that waits for somebody goes on as the same run, with the call as it was approved', async (t) => {
  const pith = await begin(t);
  const outcomes = [];
  pith.kernel.bus.on('hook:post_run', ({ outcome }) => outcomes.push(outcome));
  const publish = tool(({ title }) => `${title} is out.`, {
    name: 'publish',
    description: 'Publishes.',
    schema: z.object({ title: z.string() }),
  });
  const calls = [{ name: 'publish', args: { title: 'Intro' } }];
  const model = new StrictModel({ script: (_, step) => (step === 0 ? { calls } : { text: 'Published.' }) });
  const agent = createAgent({
    model,
    tools: [publish],
    checkpointer: new MemorySaver(),
    middleware: [humanInTheLoopMiddleware({ interruptOn: { publish: true } }), pith.middleware()],
  });
  await agent.invoke(said('Publish it.'), configurable('asked'));
  assert.deepEqual(outcomes, []);
  const editedAction = { name: 'publish', args: { title: 'Preface' } };
  const resume = { decisions: [{ type: 'edit', editedAction }] };
  const { messages } = await agent.invoke(new Command({ resume }), configurable('asked'));

  assert.equal(messages.at(-1).text, 'Published.');
  assert.deepEqual(outcomes, ['finished']);
  assert.equal(model.seen.requests.length, 2);
  assert.equal(textsOf(model.seen.requests[1], 'tool').join(), 'Preface is out.');
});

test('system content follows a prompt that the agent keeps in the conversation', async (t) => {
  const pith = await begin(t);
  const { agent, seen } = createReader({ middleware: [pith.middleware()], systemPrompt: '', window: WINDOW });
  const told = listen(pith, seen);
  await agent.graph.updateState(configurable('inside'), { messages: [new SystemMessage(PROMPT)] }, 'tools');
  await runAll({ agent, thread: 'inside', runs: 2, between: () => pith.idle() });

  assert.deepEqual(seen.violations, []);
  assert.ok(told.done.length > 0);
  assert.ok(textsOf(seen.requests.at(-1), 'system')[0].startsWith(`${PROMPT}\n\n[Compacted context summary`));
});

test('runs without a thread pass untouched and are warned of once; a sessionId tells them otherwise', async (t) => {
  const lines = [];
  const pith = await begin(t, { log: { level: 'warn', write: (line) => lines.push(line) } });
  const opened = [];
  pith.kernel.bus.on('hook:session_start', ({ session }) => opened.push(session.id));
  const model = () => new FakeToolCallingModel({ toolCalls: [[]] });
  for (const middleware of [
    pith.middleware(),
    pith.middleware({ sessionId: 'fixed' }),
    pith.middleware({ sessionId: ({ context }) => context.chat }),
  ]) {
    const agent = createAgent({
      model: model(),
      tools: [],
      middleware: [middleware],
      contextSchema: z.object({ chat: z.string() }),
    });
    for (const text of ['Hello.', 'Hello again.']) {
      const { messages } = await agent.invoke(said(text), { context: { chat: 'told' } });
      assert.ok(AIMessage.isInstance(messages.at(-1)));
    }
  }

  assert.equal(lines.filter((line) => JSON.stringify(line).includes('names no conversation')).length, 1);
  assert.deepEqual([...new Set(opened)].sort().slice(0, 1), ['fixed']);
  assert.ok(opened.includes('told'));
});
