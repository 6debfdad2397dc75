// Whole processes, interleaved, medians: `pith compact FILE` beside plain-encode.mjs, which only reads, parses and encodes
// the same file; and `import 'pith'` beside an empty process.
//
//   npm run build && node test/bench/process.mjs [--sessions DIR] [--rounds N] [--json]       (or PITH_SESSIONS=DIR)
//
// DIR holds session files, or a folder `files` that does; the three largest of a known format are taken. Without it the
// sessions of examples/ are.
import { spawnSync } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median } from './median.mjs';
import { largestSessions } from './sessions.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');

/** How much longer than the plain script a compaction may take, and how much longer than nothing an import, in ms. */
const MOST_TIMES = 2.5;
const MOST_IMPORT_MS = 80;

const { values: flags } = parseArgs({
  options: { sessions: { type: 'string' }, rounds: { type: 'string', default: '7' }, json: { type: 'boolean' } },
});
const rounds = Math.max(7, Number(flags.rounds));
const rows = [];

for (const file of await largestSessions(flags.sessions)) {
  const [plain, compact] = interleaved([
    [join(here, 'plain-encode.mjs'), file],
    [join(root, 'dist/core/cli/main.js'), 'compact', file, '--json'],
  ]);
  const name = `compact ${basename(file)} / plain encode`;
  rows.push({ name, value: compact / plain, unit: 'times', limit: MOST_TIMES, note: `${ms(compact)} / ${ms(plain)}` });
}
const [empty, imported] = interleaved([
  ['--input-type=module', '--eval', ''],
  ['--input-type=module', '--eval', 'import "pith"'],
]);
const note = `${ms(imported)} - ${ms(empty)}`;
rows.push({ name: "import 'pith' - empty process", value: imported - empty, unit: 'ms', limit: MOST_IMPORT_MS, note });
const heavy = heavyModules();
rows.push({
  name: "heavy modules that import 'pith' loads",
  value: heavy.length,
  unit: 'modules',
  limit: 0,
  note: heavy.join(' '),
});

if (flags.json) console.log(JSON.stringify(rows, null, 2));
else
  for (const row of rows)
    console.log(`${row.value.toFixed(2)} ${row.unit} (at most ${row.limit})  ${row.name}  ${row.note}`);

/** Median milliseconds of each process, run in turn round by round. */
function interleaved(commands) {
  const times = commands.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [at, args] of commands.entries()) {
      const begun = performance.now();
      const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
      if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`);
      times[at].push(performance.now() - begun);
    }
  }
  return times.map(median);
}

/** The packages with vocabularies, brokers or schema compilers that are there after the import. */
function heavyModules() {
  const script = `import 'pith'; import { createRequire } from 'node:module';
    const loaded = Object.keys(createRequire(import.meta.url).cache).map((path) => path.split('node_modules/').at(-1).split('/')[0]);
    console.log(JSON.stringify([...new Set(loaded)]));`;
  const { stdout } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', script.replaceAll('import.meta.url', JSON.stringify(join(root, 'package.json')))],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  return JSON.parse(stdout).filter((name) => ['tiktoken', 'nats', 'zod', 'ai'].includes(name));
}

function ms(value) {
  return `${value.toFixed(0)} ms`;
}
