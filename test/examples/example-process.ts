/** Runs an example as a user does, in a process of its own, against an endpoint that answers from a script. */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStrictProvider } from '../../core/testing';
import type { Script, SeenRequest, StrictProvider } from '../../core/testing';
import { commandFile, plainEnvironment, ROOT } from '../cli/command';

// The sources are compiled once, which takes its time where several test files ask for it at once.
beforeAll(() => void commandFile(), 120_000);

/** Window of the examples in tokens. */
const WINDOW = 32_768;
const MAX_OUTPUT = 4_096;

/** A place for one example: an endpoint, and an empty folder to work in. */
export interface Stage extends AsyncDisposable {
  readonly provider: StrictProvider;
  /** The requests of the agent itself. */
  agentRequests(): readonly SeenRequest[];
  readonly folder: string;
  start(...args: readonly string[]): Talk;
}

/** A running example. */
export interface Talk {
  /** Types a line. */
  say(line: string): void;
  /** Resolves with what was printed since the last time, as soon as that matches. Rejects where the process ends before. */
  until(pattern: RegExp): Promise<string>;
  /** Ends the input and resolves when the process has ended. */
  end(): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

/** Sets the stage for the example of this name, on the sources as they are. */
export async function stage(example: string, script: Script): Promise<Stage> {
  const provider = await startStrictProvider({
    shape: 'openai-chat',
    profile: { system: 'one' },
    script,
    window: WINDOW,
    maxOutput: MAX_OUTPUT,
  });
  const folder = mkdtempSync(join(tmpdir(), 'pith-example-'));
  const packaged = join(commandFile(), '../../../..');
  cpSync(join(ROOT, 'examples', example), join(packaged, 'examples', example), { recursive: true });
  const file = join(packaged, 'examples', example, 'main.mjs');
  return {
    provider,
    folder,
    agentRequests: () => provider.requests.filter((request) => !isOfWorker(request)),
    start: (...args) => talk([file, ...args], folder, provider.url),
    async [Symbol.asyncDispose]() {
      await provider.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Whether a compact worker sent it. */
export function isOfWorker({ tools }: Pick<SeenRequest, 'tools'>): boolean {
  return tools.includes('write_summary');
}

/** All that a request sends, as text. */
export function textOf(request: SeenRequest | undefined): string {
  return (request?.turns ?? []).flatMap(({ texts }) => texts).join('\n');
}

function talk(args: readonly string[], cwd: string, url: string): Talk {
  const { NATS_SERVER_BIN } = process.env;
  const env = {
    ...plainEnvironment(),
    OPENAI_BASE_URL: url,
    OPENAI_API_KEY: 'not-a-secret',
    MODEL: 'scripted',
    ...(NATS_SERVER_BIN !== undefined && { NATS_SERVER_BIN }),
  };
  const child = spawn(process.execPath, args, { cwd, env });
  let stdout = '';
  let stderr = '';
  let heard = 0;
  let code: number | null | undefined;
  const waiting = new Set<() => void>();
  const wake = (): void => waiting.forEach((look) => look());
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    wake();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => undefined);
  const ended = new Promise<void>((resolve) =>
    child.on('close', (exit) => {
      code = exit;
      wake();
      resolve();
    }),
  );
  return {
    say: (line) => void child.stdin.write(`${line}\n`),
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const fresh = stdout.slice(heard);
          const found = pattern.exec(fresh);
          if (found === null && code === undefined) return;
          waiting.delete(look);
          if (found === null)
            return reject(new Error(`It ended with ${code} before ${pattern}:\n${stdout}\n${stderr}`));
          heard += found.index + found[0].length;
          resolve(fresh.slice(0, found.index + found[0].length));
        };
        waiting.add(look);
        look();
      }),
    async end() {
      child.stdin.end();
      await ended;
      return { code: code ?? null, stdout, stderr };
    },
  };
}
