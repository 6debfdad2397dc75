// Cost of counting (S6.1, S6.4): a megabyte of text that is hard on an encoder beside a megabyte of English prose, and one
// new item beside a recount of the whole history. Every round is a process of its own, in which the cases take turns.
//
//   npm run build && node test/bench/counting.mjs [--json]
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median } from './median.mjs';

const MEGABYTE = 1 << 20;
const ROUNDS = 7;
const ITEMS = 2000;
const PROSE = 'English prose';

/** What a byte may cost beside prose, and a new item beside a recount. */
const MOST_TIMES = 3;
const MOST_PERCENT = 1;

const { values: flags } = parseArgs({
  options: { json: { type: 'boolean' }, round: { type: 'string' } },
  strict: false,
});
if (flags.round !== undefined) console.log(JSON.stringify(measureRound(Number(flags.round))));
else report(Array.from({ length: ROUNDS }, (_, round) => inProcess(round)));

/** Milliseconds per megabyte by case, and milliseconds per recount and per new item. */
function inProcess(round) {
  const child = spawnSync(process.execPath, [fileURLToPath(import.meta.url), '--round', String(round)], {
    encoding: 'utf8',
  });
  if (child.status !== 0) throw new Error(child.stderr);
  return JSON.parse(child.stdout);
}

function measureRound(round) {
  const require = createRequire(import.meta.url);
  const { createTiktoken } = require('../../dist/core/tokens/tiktoken.js');
  const { shapeOf } = require('../../dist/core/tokens/entry-shape.js');
  const { TokenLedger } = require('../../dist/core/tokens/ledger.js');
  const tokenizer = createTiktoken();
  const texts = Object.entries(pathologies());
  // The first count loads the vocabulary, the second warms the code up.
  tokenizer.countText(prose().slice(0, 100_000));
  const perMegabyte = {};
  for (let at = 0; at < texts.length; at++) {
    const [name, text] = texts[(at + round) % texts.length];
    const started = performance.now();
    tokenizer.countText(text);
    perMegabyte[name] = ((performance.now() - started) * MEGABYTE) / Buffer.byteLength(text);
  }
  return { perMegabyte, ...measureHistory(createTiktoken, shapeOf, TokenLedger) };
}

/** A history of 2000 items: counted and weighed anew, and with one item more. */
function measureHistory(createTiktoken, shapeOf, TokenLedger) {
  const items = Array.from({ length: ITEMS }, (_, at) => itemOf(at));
  const weighAll = (tokenizer, list) => {
    const ledger = new TokenLedger();
    for (const item of list) ledger.append({ shape: shapeOf(item), count: tokenizer.countItem(item) });
    ledger.total();
    return ledger;
  };
  const tokenizer = createTiktoken();
  const ledger = weighAll(tokenizer, items);
  const fresh = Array.from({ length: 200 }, (_, at) => itemOf(ITEMS + at));
  const added = timed(() => {
    for (const item of fresh) {
      ledger.append({ shape: shapeOf(item), count: tokenizer.countItem(item) });
      ledger.total();
    }
  });
  return { recount: timed(() => weighAll(createTiktoken(), items)), newItem: added / fresh.length };
}

function timed(work) {
  const started = performance.now();
  work();
  return performance.now() - started;
}

function itemOf(at) {
  const text =
    `Result ${at}: ` + 'the build passed and two files changed, src/a.ts and src/b.ts; '.repeat(1 + (at % 10));
  return { id: `i${at}`, kind: 'tool_result', callId: `c${at}`, summary: 'done', content: [{ type: 'text', text }] };
}

