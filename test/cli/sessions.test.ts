import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createJsonlStore, createSession, glanceAt } from '../../core';
import type { RecordDraft, Session, SessionStore } from '../../core';
import { folderWith } from '../files/folder';
import { assistant, call, prose, result, user } from '../support/context';
import { commandFile, pith } from './command';
import { faultsBySchema } from './schemas';

beforeAll(() => void commandFile(), 120_000);

interface Kept {
  readonly cwd: string;
  readonly dir: string;
  readonly store: SessionStore;
}

/** A project with sessions where the manifest has them by default. */
function project(manifest = ''): Kept {
  const cwd = folderWith({ 'pith.toml': manifest, '.git/HEAD': '' });
  const dir = join(cwd, '.pith/sessions');
  return { cwd, dir, store: createJsonlStore({ dir }) };
}

async function begin(store: SessionStore, id: string): Promise<Session> {
  return createSession({ id, writer: await store.create(id) });
}

const turn = (number: number, phase: 'start' | 'end'): RecordDraft => ({ t: 'turn', phase, turn: number });

async function worked(store: SessionStore, id: string, ...prompts: readonly string[]): Promise<void> {
  const session = await begin(store, id);
  for (const [at, prompt] of prompts.entries()) {
    session.record(turn(at + 1, 'start'));
    session.append([user(prompt), call(`c${at}`), result(`c${at}`, prose(2000)), assistant('Done.')]);
    session.record(
      { t: 'usage', usage: { inputTokens: 1000 * (at + 1) } },
      { t: 'run', outcome: 'finished' },
      turn(at + 1, 'end'),
    );
  }
  await session.close();
}

async function listed({ cwd }: Kept, ...args: readonly string[]) {
  const { code, stdout, stderr } = await pith(['sessions', '--json', ...args], { cwd });
  expect([code, stderr]).toEqual([0, '']);
  const json = JSON.parse(stdout) as {
    readonly place: string;
    readonly sessions: readonly Readonly<Record<string, unknown>>[];
  };
  expect(faultsBySchema('pith.sessions-1', json)).toEqual([]);
  return json;
}

