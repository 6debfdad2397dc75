// Tests packages that use Pith as it is published: from its tarball, each in a folder of its own outside of the repository.
//
//   npm run test:consumers [-- NAME …]
//
// A consumer is a folder of test/consumers or examples whose package.json has a script `test`. It is copied without what was
// installed or built in it, `npm ci` installs its lockfile, `npm install --no-save` the tarball, and its tests run. They find
// the tarball at PITH_TARBALL and the examples below PITH_EXAMPLES. The last line is `N passed, N failed`.
import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const FOLDERS = ['test/consumers', 'examples'];
const AT_ONCE = Math.min(3, availableParallelism());
/** Milliseconds that one command of a consumer may take. */
const DEADLINE = 10 * 60_000;
const LEFT_BEHIND = new Set(['node_modules', 'dist']);

/** Folders whose package.json has a test, those that install most first, so that the longest does not come last. */
async function findConsumers() {
  const found = [];
  for (const folder of FOLDERS) {
    for (const entry of await readdir(join(ROOT, folder), { withFileTypes: true })) {
      const path = join(ROOT, folder, entry.name);
      const manifest = await readFile(join(path, 'package.json'), 'utf8').catch(() => undefined);
      if (!entry.isDirectory() || JSON.parse(manifest ?? '{}').scripts?.test === undefined) continue;
      const lock = await readFile(join(path, 'package-lock.json'), 'utf8').catch(() => '');
      found.push({ name: entry.name, path, size: lock.length });
    }
  }
  return found.sort((a, b) => b.size - a.size || (a.name < b.name ? -1 : 1));
}

/** The environment without what `npm run` says of this package, and without colours. */
function environment(extra) {
  const ours = Object.entries(process.env).filter(
    ([name]) =>
      !/^npm_(?:package|lifecycle)_|^npm_config_local_prefix$|^(?:INIT_CWD|FORCE_COLOR|NODE_TEST_CONTEXT)$/i.test(name),
  );
  return {
    ...Object.fromEntries(ours),
    NO_COLOR: '1',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    ...extra,
  };
}

const running = new Set();

/** Runs a command to its end; everything it started ends with it. */
function run(cwd, command, args, extra = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: environment(extra),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const kill = () => {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    };
    const timer = setTimeout(() => {
      output += `\nIt was ended after ${DEADLINE / 60_000} minutes.\n`;
      kill();
    }, DEADLINE);
    running.add(kill);
    const ended = (code) => {
      clearTimeout(timer);
      kill();
      running.delete(kill);
      resolve({ code, output });
    };
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', ({ message }) => {
      output += `${command}: ${message}\n`;
      ended(1);
    });
    child.on('exit', () => setTimeout(kill, 1_000).unref());
    child.on('close', (code) => ended(code ?? 1));
  });
}

/** What node:test, Jest or Vitest say at the end. Zeros where none of them spoke. */
function countsOf(output) {
  const newest = (pattern) => [...output.matchAll(pattern)].at(-1)?.[1];
  const ofNode = (word) => newest(new RegExp(`^(?:ℹ|#) ${word} (\\d+)\\s*$`, 'gm'));
  if (ofNode('pass') !== undefined)
    return { passed: Number(ofNode('pass')), failed: Number(ofNode('fail')) + Number(ofNode('cancelled') ?? 0) };
  const line = newest(/^\s*Tests:?\s+(.*)$/gm) ?? newest(/^(\d+ passed, \d+ failed.*)$/gm) ?? '';
  const of = (word) => Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0);
  return { passed: of('passed'), failed: of('failed') };
}

/** Installs and tests one consumer; tells its counts, and what was printed where something failed. */
async function test({ name, path }, work, tarball) {
  const began = performance.now();
  const folder = join(work, name);
  await cp(path, folder, { recursive: true, filter: (source) => !LEFT_BEHIND.has(basename(source)) });
  const steps = [
    ['npm ci', 'npm', ['ci']],
    // a plugin that has Pith as a peer keeps npm from looking for it in a registry; here it is given
    ['npm install of the tarball', 'npm', ['install', '--no-save', '--legacy-peer-deps=false', tarball]],
    ['npm test', 'npm', ['test']],
  ];
  let end;
  for (const [step, command, args] of steps) {
    const { code, output } = await run(folder, command, args, {
      PITH_TARBALL: tarball,
      PITH_EXAMPLES: join(ROOT, 'examples'),
    });
    end = { code, output, step };
    if (code !== 0) break;
  }
  const counts = end.step === 'npm test' ? countsOf(end.output) : { passed: 0, failed: 0 };
  if (end.code !== 0 || counts.passed + counts.failed === 0) counts.failed = Math.max(1, counts.failed);
  return { ...counts, ...end, name, seconds: (performance.now() - began) / 1_000 };
}

function report({ name, step, passed, failed, seconds, code, output }, width) {
  const counts = `${String(passed).padStart(4)} passed  ${String(failed).padStart(3)} failed  ${seconds.toFixed(1).padStart(6)} s`;
  console.log(`${failed === 0 ? 'ok  ' : 'FAIL'}  ${name.padEnd(width)}  ${counts}`);
  if (failed === 0) return;
  console.log(`      ${step} ended with ${code}:\n${output.trimEnd().replace(/^/gm, '      | ')}`);
}

/** The tarball of the package as it would be published. */
async function pack(work) {
  const folder = join(work, 'packed');
  await mkdir(folder);
  const { code, output } = await run(ROOT, 'npm', ['pack', '--pack-destination', folder]);
  const [file] = await readdir(folder);
  if (code === 0 && file !== undefined) return join(folder, file);
  console.error(`npm pack ended with ${code}:\n${output}`);
  return undefined;
}

async function main(names) {
  const all = await findConsumers();
  const unknown = names.filter((name) => all.every((one) => one.name !== name));
  if (unknown.length > 0) {
    console.error(`There is no consumer ${unknown.join(', ')}. There are: ${all.map(({ name }) => name).join(', ')}.`);
    return 2;
  }
  const chosen = names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
  const work = await mkdtemp(join(tmpdir(), 'pith-consumers-'));
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => {
      for (const kill of running) kill();
      process.exit(signal === 'SIGINT' ? 130 : 143);
    });
  const tarball = await pack(work);
  if (tarball === undefined) return 1;
  const width = Math.max(...chosen.map(({ name }) => name.length));
  const waiting = [...chosen];
  const total = { passed: 0, failed: 0 };
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const outcome = await test(next, work, tarball);
      report(outcome, width);
      total.passed += outcome.passed;
      total.failed += outcome.failed;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  if (total.failed === 0) await rm(work, { recursive: true, force: true });
  else console.log(`The folders are left in ${work}.`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
