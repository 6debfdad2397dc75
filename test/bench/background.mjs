// Between turns nobody waits (S9.11): how long the next prompt's first request is in coming while a compaction runs, and the
// longest stall of the event loop meanwhile; with a worker that takes five seconds, and with the offline worker on the largest
// session.
//
//   npm run build && node test/bench/background.mjs [--sessions DIR] [--json]
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { median } from './median.mjs';
import { largestSessions } from './sessions.mjs';

const require = createRequire(import.meta.url);
const {
  createKernel,
  createSession,
  createSessionFiles,
  defaultService,
  definePlugin,
  drive,
  FILE_SOURCE,
  modelLimits,
} = require('../../dist/core/index.js');
const { createTiktoken } = require('../../dist/core/tokens/tiktoken.js');
const { converse } = require('../../dist/core/agent/live-conversation.js');
const { createImportedSession, readSessions, readSource } = require('../../dist/core/formats/index.js');
const { stockPlugins } = require('../../dist/plugins/index.js');
const { COMPACT_WORKER } = require('../../dist/plugins/compaction/tokens.js');

const { values: flags } = parseArgs({ options: { sessions: { type: 'string' }, json: { type: 'boolean' } } });
const RUNS = 7;
const NAMES = ['tracker', 'prune', 'compaction', 'auto-read-budget', 'guard'];
const tokenizer = createTiktoken();

/** A model that answers at once and tells when it was asked. */
function instantModel(asked) {
  return {
    model: 'instant',
    profile: { name: 'instant', system: 'many', cacheMarks: 0, boundReasoning: false },
    tokenizer: () => tokenizer,
    limits: () => modelLimits('instant'),
    async *stream() {
      asked();
      yield { type: 'reply', reply: { items: [say('assistant', 'Done.')], stop: 'end' } };
    },
  };
}

const say = (role, text) => ({ kind: 'message', role, parts: [{ type: 'text', text }] });

/** A worker that takes five seconds and hands in a summary. */
const patient = definePlugin({
  name: 'patient',
  api: 1,
  provides: [COMPACT_WORKER],
  setup: ({ provide }) =>
    provide(COMPACT_WORKER, () => ({
      name: 'patient',
      async run(job, desk, { signal }) {
        await sleep(5_000, undefined, { signal });
        const sections = ['Completed Tasks', 'Active Task', 'Key Decisions', 'User Directives', 'Current Work'];
        await desk.call(
          'write_summary',
          {
            text: sections.map((name) => `## ${name}\n${name === 'Active Task' ? 'Porting.' : '(none)'}`).join('\n\n'),
          },
          signal,
        );
        return { usage: { requests: 0, inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 } };
      },
    })),
});

/** Milliseconds until the request of the next prompt, and the longest stall, while a compaction runs in the background. */
async function measure(openLog, compactThreshold, more = []) {
  let files;
  const source = {
    canonical: (path) => files.canonical(path),
    display: (path) => files.display(path),
    read: (path) => files.read(path),
  };
  const kernel = await createKernel({
    plugins: [...(await Promise.all(NAMES.map((name) => stockPlugins[name]()))), ...more],
    config: { compaction: { compactThreshold }, prune: { minSavings: 1e9 } },
    log: { level: 'error', write: (entry) => console.error(entry.message) },
    defaults: [defaultService(FILE_SOURCE, () => source)],
  });
  const session = openLog((one) => kernel.scope(one));
  files = createSessionFiles(session.items());
  let asked;
  const model = instantModel(() => asked?.());
  const conversation = converse({ kernel, driver: drive(kernel, session, { model: model.model }), model });
  const ended = new Promise((resolve) => {
    for (const name of ['compaction.done', 'compaction.failed', 'compaction.skipped']) kernel.bus.on(name, resolve);
  });
  await conversation.send('Now the first.').outcome;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await sleep(20);
  const begun = performance.now();
  const request = new Promise((resolve) => {
    asked = resolve;
  });
  const run = conversation.send('Now the next.');
  await request;
  const waited = performance.now() - begun;
  await run.outcome;
  const { outcome, reason } = await ended;
  delay.disable();
  await conversation.close();
  await kernel.stop();
  if (outcome !== 'done') throw new Error(`The compaction ended as ${outcome}: ${reason}`);
  return { waited, stall: delay.max / 1e6 };
}

function history(services) {
  const session = createSession({ id: 'history', services });
  for (let n = 0; n < 200; n++)
    session.append([say('user', `Part ${n}. ${'word '.repeat(100)}`), say('assistant', 'Ok.')]);
  return session;
}

async function rowsOf(name, openLog, compactThreshold, more) {
  const results = [];
  for (let run = 0; run <= RUNS; run++) {
    const result = await measure(openLog, compactThreshold, more);
    if (run > 0) results.push(result);
  }
  const stalls = results.map(({ stall }) => stall);
  return [
    { name: `next request, ${name}`, value: median(results.map(({ waited }) => waited)), unit: 'ms', limit: 50 },
    {
      name: `longest stall, ${name}`,
      value: median(stalls),
      unit: 'ms',
      limit: 20,
      note: `worst ${Math.max(...stalls).toFixed(1)}`,
    },
  ];
}

const rows = await rowsOf('a worker of 5 s', history, 10_000, [patient]);
for (const file of (await largestSessions(flags.sessions)).slice(0, 1)) {
  const [imported] = readSessions(await readSource(file));
  const open = (services) => createImportedSession(imported, { id: 's', services });
  rows.push(...(await rowsOf('offline worker, largest session', open, 40_000)));
}
console.log(flags.json ? JSON.stringify(rows) : rows);
