// The adapter in the runner of OpenAI Agents, with a model that refuses what the Responses API refuses.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agent, MemorySession, run, tool } from '@openai/agents';
import { createMemoryStore, definePlugin } from 'pith';
import { createPith } from 'pith/openai-agents';
import { z } from 'zod';
import { CONFIG, createAgent, LIMITS, listen, runAll, strays, watched } from './long-session.mjs';
import { createStrictModel, tokensOf } from './strict-model.mjs';

const WINDOW = LIMITS.contextWindow - LIMITS.maxOutput;

function total(requests) {
  return requests.filter(({ input }) => input.at(-1).type === 'function_call_result').length;
}

test('a long session stays inside the window, whole and by reference, with one compaction for each crossing', async (t) => {
  const { agent, model } = createAgent({ window: WINDOW });
  const pith = await createPith({ limits: LIMITS, config: CONFIG });
  t.after(() => pith.close());
  const told = listen(pith, model);
  const { filter, seen } = watched(pith.callModelInputFilter({ sessionId: 'long' }));
  const session = pith.session({ sessionId: 'long' });
  const ends = await runAll({
    agent,
    runs: 10,
    options: () => ({ session, callModelInputFilter: filter }),
    between: () => pith.idle(),
  });

  assert.equal(ends.length, 10);
  assert.ok(ends.every((end) => end.startsWith('Done with: Task')));
  assert.ok(total(model.requests) >= 60, `${total(model.requests)} steps`);
  assert.deepEqual(model.violations, []);
  assert.deepEqual(told.host, []);
  assert.deepEqual(told.failed, []);
  const by = (trigger) => told.done.filter((one) => one.trigger === trigger).length;
  assert.ok(by('request') >= 3 && by('post_run') >= 3, JSON.stringify(told.done));
  assert.equal(new Set(told.done.map(({ at }) => at)).size, told.done.length, 'two compactions for one request');
  assert.deepEqual(seen.strange, []);
  assert.ok(seen.kept > seen.changed);
});

test('each request extends the one before byte for byte until a recorded prune or compaction', async (t) => {
  const { agent, model } = createAgent();
  const pith = await createPith({ limits: LIMITS, config: CONFIG });
  t.after(() => pith.close());
  const told = listen(pith, model);
  const session = pith.session({ sessionId: 'bytes', session: new MemorySession({ sessionId: 'bytes' }) });
  const callModelInputFilter = pith.callModelInputFilter({ sessionId: 'bytes' });
  await runAll({ agent, runs: 6, options: () => ({ session, callModelInputFilter }), between: () => pith.idle() });

  assert.deepEqual(model.violations, []);
  assert.ok(told.changes.length >= 6, JSON.stringify(told.changes));
  assert.deepEqual(strays(model.requests, told.changes), []);
});

test('streamed runs are seen the same way', async (t) => {
  const { agent, model } = createAgent({ window: WINDOW });
  const pith = await createPith({ limits: LIMITS, config: CONFIG });
  t.after(() => pith.close());
  const told = listen(pith, model);
  const usage = [];
  pith.kernel.bus.on('hook:post_llm_response', (event) => usage.push(event.usage?.inputTokens));
  const session = pith.session({ sessionId: 'streamed' });
  const callModelInputFilter = pith.callModelInputFilter({ sessionId: 'streamed' });
  const ends = await runAll({
    agent,
    runs: 4,
    stream: true,
    options: () => ({ session, callModelInputFilter }),
    between: () => pith.idle(),
  });

  assert.ok(ends.every((end) => end.startsWith('Done with: Task')));
  assert.deepEqual(model.violations, []);
  assert.ok(told.done.length >= 2, JSON.stringify(told.done));
  assert.deepEqual(usage, model.requests.map(tokensOf));
});

test('a summariser that always fails lets all runs end as they would', async (t) => {
  const failing = () => Promise.reject(new Error('The summariser is out of order.'));
  const model = {
    specificationVersion: 'v3',
    provider: 'none',
    modelId: 'none',
    supportedUrls: {},
    doGenerate: failing,
    doStream: failing,
  };
  const { agent, model: seen } = createAgent();
  const log = { level: 'silent', write: () => undefined };
  const config = { ...CONFIG, compaction: { ...CONFIG.compaction, fallback: 'none' } };
  const pith = await createPith({ limits: LIMITS, config, model, log });
  t.after(() => pith.close());
  const told = listen(pith, seen);
  const session = pith.session({ sessionId: 'failing' });
  const callModelInputFilter = pith.callModelInputFilter({ sessionId: 'failing' });
  const ends = await runAll({
    agent,
    runs: 4,
    options: () => ({ session, callModelInputFilter }),
    between: () => pith.idle(),
  });

  assert.equal(ends.length, 4);
  assert.ok(ends.every((end) => end.startsWith('Done with: Task')));
  assert.deepEqual(told.done, []);
  assert.ok(told.failed.length > 0);
  assert.deepEqual(seen.violations, []);
});

