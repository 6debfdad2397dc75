// One conversation of four runs and more than sixty steps, in one process or a fresh Pith for each run.
import assert from 'node:assert/strict';
import { createMemoryStore, definePlugin } from 'pith';
import { createPith } from 'pith/messages';
import { stockPlugins } from 'pith/plugins';
import { COMPACT_WORKER } from 'pith/plugins/compaction';
import { PITH, startModel, STEPS_PER_RUN } from './model.mjs';

const RUNS = 5;

/** What a Pith is started with whose every summary fails: pruning alone is left. */
async function failing() {
  const names = ['tracker', 'prune', 'compaction', 'auto-read-budget', 'guard'];
  const stock = await Promise.all(names.map((name) => stockPlugins[name]()));
  const broken = definePlugin({
    name: 'broken-worker',
    api: 1,
    provides: [COMPACT_WORKER],
    setup({ provide }) {
      provide(COMPACT_WORKER, () => ({ name: 'broken', run: () => Promise.reject(new Error('It never works.')) }));
    },
  });
  const compaction = {
    ...PITH.config.compaction,
    compactThreshold: '75%',
    compactRequestThreshold: '90%',
    fallback: 'none',
  };
  return { plugins: [...stock, broken], config: { compaction } };
}

/** Plays the conversation on a host: `shape` of its requests, `begin()` of its messages, `chat(pith)`, `run({ … })`. */
export async function playLongSession(host, options = {}) {
  const model = await startModel(host.shape);
  try {
    return await playOn(model, host, options);
  } finally {
    await model.close();
  }
}

async function playOn(model, host, { isFresh = false, fails = false }) {
  const store = createMemoryStore();
  const options = { ...PITH, store, ...(fails ? await failing() : {}) };
  const messages = host.begin();
  const compactions = [];
  const failures = [];
  let pith;
  for (let run = 0; run < RUNS; run++) {
    if (pith === undefined || isFresh) {
      await pith?.close();
      pith = await createPith(options);
      pith.kernel.bus.on('compaction.done', (event) => void compactions.push(event));
      pith.kernel.bus.on('host.failed', (event) => void failures.push(event.message));
    }
    messages.push({ role: 'user', content: `Task ${run}: read on.` });
    await host.run({ chat: host.chat(pith), messages, url: model.url });
    await pith.idle();
  }
  await pith.close();
  const requests = model.requests;
  assert.ok(requests.length >= RUNS * (STEPS_PER_RUN + 1), `${requests.length} requests`);
  assert.deepEqual(
    requests.flatMap(({ violations }) => violations),
    [],
  );
  assert.deepEqual(
    (await store.list()).map(({ id }) => id),
    ['one'],
  );
  return { requests, compactions, failures, messages };
}

/** How often a request does not go on from the one before, byte for byte. */
export function rebuilds(requests) {
  const bytes = requests.map(({ body }) => [body.system ?? '', ...body.messages].map((part) => JSON.stringify(part)));
  let count = 0;
  for (let at = 1; at < bytes.length; at++) {
    const before = bytes[at - 1];
    if (before.some((part, index) => part !== bytes[at][index])) count++;
  }
  return count;
}
