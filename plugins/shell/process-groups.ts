/** Commands in process groups of their own, so that one is ended with all that it started. */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { nextSlice, sleep, type Clock } from '../../core/index';
import { openPipe } from './pipe';

/** Milliseconds between the polite signal and the one that cannot be ignored. */
const GRACE_MS = 2000;
/** The same where nothing can be heard of the group any more. */
const QUIET_MS = 200;
/** Milliseconds between two looks at a group that is being ended. */
const LOOK_MS = 20;
/** Milliseconds that output is waited for once the command has ended; longer only where it comes without end. */
const DRAIN_MS = 100;

export interface GroupCommand {
  readonly shell: string;
  readonly command: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Standard output and standard error, in the order in which they were written. */
  onOutput(bytes: Buffer): void;
}

/** How a command ended. */
export interface CommandEnd {
  readonly cause: 'exited' | 'timed-out' | 'aborted';
  readonly exitCode: number | null;
  /** The signal that ended the shell. */
  readonly signal: NodeJS.Signals | null;
  /** Whether something that it started goes on. */
  readonly goesOn: boolean;
  readonly durationMs: number;
}

/** The groups of the commands that run, and of those that left something running. */
export class ProcessGroups {
  readonly #clock: Clock;
  readonly #groups = new Set<number>();
  /** Groups in which somebody holds the output open. */
  readonly #open = new Set<number>();
  /** Ends the commands that run. */
  readonly #stops = new Set<() => void>();
  #isStopped = false;
  /** Nothing goes on when the process ends. */
  readonly #atExit = (): void => {
    for (const group of this.#groups) send(group, 'SIGKILL');
  };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Runs a command without input. On timeout, abort and disposal its whole group is ended: politely, and by force after 2 s.
   * What it leaves running when it exits by itself goes on until disposal. Rejects where it cannot be started.
   */
  async run(wanted: GroupCommand): Promise<CommandEnd> {
    const began = performance.now();
    const { reader, writer } = await openPipe();
    reader.on('data', wanted.onOutput).on('error', () => undefined);
    const closed = new Promise<void>((resolve) => reader.once('close', resolve));
    try {
      if (wanted.signal.aborted || this.#isStopped) {
        closeSync(writer);
        return { cause: 'aborted', exitCode: null, signal: null, goesOn: false, durationMs: performance.now() - began };
      }
      const child = start(wanted, writer);
      const group = child.pid ?? 0;
      if (group > 0) this.#add(group);
      const exited = new Promise<void>((resolve, reject) => void child.once('exit', resolve).once('error', reject));
      void closed.then(() => this.#open.delete(group));
      const cause = await this.#causeOfEnd(exited, wanted);
      if (cause !== 'exited') await this.#end([group]);
      await Promise.race([Promise.all([exited, closed]), sleep(this.#clock, DRAIN_MS).then(nextSlice)]);
      this.#forgetEnded();
      return {
        cause,
        exitCode: child.exitCode,
        signal: child.signalCode,
        goesOn: cause === 'exited' && this.#groups.has(group),
        durationMs: performance.now() - began,
      };
    } finally {
      // who goes on must be able to write, but holds nobody up
      reader.off('data', wanted.onOutput).unref().resume();
    }
  }

  /** Ends everything that runs. */
  async dispose(): Promise<void> {
    this.#isStopped = true;
    for (const stop of this.#stops) stop();
    await this.#end([...this.#groups]);
    process.off('exit', this.#atExit);
  }

  #add(group: number): void {
    if (this.#groups.size === 0) process.off('exit', this.#atExit).on('exit', this.#atExit);
    this.#groups.add(group);
    this.#open.add(group);
  }

  #causeOfEnd(exited: Promise<void>, { timeoutMs, signal }: GroupCommand): Promise<CommandEnd['cause']> {
    return new Promise((resolve, reject) => {
      const abort = (): void => resolve('aborted');
      const cancel = this.#clock.after(timeoutMs, () => resolve('timed-out'));
      const leave = (): void => {
        cancel();
        signal.removeEventListener('abort', abort);
        this.#stops.delete(abort);
      };
      signal.addEventListener('abort', abort);
      this.#stops.add(abort);
      exited.finally(leave).then(() => resolve('exited'), reject);
    });
  }

  /**
   * Ends groups. Ended children that nobody asks about count as alive, as in a container without an init; so once nobody
   * holds the output, not much time is given.
   */
  async #end(groups: readonly number[]): Promise<void> {
    for (const group of groups) {
      send(group, 'SIGTERM');
      send(group, 'SIGCONT');
    }
    const graceOf = (group: number): number => (this.#open.has(group) ? GRACE_MS : QUIET_MS);
    for (let waited = 0; groups.some((group) => waited < graceOf(group) && isAlive(group)); waited += LOOK_MS)
      await sleep(this.#clock, LOOK_MS);
    for (const group of groups) send(group, 'SIGKILL');
  }

  #forgetEnded(): void {
    for (const group of this.#groups) if (!isAlive(group)) this.#groups.delete(group);
  }
}

/** Starts a command; its end of the pipe is its own from then on. */
function start(
  { shell, command, cwd, env }: Pick<GroupCommand, 'shell' | 'command' | 'cwd' | 'env'>,
  writer: number,
): ChildProcess {
  try {
    return spawn(shell, ['-c', command], { cwd, env, detached: true, stdio: ['ignore', writer, writer] });
  } finally {
    closeSync(writer);
  }
}

function isAlive(group: number): boolean {
  return send(group, 0);
}

/** Sends a signal to a whole group; false where there is none any more. */
function send(group: number, signal: NodeJS.Signals | 0): boolean {
  if (group <= 1) return false;
  try {
    return process.kill(-group, signal);
  } catch (thrown) {
    return (thrown as { readonly code?: unknown }).code === 'EPERM';
  }
}
