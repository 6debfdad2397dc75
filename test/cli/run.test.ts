import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script, StrictProvider } from '../../core/testing';
import { gate } from './chats';
import { commandFile, pith } from './command';
import { ended, linesOf, project } from './run-project';
import type { Line } from './run-project';
import { freshFolder } from './sessions';

beforeAll(() => void commandFile(), 120_000);

const ECHO: Script = ({ last }) => `You said ${last}.`;

/** What was said in a request, from the system prompt on. */
function said(provider: StrictProvider, request: number): readonly unknown[] {
  const { messages } = provider.requests[request]?.body as {
    readonly messages: readonly { readonly content: unknown }[];
  };
  return messages.map(({ content }) => content);
}

function sessionsIn(folder: string): readonly string[] {
  return readdirSync(join(folder, '.pith/sessions')).filter((name) => name.endsWith('.jsonl'));
}

describe('pith run -p', () => {
  test('prints the answer and nothing else', async () => {
    const { run, folder } = await project(ECHO);
    expect(await run(['-p', 'hello'])).toEqual({ code: 0, stdout: 'You said hello.\n', stderr: '' });
    expect(sessionsIn(folder)).toHaveLength(1);
  });

  test('reads the prompt from standard input for -', async () => {
    const { run } = await project(ECHO);
    expect((await run(['-p', '-'], 'from the pipe')).stdout).toBe('You said from the pipe.\n');
    expect(await run(['-p', '-'], ' \n')).toMatchObject({ code: 2, stdout: '' });
  });

  test('options go before the manifest', async () => {
    const { run, provider } = await project(ECHO, '[agent]\nsystem_prompt = "You are of the manifest."\n');
    await run(['-p', 'x', '--model', 'other-model', '--system', 'You are of the call.', '--max-output-tokens', '77']);
    expect(provider.requests[0]?.body).toMatchObject({ model: 'other-model', max_tokens: 77 });
    expect(provider.requests[0]?.system[0]).toBe('You are of the call.');
  });

  test('all stock plugins are in use where the manifest names none', async () => {
    const { run, provider } = await project(ECHO);
    await run(['-p', 'x']);
    expect(provider.requests[0]?.tools).toEqual(
      expect.arrayContaining(['read_file', 'edit_file', 'run_command', 'todo_write', 'recall_search']),
    );
    await run(['-p', 'x', '--without', 'shell,recall']);
    expect(provider.requests[1]?.tools).not.toContain('run_command');
    await run(['-p', 'x', '--only', 'todo']);
    expect(provider.requests[2]?.tools).toEqual(['todo_write']);
  });

  test('what would be asked is denied, and what the manifest allows runs', async () => {
    const script: Script = ({ last }, n) =>
      n % 2 === 0 ? { calls: [{ name: 'write_file', arguments: { path: 'new.txt', content: 'hi\n' } }] } : last;
    const asking = await project(script);
    expect((await asking.run(['-p', 'write'])).stdout).toContain('needs approval, and nobody can be asked here');
    expect(existsSync(join(asking.folder, 'new.txt'))).toBe(false);
    const allowing = await project(script, '[permissions]\nallow = ["write_file"]\n');
    expect((await allowing.run(['-p', 'write'])).code).toBe(0);
    expect(readFileSync(join(allowing.folder, 'new.txt'), 'utf8')).toBe('hi\n');
  });

  test('a turn that fails is exit code 1, with the code of the error', async () => {
    const { run } = await project([{ error: 'request' }]);
    const { code, stdout, stderr } = await run(['-p', 'x']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error PITH_LLM_REQUEST: /);
  });

  test('--root is where the agent reads and where sessions are kept', async () => {
    const { run } = await project(({ last }, n) =>
      n === 0 ? { calls: [{ name: 'read_file', arguments: { path: 'there.txt' } }] } : last,
    );
    const root = freshFolder();
    writeFileSync(join(root, 'there.txt'), 'it is here\n');
    expect((await run(['-p', 'read', '--root', root])).stdout).toContain('it is here');
  });
});

