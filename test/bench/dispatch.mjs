// What one dispatch of a hook costs beside a plain awaited loop over the same handlers, hookable and tapable.
//
//   npm run build && node test/bench/dispatch.mjs [--json] [--rounds 7] [--dist dist]
//
// Each candidate runs in a process of its own, the processes interleaved round by round; a process gives the best of its
// samples, the figure is the median of the rounds. Handlers are distinct functions: async (event) => { event.n += 1 }.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median } from './median.mjs';

const HERE = fileURLToPath(import.meta.url);
const HANDLERS = [1, 5, 20];
const LIMIT = 'awaited loop';
const TARGETS = { pith: { 1: 1.75, 5: 1.5, 20: 1.5 }, 'pith, one observer': { 1: 2.5, 5: 1.75, 20: 1.5 } };
const WARM_UP_MS = 100;
const SAMPLE_MS = 2;
const SAMPLES = 100;

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '7' },
    dist: { type: 'string', default: resolve(dirname(HERE), '../../dist') },
    candidate: { type: 'string' },
    handlers: { type: 'string' },
  },
});

const require = createRequire(import.meta.url);

/** Starts a kernel with one plugin per handler and returns its dispatch. */
async function pith(handlers, { observed }) {
  const { startKernel } = require(resolve(options.dist, 'core/kernel/kernel.js'));
  const plugins = handlers.map((handler, at) => ({
    name: `p${at}`,
    api: 1,
    setup: ({ hooks }) => hooks.on('bench', handler),
  }));
  const kernel = await startKernel({ plugins, hooks: [{ name: 'bench', onError: 'skip', may: [] }] });
  if (observed) kernel.bus.onAny(() => undefined);
  return (event) => kernel.dispatch('bench', event);
}

const CANDIDATES = {
  [LIMIT]: (handlers) => async (event) => {
    for (let at = 0; at < handlers.length; at++) await handlers[at](event);
  },
  pith: (handlers) => pith(handlers, { observed: false }),
  'pith, one observer': (handlers) => pith(handlers, { observed: true }),
  'hookable callHook': async (handlers) => {
    const { createHooks } = await import('hookable');
    const hooks = createHooks();
    for (const handler of handlers) hooks.hook('bench', handler);
    return (event) => hooks.callHook('bench', event);
  },
  'hookable core callHook': async (handlers) => {
    const { HookableCore } = await import('hookable');
    const hooks = new HookableCore();
    for (const handler of handlers) hooks.hook('bench', handler);
    return (event) => hooks.callHook('bench', event);
  },
  'tapable AsyncSeriesHook': async (handlers) => {
    const { AsyncSeriesHook } = require('tapable');
    const hook = new AsyncSeriesHook(['event']);
    for (const [at, handler] of handlers.entries()) hook.tapPromise(`p${at}`, handler);
    return (event) => hook.promise(event);
  },
};

/** Nanoseconds of one dispatch, awaited one after another for a while. */
async function sample(dispatch, event, ms) {
  const begin = process.hrtime.bigint();
  let count = 0;
  let spent = 0;
  while (spent < ms * 1e6) {
    for (let at = 0; at < 200; at++) await dispatch(event);
    count += 200;
    spent = Number(process.hrtime.bigint() - begin);
  }
  return spent / count;
}

async function measure(candidate, count) {
  const handlers = Array.from({ length: count }, () => new Function('return async (event) => { event.n += 1; };')());
  const dispatch = await CANDIDATES[candidate](handlers);
  const event = { n: 0, role: 'main' };
  await sample(dispatch, event, WARM_UP_MS);
  let best = Infinity;
  for (let at = 0; at < SAMPLES; at++) best = Math.min(best, await sample(dispatch, event, SAMPLE_MS));
  return best;
}

function measureApart(candidate, count) {
  const args = [HERE, '--candidate', candidate, '--handlers', String(count), '--dist', options.dist];
  const child = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (child.status !== 0) throw new Error(`${candidate} with ${count} handlers failed:\n${child.stderr}`);
  return Number(child.stdout);
}

function report() {
  const rounds = Number(options.rounds);
  const rows = [];
  for (const handlers of HANDLERS) {
    const figures = Object.fromEntries(Object.keys(CANDIDATES).map((name) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      for (const name of Object.keys(CANDIDATES)) figures[name].push(measureApart(name, handlers));
    }
    const limit = median(figures[LIMIT]);
    for (const [candidate, all] of Object.entries(figures)) {
      const ns = median(all);
      const target = TARGETS[candidate]?.[handlers];
      rows.push({ handlers, candidate, ns, ratio: ns / limit, ...(target && { target, ok: ns / limit <= target }) });
    }
  }
  return { bench: 'dispatch', node: process.version, rounds, rows };
}

function print({ node, rounds, rows }) {
  console.log(`One dispatch, median of ${rounds} processes, node ${node}`);
  console.log(
    `${'handlers'.padEnd(9)}${'candidate'.padEnd(26)}${'ns'.padStart(8)}${'ratio'.padStart(8)}${'target'.padStart(8)}`,
  );
  for (const { handlers, candidate, ns, ratio, target, ok } of rows) {
    const wanted = target === undefined ? '' : `${`≤ ${target}`.padStart(8)}  ${ok ? 'ok' : 'OVER'}`;
    console.log(
      `${String(handlers).padEnd(9)}${candidate.padEnd(26)}${ns.toFixed(0).padStart(8)}${ratio.toFixed(2).padStart(8)}${wanted}`,
    );
  }
}

/** A row as `run.mjs` prints it. */
function asRow({ handlers, candidate, ns, ratio, target }) {
  const name = `dispatch to ${handlers}: ${candidate} / ${LIMIT}`;
  return {
    name,
    value: ratio,
    unit: 'times',
    ...(target !== undefined && { limit: target }),
    note: `${ns.toFixed(0)} ns`,
  };
}

if (options.candidate !== undefined) {
  process.stdout.write(String(await measure(options.candidate, Number(options.handlers))));
  process.exit(0);
}
const result = report();
if (options.json) console.log(JSON.stringify(result.rows.map(asRow), null, 2));
else print(result);
process.exitCode = result.rows.some(({ ok }) => ok === false) ? 1 : 0;
