// The adapter in agents of LangChain, with a model that refuses what real endpoints refuse.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemorySaver } from '@langchain/langgraph';
import { createMemoryStore } from 'pith';
import { createPith } from 'pith/langchain';
import { CONFIG, createReader, LIMITS, listen, runAll, strays, watched } from './long-session.mjs';
import { tokensOf } from './strict-model.mjs';

const WINDOW = LIMITS.contextWindow - LIMITS.maxOutput;
const hasResult = ({ messages }) => messages.at(-1).type === 'tool';

test('a long session stays inside the window, whole and by reference, with one compaction for each crossing', async (t) => {
  const pith = await createPith({ limits: LIMITS, config: CONFIG });
  t.after(() => pith.close());
  const { middleware, seen: watch } = watched(pith.middleware());
  const { agent, seen } = createReader({ middleware, window: WINDOW });
  const told = listen(pith, seen);
  const ends = await runAll({ agent, thread: 'long', runs: 10, between: () => pith.idle() });

  assert.ok(ends.length === 10 && ends.every((end) => end.startsWith('Done with: Task')));
  assert.ok(seen.requests.filter(hasResult).length >= 60, `${seen.requests.filter(hasResult).length} steps`);
  assert.deepEqual(seen.violations, []);
  assert.deepEqual(told.host, []);
  assert.deepEqual(told.failed, []);
  const by = (trigger) => told.done.filter((one) => one.trigger === trigger).length;
  assert.ok(by('request') >= 3 && by('post_run') >= 3, JSON.stringify(told.done));
  assert.equal(new Set(told.done.map(({ at }) => at)).size, told.done.length, 'two compactions for one request');
  assert.deepEqual(watch.strange, []);
  assert.ok(watch.kept > watch.changed, JSON.stringify(watch));
  const { messages } = (await agent.graph.getState({ configurable: { thread_id: 'long' } })).values;
  assert.equal(messages.filter(({ type }) => type === 'human').length, 10);
  assert.ok(messages.filter(({ type }) => type === 'tool').every(({ content }) => content.length > 2_000));
});

test('each request extends the one before byte for byte until a recorded prune or compaction', async (t) => {
  const pith = await createPith({ limits: LIMITS, config: CONFIG });
  t.after(() => pith.close());
  const { agent, seen } = createReader({ middleware: [pith.middleware()] });
  const told = listen(pith, seen);
  await runAll({ agent, thread: 'bytes', runs: 6, between: () => pith.idle() });

  assert.deepEqual(seen.violations, []);
  assert.ok(told.changes.length >= 6, JSON.stringify(told.changes));
  assert.deepEqual(strays(seen.requests, told.changes), []);
});

test('streamed runs are seen the same way', async (t) => {
  const pith = await createPith({ limits: LIMITS, config: CONFIG });
  t.after(() => pith.close());
  const { agent, seen } = createReader({ middleware: [pith.middleware()], window: WINDOW });
  const told = listen(pith, seen);
  const usage = [];
  pith.kernel.bus.on('hook:post_llm_response', (event) => usage.push(event.usage?.inputTokens));
  const ends = await runAll({ agent, thread: 'streamed', runs: 4, streams: true, between: () => pith.idle() });

  assert.ok(ends.every((end) => end.startsWith('Done with: Task')));
  assert.deepEqual(seen.violations, []);
  assert.deepEqual(told.host, []);
  assert.ok(told.done.length >= 2, JSON.stringify(told.done));
  assert.deepEqual(usage, seen.requests.map(tokensOf));
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
  const log = { level: 'silent', write: () => undefined };
  const config = { ...CONFIG, compaction: { ...CONFIG.compaction, fallback: 'none' } };
  const pith = await createPith({ limits: LIMITS, config, model, log });
  t.after(() => pith.close());
  const { agent, seen } = createReader({ middleware: [pith.middleware()] });
  const told = listen(pith, seen);
  const ends = await runAll({ agent, thread: 'failing', runs: 4, between: () => pith.idle() });

  assert.ok(ends.length === 4 && ends.every((end) => end.startsWith('Done with: Task')));
  assert.deepEqual(told.done, []);
  assert.ok(told.failed.length > 0);
  assert.deepEqual(seen.violations, []);
});

test('another process for each run goes on from the checkpoint that is there, and pays none twice', async () => {
  const store = createMemoryStore();
  const { agentOf, seen } = createReader({ middleware: [], checkpointer: new MemorySaver(), window: WINDOW });
  const told = { changes: [], done: [], failed: [], host: [] };
  for (let n = 0; n < 6; n++) {
    const pith = await createPith({ limits: LIMITS, config: CONFIG, store });
    listen(pith, seen, told);
    await runAll({ agent: agentOf([pith.middleware()]), thread: 'fresh', from: n, runs: 1 });
    await pith.idle();
    await pith.close();
  }

  assert.deepEqual(seen.violations, []);
  assert.deepEqual(told.host, []);
  assert.deepEqual(told.failed, []);
  assert.ok(told.done.length >= 3, JSON.stringify(told.done));
  assert.equal(new Set(told.done.map(({ at }) => at)).size, told.done.length, 'a checkpoint was paid twice');
  assert.deepEqual(strays(seen.requests, told.changes), []);
});
