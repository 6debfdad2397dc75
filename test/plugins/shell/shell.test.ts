import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import guard from '../../../plugins/guard';
import recall from '../../../plugins/recall';
import { put } from '../../files/folder';
import { countOf } from '../../support/counter';
import { openShell } from './shell-kit';

/** Resolves when a condition holds; the test's own time limit bounds it. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await wait(5);
}

/** Whether a process runs; one that has ended and that nobody has asked about does not. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync(`/proc/${pid}/stat`) || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

const pidsIn = (text: string): readonly number[] => [...text.matchAll(/pid (\d+)/g)].map(([, pid]) => Number(pid));

describe('run_command', () => {
  test('answers with the output, and with the exit code and the time it took', async () => {
    const { run } = await openShell();
    const answer = await run('echo hello');
    expect(answer.text).toMatch(/^hello\n\[exit code 0 after \d+\.\d s\]$/);
    expect(answer.summary).toMatch(/^`echo hello`: exit code 0 after \d+\.\d s, 1 line$/);
    expect(answer.isError).toBeUndefined();
  });

  test('an exit code other than 0 is an error, with the output', async () => {
    const { run } = await openShell();
    expect(await run('echo out; echo err >&2; exit 3')).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^out\nerr\n\[exit code 3 after /),
    });
    expect(await run('no-such-command')).toMatchObject({
      isError: true,
      text: expect.stringContaining('exit code 127'),
    });
  });

  test('a command without output has a summary alone', async () => {
    const { run } = await openShell();
    const { text, summary } = await run('true');
    expect(summary).toMatch(/^`true`: exit code 0 after \d+\.\d s, no output$/);
    expect(text).toBe(summary);
  });

  test('says which signal ended it', async () => {
    const { run } = await openShell();
    expect(await run('kill -SEGV $$')).toMatchObject({
      isError: true,
      text: expect.stringContaining('ended by SIGSEGV'),
    });
  });

  test('standard output and standard error come in the order in which they were written', async () => {
    const { run } = await openShell();
    const { text } = await run('for i in $(seq 200); do echo "o$i"; echo "e$i" >&2; done');
    const expected = Array.from({ length: 200 }, (_, at) => `o${at + 1}\ne${at + 1}`).join('\n');
    expect(text.startsWith(`${expected}\n[exit code 0`)).toBe(true);
  });

  test('has no input and no terminal', async () => {
    const { run } = await openShell();
    expect((await run('cat; tty; test -t 1 || echo none')).text).toMatch(/^not a tty\nnone\n/);
  });

  test('can open /dev/stdout and /dev/stderr', async () => {
    const { run } = await openShell();
    expect((await run('echo a > /dev/stdout; echo b > /dev/stderr; echo c | tee /dev/stderr')).text).toMatch(
      /^a\nb\nc\nc\n\[exit code 0/,
    );
  });

  test('takes commands of several lines, quotes, here-documents and substitutions as the shell does', async () => {
    const { run } = await openShell();
    const { text } = await run(`x='a  b'\necho "$x" 'it'"'"'s'\ncat <<'END'\n$x\nEND\necho $(echo in)`);
    expect(text).toMatch(/^a {2}b it's\n\$x\nin\n/);
  });

  test('a command that cannot be started is an error that says so', async () => {
    const { run } = await openShell({ shell: '/no/such/shell' });
    expect(await run('true')).toMatchObject({
      isError: true,
      text: expect.stringMatching(/could not be started: .*ENOENT/),
    });
    const other = await openShell();
    expect(await other.run('echo a\0b')).toMatchObject({ isError: true, text: expect.stringContaining('null bytes') });
    expect(await other.run(`: ${'x'.repeat(4_000_000)}`)).toMatchObject({
      isError: true,
      text: expect.stringContaining('E2BIG'),
    });
  });

  test.each([
    [{ timeout_seconds: 0 }, '"timeout_seconds" must be above 0'],
    [{ timeout_seconds: 601 }, '"timeout_seconds" must be at most 600'],
    [{ cwd: '' }, '"cwd" must be at least 1'],
    [{ background: true }, '"background" is not allowed'],
  ])('refuses the arguments %j', async (args, sentence) => {
    const { run } = await openShell();
    expect(await run('true', args)).toMatchObject({ isError: true, text: expect.stringContaining(sentence) });
  });
});

describe('the folder of a command', () => {
  test('is the root, or one inside of it', async () => {
    const { run, root } = await openShell();
    mkdirSync(join(root, 'src/deep'), { recursive: true });
    expect((await run('pwd')).text.split('\n')[0]).toBe(root);
    expect((await run('pwd', { cwd: 'src/deep' })).text.split('\n')[0]).toBe(join(root, 'src/deep'));
    expect((await run('pwd', { cwd: join(root, 'src') })).text.split('\n')[0]).toBe(join(root, 'src'));
  });

  test.each(['..', '/', tmpdir(), 'out', 'src/../../x', 'out/sub', '~'])('is not %s', async (cwd) => {
    const { run, root } = await openShell();
    symlinkSync('/usr', join(root, 'out'));
    const { text, isError } = await run('touch proof; pwd', { cwd });
    expect(isError).toBe(true);
    expect(text).toMatch(/^Error: .*(?:lies outside of the root|there is no folder)/);
    expect(existsSync(join(root, 'proof'))).toBe(false);
  });

  test('is not a file', async () => {
    const { run, root } = await openShell();
    put(root, 'a.txt', 'x');
    expect((await run('pwd', { cwd: 'a.txt' })).text).toBe('Error: there is no folder a.txt.');
  });
});

describe('the environment of a command', () => {
  const names = {
    PITH_TEST_API_KEY: 'k1',
    PITH_TEST_TOKEN: 'k2',
    pith_test_password: 'k3',
    PITH_TEST_URL: 'https://me:k4@host/x',
    PITH_TEST_PLAIN: 'plain',
    PITH_TEST_HIDDEN: 'k5',
  };
  beforeEach(() => void Object.assign(process.env, names));
  afterEach(() => {
    for (const name of Object.keys(names)) Reflect.deleteProperty(process.env, name);
  });

  test('holds no secrets, but what else there is', async () => {
    const { run } = await openShell({ envDeny: ['*_HIDDEN'] });
    const { text } = await run('env');
    expect(text).toContain('PITH_TEST_PLAIN=plain');
    expect(text).toContain('PATH=');
    expect(text).not.toMatch(/k[1-5]/);
  });

  test('holds the secrets that the manifest names', async () => {
    const { run } = await openShell({ envAllow: ['PITH_TEST_TOKEN', 'PITH_TEST_H*'], envDeny: ['*_HIDDEN'] });
    const { text } = await run('env');
    expect(text).toContain('PITH_TEST_TOKEN=k2');
    expect(text).not.toMatch(/k[1345]/);
  });
});

describe('output', () => {
  test('beyond the bound keeps head and tail, and says how much is left out', async () => {
    const { run } = await openShell({ outputTokens: 400 });
    const { text, summary } = await run('seq 100000');
    expect(text).toMatch(/^1\n2\n3\n/);
    expect(text).toMatch(/\n99999\n100000\n\[exit code 0 after [\d.]+ s\]$/);
    const [, lines, characters] = /\n\[… (\d+) lines, (\d+) characters left out …\]\n/.exec(text) ?? [];
    const shown = text.split('\n').filter((line) => /^\d+$/.test(line));
    expect(Number(lines) + shown.length).toBe(100_000);
    expect(Number(characters) + shown.join('\n').length + 1).toBe(588_895);
    expect(countOf(text)).toBeLessThan(450);
    expect(summary).toContain('100000 lines');
  });

  test('of one endless line is cut within the line', async () => {
    const { run } = await openShell({ outputTokens: 400 });
    const { text } = await run("head -c 3000000 /dev/zero | tr '\\0' x");
    expect(text).toMatch(/^x+\n\[… \d+ characters left out …\]\nx+\n\[exit code 0/);
    expect(countOf(text)).toBeLessThan(450);
  });

  test('in full is kept for recall, up to 10 MB, and the marker says how to get it', async () => {
    const { run, call } = await openShell({ outputTokens: 400 }, [recall]);
    const { text } = await run('seq 100000');
    const [, id = ''] = /characters left out; recall_read\("(o\d+)"\) shows all of it …\]/.exec(text) ?? [];
    expect((await call('recall_read', { from: id, offset: 588_800 })).text).toMatch(/\n {2}100000\n/);
    expect((await call('recall_search', { query: '54321' })).text).toContain(
      `${id} output of \`seq 100000\`: exit code 0`,
    );
    expect((await run('seq 3000000')).text).toMatch(/recall_read\("o[\d.]+"\) shows the first 10 MB …\]/);
  });

  test('of hundreds of megabytes takes no memory to speak of', async () => {
    const { run } = await openShell();
    await run('seq 3000000');
    const before = process.memoryUsage().rss;
    const { summary } = await run('yes "a line of output as programs print it" | head -c 300000000', {
      timeout_seconds: 100,
    });
    expect(summary).toContain('exit code 0');
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
  }, 120_000);

  test('without end is ended at the timeout', async () => {
    const { run } = await openShell();
    const { text, isError, summary } = await run('yes', { timeout_seconds: 0.5 });
    expect(isError).toBe(true);
    expect(text).toMatch(/^y\ny\n/);
    expect(summary).toMatch(/^`yes`: timed out and was ended after /);
  });

  test('that is not UTF-8, coloured, or meant for a terminal is plain text', async () => {
    const { run } = await openShell();
    const { text } = await run(
      String.raw`printf 'a\377b \033[31mred\033[0m \033]8;;http://x\033\\link\033]8;;\007 10%%\r100%%\r\nbell\a \342\202\254\n'`,
    );
    expect(text).toMatch(/^a\ufffdb red link 10%\n100%\nbell €\n\[exit/);
    const binary = (await run('head -c 300000 /dev/urandom')).text;
    expect(binary.isWellFormed()).toBe(true);
    expect(binary).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  });

  test('is told while it comes: the last line, masked, not for each piece', async () => {
    const { run, progress } = await openShell({}, [guard]);
    await run(
      'for i in $(seq 30); do echo "line $i password=hunter2secret9"; sleep 0.02; done; echo; echo "   "; sleep 0.3; echo end',
    );
    expect(progress.length).toBeGreaterThan(0);
    expect(progress.length).toBeLessThan(15);
    expect(progress.join('\n')).toMatch(/^line \d+ password=\[masked\]$/m);
    expect(progress.join('\n')).not.toContain('hunter2');
  });
});

describe('what a command starts', () => {
  const family = 'sh -c \'sh -c "echo pid \\$\\$; sleep 1000" & echo pid $$; wait\' & echo pid $$; wait';

  test('ends with it on timeout, grandchildren too', async () => {
    const { run } = await openShell();
    const { text, isError } = await run(family, { timeout_seconds: 0.5 });
    expect(isError).toBe(true);
    const pids = pidsIn(text);
    expect(pids).toHaveLength(3);
    await until(() => !pids.some(isRunning));
  });

  test('ends with it when the call is aborted', async () => {
    const { run, root } = await openShell();
    const controller = new AbortController();
    const answer = run(`(${family}) > pids`, {}, controller.signal);
    const pids = (): readonly number[] =>
      existsSync(join(root, 'pids')) ? pidsIn(readFileSync(join(root, 'pids'), 'utf8')) : [];
    await until(() => pids().length === 3);
    controller.abort(new Error('enough'));
    expect(await answer).toMatchObject({ isError: true });
    await until(() => !pids().some(isRunning));
  });

  test('is never started where the call was aborted before', async () => {
    const { run, root } = await openShell();
    await run('touch proof', {}, AbortSignal.abort(new Error('no')));
    expect(existsSync(join(root, 'proof'))).toBe(false);
  });

  test('ends by force where it ignores the polite signal', async () => {
    const { run } = await openShell();
    const { text } = await run('trap "" TERM HUP INT; echo pid $$; while :; do sleep 0.1; done', {
      timeout_seconds: 0.3,
    });
    expect(text).toContain('timed out and was ended');
    await until(() => !pidsIn(text).some(isRunning));
  });

  test('ends also where it has closed its output, or was stopped', async () => {
    const { run } = await openShell();
    const hidden = await run(
      '(trap "" TERM; exec >/dev/null 2>&1; while :; do sleep 0.1; done) & echo pid $!; sleep 100',
      {
        timeout_seconds: 0.3,
      },
    );
    const stopped = await run('echo pid $$; kill -STOP $$', { timeout_seconds: 0.3 });
    await until(() => ![...pidsIn(hidden.text), ...pidsIn(stopped.text)].some(isRunning));
    expect(pidsIn(hidden.text + stopped.text)).toHaveLength(2);
  });

  test('goes on in the background after it, holds the answer up by nothing, and ends when the shell is disposed', async () => {
    const { run, kernel } = await openShell();
    const { text, isError } = await run('sleep 1000 & echo pid $!');
    expect(isError).toBeUndefined();
    expect(text).toMatch(/^pid \d+\n\[exit code 0 after [\d.]+ s, something that it started goes on\]$/);
    const [pid = 0] = pidsIn(text);
    expect(isRunning(pid)).toBe(true);
    await kernel.stop();
    await until(() => !isRunning(pid));
  });

  test('can go on writing after it', async () => {
    const { run, root } = await openShell();
    await run('(while [ ! -e go ]; do sleep 0.02; done; for i in $(seq 50000); do echo "$i"; done; touch done) & true');
    put(root, 'go', '');
    await until(() => existsSync(join(root, 'done')));
  });

  test('is ended when the kernel stops in the middle of it', async () => {
    const { run, kernel, root } = await openShell();
    const answer = run('echo pid $$ > pid; sleep 1000');
    const pids = (): readonly number[] =>
      existsSync(join(root, 'pid')) ? pidsIn(readFileSync(join(root, 'pid'), 'utf8')) : [];
    await until(() => pids().length === 1);
    await kernel.stop();
    expect(await answer).toMatchObject({ isError: true });
    await until(() => !pids().some(isRunning));
  });

  test('is ended when the process ends', async () => {
    const { run } = await openShell();
    const [pid = 0] = pidsIn((await run('sleep 1000 & echo pid $!')).text);
    expect(isRunning(pid)).toBe(true);
    // what Node calls when this process ends
    for (const listener of process.listeners('exit').slice(-1)) listener.call(process, 0);
    await until(() => !isRunning(pid));
  });

  test('runs beside others', async () => {
    const { run } = await openShell();
    const answers = await Promise.all(Array.from({ length: 12 }, (_, at) => run(`echo ${at}; sleep 0.1`)));
    expect(answers.map(({ text }) => text.split('\n')[0])).toEqual(answers.map((_, at) => String(at)));
  });
});
