// What the benchmarks found, in one table: scripts that print with --json a list of rows { name, value, unit, limit?, least?, note? }.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** Runs a script of this folder and prints its rows. Whether it ran and all of them hold. */
export function runAndPrint(bench, args) {
  const { stdout } = spawnSync(process.execPath, [...process.execArgv, join(here, `${bench}.mjs`), '--json', ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  console.log(`\n${bench}`);
  const rows = rowsOf(stdout);
  if (rows === undefined) console.log('  did not run');
  for (const row of rows ?? []) console.log(lineOf(row));
  return rows?.every(holds) ?? false;
}

function rowsOf(json) {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function holds({ value, limit = Infinity, least = -Infinity }) {
  return value <= limit && value >= least;
}

function lineOf(row) {
  const { name, value, unit, limit, least, note = '' } = row;
  const bound = limit === undefined ? (least === undefined ? '' : `at least ${least}`) : `at most ${limit}`;
  const mark = holds(row) ? ' ' : '!';
  return `  ${mark} ${figure(value).padStart(9)} ${unit.padEnd(8)} ${bound.padEnd(13)} ${name}  ${note}`.trimEnd();
}

function figure(value) {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}
