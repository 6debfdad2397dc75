/** Sessions between processes (S5.5): who may write, what outlives a process, and a disk that is really full. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createJsonlStore } from '../../core';
import { commandFile } from '../cli/command';
import { folderWith } from '../files/folder';
import { user } from '../support/context';
import { firstLine, killed, linesOf, startChild } from './child';

beforeAll(() => void commandFile(), 120_000);

const HEADER = `{"seq":0,"at":0,"t":"session","schema":"pith.session/1","id":"s"}\n`;

/** Opens the session and says so, and then holds it until its input ends. */
const HOLD = `const { writer } = await pith.createJsonlStore({ dir }).open('s'); console.log('open', process.pid);
  process.stdin.resume().on('end', () => writer.close());`;

/** A lock file of a process that is gone: its pid runs, but another process began with it. */
const dead = (token: string): string =>
  `${JSON.stringify({ pid: process.pid, since: '2001-01-01T00:00:00.000Z', host: hostname(), start: 'long ago', token: token.repeat(16) })}\n`;

describe('two processes on one session', () => {
  test('the second is refused with pid and start of the first, until the first has closed', async () => {
    const dir = folderWith({ 's.jsonl': HEADER });
    const first = startChild(HOLD, dir);
    expect(await firstLine(first)).toBe(`open ${first.pid}`);
    expect(await linesOf(startChild(HOLD, dir))).toEqual(['PITH_SESSION_LOCKED']);
    const store = createJsonlStore({ dir });
    const error: unknown = await store.open('s').catch((thrown: unknown) => thrown);
    const began = (await store.list())[0]?.owner?.since ?? '';
    expect(Math.abs(Date.now() - Date.parse(began))).toBeLessThan(60_000);
    expect(error).toMatchObject({ code: 'PITH_SESSION_LOCKED', details: { pid: first.pid, since: began } });
    expect((error as Error).message).toContain(`process ${first.pid} on ${hostname()}, which began at ${began}`);
    const ended = linesOf(first);
    first.stdin?.end();
    await ended;
    const { writer } = await store.open('s');
    await writer.close();
    expect(readdirSync(dir)).toEqual(['s.jsonl']);
  });

  test('an owner that is dead but not yet buried has left its session', async () => {
    const dir = folderWith({ 's.jsonl': HEADER });
    // The parent of the owner never takes note of its end.
    const hold = `await pith.createJsonlStore({ dir }).open('s'); console.log(process.pid); setInterval(() => 0, 1000);`;
    const parent = startChild(hold, dir, ['sh', '-c', '"$@" & exec sleep 60', 'sh']);
    const pid = Number(await firstLine(parent));
    process.kill(pid, 'SIGKILL');
    while (!/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'latin1')))
      await new Promise((resolve) => setImmediate(resolve));
    const { writer } = await createJsonlStore({ dir }).open('s');
    await writer.close();
    await killed(parent);
  });

  test('of many who take over from a dead owner at the same time, exactly one succeeds', async () => {
    const dir = folderWith({ 's.jsonl': HEADER });
    const TRY = `process.stdin.once('data', async () => {
        for (let at = Date.now(); Date.now() - at < 3;);
        try { await pith.createJsonlStore({ dir }).open('s'); console.log('won'); } catch (error) { console.log(error.code); }
        process.stdin.once('data', () => process.exit());
      }); console.log('ready');`;
    for (let round = 0; round < 3; round++) {
      writeFileSync(join(dir, 's.lock'), dead(round.toString(16)));
      const children = Array.from({ length: 5 }, () => startChild(TRY, dir));
      await Promise.all(children.map(firstLine));
      const answers = Promise.all(children.map(firstLine));
      for (const child of children) child.stdin?.write('go');
      expect((await answers).sort()).toEqual([...Array<string>(4).fill('PITH_SESSION_LOCKED'), 'won']);
      const ends = children.map((child) => linesOf(child));
      for (const child of children) child.stdin?.write('end');
      await Promise.all(ends);
    }
    expect(readdirSync(dir).filter((name) => name !== 's.jsonl')).toEqual(['s.lock']);
  }, 60_000);
});

describe('a disk that is full', () => {
  test('refuses a record whole: file and session are what they were, and go on when there is room', async () => {
    const dir = folderWith();
    const store = createJsonlStore({ dir });
    await (await store.create('s', [{ seq: 0, at: 0, t: 'session', schema: 'pith.session/1', id: 's' }])).close();
    // A limit on the size of files makes the system write a part of the record and then refuse the rest.
    const child = startChild(
      `const { records, writer } = await pith.createJsonlStore({ dir }).open('s');
       const session = pith.restoreSession(records, { writer });
       const say = (text) => ({ kind: 'message', role: 'user', parts: [{ type: 'text', text }] });
       session.append([say('a')]);
       try { session.append([say('x'.repeat(50_000))]); } catch (error) { console.log(error.code); }
       console.log(session.itemCount);
       session.append([say('b')]);
       await session.close();`,
      dir,
      ['sh', '-c', 'trap "" XFSZ; ulimit -f 32; exec "$@"', 'sh'],
    );
    expect(await linesOf(child)).toEqual(['PITH_SESSION_WRITE', '1']);
    const { records, warnings } = await store.read('s');
    expect(records.slice(1)).toMatchObject([{ item: user('a') }, { item: user('b') }]);
    expect(warnings).toEqual([]);
  });

  test('that has no room for the header leaves no session', async () => {
    const dir = folderWith();
    const store = createJsonlStore({ dir });
    const child = startChild(
      `const writer = await pith.createJsonlStore({ dir }).create('s');
       try { pith.createSession({ id: 's', root: '/'.repeat(50_000), writer }); } catch (error) { console.log(error.code); }
       pith.createSession({ id: 's', writer });
       await writer.close();`,
      dir,
      ['sh', '-c', 'trap "" XFSZ; ulimit -f 32; exec "$@"', 'sh'],
    );
    expect(await linesOf(child)).toEqual(['PITH_SESSION_WRITE']);
    expect((await store.read('s')).records).toHaveLength(1);
  });
});

describe('a process that is killed', () => {
  test('has kept every record that it had appended, and its session is taken over at once', async () => {
    const dir = folderWith();
    const store = createJsonlStore({ dir });
    const child = startChild(
      `const session = pith.createSession({ id: 's', writer: await pith.createJsonlStore({ dir }).create('s') });
       for (let n = 1; ; n++) {
         session.append([{ kind: 'message', role: 'user', parts: [{ type: 'text', text: String(n) }] }]);
         if (n === 500) console.log(n);
       }`,
      dir,
    );
    await firstLine(child);
    await killed(child);
    const { records, writer } = await store.open('s');
    expect(records.length).toBeGreaterThan(500);
    writer.append({ seq: records.length, at: 0, t: 'turn', phase: 'start', turn: 1 });
    await writer.close();
    expect((await store.read('s')).records).toHaveLength(records.length + 1);
  });
});