test('another process for each run goes on from the checkpoint that is there, and pays none twice', async () => {
  const { agent, model } = createAgent({ window: WINDOW });
  const store = createMemoryStore();
  const kept = new MemorySession({ sessionId: 'fresh' });
  const told = { changes: [], done: [], failed: [], host: [] };
  for (let n = 0; n < 6; n++) {
    const pith = await createPith({ limits: LIMITS, config: CONFIG, store });
    listen(pith, model, told);
    const session = pith.session({ sessionId: 'fresh', session: kept });
    const callModelInputFilter = pith.callModelInputFilter({ sessionId: 'fresh' });
    await runAll({ agent, from: n, runs: 1, options: () => ({ session, callModelInputFilter }) });
    await pith.idle();
    await pith.close();
  }

  assert.deepEqual(model.violations, []);
  assert.deepEqual(told.host, []);
  assert.deepEqual(told.failed, []);
  assert.ok(told.done.length >= 3, JSON.stringify(told.done));
  assert.equal(new Set(told.done.map(({ at }) => at)).size, told.done.length, 'a checkpoint was paid twice');
  assert.deepEqual(strays(model.requests, told.changes), []);
});

test('a message that is taken back and asked anew goes on from the newest checkpoint that still holds', async (t) => {
  const { agent, model } = createAgent({ window: WINDOW });
  const pith = await createPith({ limits: LIMITS, config: CONFIG });
  t.after(() => pith.close());
  const told = listen(pith, model);
  const session = pith.session({ sessionId: 'anew' });
  const callModelInputFilter = pith.callModelInputFilter({ sessionId: 'anew' });
  const options = () => ({ session, callModelInputFilter });
  await runAll({ agent, runs: 2, options, between: () => pith.idle() });
  while ((await session.popItem())?.role !== 'user');
  const before = told.done.length;
  const first = model.requests.length;
  await runAll({ agent, from: 4, runs: 1, options });

  assert.deepEqual(model.violations, []);
  assert.deepEqual(told.host, []);
  const { input, systemInstructions } = model.requests[first];
  assert.ok(input.some(({ content }) => String(content).startsWith('Task 4')));
  assert.ok(!input.some(({ content }) => String(content).startsWith('Task 1')));
  assert.ok(before > 0 && systemInstructions.includes('[Compacted context summary'));
  assert.ok(!systemInstructions.includes('Task 1'));
});

test('what a plugin puts in or changes is sent, and the session of the host keeps what the host said', async (t) => {
  const { agent, model } = createAgent();
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
  const pith = await createPith({ limits: LIMITS, plugins: [plugin] });
  t.after(() => pith.close());
  const told = listen(pith, model);
  const session = pith.session({ sessionId: 'notes' });
  const callModelInputFilter = pith.callModelInputFilter({ sessionId: 'notes' });
  await runAll({ agent, runs: 2, options: () => ({ session, callModelInputFilter }) });

  assert.deepEqual(told.host, []);
  assert.deepEqual(strays(model.requests, told.changes), []);
  const said = model.requests
    .at(-1)
    .input.filter(({ role }) => role === 'user')
    .map(({ content }) => content);
  assert.deepEqual(said, [
    'Task 0: look into module 0 and say what it does. Be brief.',
    'The build is red.',
    'Task 1: look into module 1 and say what it does. Be brief.',
  ]);
  const kept = (await session.getItems()).filter(({ role }) => role === 'user').map(({ content }) => content);
  assert.deepEqual(kept, [
    'Task 0: look into module 0 and say what it does.',
    'Task 1: look into module 1 and say what it does.',
  ]);
});

test('handoffs, approvals and agents as tools are part of the run that they happen in', async (t) => {
  const helper = createStrictModel({ prompt: 'You count.', script: () => ({ text: 'There are 3.' }) });
  const script = (prompt, step) =>
    [{ name: 'count', input: 'files' }, { name: 'transfer_to_Writer' }, { name: 'publish', page: 'intro' }]
      .slice(step, step + 1)
      .map(({ name, ...args }) => ({ calls: [{ name, arguments: JSON.stringify(args) }] }))[0] ?? {
      text: `Done with: ${prompt}`,
    };
  const model = createStrictModel({ prompt: '', script, reasons: false });
  const count = new Agent({ name: 'Counter', instructions: 'You count.', model: helper }).asTool({ toolName: 'count' });
  const publish = tool({
    name: 'publish',
    description: 'Publishes a page.',
    parameters: z.object({ page: z.string() }),
    needsApproval: true,
    execute: ({ page }) => `${page} is out.`,
  });
  const writer = new Agent({ name: 'Writer', instructions: 'You write.', model, tools: [publish, count] });
  const agent = new Agent({ name: 'Front', instructions: 'You pass on.', model, tools: [count], handoffs: [writer] });
  const pith = await createPith({ limits: LIMITS });
  t.after(() => pith.close());
  const told = listen(pith, model);
  const ends = [];
  const usage = [];
  pith.kernel.bus.on('turn.ended', ({ outcome }) => ends.push(outcome));
  pith.kernel.bus.on('hook:post_llm_response', (event) => usage.push(event.usage?.inputTokens));
  const session = pith.session({ sessionId: 'parts' });
  const options = { session, callModelInputFilter: pith.callModelInputFilter({ sessionId: 'parts' }) };

  const asked = await run(agent, 'Publish it.', options);
  assert.equal(asked.interruptions.length, 1);
  asked.state.approve(asked.interruptions[0]);
  const done = await run(agent, asked.state, options);
  await run(agent, 'And again?', options);

  assert.equal(done.finalOutput, 'Done with: Publish it.');
  assert.deepEqual(told.host, []);
  assert.deepEqual(model.violations, []);
  // The second run waits for its approval.
  assert.deepEqual(ends, ['finished']);
  assert.deepEqual(usage, model.requests.slice(0, -1).map(tokensOf));
  assert.ok(helper.requests.length > 0);
});
