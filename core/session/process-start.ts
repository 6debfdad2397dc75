/** Which process a pid stands for: a pid is given again, a pid together with the start of its process is not. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** What tells the start of a process on this system; undefined where nothing does. */
const startOf = existsSync('/proc/self/stat') ? startByProc : startByPs;

let own: string | undefined;

/** When this process began, as the system tells it; empty where it does not. Only good for comparing. */
export function ownStart(): string {
  return (own ??= startOf(process.pid) ?? '');
}

/** Whether the process with this pid and start still runs. Where the start cannot be told, the pid decides. */
export function isRunning(pid: number, start: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // A process of another user cannot be looked at, but it is there.
    return (error as { readonly code?: unknown }).code === 'EPERM';
  }
  return start === '' || startOf(pid) === start;
}

/** By the process table of Linux: ticks since the boot, and which boot. A process that is gone but not yet taken note of has none. */
export function startByProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program stands in parentheses and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return `${fields[19] ?? ''}@${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}`;
  } catch {
    return undefined;
  }
}

/** By the command `ps` of other systems. */
export function startByPs(pid: number): string | undefined {
  try {
    const text = execFileSync('ps', ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)], {
      encoding: 'latin1',
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [, state = '', start] = /^\s*(\S+)\s+(.+?)\s*$/.exec(text) ?? [];
    return state.startsWith('Z') ? undefined : start;
  } catch {
    return undefined;
  }
}
