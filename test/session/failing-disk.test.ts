/** What a disk does to a log (S5.5): what is on it for good and when, and what happens where it refuses or does half. */
import fs from 'node:fs';
import promises from 'node:fs/promises';
import { join } from 'node:path';
import { createJsonlStore } from '../../core';
import type { SessionRecord, SessionStore } from '../../core';
import { sampleLog } from '../../core/testing/store-logs';
import { folderWith } from '../files/folder';

afterEach(() => jest.restoreAllMocks());

const log = sampleLog('s');
const record = (seq: number): SessionRecord => log[seq] as SessionRecord;
const linesOf = (...records: readonly SessionRecord[]): string =>
  records.map((one) => `${JSON.stringify(one)}\n`).join('');

function place(): { readonly dir: string; readonly file: string; readonly store: SessionStore } {
  const dir = folderWith();
  return { dir, file: join(dir, 's.jsonl'), store: createJsonlStore({ dir }) };
}

/** Notes what is put on disk for good: the contents of a file, or the names in a folder. */
function watch(dir: string): { readonly contents: number; readonly names: readonly (readonly string[])[] } {
  const seen = { contents: 0, names: [] as (readonly string[])[] };
  const { fdatasync } = fs;
  jest.spyOn(fs, 'fdatasync').mockImplementation((file, done) => {
    seen.contents++;
    fdatasync(file, done);
  });
  const { open } = promises;
  jest.spyOn(promises, 'open').mockImplementation(async (path, ...how) => {
    const handle = await open(path, ...how);
    if (path !== dir) return handle;
    const sync = handle.sync.bind(handle);
    handle.sync = () => {
      seen.names.push(fs.readdirSync(dir).filter((name) => name.startsWith('s.jsonl')));
      return sync();
    };
    return handle;
  });
  return seen;
}

/** Has the next call of the system fail. */
function failing(call: 'ftruncateSync' | 'openSync' | 'renameSync'): void {
  jest.spyOn(fs, call).mockImplementationOnce(() => {
    throw new Error('EIO: i/o error');
  });
}

const notWritten = expect.objectContaining({
  code: 'PITH_SESSION_WRITE',
  message: expect.stringContaining('EIO') as string,
}) as Error;

/** The error about what was not done with a file. */
const failed = (what: string): Error => expect.objectContaining({ message: `${what}: EIO: i/o error` }) as Error;

describe('on disk for good', () => {
  test('are the ends of turns, checkpoints and undos at once; what else was appended, with the next flush', async () => {
    const { dir, store } = place();
    const seen = watch(dir);
    const writer = await store.create('s');
    const atOnce: string[] = [];
    for (const one of log) {
      const before = seen.contents;
      writer.append(one);
      if (seen.contents > before) atOnce.push(`${one.t} ${one.seq}`);
      if (seen.contents > before) await writer.flush();
    }
    expect(atOnce).toEqual(['checkpoint 7', 'undo 8', 'turn 9']);
    writer.append({ seq: 10, at: 0, t: 'turn', phase: 'start', turn: 2 });
    expect(seen.contents).toBe(3);
    await writer.flush();
    expect(seen.contents).toBe(4);
    await writer.flush();
    await writer.close();
    expect(seen.contents).toBe(4);
  });

  test('is the name of a log with the first of its contents, also where somebody else began it', async () => {
    const { dir, store } = place();
    const seen = watch(dir);
    const writer = await store.create('s');
    await writer.flush();
    expect([seen.contents, seen.names]).toEqual([0, []]);
    for (const one of log.slice(0, 3)) {
      writer.append(one);
      await writer.flush();
    }
    expect([seen.contents, seen.names]).toEqual([3, [['s.jsonl']]]);
    await writer.close();
    const again = (await store.open('s')).writer;
    await again.flush();
    expect(seen.contents).toBe(3);
    again.append(record(3));
    await again.close();
    expect([seen.contents, seen.names]).toEqual([4, [['s.jsonl'], ['s.jsonl']]]);
  });

  test('is a log that begins with records, under its name, as soon as it is there', async () => {
    const { dir, store } = place();
    const seen = watch(dir);
    const writer = await store.create('s', log.slice(0, 3));
    expect([seen.contents, seen.names.at(-1)]).toEqual([1, ['s.jsonl']]);
    writer.append(record(3));
    await writer.close();
    expect([seen.contents, seen.names.length]).toEqual([2, 2]);
  });

  test('is what several ask for at the same time with one call, and what came meanwhile with another', async () => {
    const { dir, store } = place();
    const seen = watch(dir);
    const writer = await store.create('s', [record(0)]);
    writer.append(record(1));
    const first = [writer.flush(), writer.flush(), writer.flush()];
    writer.append(record(2));
    await Promise.all([...first, writer.flush(), writer.flush()]);
    expect(seen.contents).toBe(1 + 2);
    await writer.close();
  });
});

