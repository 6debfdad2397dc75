// Runs every benchmark in turn and prints one table: what was measured, what it may be at most, and whether it holds.
//
//   npm run build && npm run bench [-- --sessions DIR]
//
// A benchmark is a script beside this one that prints with --json a list of rows { name, value, unit, limit, note? }.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BENCHES = ['dispatch', 'counting', 'plan', 'turn', 'restore', 'background', 'process'];

const here = dirname(fileURLToPath(import.meta.url));
let failed = false;
for (const bench of BENCHES) {
  const script = join(here, `${bench}.mjs`);
  const more = ['process', 'background'].includes(bench) ? process.argv.slice(2) : [];
  const { stdout } = spawnSync(process.execPath, [...process.execArgv, script, '--json', ...more], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  console.log(`\n${bench}`);
  for (const { name, value, unit, limit, note = '' } of rowsOf(stdout)) {
    const holds = limit === undefined || value <= limit;
    failed ||= !holds;
    const bound = limit === undefined ? '' : `at most ${limit}`;
    console.log(
      `  ${holds ? ' ' : '!'} ${figure(value).padStart(9)} ${unit.padEnd(8)} ${bound.padEnd(13)} ${name}  ${note}`.trimEnd(),
    );
  }
}
process.exitCode = failed ? 1 : 0;

function rowsOf(json) {
  try {
    return JSON.parse(json);
  } catch {
    failed = true;
    console.log('  did not run');
    return [];
  }
}

function figure(value) {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}