describe('pith run -p --json', () => {
  test('is every event as a line, the last one with outcome, text and cost', async () => {
    const { run, folder } = await project([
      { text: 'I look.', calls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] },
      { reasoning: 'Hm.', text: 'Done.' },
    ]);
    writeFileSync(join(folder, 'a.txt'), 'one\n');
    const shown = await run(['-p', 'read', '--json', '--session', 'mine']);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    const lines = linesOf(shown);
    expect(lines[0]).toMatchObject({ type: 'session', schema: 'pith.run/1', session: 'mine', root: folder, turns: 0 });
    const types = lines.map(({ type }) => type);
    expect(types.filter((type, at) => type !== types[at - 1])).toEqual([
      'session',
      'turn',
      'request',
      'text',
      'usage',
      'tool-call',
      'tool-result',
      'request',
      ...(types.includes('reasoning') ? ['reasoning'] : []),
      'text',
      'usage',
      'turn-end',
      'end',
    ]);
    const last = lines.at(-1) as Line & { readonly usage: { readonly total: Readonly<Record<string, number>> } };
    expect(last).toMatchObject({ type: 'end', session: 'mine', outcome: 'finished', text: 'Done.', exitCode: 0 });
    expect(last.usage.total['requests']).toBe(2);
    expect(last.usage.total['inputTokens']).toBeGreaterThan(0);
  });

  test('tells of a failure in the last line, too', async () => {
    const { run } = await project([{ error: 'request' }]);
    const shown = await run(['-p', 'x', '--json']);
    expect(shown.code).toBe(1);
    expect(linesOf(shown).at(-1)).toMatchObject({
      type: 'end',
      outcome: 'failed',
      error: { code: 'PITH_LLM_REQUEST' },
      exitCode: 1,
    });
  });

  test('waits for the compaction that the turn gives cause to, with its events and its cost', async () => {
    const { run, folder } = await project(
      (_, n) => (n % 2 === 0 ? { calls: [{ name: 'read_file', arguments: { path: 'long.txt' } }] } : 'Read it.'),
      '[compaction]\nworker = "offline"\ncompact_threshold = 4000\nretained_tokens = 100\nauto_read_budget = 0\n',
      { window: 20_000, maxOutput: 1000 },
    );
    writeFileSync(join(folder, 'long.txt'), 'a line of the file that is long\n'.repeat(600));
    const shown = await run(['-p', 'read', '--json']);
    const lines = linesOf(shown);
    const types = lines.map(({ type }) => type);
    expect(types.slice(types.indexOf('turn-end')).filter((type) => type !== 'compaction.progress')).toEqual([
      'turn-end',
      'compaction.started',
      'compaction.done',
      'end',
    ]);
    expect(lines.find(({ type }) => type === 'compaction.done')).toMatchObject({
      trigger: 'post_run',
      worker: 'offline',
    });
    const [resumed] = linesOf(await run(['-p', 'x', '--json', '--resume']));
    expect(resumed).toMatchObject({ turns: 1, interrupted: false });
  });
});

describe('sessions of pith run', () => {
  test('--resume goes on with the newest one, --session with the one of this id, or begins it', async () => {
    const { run, provider, folder } = await project(ECHO);
    await run(['-p', 'one', '--session', 'mine']);
    await run(['-p', 'two', '--session', 'mine']);
    expect(said(provider, 1)).toEqual(expect.arrayContaining(['one', 'You said one.', 'two']));
    await run(['-p', 'three', '--resume']);
    expect(said(provider, 2)).toEqual(expect.arrayContaining(['one', 'two', 'three']));
    expect(sessionsIn(folder)).toEqual(['mine.jsonl']);
    expect(await run(['-p', 'x', '--resume', 'other'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error PITH_SESSION_NOT_FOUND: /) as string,
    });
  });

  test('--at goes on from a position, in a session of its own', async () => {
    const { run, provider, folder } = await project(ECHO);
    await run(['-p', 'one', '--session', 'mine']);
    const position = readFileSync(join(folder, '.pith/sessions/mine.jsonl'), 'utf8').trimEnd().split('\n').length - 1;
    await run(['-p', 'two', '--session', 'mine']);
    const fork = await run(['-p', 'three', '--resume', 'mine', '--at', String(position), '--json']);
    expect(linesOf(fork)[0]?.['session']).not.toBe('mine');
    const texts = said(provider, 2);
    expect(texts).toContain('one');
    expect(texts).not.toContain('two');
  });

  test('where none is kept --resume says so', async () => {
    const { run } = await project(ECHO);
    const { code, stderr } = await run(['--resume', '-p', 'x']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error PITH_SESSION_NOT_FOUND: no session of .* is kept/);
  });

  test('a killed process loses no prompt: --resume -p goes on with the turn', async () => {
    const asked = gate();
    const { run, start, provider } = await project(({ last }, n) => {
      if (n > 0) return `You said ${last}.`;
      asked.open();
      return new Promise(() => undefined);
    });
    const child = start(['-p', 'important', '--session', 'mine']);
    const killed = ended(child);
    await asked.opened;
    child.kill('SIGKILL');
    await killed;
    const lines = linesOf(await run(['--resume', '--json', '-p']));
    expect(lines[0]).toMatchObject({ session: 'mine', interrupted: true });
    expect(lines.at(-1)).toMatchObject({ outcome: 'finished', text: 'You said important.' });
    expect(provider.requests).toHaveLength(2);
    const again = await run(['--resume', '-p']);
    expect(again).toMatchObject({ code: 2, stdout: '' });
    expect(again.stderr).toContain('has nothing to go on with');
  });
});

