// What a live report costs: how long an event takes to those who watch, and how long a request keeps the agent's thread with nobody and
// with somebody watching. On a session of 3,000 items and more than 200,000 tokens.
//
//   npm run build && node --expose-gc test/bench/live.mjs [--json]
import { get } from 'node:http';
import { createRequire } from 'node:module';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { median } from './median.mjs';

const REQUESTS = 100;
const VIEWERS = 2;
const RUNS = 5;
/** Milliseconds between two requests, so that each of them is told by itself. */
const PAUSE_MS = 60;

if (isMainThread) await measure();
else watch(workerData);

/** A viewer, in a thread as a browser is a process: says when it has read the whole, and where it is to, what that grew by. */
function watch({ url, tellsAll }) {
  let rest = '';
  get(url, (response) => {
    response.setEncoding('utf8').on('data', (text) => {
      const messages = (rest + text).split('\n\n');
      rest = messages.pop();
      for (const message of messages) {
        const [event, data] = message.split('\n').map((line) => line.slice(line.indexOf(': ') + 2));
        if (data === undefined) continue;
        const { source } = JSON.parse(data);
        if (tellsAll || event === 'report') parentPort.postMessage({ event, items: source?.items, at: now() });
      }
    });
  });
}

/** Milliseconds, the same in all threads. */
function now() {
  return performance.timeOrigin + performance.now();
}

async function measure() {
  const require = createRequire(import.meta.url);
  const { CONTEXT, createKernel, createSession, defineTool, drive } = require('../../dist/core/index.js');
  const { serveReport } = require('../../dist/core/report/index.js');
  const look = defineTool({ name: 'look', description: 'Looks.', input: {}, kind: 'read', run: () => 'Nothing new.' });
  const content = [{ type: 'text', text: 'A line of a file with some words in it.\n'.repeat(25) }];

  /** A long session at work, watched by so many; `heard` is told when each of them has read what. */
  async function work({ served = true, viewers = 0, heard }) {
    const kernel = await createKernel({ plugins: [], log: { level: 'warn', write: (entry) => console.error(entry) } });
    const session = createSession({ id: 'live', services: (one) => kernel.scope(one) });
    for (let n = 0; n < 1000; n++) {
      const reply = `a${n}`;
      session.append([
        { kind: 'message', role: 'assistant', parts: [{ type: 'text', text: `I read part ${n}.` }], reply },
        { kind: 'tool_call', callId: `c${n}`, name: 'read_file', arguments: { path: `src/${n}.ts` }, reply },
        { kind: 'tool_result', callId: `c${n}`, summary: `src/${n}.ts, 25 lines`, content },
      ]);
    }
    const { tokens } = session.get(CONTEXT).view().occupancy();
    if (tokens < 200_000) throw new Error(`These are ${tokens} tokens; more are to be measured.`);
    const driver = drive(kernel, session, { tools: [look], system: 'You look.', model: 'gpt-5' });
    await driver.prompt('Go on.');
    const report = served ? await serveReport({ kernel, session }) : undefined;
    const threads = await Promise.all(Array.from({ length: viewers }, () => viewer(report, heard)));
    return {
      kernel,
      session,
      async request() {
        const { context } = await driver.beforeRequest();
        const usage = { inputTokens: Math.round(context.occupancy().tokens), outputTokens: 20 };
        const items = [{ kind: 'tool_call', callId: `t${session.position}`, name: 'look', arguments: {} }];
        for (const call of await driver.afterReply({ items, usage })) await driver.toolCall(call);
      },
      async end() {
        for (const thread of threads) await thread.terminate();
        await driver.end('finished');
        await driver.close();
        await kernel.stop();
      },
    };
  }

  /** A viewer that has got the whole report. */
  function viewer({ url }, heard) {
    const workerData = { url: url.replace('/?', '/events?'), tellsAll: heard !== undefined };
    const thread = new Worker(fileURLToPath(import.meta.url), { workerData });
    return new Promise((resolve) => {
      thread.on('message', (message) => {
        if (message.event === 'report') resolve(thread);
        heard?.(message);
      });
    });
  }

  /** Milliseconds from the event behind which the log has grown until each viewer has read what it has grown by. */
  async function latencies() {
    const times = [];
    let awaited = () => undefined;
    const { kernel, session, request, end } = await work({ viewers: VIEWERS, heard: (message) => awaited(message) });
    let published = 0;
    kernel.bus.on('tool.ended', () => (published = now()));
    for (let n = 0; n < REQUESTS; n++) {
      // At any point of the pace at which is told.
      await sleep((7 * n) % PAUSE_MS);
      const items = session.itemCount + 2;
      let left = VIEWERS;
      const seen = new Promise((resolve) => {
        awaited = (message) => {
          if (message.items !== items) return;
          times.push(message.at - published);
          if (--left === 0) resolve();
        };
      });
      await Promise.all([request(), seen]);
    }
    await end();
    return times;
  }

  /** Milliseconds of the agent's thread per request. */
  async function perRequest(options) {
    const { request, end } = await work(options);
    for (let n = 0; n < 5; n++) await request();
    await sleep(PAUSE_MS);
    globalThis.gc?.();
    const before = performance.eventLoopUtilization();
    for (let n = 0; n < REQUESTS / RUNS; n++) {
      await request();
      await sleep(PAUSE_MS);
    }
    const { active } = performance.eventLoopUtilization(before);
    await end();
    return active / (REQUESTS / RUNS);
  }

  const times = (await latencies()).sort((a, b) => a - b);
  const shapes = { none: { served: false }, idle: {}, watched: { viewers: VIEWERS } };
  const costs = { none: [], idle: [], watched: [] };
  for (let run = 0; run < RUNS; run++)
    for (const [name, options] of Object.entries(shapes)) costs[name].push(await perRequest(options));
  const [none, idle, watched] = ['none', 'idle', 'watched'].map((name) => median(costs[name]));
  const rows = [
    {
      name: `event to ${VIEWERS} viewers, 95 of 100`,
      value: times[Math.ceil(times.length * 0.95) - 1],
      unit: 'ms',
      limit: 100,
      note: `half of them ${median(times).toFixed(1)}, worst ${times.at(-1).toFixed(1)}`,
    },
    {
      name: 'a request more, nobody watching',
      value: idle - none,
      unit: 'ms',
      limit: 0.2,
      note: `of ${none.toFixed(2)}`,
    },
    {
      name: `a request more, ${VIEWERS} viewers`,
      value: watched - none,
      unit: 'ms',
      limit: 10,
      note: 'most of it for the composition of the context',
    },
  ];
  console.log(process.argv.includes('--json') ? JSON.stringify(rows) : rows);
}
