import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ask, stateOf, tellsOf, watch } from '../report/watching';
import { gate } from './chats';
import { commandFile } from './command';
import { hasScript, onTerminal } from './pseudo-terminal';
import { ended, linesOf, project } from './run-project';

beforeAll(() => void commandFile(), 120_000);

const ADDRESS = /http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{32}/;

/** The address that a started command says on standard error. */
function addressOf(child: ChildProcess): Promise<string> {
  let stderr = '';
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (data: Buffer) => {
      stderr += data.toString();
      const [address] = ADDRESS.exec(stderr) ?? [];
      if (address !== undefined) resolve(address);
    });
    child.on('close', () => reject(new Error(`it said no address: ${stderr}`)));
  });
}

describe('pith run -p --inspect', () => {
  test('shows the session while it runs, and ends with it', async () => {
    const answer = gate();
    const { start } = await project(async ({ last }) => {
      await answer.opened;
      return `You said ${last}.`;
    });
    const child = start(['-p', 'hello', '--inspect']);
    const done = ended(child);
    const url = await addressOf(child);
    expect((await ask(url)).status).toBe(200);
    const viewer = await watch(url);
    await viewer.until(({ event }) => event === 'report');
    answer.open();
    await viewer.ended;
    expect(viewer.seen.at(-1)).toEqual({ event: 'closed', data: {} });
    const { map, source } = stateOf(viewer.seen);
    expect(map.map(({ text }) => text)).toEqual(['hello', 'You said hello.']);
    expect(source).toMatchObject({ items: 2, turns: 1, requests: 1, model: 'local-model' });
    expect(await done).toEqual({ code: 0, stdout: 'You said hello.\n', stderr: `report at ${url}\n` });
  });

  test('keeps standard output to JSON, and the address out of everything that is kept', async () => {
    const { run, folder } = await project(({ last }) => `You said ${last}.`);
    const ran = await run(['-p', 'hello', '--json', '--session', 'mine', '--inspect', '0']);
    expect(linesOf(ran).at(-1)).toMatchObject({ type: 'end', exitCode: 0 });
    const [address = ''] = ADDRESS.exec(ran.stderr) ?? [];
    const token = new URL(address).searchParams.get('token') ?? '';
    expect(ran.stdout).not.toContain(token);
    expect(ran.stderr.split(token)).toHaveLength(2);
    for (const name of readdirSync(join(folder, '.pith'), { recursive: true, withFileTypes: true }))
      if (name.isFile()) expect(readFileSync(join(name.parentPath, name.name), 'utf8')).not.toContain(token);
  });

  test('a viewer that takes nothing in does not keep it from ending', async () => {
    const answer = gate();
    const { start } = await project(async () => {
      await answer.opened;
      return 'Done.';
    });
    const child = start(['-p', 'x', '--inspect']);
    const done = ended(child);
    const viewer = await watch(await addressOf(child));
    viewer.pause();
    answer.open();
    expect(await done).toMatchObject({ code: 0, stdout: 'Done.\n' });
  });

  test('a port that is taken or is none ends it before anything is asked', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const { run, provider } = await project(() => 'Done.');
    const refused = await run(['-p', 'x', '--inspect', String(port)]);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('error PITH_REPORT_PORT: ');
    for (const wrong of ['65536', '-1', 'x', '1.5'])
      expect((await run(['-p', 'x', `--inspect=${wrong}`])).code).toBe(2);
    expect(provider.requests).toEqual([]);
    await new Promise((resolve) => taken.close(resolve));
  });

  test('a fork is shown as the session that it is', async () => {
    const answer = gate();
    const { run, start } = await project(async ({ last }) => {
      if (last === 'second') await answer.opened;
      return `You said ${last}.`;
    });
    await run(['-p', 'first', '--session', 'mine']);
    const child = start(['-p', 'second', '--session', 'mine', '--at', '0', '--inspect']);
    const done = ended(child);
    const viewer = await watch(await addressOf(child));
    answer.open();
    await viewer.ended;
    await done;
    const { map, source } = stateOf(viewer.seen);
    expect(source.sessionId).not.toBe('mine');
    expect(map.map(({ text }) => text)).toEqual(['second', 'You said second.']);
  });
});

(hasScript ? describe : describe.skip)('pith run --inspect on a terminal', () => {
  test('says the address once, and the page goes on with the conversation', async () => {
    const { folder } = await project(({ last }) => `You said ${last}.`);
    const terminal = onTerminal(['run', '--inspect'], { cwd: folder });
    try {
      await terminal.screen.shows('/help shows the commands');
      const [url = ''] = ADDRESS.exec(terminal.screen.text) ?? [];
      const viewer = await watch(url);
      terminal.type('hello\r');
      await viewer.until(tellsOf(1));
      terminal.type('\u0004');
      expect(await terminal.code).toBe(0);
      await viewer.ended;
      expect(stateOf(viewer.seen).map).toHaveLength(2);
      expect(viewer.seen.at(-1)?.event).toBe('closed');
    } finally {
      await terminal.close();
    }
  });
});
