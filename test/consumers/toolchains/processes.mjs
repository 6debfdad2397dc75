// Processes to their end.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Runs a command without a shell; rejects with all that it printed where it does not end with 0. */
export function run(command, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code, signal) =>
      code === 0
        ? resolve({ stdout, stderr })
        : reject(new Error(`${command} ${args.join(' ')} ended with ${code ?? signal}:\n${stdout}${stderr}`)),
    );
  });
}

/** A file of an installed package, by absolute path. */
export function fileOf(path) {
  return fileURLToPath(new URL(`node_modules/${path}`, import.meta.url));
}
