// An agent that talks to itself until it is killed: prompts one after another and several at once, with compactions in between.
// What it tells on standard output is what its user would have been told.
//
//   node child.mjs DIR SESSION SEED
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { createAgent, createJsonlStore, definePlugin, defineTool } = require('../../dist/core/index.js');
const { createScriptedModel, prose } = require('../../dist/core/testing/index.js');
const { stockPlugins } = require('../../dist/plugins/index.js');
const { COMPACT_WORKER } = require('../../dist/plugins/compaction/tokens.js');

const [dir, id, seed] = process.argv.slice(2);
const NAMES = ['tracker', 'prune', 'compaction', 'auto-read-budget', 'guard'];
const tell = (line) => writeSync(1, `${line}\n`);

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: {},
  kind: 'read',
  run: async () => {
    await sleep(1);
    return { summary: 'Looked.', content: prose(300) };
  },
});

/** Takes its time, so that a kill often comes in the middle of a compaction. */
const slow = definePlugin({
  name: 'slow',
  api: 1,
  provides: [COMPACT_WORKER],
  setup: ({ provide }) =>
    provide(COMPACT_WORKER, () => ({
      name: 'slow',
      async run(_job, desk, { signal }) {
        await sleep(15);
        const names = ['Completed Tasks', 'Active Task', 'Key Decisions', 'User Directives', 'Current Work'];
        const text = names.map((name) => `## ${name}\n${name === 'Active Task' ? 'Looking.' : '(none)'}`).join('\n\n');
        await desk.call('write_summary', { text }, signal);
        await sleep(15);
        return { usage: { requests: 0, inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 } };
      },
    })),
});

const model = createScriptedModel({
  script: (_request, n) => (n % 3 === 2 ? 'Done.' : { text: 'Let me look.', calls: [{ name: 'look' }] }),
});
const agent = await createAgent({
  plugins: [...(await Promise.all(NAMES.map((name) => stockPlugins[name]()))), slow],
  config: {
    compaction: { compactThreshold: 3_000, compactRequestThreshold: 5_000, retainedTokens: 500 },
    prune: { minSavings: 1e9 },
  },
  log: { level: 'error', write: ({ message, fields }) => tell(`ERROR ${message} ${JSON.stringify(fields)}`) },
  model,
  tools: [look],
  system: 'You look.',
  store: createJsonlStore({ dir }),
});
agent.kernel.bus.on('compaction.started', () => tell('COMPACTING'));
for (const name of ['compaction.done', 'compaction.failed']) agent.kernel.bus.on(name, () => tell('COMPACTED'));

const conversation = await agent.open(id);
tell(`OPEN ${conversation.session.lastRunInterrupted} ${conversation.session.queued().length}`);
const resumed = await conversation.resume()?.outcome;
if (resumed !== undefined && resumed.outcome !== 'finished')
  tell(`ERROR the resumed run ${resumed.outcome}: ${resumed.error}`);

for (let n = 0; ; n++) {
  // Every fourth time several at once: all but the first wait in the log.
  const runs = Array.from({ length: n % 4 === 3 ? 3 : 1 }, (_, at) => {
    const mark = `PROMPT-${seed}-${n}-${at}.`;
    const run = conversation.send(`${mark} Look once more.`, { whenBusy: at === 2 ? 'steer' : 'queue' });
    void run.accepted.then(() => tell(`ACK ${mark}`));
    return run;
  });
  for (const { outcome, error } of await Promise.all(runs.map((run) => run.outcome))) {
    if (outcome === 'finished') tell('ANSWERED');
    else tell(`ERROR a run ${outcome}: ${error}`);
  }
}
