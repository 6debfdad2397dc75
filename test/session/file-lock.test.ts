import { spawn } from 'node:child_process';
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ownerOf, takeLock } from '../../core/session/file-lock';
import { isRunning, ownStart, startByProc, startByPs } from '../../core/session/process-start';
import { folderWith } from '../files/folder';

/** A lock file of a process that is gone: its pid runs, but another process began with it. */
const dead = (token: string): string =>
  `${JSON.stringify({ pid: process.pid, since: '2001-01-01T00:00:00.000Z', host: hostname(), start: 'long ago', token: token.repeat(16) })}\n`;

/** A lock file that says no more of its process than this. */
const named = (pid: number, token: string): string => JSON.stringify({ pid, host: hostname(), start: '', token });

const alive = (token: string): string =>
  `${JSON.stringify({ pid: process.pid, since: '2001-01-01T00:00:00.000Z', host: hostname(), start: ownStart(), token: token.repeat(16) })}\n`;

afterEach(() => jest.restoreAllMocks());

/** Has something happen while a lock is being taken: right before or behind the moment in which a link is made. */
function whenLinked(
  to: string,
  { before, behind }: { readonly before?: () => void; readonly behind?: () => void },
): void {
  const { linkSync } = fs;
  let happened = false;
  jest.spyOn(fs, 'linkSync').mockImplementation((from, place) => {
    const isNow = place === to && !happened;
    if (isNow) happened = true;
    if (isNow) before?.();
    try {
      linkSync(from, place);
    } finally {
      if (isNow) behind?.();
    }
  });
}

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
    expect(statSync(path).mode & 0o777).toBe(0o600);
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

  test('that somebody removed is let go without a word', () => {
    const path = join(folderWith(), 'x.lock');
    const lock = takeLock(path);
    rmSync(path);
    if ('release' in lock) lock.release();
    expect(takeLock(path)).toHaveProperty('release');
  });

  test('that cannot be read is not taken to be free, and nothing is left beside it', () => {
    const path = join(folderWith(), 'x.lock');
    mkdirSync(path);
    const unreadable = expect.objectContaining({ code: 'EISDIR' }) as Error;
    expect(() => takeLock(path)).toThrow(unreadable);
    expect(() => ownerOf(path)).toThrow(unreadable);
    expect(readdirSync(join(path, '..'))).toEqual(['x.lock']);
  });

  test.each([
    ['whose process is another one now', dead('d')],
    ['that is empty', ''],
    ['that was damaged', '{"pid":12'],
    ['that names no process', named(-1, 'a'.repeat(16))],
    ['that names a group of processes', named(0, 'a'.repeat(16))],
    ['whose token begins in another folder', dead('d').replace(/d{16}/, '/../$&')],
    ['whose token ends in another folder', dead('d').replace(/d{16}/, '$&/../x')],
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

describe('a lock file that changes while it is being taken', () => {
  test('is taken where its owner lets go in that very moment', () => {
    const path = join(folderWith(), 'x.lock');
    const lock = takeLock(path);
    whenLinked(path, { behind: () => 'release' in lock && lock.release() });
    expect(takeLock(path)).toHaveProperty('release');
    expect(readdirSync(join(path, '..'))).toEqual(['x.lock']);
  });

  test('belongs to the heir who was faster', () => {
    const path = join(folderWith({ 'x.lock': dead('d') }), 'x.lock');
    whenLinked(`${path}.${'d'.repeat(16)}`, { behind: () => writeFileSync(path, alive('f')) });
    expect(takeLock(path)).toMatchObject({ owner: { token: 'f'.repeat(16) } });
    expect(readdirSync(join(path, '..'))).toEqual(['x.lock']);
    expect(readFileSync(path, 'utf8')).toBe(alive('f'));
  });

  test('belongs to the heir whose place was taken before', () => {
    const path = join(folderWith({ 'x.lock': dead('d') }), 'x.lock');
    const place = `${path}.${'d'.repeat(16)}`;
    whenLinked(place, { before: () => writeFileSync(place, alive('f')) });
    expect(takeLock(path)).toMatchObject({ owner: { token: 'f'.repeat(16) } });
  });

  test('is taken where the faster heir has let go already', () => {
    const path = join(folderWith({ 'x.lock': dead('d') }), 'x.lock');
    whenLinked(`${path}.${'d'.repeat(16)}`, { behind: () => rmSync(path) });
    expect(takeLock(path)).toHaveProperty('release');
    expect(ownerOf(path)).toMatchObject({ pid: process.pid });
    expect(readdirSync(join(path, '..'))).toEqual(['x.lock']);
  });

  test('cannot be taken where the disk makes no links, and nothing is left beside it', () => {
    const folder = folderWith();
    jest.spyOn(fs, 'linkSync').mockImplementation(() => {
      throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
    });
    expect(() => takeLock(join(folder, 'x.lock'))).toThrow('not permitted');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a process', () => {
  test('is told by pid and start, in both ways that systems offer', async () => {
    const child = spawn('sleep', ['60']);
    const pid = child.pid ?? 0;
    const gone = new Promise((resolve) => child.on('exit', resolve));
    const starts = [startByProc(pid), startByPs(pid)];
    expect(starts).toEqual([expect.any(String), expect.any(String)]);
    expect(isRunning(pid, starts[0] ?? '')).toBe(true);
    expect(isRunning(pid, 'another')).toBe(false);
    child.kill('SIGKILL');
    await gone;
    expect(isRunning(pid, starts[0] ?? '')).toBe(false);
    expect([startByProc(pid), startByPs(pid)]).toEqual([undefined, undefined]);
    expect(isRunning(process.pid, ownStart())).toBe(true);
  });
});
