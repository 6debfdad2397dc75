// Kills an agent 200 times with SIGKILL, at random log sizes and at least three times in ten during a compaction. After each
// kill: every prompt that it had acknowledged is in its log, the log is whole, and the next process goes on and answers.
//
//   npm run build && npm run test:crash
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const KILLS = Number(process.env.PITH_CRASH_KILLS ?? 200);
/** Kills of one session, so that logs are short and long. */
const OF_ONE_SESSION = 25;
const CHILD = fileURLToPath(new URL('child.mjs', import.meta.url));

const dir = mkdtempSync(join(tmpdir(), 'pith-crash-'));
const faults = [];
let duringCompaction = 0;
let acknowledged = 0;
let resumed = 0;
let seed = 20301;

/** A repeatable number from 0 up to 1. */
function random() {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  return seed / 2 ** 32;
}

/** Runs one agent until it is killed; `after` lines, or in the middle of the next compaction behind them. */
function runAndKill(session, kill, marks) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [CHILD, dir, session, String(kill)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const wantsCompaction = kill % 2 === 0;
    let left = 1 + Math.floor(random() * 30);
    let answered = false;
    let compacting = false;
    let dying = false;
    const die = (delay) => {
      dying = true;
      setTimeout(() => {
        if (compacting) duringCompaction++;
        child.kill('SIGKILL');
      }, delay);
    };
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [word, mark] = line.split(' ');
      if (word === 'ACK') marks.add(mark);
      else if (word === 'ANSWERED') answered = true;
      else if (word === 'OPEN' && mark === 'true') resumed++;
      else if (word === 'ERROR') faults.push(`kill ${kill}: ${line.slice(6)}`);
      else if (word === 'COMPACTING') compacting = true;
      else if (word === 'COMPACTED') compacting = false;
      left--;
      if (dying || !answered || left > 0) return;
      if (wantsCompaction ? compacting : true) die(Math.floor(random() * 25));
    });
    const hung = setTimeout(() => {
      faults.push(`kill ${kill}: the agent answered nothing for 30 seconds`);
      child.kill('SIGKILL');
    }, 30_000);
    child.on('exit', (code, signal) => {
      clearTimeout(hung);
      if (signal !== 'SIGKILL') faults.push(`kill ${kill}: the agent ended by itself with ${code ?? signal}`);
      resolve();
    });
  });
}

/** What is wrong with the log after a kill: prompts that are neither in the conversation nor waiting, torn lines but the last. */
function check(session, kill, marks) {
  const lines = readFileSync(join(dir, `${session}.jsonl`), 'utf8').split('\n');
  const torn = lines.pop();
  const records = [];
  for (const [at, line] of lines.entries()) {
    try {
      records.push(JSON.parse(line));
    } catch {
      faults.push(`kill ${kill}: line ${at + 1} of the log is malformed`);
    }
  }
  records.forEach(({ seq }, at) => {
    if (seq !== at) faults.push(`kill ${kill}: record ${at} of the log says it is ${seq}`);
  });
  const phases = new Map();
  for (const { t, compaction, phase } of records)
    if (t === 'compaction') phases.set(compaction, [...(phases.get(compaction) ?? []), phase]);
  const unfinished = [...phases].filter(([, [start, end, more]]) => start !== 'start' || !end || more);
  // The newest may have been cut off by this kill; whoever opens the session next tells its end.
  for (const [id, told] of unfinished) {
    if (id !== [...phases.keys()].at(-1) || told.length !== 1)
      faults.push(`kill ${kill}: ${id} was told as ${told.join(', ')}`);
  }
  const said = JSON.stringify(records.filter(({ t }) => t === 'item' || t === 'prompt'));
  for (const mark of marks) {
    if (!said.includes(mark))
      faults.push(`kill ${kill}: ${mark} was acknowledged and is lost (torn: ${torn.length} characters)`);
  }
}

for (let kill = 0, marks = new Set(); kill < KILLS; kill++) {
  if (kill % OF_ONE_SESSION === 0) marks = new Set();
  const session = `session-${Math.floor(kill / OF_ONE_SESSION)}`;
  const before = marks.size;
  await runAndKill(session, kill, marks);
  acknowledged += marks.size - before;
  check(session, kill, marks);
}
rmSync(dir, { recursive: true });

const share = duringCompaction / KILLS;
if (share < 0.3) faults.push(`only ${(share * 100).toFixed(0)}% of the kills came during a compaction`);
for (const fault of faults) console.log(fault);
console.log(
  `${KILLS} kills, ${duringCompaction} during a compaction, ${resumed} interrupted runs resumed, ${acknowledged} prompts acknowledged`,
);
console.log(`${KILLS - Math.min(KILLS, faults.length)} passed, ${faults.length} failed`);
process.exitCode = faults.length > 0 ? 1 : 0;
