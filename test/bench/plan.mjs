// Plan time (S9.3): twice the items may take 2.3 times as long, up to 100,000 items. One process a round, sizes in turn.
//
//   npm run build && node test/bench/plan.mjs [--json]
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const SIZES = [12_500, 25_000, 50_000, 100_000];
const ROUNDS = 7;
const MOST = 2.3;

const { values: flags } = parseArgs({
  options: { json: { type: 'boolean' }, round: { type: 'boolean' } },
  strict: false,
});
if (flags.round) console.log(JSON.stringify(measure()));
else report(Array.from({ length: ROUNDS }, inProcess));

function inProcess() {
  const child = spawnSync(process.execPath, [fileURLToPath(import.meta.url), '--round'], { encoding: 'utf8' });
  if (child.status !== 0) throw new Error(child.stderr);
  return JSON.parse(child.stdout);
}

/** Milliseconds of one plan by number of items: the least of 28 on views of their own, after two that warm up. */
function measure() {
  const require = createRequire(import.meta.url);
  const { createContext, createSession } = require('../../dist/core/index.js');
  const { createTiktoken } = require('../../dist/core/tokens/tiktoken.js');
  const { planCompaction } = require('../../dist/plugins/compaction/plan.js');
  const tokenizer = createTiktoken();
  const times = {};
  for (const size of SIZES) {
    const session = createSession({ id: 'bench' });
    session.append(history(size));
    const context = createContext(session, { tokenizer });
    const input = {
      retainedTokens: 8000,
      seen: context.seen(),
      openings: context.openings(),
      session,
      tokenizer,
    };
    const samples = [];
    for (let sample = 0; sample < 30; sample++) {
      const view = context.view();
      const begun = performance.now();
      planCompaction({ ...input, context: view });
      samples.push(performance.now() - begun);
    }
    times[size] = Math.min(...samples.slice(2));
  }
  return times;
}

function history(size) {
  const items = [{ kind: 'message', role: 'user', parts: [{ type: 'text', text: 'Please port all of it.' }] }];
  for (let number = 0; items.length < size; number++) {
    const callId = `c${number}`;
    items.push({ kind: 'tool_call', callId, name: 'read_file', arguments: { path: `src/file-${number}.ts` } });
    items.push({
      kind: 'tool_result',
      callId,
      summary: 'read',
      content: [{ type: 'text', text: `line ${number}\n`.repeat(20) }],
    });
  }
  return items.slice(0, size);
}

function report(rounds) {
  const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
  const rows = SIZES.map((size, index) => {
    const value = median(rounds.map((round) => round[size]));
    return {
      name: `plan of ${size} items`,
      value,
      unit: 'ms',
      ...(index > 0 && { before: median(rounds.map((round) => round[SIZES[index - 1]])) }),
    };
  });
  const ratios = rows.slice(1).map(({ name, value, before }) => ({
    name: `${name} beside half as many`,
    value: value / before,
    unit: 'x',
    limit: MOST,
  }));
  const all = [...rows.map(({ before: _, ...row }) => row), ...ratios];
  if (flags.json) return console.log(JSON.stringify(all));
  for (const { name, value, unit } of all) console.log(`${value.toFixed(2).padStart(9)} ${unit.padEnd(3)} ${name}`);
}
