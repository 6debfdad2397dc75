import { spawn } from 'node:child_process';
import { commandFile, pith, plainEnvironment, ROOT } from './command';
import { fileWith, longSession } from './sessions';

beforeAll(() => void commandFile(), 120_000);

/** Starts the command and gives it over while it waits for standard input. */
function waiting(args: readonly string[]): ReturnType<typeof spawn> {
  return spawn(process.execPath, [commandFile(), ...args], {
    cwd: ROOT,
    env: plainEnvironment(),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

function closing(child: ReturnType<typeof spawn>): Promise<number | null> {
  return new Promise((resolve) => child.on('close', (code) => resolve(code)));
}

describe('the process', () => {
  test('help says what a command takes, and is no failure', async () => {
    for (const args of [
      ['compact', '--help'],
      ['help', 'compact'],
    ]) {
      const { code, stdout, stderr } = await pith(args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      for (const option of [
        '--format',
        '--session',
        '--manifest',
        '--worker',
        '--servers',
        '--root',
        '--retained-tokens',
        '--auto-read-budget',
        '--out',
        '--to',
        '--json',
        '--only',
        '--without',
      ]) {
        expect(stdout).toContain(option);
      }
    }
    for (const command of ['inspect', 'run', 'sessions', 'worker', 'workers', 'plugins', 'check', 'init'])
      expect((await pith([command, '--help'])).stdout).toContain('--json');
    expect((await pith(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test('without a command it shows help and says by its exit code that this was none', async () => {
    const { code, stdout, stderr } = await pith([]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('compact');
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s ends it with %i', async (signal, exit) => {
    const child = waiting(['compact', '-']);
    let said = '';
    child.stderr?.on('data', (data: Buffer) => (said += data.toString()));
    const ended = closing(child);
    // The input is taken only when the handlers of signals stand.
    await new Promise<void>((resolve) => child.stdin?.write(`${'x'.repeat(1 << 20)}\n`, () => resolve()));
    child.kill(signal);
    expect(await ended).toBe(exit);
    expect(said).toBe('');
  });

  test('a reader that stops reading is no failure', async () => {
    const child = waiting(['compact', fileWith('session.jsonl', longSession(40))]);
    let said = '';
    child.stderr?.on('data', (data: Buffer) => (said += data.toString()));
    child.stdout?.destroy();
    expect(await closing(child)).toBe(0);
    expect(said).toBe('');
  });

  test('colours and progress stay away from pipes', async () => {
    const file = fileWith('session.jsonl', longSession(12));
    for (const args of [['compact', file], ['inspect', file], ['plugins'], ['check', '--print'], ['nonsense']]) {
      const { stdout, stderr } = await pith(args);
      expect(stdout + stderr).not.toContain('\u001b');
    }
  });

  test('under --json nothing but JSON is on standard output; warnings go to standard error', async () => {
    const broken = longSession(3).replace('\n', '\n{"torn": \n');
    const { code, stdout, stderr } = await pith(['inspect', fileWith('session.jsonl', broken), '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ schema: 'pith.inspect/1' });
    expect(stderr).toBe('warning: 1 malformed line left out\n');
  });

  test('escape sequences of a session are not passed on to the terminal', async () => {
    const evil = JSON.stringify([
      { role: 'user', content: '\u001b]0;owned\u0007\u001b[31mHello\u0000' },
      { role: 'assistant', content: 'Hi.' },
    ]);
    const { stdout } = await pith(['inspect', fileWith('evil.json', evil)]);
    expect(stdout).toContain('Hello');
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]|owned/);
  });
});
