// What a turn costs per request besides the model: hooks, projection, occupancy, log. Rendering for the wire is apart.
//
//   npm run build && node --expose-gc test/bench/turn.mjs [--json]
import { performance } from 'node:perf_hooks';
import { createRequire } from 'node:module';
import { median } from './median.mjs';

const require = createRequire(import.meta.url);
const { CONTEXT, createKernel, createSession, defineTool, drive } = require('../../dist/core/index.js');
const { stockPlugins } = require('../../dist/plugins/index.js');

const RUNS = 7;
const REQUESTS = 1000;
const NAMES = ['tracker', 'prune', 'compaction', 'auto-read-budget', 'guard'];

const look = defineTool({ name: 'look', description: 'Looks.', input: {}, kind: 'read', run: () => 'Nothing new.' });

async function startKernel() {
  return createKernel({
    plugins: await Promise.all(NAMES.map((name) => stockPlugins[name]())),
    config: { compaction: { compactThreshold: 1e9, compactRequestThreshold: 1e9 }, prune: { minSavings: 1e9 } },
    log: { level: 'error', write: () => undefined },
  });
}

/** A session of so many items; of these, the newest `sent` are behind the cut of a checkpoint. */
function sessionOf(kernel, items, sent) {
  const session = createSession({ id: `s${items}-${sent}`, services: (one) => kernel.scope(one) });
  for (let n = 0; n < items / 4; n++) {
    session.append([
      { kind: 'message', role: 'user', parts: [{ type: 'text', text: `Look at part ${n} once more.` }] },
      { kind: 'tool_call', callId: `c${n}`, name: 'look', arguments: { part: n }, reply: `a${n}` },
      { kind: 'tool_result', callId: `c${n}`, summary: `Part ${n} is as it was.` },
      { kind: 'message', role: 'assistant', parts: [{ type: 'text', text: `Part ${n} is fine.` }], reply: `b${n}` },
    ]);
  }
  if (sent < items) {
    const blocks = [{ kind: 'summary', text: 'Much was looked at.' }];
    const checkpoint = { compaction: 'c', blocks, cut: items - sent, edits: [], before: 1, after: 1 };
    session.record({ t: 'checkpoint', ...checkpoint });
  }
  session.get(CONTEXT).view().occupancy();
  return session;
}

/** Milliseconds per request, after some that see all of the context for the first time. */
async function perRequest(kernel, session) {
  const driver = drive(kernel, session, { tools: [look], system: 'You look.' });
  await driver.prompt('Go on.');
  await requests(driver, session, 50);
  const begun = performance.now();
  await requests(driver, session, REQUESTS);
  const took = performance.now() - begun;
  await driver.end('finished');
  return took / REQUESTS;
}

async function requests(driver, session, count) {
  for (let n = 0; n < count; n++) {
    const { context } = await driver.beforeRequest();
    const usage = { inputTokens: Math.round(context.occupancy().tokens), outputTokens: 20 };
    const items = [{ kind: 'tool_call', callId: `t${session.position}`, name: 'look', arguments: {} }];
    for (const call of await driver.afterReply({ items, usage })) await driver.toolCall(call);
  }
}

const kernel = await startKernel();
const shapes = { small: [200, 200], long: [20_000, 200], large: [20_000, 20_000] };
const times = Object.fromEntries(Object.keys(shapes).map((name) => [name, []]));
for (let run = 0; run <= RUNS; run++) {
  for (const [name, [items, sent]] of Object.entries(shapes)) {
    const session = sessionOf(kernel, items, sent);
    globalThis.gc?.();
    const took = await perRequest(kernel, session);
    if (run > 0) times[name].push(took);
    await session.close();
  }
}
await kernel.stop();

const [small, long, large] = ['small', 'long', 'large'].map((name) => median(times[name]));
const rows = [
  { name: 'log of 20,000 items against 200, the same 200 sent', value: long / small, unit: 'x', limit: 1.2 },
  { name: '20,000 items sent against 200', value: large / small, unit: 'x', limit: 3 },
  {
    name: 'a request on 20,000 items sent',
    value: large,
    unit: 'ms',
    limit: 0.5,
    note: `200 items: ${small.toFixed(3)} ms`,
  },
];
console.log(process.argv.includes('--json') ? JSON.stringify(rows) : rows);
