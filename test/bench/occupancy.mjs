// Error of the occupancy estimate on real sessions (S6.3): the ledger has seen all usage up to one request and predicts the
// size of a later one from its items alone. Beside it, on the same pairs, the last known figure plus bytes/4 of what followed.
//
//   npm run build && npm run bench:occupancy -- --sessions DIR [--json]       (or PITH_SESSIONS=DIR)
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';

const require = createRequire(import.meta.url);
const { readSessions, readSource } = require('../../dist/core/formats/index.js');
const { argumentsText } = require('../../dist/core/tokens/item-count.js');
const { shapeOf } = require('../../dist/core/tokens/entry-shape.js');
const { TokenLedger } = require('../../dist/core/tokens/ledger.js');
const { createTiktoken } = require('../../dist/core/tokens/tiktoken.js');

/** Requests between the last known figure and the predicted one. */
const DISTANCES = [1, 5, 20];

const { values: flags } = parseArgs({ options: { sessions: { type: 'string' }, json: { type: 'boolean' } } });
const named = flags.sessions ?? process.env.PITH_SESSIONS;
if (named === undefined) {
  console.error('Name the folder of session files: --sessions DIR, or PITH_SESSIONS.');
  process.exit(2);
}

const folder = existsSync(join(named, 'files')) ? join(named, 'files') : named;
const pairs = [];
for (const file of readdirSync(folder).sort()) {
  for (const session of await sessionsOf(join(folder, file)))
    pairs.push(...predictionsOf(stepsOf(session), session.format));
}
const rows = summarise(pairs);
console.log(flags.json ? JSON.stringify(rows, null, 2) : table(rows));

/** The conversations of a file; none where it is no session file. */
async function sessionsOf(path) {
  try {
    return readSessions(await readSource(path));
  } catch {
    return [];
  }
}

/**
 * What happened to a context, in order: entries added, the whole replaced by a compaction, the fixed part changed, a request
 * measured. Calls that never got a result are left out: no provider takes them, so the agent did not send them again.
 */
function stepsOf({ records }) {
  const results = new Set(records.map((record) => record.item?.kind === 'tool_result' && record.item.callId));
  const tokenizer = createTiktoken(records.find((record) => record.t === 'settings' && record.model)?.model);
  const entryOf = (item) => ({
    shape: shapeOf(item),
    count: tokenizer.countItem(item),
    bytes: bytesOf(item),
    reply: item.reply,
  });
  const isSent = (item) => item.kind !== 'tool_call' || results.has(item.callId);
  const steps = [];
  const items = [];
  let entries = [];
  let fixed = { system: 0, tools: 0, blocks: 0 };
  for (const record of records) {
    if (record.t === 'item') {
      items.push(record.item);
      if (!isSent(record.item)) continue;
      entries.push(entryOf(record.item));
      steps.push({ do: 'append', entry: entries.at(-1) });
    } else if (record.t === 'settings') {
      const { model, system = '', tools = [] } = record;
      const known = system !== '' || tools.length > 0;
      const prompt = { system: tokenizer.countText(system), tools: tokenizer.countTools(tools), blocks: fixed.blocks };
      fixed = { ...prompt, ...(model && { model }), ...(known && { key: JSON.stringify([system, tools]) }) };
      steps.push({ do: 'fix', fixed });
    } else if (record.t === 'checkpoint') {
      entries = items.slice(record.cut).filter(isSent).map(entryOf);
      fixed = { ...fixed, blocks: record.blocks.reduce((tokens, { text }) => tokens + tokenizer.countText(text), 0) };
      steps.push({ do: 'fix', fixed }, { do: 'replace', entries: [...entries] });
    } else if (record.t === 'usage') {
      const length = replyStart(entries);
      const bytes = entries.slice(0, length).reduce((sum, entry) => sum + entry.bytes, 0);
      steps.push({ do: 'measure', usage: record.usage, length, bytes });
    }
  }
  return steps;
}

/** Usage follows the items of its reply; the request carried what stands before them. */
function replyStart(entries) {
  const isReply = ({ shape }) => shape !== 'prompt' && shape !== 'input';
  let start = entries.length;
  while (start > 0 && isReply(entries[start - 1]) && entries[start - 1].reply === entries.at(-1).reply) start -= 1;
  return start;
}

