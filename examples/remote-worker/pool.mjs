// The other processes: a NATS server with the rights of user-password.conf, and workers.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const { env, execPath } = process;
/** The command, as `npx pith` finds it. */
const pith = join(createRequire(import.meta.url).resolve('pith/package.json'), '../dist/core/cli/main.js');

/**
 * Starts a server on a free port of this machine. Rejects where there is none.
 *
 * @param {readonly string[]} users
 */
export async function startServer(users) {
  const passwords = new Map(users.map((user) => [user, `p${randomBytes(24).toString('hex')}`]));
  const variables = [...passwords].map(([user, secret]) => [
    `${user.toUpperCase().replaceAll('-', '_')}_PASSWORD`,
    secret,
  ]);
  const config = fileURLToPath(new URL('user-password.conf', import.meta.url));
  const anywhere = ['--addr', '127.0.0.1', '--port', '-1', '--http_port', '-1'];
  const child = spawn(env.NATS_SERVER_BIN ?? 'nats-server', ['--config', config, ...anywhere], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: `${env.PATH}:/usr/sbin:/usr/local/sbin`, ...Object.fromEntries(variables) },
  });
  process.once('exit', () => child.kill('SIGKILL'));
  /** @type {string} */
  const url = await new Promise((resolve, reject) => {
    child.once('error', (cause) => reject(new Error('There is no nats-server; see README.md.', { cause })));
    child.once('exit', (code) => reject(new Error(`nats-server ended with ${code}.`)));
    createInterface({ input: child.stderr }).on('line', (line) => {
      const [, port] = /Listening for client connections on .*:(\d+)/.exec(line) ?? [];
      if (port !== undefined) resolve(`nats://127.0.0.1:${port}`);
    });
  });
  return { url, passwordOf: (/** @type {string} */ user) => passwords.get(user) ?? '' };
}

/**
 * Starts `pith worker` as a process of its own and hears its log.
 *
 * @param {string} name
 * @param {Awaited<ReturnType<typeof startServer>>} server
 * @param {() => void} began hears of each job that it begins
 */
export async function startWorker(name, { url, passwordOf }, began) {
  const flags = [
    '--worker',
    'offline',
    '--servers',
    url,
    '--name',
    name,
    '--concurrency',
    '2',
    '--no-health',
    '--json',
  ];
  const child = spawn(execPath, [pith, 'worker', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: env.PATH, NATS_USER: name, NATS_PASSWORD: passwordOf(name) },
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const ended = new Promise((resolve) => child.once('close', resolve));
  /** @type {Set<string>} */
  const running = new Set();
  /** @type {Set<string>} */
  const done = new Set();
  await new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}.`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { message, job, outcome } = JSON.parse(line);
      if (message.startsWith('connected')) resolve(undefined);
      if (message === 'A job began.') {
        running.add(job);
        began();
      }
      if (outcome !== undefined) running.delete(job);
      if (outcome === 'done') done.add(job);
    });
  });
  return {
    name,
    pid: child.pid,
    running,
    done,
    /** As the system does it to a process that takes too much memory: without a word to anybody. */
    kill: () => child.kill('SIGKILL'),
    /** As an operator does it; resolves with the exit code. */
    end: () => (child.kill('SIGTERM'), ended),
  };
}