/** A megabyte of each kind, made of a fixed sequence. */
function pathologies() {
  let state = 1;
  const below = (limit) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >>> 8) % limit;
  };
  const fill = (next) => {
    const parts = [];
    for (let bytes = 0; bytes < MEGABYTE; bytes += Buffer.byteLength(parts.at(-1))) parts.push(next());
    return parts.join('');
  };
  const of = (alphabet) => fill(() => Array.from({ length: 256 }, () => alphabet[below(alphabet.length)]).join(''));
  const range = (first, length) => Array.from({ length }, (_, at) => String.fromCodePoint(first + at));
  const lower = range(97, 26);
  const base64 = [...lower, ...range(65, 26), ...range(48, 10), '+', '/'];
  return {
    [PROSE]: prose(),
    'one letter': fill(() => 'a'.repeat(256)),
    'random letters': of(lower),
    spaces: fill(() => ' '.repeat(256)),
    'line feeds': fill(() => '\n'.repeat(256)),
    'equal signs': fill(() => '='.repeat(256)),
    'table rules': fill(() => '|---'.repeat(64)),
    'mixed signs': of([...'!@#$%^&*()_+-={}[]|:;<>,.?/~']),
    base64: of(base64),
    'base64 in lines': fill(() => `${Array.from({ length: 76 }, () => base64[below(64)]).join('')}\n`),
    hex: of([...'0123456789abcdef']),
    kana: of(range(0x3041, 80)),
    'CJK characters': of(range(0x4e00, 8000)),
    'one emoji': fill(() => '😀'.repeat(64)),
    'joined emoji': fill(() => '👨‍👩‍👧‍👦'.repeat(16)),
    'combining marks': fill(() => 'e\u0301\u0302'.repeat(64)),
    'lone surrogates': fill(() => '\ud800'.repeat(256)),
    'zero bytes': fill(() => '\0'.repeat(256)),
  };
}

/** Sentences of common words in varying order. */
function prose() {
  const words = (
    'the of and to in a is that it was for on are as with his they at be this from have or by one had not but what all were when ' +
    'we there can an your which their said if do will each about how up out them then she many some so these would other into has ' +
    'more her two like him see time could no make than first been its who now people my made over did down only way find use may ' +
    'water long little very after words called just where most know get through back much before go good new write our used me man ' +
    'committee discovered remarkable evidence although previous investigations had suggested otherwise nevertheless considerable uncertainty remained'
  ).split(' ');
  let state = 7;
  const parts = [];
  for (let length = 0; length < MEGABYTE; length += parts.at(-1).length) {
    const sentence = Array.from({ length: 8 + (parts.length % 9) }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) & 0x7fffffff;
      return words[(state >>> 8) % words.length];
    }).join(' ');
    parts.push(`${sentence[0].toUpperCase()}${sentence.slice(1)}. `);
  }
  return parts.join('');
}

/** Rows as `run.mjs` prints them. */
function report(rounds) {
  const baseline = median(rounds.map((round) => round.perMegabyte[PROSE]));
  const hard = Object.keys(rounds[0].perMegabyte).filter((name) => name !== PROSE);
  const rows = hard.sort().map((name) => {
    const perMegabyte = median(rounds.map((round) => round.perMegabyte[name]));
    const note = `${ms(perMegabyte)} / ${ms(baseline)}`;
    return {
      name: `counting 1 MB of ${name} / of ${PROSE}`,
      value: perMegabyte / baseline,
      unit: 'times',
      limit: MOST_TIMES,
      note,
    };
  });
  const recount = median(rounds.map((round) => round.recount));
  const newItem = median(rounds.map((round) => round.newItem));
  const share = (100 * newItem) / recount;
  const note = `${ms(newItem)} / ${ms(recount)}, ${Math.round(recount / newItem)} times cheaper`;
  rows.push({
    name: `one new item / recount of ${ITEMS} items`,
    value: share,
    unit: 'percent',
    limit: MOST_PERCENT,
    note,
  });
  if (flags.json) console.log(JSON.stringify(rows, null, 2));
  else
    for (const row of rows)
      console.log(`${row.value.toFixed(2)} ${row.unit} (at most ${row.limit})  ${row.name}  ${row.note}`);
}

function ms(value) {
  return `${value.toPrecision(3)} ms`;
}
