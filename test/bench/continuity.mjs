// How much of what an agent needed next stands in its compacted context, on real sessions, beside common policies at equal
// tokens. docs/continuity.md defines the measures.
//
//   npm run build && npm run bench:continuity -- --sessions DIR [--tokens 20000,10000] [--horizon 25] [--every 8000]
//     [--manifest FILE] [--policies pith,newest-N] [--json]
import { parseArgs } from 'node:util';
import { createSessionFiles, createTiktoken } from './continuity/built.mjs';
import { corpusOf, cutsOf } from './continuity/corpus.mjs';
import { horizonOf, needOf, textOf } from './continuity/need.mjs';
import { BASELINES, pith } from './continuity/policies.mjs';
import { measure } from './continuity/shown.mjs';
import { interval, mean, overSessions } from './continuity/statistics.mjs';

const MEASURES = ['files', 'lines', 'names', 'directives', 'reads', 'named', 'precision', 'tokens'];

const { values: flags } = parseArgs({
  options: {
    sessions: { type: 'string' },
    tokens: { type: 'string', default: '20000,10000' },
    horizon: { type: 'string', default: '25' },
    every: { type: 'string', default: '8000' },
    manifest: { type: 'string' },
    policies: { type: 'string' },
    json: { type: 'boolean' },
    cuts: { type: 'boolean' },
  },
});
const folder = flags.sessions ?? process.env.PITH_SESSIONS;
if (folder === undefined) {
  console.error('Name the folder of session files: --sessions DIR, or PITH_SESSIONS.');
  process.exit(2);
}

const tokenizer = createTiktoken();
const budgets = flags.tokens.split(',').map(Number);
const horizons = flags.horizon.split(',').map(Number);
const policies = {
  pith: pith(),
  ...(flags.manifest && { 'pith (manifest)': pith({ manifest: flags.manifest }) }),
  ...BASELINES,
};
const chosen = flags.policies?.split(',') ?? Object.keys(policies);
const rows = [];
for (const session of await corpusOf(folder)) {
  const counts = new Map();
  const tokensOf = (item) => {
    const known = counts.get(item) ?? tokenizer.countText(textOf(item));
    counts.set(item, known);
    return known;
  };
  for (const cut of cutsOf(session, { every: Number(flags.every), atLeast: Math.max(...budgets) * 1.25, tokensOf }))
    rows.push(...(await measuredAt(session, cut)));
}
if (flags.json) console.log(JSON.stringify({ rows, summary: summary() }, null, 2));
else console.log(table());

async function measuredAt(session, cut) {
  const { root } = session;
  const items = session.records.flatMap(({ t, item }) => (t === 'item' ? [item] : []));
  const before = items.slice(0, cut.items);
  const later = items.slice(cut.items);
  const system = session.records
    .flatMap(({ t, system: prompt }) => (t === 'settings' && prompt ? [prompt] : []))
    .join('\n');
  const files = createSessionFiles(before, root);
  const found = [];
  const needs = new Map();
  for (const horizon of horizons)
    needs.set(horizon, await needOf({ before, after: horizonOf(later, horizon), later, root, system }));
  for (const tokens of budgets) {
    for (const policy of chosen) {
      const input = { session, cut, before, files, tokens, tokenizer };
      const made = policy === 'oracle' ? undefined : await policies[policy](input);
      for (const horizon of horizons) {
        const need = needs.get(horizon);
        const context = made ?? (await policies[policy]({ ...input, need }));
        const measured = await measure(context, need, { root, canonical: (path) => files.canonical(path), tokenizer });
        found.push({
          session: session.name,
          cut: cut.items,
          tokens: undefined,
          budget: tokens,
          policy,
          horizon,
          outcome: context.outcome ?? 'done',
          ...measured,
        });
      }
    }
  }
  return found;
}

function summary() {
  return budgets.flatMap((budget) =>
    horizons.flatMap((horizon) =>
      chosen.map((policy) => {
        const of = rows.filter((row) => row.budget === budget && row.horizon === horizon && row.policy === policy);
        const means = MEASURES.map((name) => {
          const values = overSessions(of, name);
          return [name, { mean: mean(values), interval: interval(values), sessions: values.length }];
        });
        return { budget, horizon, policy, cuts: of.length, ...Object.fromEntries(means) };
      }),
    ),
  );
}

function table() {
  const lines = [];
  for (const { budget, horizon, policy, cuts, ...measures } of summary()) {
    const head = `${budget} tokens, next ${horizon} calls`;
    if (lines.at(-1)?.head !== head)
      lines.push({
        head,
        text: `\n${head}\n${'policy'.padEnd(18)}${MEASURES.map((name) => name.padStart(18)).join('')}`,
      });
    const cells = MEASURES.map((name) => cell(name, measures[name]).padStart(18));
    lines.push({ head, text: `${policy.padEnd(18)}${cells.join('')}  n ${measures.lines.sessions}, ${cuts} cuts` });
  }
  return lines.map(({ text }) => text).join('\n');
}

function cell(name, { mean: value, interval: range }) {
  if (value === undefined) return '-';
  if (name === 'tokens') return String(Math.round(value));
  return `${value.toFixed(2)} [${range.map((end) => end.toFixed(2)).join(', ')}]`;
}
