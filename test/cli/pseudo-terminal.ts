/** The command on a pseudo terminal, by `script` of util-linux. */
import { spawn, spawnSync } from 'node:child_process';
import { commandFile, plainEnvironment } from './command';
import { VirtualTerminal } from './virtual-terminal';

/** Whether there is a `script` that takes a command and gives back its exit code. */
export const hasScript = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

export interface PseudoTerminal {
  /** What a person would see. */
  readonly screen: VirtualTerminal;
  /** The exit code. */
  readonly code: Promise<number | null>;
  type(text: string): void;
  signal(name: 'INT' | 'TERM'): void;
  /** Ends whatever still runs. */
  close(): Promise<void>;
}

/** Starts the command on a terminal of 30 rows, and of 100 columns where nothing else is said. */
export function onTerminal(
  args: readonly string[],
  {
    cwd,
    env = {},
    columns = 100,
  }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>>; readonly columns?: number },
): PseudoTerminal {
  const words = ['exec', process.execPath, commandFile(), ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  const command = `stty columns ${String(columns)} rows 30; echo pid $$; ${words.join(' ').replace(/^'exec'/, 'exec')}`;
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd,
    env: { ...plainEnvironment(), TERM: 'xterm-256color', ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const screen = new VirtualTerminal(columns);
  child.stdout.setEncoding('utf8').on('data', (text: string) => screen.write(text));
  child.stdin.on('error', () => undefined);
  const code = new Promise<number | null>((resolve) => child.on('close', (exit) => resolve(exit)));
  const signal = (name: 'INT' | 'TERM' | 'KILL'): void => {
    process.kill(Number(/pid (\d+)/.exec(screen.text)?.[1]), `SIG${name}`);
  };
  return {
    screen,
    code,
    signal,
    type: (text) => void child.stdin.write(text),
    async close() {
      if (child.exitCode === null) signal('KILL');
      await code;
    },
  };
}
