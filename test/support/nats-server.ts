/** A real NATS server for a test file, on a port of its own, and suites that need one. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWhere } from './needed-program';

export interface NatsServer {
  /** `nats://127.0.0.1:<port>`. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly configPath: string;
  /** What it has logged so far. */
  readonly log: string;
  /** Ends it as an operator would (SIGTERM). */
  stop(): Promise<void>;
  /** Ends it without a word to anybody (SIGKILL). */
  kill(): Promise<void>;
  /** Starts it again on the same port, after killing it where it runs. */
  restart(config?: string): Promise<void>;
  /** Keeps its connections open and, a moment later, does nothing more (SIGSTOP). */
  pause(): void;
  resume(): void;
  /** Says that it will end soon (SIGUSR2). */
  lameDuck(): void;
  /** Takes another configuration while it runs; rejects where the server does not. */
  reload(config: string): Promise<void>;
}

export interface NatsServerOptions {
  /** Text of the configuration beside `host` and `port`. */
  readonly config?: string;
  /** A free one by default. */
  readonly port?: number;
  /** Variables that the configuration takes from the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Below the ports that systems give to clients, one of which could otherwise have the port of a server that restarts. */
const PORTS = { from: 10_000, to: 32_000 };
const IN_USE = /address already in use/;

const running = new Map<NatsServer, string>();

/** Starts a server; one that a suite of {@link describeWithNats} has not ended is killed after it. */
export async function startNatsServer(options: NatsServerOptions = {}): Promise<NatsServer> {
  const binary = process.env.NATS_SERVER_BIN;
  if (binary === undefined) throw new Error('There is no nats-server; start it in a suite of describeWithNats.');
  const folder = mkdtempSync(join(tmpdir(), 'pith-nats-'));
  const configPath = join(folder, 'server.conf');
  let { port = randomInt(PORTS.from, PORTS.to), config = '' } = options;
  let child: ChildProcess;
  let log = '';

  function configure(text: string): void {
    config = text;
    writeFileSync(configPath, `host: 127.0.0.1\nport: ${String(port)}\n${config}\n`);
  }

  /** Resolves with the first match in what is logged from now on; rejects when the server ends before. */
  function logged(pattern: RegExp): Promise<RegExpExecArray> {
    const from = log.length;
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = pattern.exec(log.slice(from));
        if (found === null) return;
        child.stderr?.off('data', look);
        resolve(found);
      };
      child.stderr?.on('data', look);
      child.once('close', () => reject(new Error(`The nats-server ended:\n${log.slice(from)}`)));
    });
  }

  async function begin(): Promise<void> {
    configure(config);
    const env = { ...process.env, ...options.env };
    child = spawn(binary as string, ['-c', configPath], { stdio: ['ignore', 'ignore', 'pipe'], env });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (log += text));
    await logged(/Server is ready/);
  }

  async function beginAnywhere(): Promise<void> {
    try {
      await begin();
    } catch (error) {
      if (options.port !== undefined || !IN_USE.test(log)) throw error;
      port = randomInt(PORTS.from, PORTS.to);
      log = '';
      await beginAnywhere();
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.kill(signal);
    await closed;
  }

  const server: NatsServer = {
    get url() {
      return `nats://127.0.0.1:${String(port)}`;
    },
    get port() {
      return port;
    },
    get pid() {
      return child.pid as number;
    },
    configPath,
    get log() {
      return log;
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    async restart(text = config) {
      await end('SIGKILL');
      config = text;
      await begin();
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    lameDuck: () => void child.kill('SIGUSR2'),
    async reload(text) {
      configure(text);
      const outcome = logged(/Reloaded server configuration|Failed to reload.*/);
      child.kill('SIGHUP');
      const [said] = await outcome;
      if (said.startsWith('Failed')) throw new Error(said);
    },
  };

  running.set(server, folder);
  await beginAnywhere();
  return server;
}

async function endAll(): Promise<void> {
  for (const [server, folder] of running) {
    await server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
  running.clear();
}

/** A suite that runs where there is a nats-server ({@link describeWhere}). */
export function describeWithNats(name: string, suite: () => void): void {
  describeWhere('NATS_SERVER_BIN', '.config/nats-server.mjs', name, () => {
    suite();
    afterAll(endAll);
  });
}
