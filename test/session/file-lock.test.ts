import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createJsonlStore } from '../../core';
import { ownerOf, takeLock } from '../../core/session/file-lock';
import { isRunning, ownStart, startByProc, startByPs } from '../../core/session/process-start';
import { commandFile } from '../cli/command';
import { folderWith } from '../files/folder';
import { firstLine, killed, linesOf, startChild } from './child';

beforeAll(() => void commandFile(), 120_000);

const HEADER = `{"seq":0,"at":0,"t":"session","schema":"pith.session/1","id":"s"}\n`;

/** Opens the session and says so, and then holds it until its input ends. */
const HOLD = `const { writer } = await pith.createJsonlStore({ dir }).open('s'); console.log('open', process.pid);
  process.stdin.resume().on('end', () => writer.close());`;

/** A lock file of a process that is gone: its pid runs, but another process began with it. */
const dead = (token: string): string =>
  `${JSON.stringify({ pid: process.pid, since: '2001-01-01T00:00:00.000Z', host: hostname(), start: 'long ago', token: token.repeat(16) })}\n`;

const alive = (token: string): string =>
  `${JSON.stringify({ pid: process.pid, since: '2001-01-01T00:00:00.000Z', host: hostname(), start: ownStart(), token: token.repeat(16) })}\n`;

describe('a lock file', () => {
  test('names its owner while it is held, and is gone afterwards', () => {
    const path = join(folderWith(), 'x.lock');
    expect(ownerOf(path)).toBeUndefined();
    const lock = takeLock(path);
    expect(ownerOf(path)).toEqual({
      pid: process.pid,
      host: hostname(),
      since: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    });
    expect(takeLock(path)).toMatchObject({ owner: { pid: process.pid } });
    expect(readdirSync(join(path, '..'))).toEqual(['x.lock']);
    if ('release' in lock) lock.release();
    expect(existsSync(path)).toBe(false);
    expect(takeLock(path)).toHaveProperty('release');
  });

  test('is not taken away from who took it meanwhile', () => {
    const path = join(folderWith(), 'x.lock');
    const lock = takeLock(path);
    writeFileSync(path, alive('a'));
    if ('release' in lock) lock.release();
    expect(ownerOf(path)).toMatchObject({ pid: process.pid });
  });

  test.each([
    ['whose process is another one now', dead('d')],
    ['that is empty', ''],
    ['that was damaged', '{"pid":12'],
    ['that names no process', JSON.stringify({ pid: -1, host: hostname(), start: '', token: 'a'.repeat(16) })],
  ])('%s is taken over at once', (_, content) => {
    const path = join(folderWith({ 'x.lock': content }), 'x.lock');
    expect(ownerOf(path)).toBeUndefined();
    expect(takeLock(path)).toHaveProperty('release');
    expect(ownerOf(path)).toMatchObject({ pid: process.pid });
    expect(readdirSync(join(path, '..'))).toEqual(['x.lock']);
  });

  test('of another host is respected, since nobody can look there', () => {
    const path = join(folderWith({ 'x.lock': dead('d').replace(hostname(), 'elsewhere') }), 'x.lock');
    expect(takeLock(path)).toMatchObject({ owner: { host: 'elsewhere' } });
  });

  test('whose heir died while it took over goes on to the next; a living heir is the owner', () => {
    const path = join(folderWith({ 'x.lock': dead('d') }), 'x.lock');
    writeFileSync(`${path}.${'d'.repeat(16)}`, dead('e'));
    writeFileSync(`${path}.${'e'.repeat(16)}`, alive('f'));
    expect(takeLock(path)).toMatchObject({ owner: { token: 'f'.repeat(16) } });
    expect(ownerOf(path)).toBeDefined();
    writeFileSync(`${path}.${'e'.repeat(16)}`, dead('f'));
    expect(takeLock(path)).toHaveProperty('release');
    expect(readdirSync(join(path, '..'))).toEqual(['x.lock']);
    expect(readFileSync(path, 'utf8')).toContain(ownStart());
  });
});

describe('a process', () => {
  test('is told by pid and start, in both ways that systems offer', async () => {
    const child = spawn('sleep', ['60']);
    const pid = child.pid ?? 0;
    const starts = [startByProc(pid), startByPs(pid)];
    expect(starts).toEqual([expect.any(String), expect.any(String)]);
    expect(isRunning(pid, starts[0] ?? '')).toBe(true);
    expect(isRunning(pid, 'another')).toBe(false);
    await killed(child);
    expect(isRunning(pid, starts[0] ?? '')).toBe(false);
    expect([startByProc(pid), startByPs(pid)]).toEqual([undefined, undefined]);
    expect(isRunning(process.pid, ownStart())).toBe(true);
  });
});

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
