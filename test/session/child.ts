/** Real processes that work on sessions: what a lock is for, and what must outlive them. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { dirname, join } from 'node:path';
import { commandFile, plainEnvironment } from '../cli/command';

/** Starts a process that runs this code; `pith` is the public entry, `dir` a folder. Its input is a pipe. */
export function startChild(code: string, dir: string, under: readonly string[] = []): ChildProcess {
  const entry = join(dirname(commandFile()), '../index.js');
  const text = `const pith = require(${JSON.stringify(entry)}); const dir = ${JSON.stringify(dir)};
    (async () => { ${code} })().catch((error) => { console.log(error.code ?? String(error)); process.exit(1); });`;
  const [command = '', ...args] = [...under, process.execPath, '-e', text];
  return spawn(command, args, { env: plainEnvironment(), stdio: ['pipe', 'pipe', 'inherit'] });
}

/** What a process has printed when it ends, line by line. */
export async function linesOf(child: ChildProcess): Promise<readonly string[]> {
  let said = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (said += text));
  await new Promise((resolve) => child.on('close', resolve));
  return said.split('\n').filter((line) => line !== '');
}

/** Resolves with the first line that a process prints. */
export function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('\n')) resolve(said.slice(0, said.indexOf('\n')));
    });
    child.on('close', () => reject(new Error(`it ended and had said: ${said}`)));
  });
}

/** Kills a process as nothing else does, and waits until it is gone. */
export async function killed(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.on('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}