describe('pith sessions', () => {
  test('lists what is kept, the newest first, with what the end of each log tells', async () => {
    const kept = project();
    await worked(kept.store, 'first', 'Port the parser.', '\n  Now the lexer,\nwith tests.');
    const second = await begin(kept.store, 'second');
    second.record(turn(1, 'start'));
    second.append([user('Begin.'), call('c')]);
    second.record({ t: 'checkpoint', compaction: 'c', blocks: [], cut: 0, edits: [], before: 9, after: 4 });
    await second.close();
    const third = await begin(kept.store, 'third');
    const { place, sessions } = await listed(kept);
    expect(place).toBe(kept.dir);
    expect(sessions).toEqual([
      expect.objectContaining({
        id: 'third',
        items: 0,
        turns: 0,
        tokens: null,
        prompt: null,
        interrupted: false,
        owner: expect.objectContaining({ pid: process.pid }) as object,
      }),
      expect.objectContaining({
        id: 'second',
        items: 2,
        turns: 1,
        tokens: 4,
        prompt: 'Begin.',
        interrupted: true,
        owner: null,
      }),
      {
        id: 'first',
        modified: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        bytes: statSync(join(kept.dir, 'first.jsonl')).size,
        items: 8,
        turns: 2,
        tokens: 2000,
        prompt: 'Now the lexer,',
        interrupted: false,
        owner: null,
        problem: null,
      },
    ]);
    await third.close();
  });

  test('prints them for a person, whose terminal and secrets are safe', async () => {
    const kept = project();
    const key = `sk-ant-api03-${'a1B2'.repeat(12)}`;
    await worked(kept.store, 'one', `\u001b[31mUse ${key} for it`);
    writeFileSync(join(kept.dir, 'bad.jsonl'), '{"seq":0,"at":0,"t":"session","schema":"pith.session/9","id":"bad"}\n');
    const { code, stdout, stderr } = await pith(['sessions'], { cwd: kept.cwd });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^2 sessions in .*sessions\n/);
    expect(stdout).toMatch(/^one +now +\d+\.\d kB +4 +1 +1,000$/m);
    expect(stdout).toMatch(/^bad .*unreadable\n {2}.*pith\.session\/9/m);
    expect(stdout).not.toContain(key);
    expect(stdout).not.toContain('\u001b');
  });

  test('says that there are none, and makes no folder', async () => {
    const kept = project();
    expect(await listed(kept)).toEqual({ schema: 'pith.sessions/1', place: kept.dir, sessions: [] });
    expect((await pith(['sessions'], { cwd: kept.cwd })).stdout).toBe(`no sessions in ${kept.dir}\n`);
    expect(existsSync(join(kept.cwd, '.pith'))).toBe(false);
  });

  test('looks where the manifest or the option says', async () => {
    const kept = project('[session]\ndir = "logs"\n');
    await worked(createJsonlStore({ dir: join(kept.cwd, 'logs') }), 'here', 'Hi.');
    expect((await listed(kept)).sessions).toMatchObject([{ id: 'here' }]);
    mkdirSync(join(kept.cwd, 'empty'));
    expect((await listed(kept, '--dir', 'empty')).sessions).toEqual([]);
    expect((await pith(['sessions', '--dir', 'nowhere'], { cwd: kept.cwd })).code).toBe(2);
  });

  test('of a manifest that keeps none says so', async () => {
    const { code, stdout, stderr } = await pith(['sessions'], { cwd: project('[session]\nstore = "memory"\n').cwd });
    expect([code, stdout]).toEqual([0, 'no sessions in memory\n']);
    expect(stderr).toContain('kept in memory');
  });

  test('shows the thirty newest, and how many there are', async () => {
    const kept = project();
    for (let at = 0; at < 33; at++) await worked(kept.store, `session-${at}`, 'Hi.');
    const { stdout } = await pith(['sessions'], { cwd: kept.cwd });
    expect(stdout.match(/^session-\d+/gm)).toHaveLength(30);
    expect(stdout).toContain('and 3 older sessions (--json lists all)');
    expect((await listed(kept)).sessions).toHaveLength(33);
  });
});

describe('a glance at a session', () => {
  test('reads no further back than it needs, or a thousand records', async () => {
    const kept = project();
    const session = await begin(kept.store, 's');
    session.append([user('Long ago.')]);
    session.record(turn(1, 'start'));
    for (let at = 0; at < 2000; at++) session.append([call(`c${at}`), result(`c${at}`, 'x')]);
    await session.close();
    let read = 0;
    const counting: Pick<SessionStore, 'newest'> = {
      async *newest(id) {
        for await (const record of kept.store.newest(id)) {
          read++;
          yield record;
        }
      },
    };
    expect(await glanceAt(counting, 's')).toEqual({ records: 4003, items: 4001, isTurnOpen: false });
    expect(read).toBe(1000);
    await worked(kept.store, 't', 'One.', 'Two.');
    read = 0;
    expect(await glanceAt(counting, 't')).toMatchObject({ prompt: 'Two.', turns: 2, tokens: 2000 });
    expect(read).toBeLessThan(9);
  });

  test('counts items behind one with an id of its own, and takes no figure of a compaction that was undone', async () => {
    const { store } = project();
    const session = await begin(store, 's');
    session.append([user('a'), { ...assistant('b'), id: 'mine' }, { ...user('from a plugin'), by: 'todo' }]);
    session.record({ t: 'checkpoint', compaction: 'c', blocks: [], cut: 0, edits: [], before: 9, after: 4 });
    session.undoCompaction();
    session.append([{ ...assistant('c'), id: 'mine too' }]);
    await session.close();
    expect(await glanceAt(store, 's')).toEqual({ records: 7, items: 4, turns: 0, prompt: 'a', isTurnOpen: false });
  });
});