describe('signals', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s aborts the turn, closes the session and ends with %i', async (signal, exit) => {
    const asked = gate();
    const { start, folder } = await project(() => {
      asked.open();
      return new Promise(() => undefined);
    });
    const child = start(['-p', 'x', '--json', '--session', 'mine']);
    const done = ended(child);
    await asked.opened;
    child.kill(signal);
    const shown = await done;
    expect(shown).toMatchObject({ code: exit, stderr: '' });
    expect(linesOf(shown).at(-1)).toMatchObject({ type: 'end', outcome: 'aborted', exitCode: exit });
    const log = readFileSync(join(folder, '.pith/sessions/mine.jsonl'), 'utf8');
    expect(log).toContain('"outcome":"aborted"');
    expect(readdirSync(join(folder, '.pith/sessions')).filter((name) => name.endsWith('.lock'))).toEqual([]);
  });

  test('a second one ends at once, whatever holds the first one up', async () => {
    const asked = gate();
    const { start, folder } = await project(() => {
      asked.open();
      return new Promise(() => undefined);
    }, '[plugins]\nuse = ["./stuck.cjs"]\n');
    const stuck = `{ name: 'stuck', api: 1, setup({ hooks }) { hooks.on('session_end', () => { console.error('stuck'); setInterval(() => undefined, 1000); return new Promise(() => undefined); }, { deadlineMs: null }); } }`;
    writeFileSync(join(folder, 'stuck.cjs'), `module.exports = ${stuck};\n`);
    const child = start(['-p', 'x']);
    const done = ended(child);
    await asked.opened;
    child.kill('SIGTERM');
    await new Promise((resolve) => child.stderr?.once('data', resolve));
    child.kill('SIGTERM');
    expect(await done).toMatchObject({ code: 143, stdout: '', stderr: 'stuck\n' });
  });

  test('a reader that stops reading ends it without a word', async () => {
    const asked = gate();
    const { start } = await project(() => {
      asked.open();
      return new Promise(() => undefined);
    }, '[compaction]\nmode = "off"\n');
    const child = start(['-p', 'x', '--json']);
    child.stdout?.destroy();
    const { code, stderr } = await ended(child);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  });
});

describe('calls that cannot be', () => {
  test('without a model it says what the manifest needs', async () => {
    const { code, stdout, stderr } = await pith(['run', '-p', 'x'], { cwd: freshFolder() });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error PITH_MODEL_MISSING: pith run needs a model, and no pith\.toml was found/);
    expect(stderr).toContain('\n[model]\nprovider = ');
  });

  test.each([
    [['run'], 'a conversation needs a terminal'],
    [['run', '--json'], '--json goes with -p'],
    [['run', '-p', 'x', '--session', 'a', '--resume', 'b'], 'give one of them'],
    [['run', '-p', 'x', '--at', '3'], 'name it by --resume or --session'],
    [['run', '-p', 'x', '--at', 'last'], 'Expected a position'],
    [['run', '-p', 'x', '--max-output-tokens', '0'], 'Expected a whole number of tokens from 1 on'],
  ])('%j: %s', async (args, said) => {
    const { folder } = await project(ECHO);
    const { code, stdout, stderr } = await pith(args, { cwd: folder });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(said);
  });
});
