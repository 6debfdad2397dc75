// Reports in a real browser: how long one of a session of 400,000 tokens takes to be drawn, and how long an event of an agent
// takes to be seen in a live one.
//
//   npm run build && node test/bench/page.mjs [--json]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import provideChromium from '../../.config/chromium.mjs';
import { median } from './median.mjs';

const ROUNDS = 5;
const LIMIT_DRAWN_MS = 2_000;
const LIMIT_SEEN_MS = 200;
/** Requests of the live run; the end of each is an event that the page shows. */
const REQUESTS = 60;
/** Milliseconds that a tool takes, so that events come one by one. */
const PAUSE_MS = 150;
const PLUGINS = ['tracker', 'prune', 'compaction', 'auto-read-budget', 'guard'];

const root = join(fileURLToPath(import.meta.url), '../../..');
const require = createRequire(import.meta.url);
// Session and browser are those of the tests, which are TypeScript.
require('ts-node').register({ transpileOnly: true, cwd: root });
const { launchBrowser } = require('../pages/browser.ts');
const { writeLargeSession } = require('../pages/large-session.ts');
const { createAgent, createJsonlStore, defineTool } = require('../../dist/core/index.js');
const { serveReport } = require('../../dist/core/report/index.js');
const { createScriptedModel } = require('../../dist/core/testing/index.js');
const { stockPlugins } = require('../../dist/plugins/index.js');

/** Runs in the page: keeps when frames with a change were drawn, in milliseconds since the epoch, and how many requests they tell of. */
const PROBE = `
  globalThis.drawn = [];
  let waits = false;
  const fact = () => [...document.querySelectorAll('header dl div')].find((one) => one.textContent.startsWith('Requests'));
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    waits = false;
    const requests = Number(fact()?.lastChild.textContent.replaceAll(',', ''));
    drawn.push({ at: performance.timeOrigin + performance.now(), requests });
  };
  new MutationObserver(() => {
    if (waits) return;
    waits = true;
    requestAnimationFrame(() => port2.postMessage(0));
  }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
`;

if (provideChromium() === undefined) {
  console.log('[]');
  process.exit();
}
const dir = mkdtempSync(join(tmpdir(), 'pith-page-'));
const file = await writeLargeSession(dir);
const browser = await launchBrowser();
const rows = [await drawing(), await seeing()];
await browser.close();
rmSync(dir, { recursive: true });
console.log(process.argv.includes('--json') ? JSON.stringify(rows) : rows);

function now() {
  return performance.timeOrigin + performance.now();
}

async function opened(url) {
  const page = await (await browser.newContext()).newPage();
  await page.addInitScript(PROBE);
  await page.goto(url);
  return page;
}

/** From the navigation to the last frame with a change. */
async function drawing() {
  const out = join(dir, 'report.html');
  const cli = join(root, 'dist/core/cli/main.js');
  const made = spawnSync(process.execPath, [cli, 'inspect', file, '--html', out], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(made.stderr);
  const times = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const begun = now();
    const page = await opened(pathToFileURL(out).href);
    await sleep(500);
    const last = await page.evaluate('drawn.at(-1).at');
    if (round > 0) times.push(last - begun);
    await page.context().close();
  }
  const name = 'the report of 400,000 tokens in 3,000 items, drawn';
  return {
    name,
    value: median(times),
    unit: 'ms',
    limit: LIMIT_DRAWN_MS,
    note: `at most ${Math.max(...times).toFixed(0)}`,
  };
}

/** From an event on the bus to the frame that shows it, with two who watch; the session is the large one, and goes on. */
async function seeing() {
  const model = createScriptedModel({
    script: (_request, n) => (n < REQUESTS - 1 ? { text: 'I look.', calls: [{ name: 'look' }] } : 'Nothing new.'),
    window: 400_000,
  });
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    input: {},
    kind: 'read',
    run: async () => {
      await sleep(PAUSE_MS);
      return 'Nothing new.';
    },
  });
  const plugins = await Promise.all(PLUGINS.map((name) => stockPlugins[name]()));
  const agent = await createAgent({
    plugins,
    model,
    tools: look,
    store: createJsonlStore({ dir }),
    log: { level: 'error', write: (entry) => console.error(entry.message) },
  });
  const conversation = await agent.open('large', { create: false });
  const report = await serveReport({ kernel: agent.kernel, session: conversation.session });
  const [page] = [await opened(report.url), await opened(report.url)];
  await sleep(500);
  const before = await page.evaluate('drawn.at(-1).requests');
  const events = [];
  agent.kernel.bus.on('request.ended', () => events.push(now()));
  await conversation.send('Look around.').outcome;
  await sleep(500);
  const drawn = await page.evaluate('drawn');
  const times = events
    .map((at, n) => drawn.find((frame) => frame.at >= at && frame.requests >= before + n + 1).at - at)
    .sort((a, b) => a - b);
  await agent.close();
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  return {
    name: `an event of an agent, seen in a live report (95% of ${times.length})`,
    value: at(0.95),
    unit: 'ms',
    limit: LIMIT_SEEN_MS,
    note: `median ${at(0.5).toFixed(0)}, at most ${at(1).toFixed(0)}`,
  };
}
