// What stands in the context after a cut, by different policies at the same number of tokens.
import {
  agentFromManifest,
  COMPACTION,
  CONTEXT,
  createImportedSession,
  createKernel,
  createSessionFiles,
  defaultService,
  FILE_SOURCE,
  fileCalls,
  loadManifest,
  stockPlugins,
} from './built.mjs';
import { placedIn } from './shown.mjs';
import { textOf } from './need.mjs';

/** Shares of the tokens for the retained tail and the files that are read again, where all tokens are given as one number. */
const TAIL_SHARE = 0.2;
const READ_SHARE = 0.68;

/**
 * A policy takes `{ session, cut, before, files, tokens, tokenizer, need }` and gives what the context holds: `texts` of the
 * blocks, `ranges` of files by canonical path, the `tail` as it is sent, paths that are `named`, and the `tokens` of it all.
 */
export const BASELINES = {
  'newest-N': newest,
  'recency-5': recentFiles,
  'paths-only': pathsOnly,
  recency: recencyWeighted,
  oracle,
};

/** The compaction of Pith itself, by the worker of a manifest or offline. `split` gives its budgets for a number of tokens. */
export function pith({ manifest, split = splitOf } = {}) {
  return async ({ session, cut, before, files, tokens }) => {
    const { retainedTokens, autoReadBudget } = split(tokens);
    const described =
      manifest && (await agentFromManifest(await loadManifest({ path: manifest, stock: stockPlugins })));
    let kernel;
    const imported = createImportedSession(
      { ...session, records: session.records.slice(0, cut.position) },
      { services: (of) => kernel.scope(of) },
    );
    const load = ['tracker', 'compaction', 'auto-read-budget', 'guard'].map((name) => stockPlugins[name]());
    kernel = await createKernel({
      plugins: await Promise.all(load),
      config: {
        compaction: {
          ...described?.config?.compaction,
          mode: 'off',
          retainedTokens,
          autoReadBudget,
          ...(described ? {} : { worker: 'offline' }),
        },
      },
      log: () => undefined,
      defaults: [...(described?.defaults ?? []), defaultService(FILE_SOURCE, () => files)],
    });
    try {
      const report = await kernel.get(COMPACTION).compact(imported, { trigger: 'manual' });
      const view = imported.get(CONTEXT).view();
      const blocks = view.system.flatMap(({ block }) => block ?? []);
      const ranges = new Map();
      for (const { path, fromLine = 1, toLine = Infinity, kind } of blocks) {
        if (kind !== 'auto-read' || path === undefined) continue;
        const name = files.canonical(path);
        ranges.set(name, [...(ranges.get(name) ?? []), [fromLine, toLine]]);
      }
      return {
        outcome: report.outcome,
        texts: blocks.map(({ text }) => text),
        ranges,
        tail: [...view.items()],
        named: (report.references ?? []).map(({ path }) => files.canonical(path)),
      };
    } finally {
      await imported.close();
      await kernel.stop();
    }
  };
}

function splitOf(tokens) {
  return { retainedTokens: Math.round(tokens * TAIL_SHARE), autoReadBudget: Math.round(tokens * READ_SHARE) };
}

/** The newest items that fit. */
function newest({ before, tokens, tokenizer }) {
  return { texts: [], ranges: new Map(), tail: suffix(before, tokens, tokenizer), named: [] };
}

/** The five files touched last, whole, then the newest items. */
async function recentFiles(input) {
  return withFiles(input, (await touchesOf(input)).slice(0, 5), input.tokens * 0.6);
}

/** The paths of all files, then the newest items. */
async function pathsOnly(input) {
  const { before, tokens, tokenizer } = input;
  const named = (await touchesOf(input)).map(({ name }) => name);
  const text = named.join('\n');
  const left = tokens - tokenizer.countText(text);
  return { texts: [text], ranges: new Map(), tail: suffix(before, left, tokenizer), named };
}

/** Files by a sum of touches that halves every 60 items, whole as far as they fit, then the newest items. */
async function recencyWeighted(input) {
  const files = await touchesOf(input);
  return withFiles(
    input,
    [...files].sort((a, b) => b.weight - a.weight),
    input.tokens * 0.6,
  );
}

/** What will be needed, found by looking ahead: the bound at this budget. */
async function oracle({ tokens, tokenizer, need, files }) {
  let left = tokens;
  const texts = [];
  const ranges = new Map();
  const take = (text) => {
    const cost = tokenizer.countText(text) + 4;
    if (cost > left) return false;
    left -= cost;
    texts.push(text);
    return true;
  };
  for (const sentence of need.directives) take(sentence);
  for (const [name, around] of need.names) take(`${[...around].slice(0, 2).join(' ')} ${name}`);
  for (const [name, lines] of need.lines)
    for (const [number, line] of lines)
      if (take(line)) ranges.set(name, [...(ranges.get(name) ?? []), [number, number]]);
  return { texts, ranges, tail: [], named: [...need.touched].map((name) => files.canonical(name)) };
}

/** Files whole, in their order, cut where the budget ends, and the newest items in what is left. */
async function withFiles({ before, files, tokens, tokenizer }, chosen, budget) {
  const texts = [];
  const ranges = new Map();
  let left = budget;
  for (const { name } of chosen) {
    const read = await files.read(name);
    if (!read.ok || left < 100) continue;
    const lines = [];
    for (const [number, line] of placedIn(read)) {
      const cost = tokenizer.countText(line) + 1;
      if (cost > left) break;
      left -= cost;
      lines.push(line);
      ranges.set(name, [...(ranges.get(name) ?? []), [number, number]]);
    }
    texts.push(`${name}\n${lines.join('\n')}`);
  }
  return {
    texts,
    ranges,
    tail: suffix(before, tokens - budget + left, tokenizer),
    named: chosen.map(({ name }) => name),
  };
}

/** The files of a history, last touched first. */
async function touchesOf({ before, files }) {
  const touched = new Map();
  for (const [at, item] of before.entries()) {
    if (item.kind !== 'tool_call') continue;
    for (const { path } of fileCalls(item.name, item.arguments)) {
      const name = files.canonical(path);
      const weight = (touched.get(name)?.weight ?? 0) + 0.5 ** ((before.length - at) / 60);
      touched.set(name, { name, last: at, weight });
    }
  }
  return [...touched.values()].sort((a, b) => b.last - a.last);
}

/** The newest items within a number of tokens, from the beginning of a reply or message. */
function suffix(items, tokens, tokenizer) {
  let start = items.length;
  let sum = 0;
  for (let at = items.length - 1; at >= 0; at--) {
    sum += tokenizer.countText(textOf(items[at]));
    if (sum > tokens) break;
    if (items[at].kind !== 'tool_result') start = at;
  }
  return items.slice(start);
}

export { createSessionFiles };
