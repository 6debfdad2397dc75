// A NATS server of its own for a benchmark, on a free port of this machine.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import provideNatsServer from '../../.config/nats-server.mjs';

/** Starts a server that ends with this process, and resolves to the URL for its clients. */
export async function startServer() {
  const binary = provideNatsServer();
  if (binary === undefined) process.exit(1);
  const server = spawn(binary, ['--addr', '127.0.0.1', '--port', '-1'], { stdio: ['ignore', 'ignore', 'pipe'] });
  process.once('exit', () => server.kill('SIGKILL'));
  return new Promise((resolve, reject) => {
    server.once('exit', (status) => reject(new Error(`The nats-server ended with ${status}.`)));
    createInterface({ input: server.stderr }).on('line', (line) => {
      const port = /Listening for client connections on .*:(\d+)/.exec(line)?.[1];
      if (port !== undefined) resolve(`nats://127.0.0.1:${port}`);
    });
  });
}
