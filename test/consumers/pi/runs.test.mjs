// Long sessions of pi's agent, over pi's own providers, with an endpoint that refuses what real ones refuse.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore } from 'pith';
import { createPith } from 'pith/pi';
import {
  CONFIG,
  createAgent,
  LIMITS,
  listen,
  PRUNING,
  runAll,
  startModel,
  stepsIn,
  strays,
  violationsIn,
  watch,
} from './long-session.mjs';

const doneWith = (from, tasks) => Array.from({ length: tasks }, (_, n) => `Done with task ${from + n}.`);

for (const [shape, config, least] of [
  ['anthropic', CONFIG, { request: 3, post_run: 3 }],
  ['openai-chat', PRUNING, { request: 0, post_run: 3 }],
]) {
  test(`a long session stays inside the window, whole and by reference, one compaction for each crossing (${shape})`, async (t) => {
    const { endpoint, model } = await startModel(t, { shape });
    const { agent, sent } = createAgent({ model });
    const pith = await createPith({ limits: LIMITS, config });
    t.after(() => pith.close());
    const told = listen(pith, sent);
    pith.attach(agent, { sessionId: 'long' });
    const seen = watch(agent);
    const ends = await runAll(agent, { tasks: 10, between: () => pith.idle() });

    assert.deepEqual(ends, doneWith(0, 10));
    assert.ok(stepsIn(sent) >= 60, `${stepsIn(sent)} steps`);
    assert.deepEqual(violationsIn(endpoint), []);
    assert.equal(endpoint.requests.length, sent.length);
    assert.deepEqual([told.host, told.failed], [[], []]);
    for (const [trigger, count] of Object.entries(least))
      assert.ok(told.done.filter((one) => one.trigger === trigger).length >= count, JSON.stringify(told.done));
    assert.equal(new Set(told.done.map(({ at }) => at)).size, told.done.length, 'two compactions for one request');
    assert.deepEqual(seen.strange, []);
    assert.ok(seen.kept > seen.edited, JSON.stringify(seen));
    assert.deepEqual(strays(sent, told.changes), []);
    const reported = agent.state.messages.filter(({ role }) => role === 'assistant');
    assert.deepEqual(
      told.usage,
      reported.map(({ usage }) => usage.input + usage.cacheRead + usage.cacheWrite),
    );
  });
}

test('a summariser that always fails lets all runs end as they would', async (t) => {
  const { endpoint, model } = await startModel(t, { shape: 'openai-chat', window: 400_000 });
  const { agent, sent } = createAgent({ model });
  const failing = () => Promise.reject(new Error('The summariser is out of order.'));
  const summariser = {
    specificationVersion: 'v3',
    provider: 'none',
    modelId: 'none',
    supportedUrls: {},
    doGenerate: failing,
    doStream: failing,
  };
  const config = { ...CONFIG, compaction: { ...CONFIG.compaction, fallback: 'none' } };
  const log = { level: 'silent', write: () => undefined };
  const pith = await createPith({ limits: LIMITS, config, model: summariser, log });
  t.after(() => pith.close());
  const told = listen(pith, sent);
  pith.attach(agent, { sessionId: 'failing' });
  const ends = await runAll(agent, { tasks: 4, between: () => pith.idle() });

  assert.deepEqual(ends, doneWith(0, 4));
  assert.deepEqual(told.done, []);
  assert.ok(told.failed.length > 0);
  assert.deepEqual(violationsIn(endpoint), []);
});

test('another process for each run goes on from the checkpoint that is there, and pays none twice', async (t) => {
  const { endpoint, model } = await startModel(t);
  const store = createMemoryStore();
  const sent = [];
  let told;
  let messages = [];
  for (let n = 0; n < 6; n++) {
    const pith = await createPith({ limits: LIMITS, config: CONFIG, store });
    told = listen(pith, sent, told);
    const process = createAgent({ model, messages: JSON.parse(JSON.stringify(messages)) });
    process.sent.push = (one) => sent.push(one);
    pith.attach(process.agent, { sessionId: 'fresh' });
    assert.deepEqual(await runAll(process.agent, { from: n, tasks: 1 }), doneWith(n, 1));
    await pith.idle();
    await pith.close();
    messages = process.agent.state.messages;
  }

  assert.deepEqual(violationsIn(endpoint), []);
  assert.deepEqual([told.host, told.failed], [[], []]);
  assert.ok(told.done.length >= 3, JSON.stringify(told.done));
  assert.equal(new Set(told.done.map(({ at }) => at)).size, told.done.length, 'a checkpoint was paid twice');
  assert.deepEqual(strays(sent, told.changes), []);
});

test('a request that the provider finds too large is sent once more, smaller, and the run notices nothing', async (t) => {
  const { endpoint, model } = await startModel(t, { window: 16_000 });
  const { agent, sent } = createAgent({ model });
  const pith = await createPith({ limits: LIMITS, config: CONFIG });
  t.after(() => pith.close());
  const told = listen(pith, sent);
  pith.attach(agent, { sessionId: 'large' });
  const ends = await runAll(agent, { tasks: 2 });

  assert.deepEqual(ends, doneWith(0, 2));
  assert.deepEqual(told.host, []);
  const refused = endpoint.requests.filter(({ violations }) => violations.length > 0);
  assert.ok(refused.length > 0);
  assert.ok(refused.every(({ violations }) => violations.every(({ rule }) => rule === 'V7')));
  assert.ok(agent.state.messages.every(({ stopReason }) => stopReason !== 'error'));
});