/** The text of an item that the baseline counts; opaque reasoning and images are left out in its favour. */
function bytesOf(item) {
  const textOf = (parts) => parts.map((part) => part.text ?? '').join('');
  const texts = {
    message: () => textOf(item.parts),
    tool_call: () => item.name + argumentsText(item.arguments),
    tool_result: () => (item.content ? textOf(item.content) : item.summary),
    reasoning: () => item.text ?? '',
  };
  return Buffer.byteLength(texts[item.kind]());
}

/** One prediction per pair of a known request and a later one in the same context and with the same model. */
function predictionsOf(steps, format) {
  const measured = steps.flatMap((step, at) => (step.do === 'measure' ? [{ ...step, at }] : []));
  return measured.flatMap((known, index) => {
    const stretches = DISTANCES.map((distance) => measured.slice(index, index + distance + 1));
    const whole = stretches.filter(
      (stretch, which) => stretch.length > DISTANCES[which] && isOneStretch(steps, stretch),
    );
    return whole.length === 0 ? [] : predict(steps, known, whole, format);
  });
}

function isOneStretch(steps, stretch) {
  const between = steps.slice(stretch[0].at, stretch.at(-1).at);
  return (
    stretch.every(
      ({ usage, length }, at) =>
        usage.model === stretch[0].usage.model && length >= stretch[Math.max(0, at - 1)].length,
    ) && !between.some((step) => step.do === 'replace')
  );
}

/** What a ledger that has seen everything up to and with `known` says about the last request of each stretch. */
function predict(steps, known, stretches, format) {
  const ledger = new TokenLedger();
  const play = (step) => {
    if (step.do === 'append') ledger.append(step.entry);
    else if (step.do === 'replace') ledger.rewrite(0, step.entries);
    else if (step.do === 'fix') ledger.setFixed(step.fixed);
  };
  for (const step of steps.slice(0, known.at)) {
    if (step.do === 'measure') ledger.measure(step.usage, step.length);
    else play(step);
  }
  ledger.measure(known.usage, known.length);
  let at = known.at;
  return stretches.map((stretch) => {
    const target = stretch.at(-1);
    while (ledger.length < target.length) play(steps[++at]);
    const actual = target.usage.inputTokens;
    return {
      format,
      distance: stretch.length - 1,
      stretch: JSON.stringify([format, stretch.map(({ usage }) => usage.inputTokens)]),
      error: Math.abs(ledger.total().tokens - actual) / actual,
      baseline: Math.abs(known.usage.inputTokens + (target.bytes - known.bytes) / 4 - actual) / actual,
    };
  });
}

/** Mean and 95th percentile per format and distance, in percent; stretches that several files hold count once. */
function summarise(all) {
  const seen = new Set();
  const once = all.filter(({ stretch }) => !seen.has(stretch) && seen.add(stretch));
  const formats = [...new Set(once.map(({ format }) => format))];
  return formats.flatMap((format) =>
    DISTANCES.flatMap((distance) => {
      const group = once.filter((pair) => pair.format === format && pair.distance === distance);
      if (group.length === 0) return [];
      const error = figures(group.map((pair) => pair.error));
      const bytes4 = figures(group.map((pair) => pair.baseline));
      return [{ format, distance, n: group.length, error, bytes4, ratio: round(error.mean / bytes4.mean) }];
    }),
  );
}

function figures(errors) {
  const sorted = errors.toSorted((left, right) => left - right);
  const mean = sorted.reduce((sum, error) => sum + error, 0) / sorted.length;
  return { mean: round(100 * mean), p95: round(100 * sorted[Math.floor(0.95 * (sorted.length - 1))]) };
}

function round(value) {
  return Math.round(value * 100) / 100;
}

function table(rows) {
  const lines = rows.map(({ format, distance, n, error, bytes4, ratio }) =>
    [format.padEnd(14), distance, n, error.mean, error.p95, bytes4.mean, bytes4.p95, ratio]
      .map((cell) => String(cell).padStart(9))
      .join(''),
  );
  const head = ['format', 'k', 'n', 'mean %', 'p95 %', 'bytes/4', 'p95 %', 'ratio'];
  return [head.map((cell, at) => (at === 0 ? cell.padEnd(14) : cell.padStart(9))).join(''), ...lines].join('\n');
}