test('a system that opens no folders keeps the names of files by itself', async () => {
  const { dir, store } = place();
  const { open } = promises;
  jest
    .spyOn(promises, 'open')
    .mockImplementation((path, ...how) => (path === dir ? Promise.reject(new Error('EISDIR')) : open(path, ...how)));
  await (await store.create('s', log)).close();
  const { records, writer } = await store.open('s');
  expect(records).toEqual(log);
  writer.append({ seq: 10, at: 0, t: 'turn', phase: 'start', turn: 2 });
  await writer.close();
});

describe('a disk that loses what it was given', () => {
  test('fails that flush and each that follows, since nobody can tell what is there; the session can be opened again', async () => {
    const { file, store } = place();
    const writer = await store.create('s', log.slice(0, 7));
    const lost = {
      code: 'PITH_SESSION_WRITE',
      message: `It is not certain that all records are on disk (${file}): EIO`,
    };
    jest.spyOn(fs, 'fdatasync').mockImplementationOnce((_file, done) => done(new Error('EIO')));
    writer.append(record(7));
    await expect(writer.flush()).rejects.toMatchObject({ ...lost, details: { path: file } });
    writer.append(record(8));
    await expect(writer.flush()).rejects.toMatchObject(lost);
    await expect(writer.close()).rejects.toMatchObject(lost);
    const again = await store.open('s');
    expect(again.records).toEqual(log.slice(0, 9));
    await again.writer.close();
  });
});

describe('a disk that takes no more', () => {
  test('in one call is given the rest in others', async () => {
    const { file, store } = place();
    const { writeSync } = fs;
    jest
      .spyOn(fs, 'writeSync')
      .mockImplementation(((to: number, bytes: Buffer, from: number, length: number, at: number) =>
        writeSync(to, bytes, from, Math.min(7, length), at)) as typeof fs.writeSync);
    const writer = await store.create('s');
    for (const one of log) writer.append(one);
    await writer.close();
    expect(fs.readFileSync(file, 'utf8')).toBe(linesOf(...log));
  });

  /** Has the disk take the first 5 bytes of the next record and then no more. */
  const fillUp = (): void => {
    const { writeSync } = fs;
    jest
      .spyOn(fs, 'writeSync')
      .mockImplementationOnce(((to: number, bytes: Buffer, from: number, _length: number, at: number) =>
        writeSync(to, bytes, from, 5, at)) as typeof fs.writeSync)
      .mockImplementationOnce(() => {
        throw new Error('EIO: i/o error');
      });
  };

  test('has the half record taken back, and takes the same one when there is room again', async () => {
    const { file, store } = place();
    const writer = await store.create('s');
    writer.append(record(0));
    fillUp();
    expect(() => writer.append(record(1))).toThrow(failed(`Record 1 (turn) could not be written (${file})`));
    expect(fs.readFileSync(file, 'utf8')).toBe(linesOf(record(0)));
    expect(() => writer.append(record(2))).toThrow(expect.objectContaining({ code: 'PITH_SESSION_WRITE' }) as Error);
    writer.append(record(1));
    await writer.close();
    expect(fs.readFileSync(file, 'utf8')).toBe(linesOf(record(0), record(1)));
  });

  test('nor lets the half record be taken back, has that done before the next one', async () => {
    const { file, store } = place();
    const writer = await store.create('s');
    writer.append(record(0));
    fillUp();
    failing('ftruncateSync');
    expect(() => writer.append(record(1))).toThrow(notWritten);
    expect(fs.readFileSync(file, 'utf8')).toBe(`${linesOf(record(0))}${JSON.stringify(record(1)).slice(0, 5)}`);
    writer.append({ seq: 1, at: 0, t: 'turn', phase: 'end', turn: 1 });
    await writer.close();
    expect(fs.readFileSync(file, 'utf8')).toBe(linesOf(record(0), { seq: 1, at: 0, t: 'turn', phase: 'end', turn: 1 }));
  });

  test('is left without a file where not even the header had room, and may be given it again', async () => {
    const { file, store } = place();
    const writer = await store.create('s');
    fillUp();
    expect(() => writer.append(record(0))).toThrow(notWritten);
    expect(fs.existsSync(file)).toBe(false);
    failing('openSync');
    expect(() => writer.append(record(0))).toThrow(notWritten);
    writer.append(record(0));
    await writer.close();
    expect(fs.readFileSync(file, 'utf8')).toBe(linesOf(record(0)));
  });

  test('of an older log lets it be read, and says so to who wants to go on with it; nobody is locked out', async () => {
    const { file, store } = place();
    await (await store.create('s', log)).close();
    const { openSync } = fs;
    const opening = jest.spyOn(fs, 'openSync').mockImplementation((path, ...how) => {
      if (path === file) throw new Error('EIO: i/o error');
      return openSync(path, ...how);
    });
    await expect(store.open('s')).rejects.toThrow(failed(`The log cannot be gone on with (${file})`));
    opening.mockRestore();
    expect((await store.read('s')).records).toEqual(log);
    await (await store.open('s')).writer.close();
  });

  test('nor a name for a log that begins with records, has nothing of it', async () => {
    const { dir, file, store } = place();
    failing('renameSync');
    await expect(store.create('s', log)).rejects.toThrow(failed(`The log could not be named ${file} (${file}.new)`));
    expect(fs.readdirSync(dir)).toEqual([]);
  });
});
