// Runs every benchmark in turn and prints one table: what was measured, what it may be at most, and whether it holds.
//
//   npm run build && npm run bench
//
// A benchmark is a script beside this one that prints with --json a list of rows { name, value, unit, limit, note? }.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BENCHES = ['dispatch', 'counting', 'plan', 'process'];

const here = dirname(fileURLToPath(import.meta.url));
let failed = false;
for (const bench of BENCHES) {
  const script = join(here, `${bench}.mjs`);
  const { status, stdout } = spawnSync(
    process.execPath,
    [...process.execArgv, script, '--json', ...process.argv.slice(2)],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  console.log(`\n${bench}`);
  if (status !== 0) {
    failed = true;
    console.log('  did not run');
    continue;
  }
  for (const { name, value, unit, limit, note = '' } of JSON.parse(stdout)) {
    const holds = limit === undefined || value <= limit;
    failed ||= !holds;
    const bound = limit === undefined ? '' : `at most ${limit}`;
    console.log(
      `  ${holds ? ' ' : '!'} ${figure(value).padStart(10)} ${unit.padEnd(8)} ${bound.padEnd(14)} ${name}  ${note}`.trimEnd(),
    );
  }
}
process.exitCode = failed ? 1 : 0;

function figure(value) {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}
