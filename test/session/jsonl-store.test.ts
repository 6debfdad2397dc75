import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import promises from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { createJsonlStore, createSession, PithError } from '../../core';
import type { NewItem, SessionRecord, SessionStore } from '../../core';
import { histories } from '../arbitraries/history';
import { folderWith } from '../files/folder';
import { user } from '../support/context';

afterEach(() => jest.restoreAllMocks());

async function written(
  store: SessionStore,
  items: readonly NewItem[] = [user('a'), user('b')],
): Promise<readonly SessionRecord[]> {
  const session = createSession({ id: 's', now: () => 7, writer: await store.create('s') });
  session.append(items);
  await session.close();
  return [...session.records()];
}

function place(): { readonly dir: string; readonly file: string; readonly store: SessionStore } {
  const dir = join(folderWith(), 'sessions');
  return { dir, file: join(dir, 's.jsonl'), store: createJsonlStore({ dir }) };
}

async function errorOf(work: Promise<unknown>): Promise<PithError> {
  const thrown: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!PithError.is(thrown)) throw new Error(`no PithError: ${String(thrown)}`);
  return thrown;
}

/** The newest records, as far as they can be read. */
async function newestOf(store: SessionStore): Promise<readonly SessionRecord[]> {
  const records: SessionRecord[] = [];
  for await (const record of store.newest('s')) records.push(record);
  return records;
}

describe('the file of a session', () => {
  test('holds a record a line, in order, for its owner alone; its folder stays out of repositories', async () => {
    const { dir, file, store } = place();
    expect(existsSync(dir)).toBe(false);
    const records = await written(store);
    expect(readFileSync(file, 'utf8')).toBe(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    expect(readdirSync(dir).sort()).toEqual(['.gitignore', 's.jsonl']);
    expect(readFileSync(join(dir, '.gitignore'), 'utf8')).toBe('*\n');
  });

  test('a folder that was there is left as it is', async () => {
    const dir = folderWith();
    await written(createJsonlStore({ dir }));
    expect(readdirSync(dir)).toEqual(['s.jsonl']);
  });

  test('any history is read as it was written', async () => {
    await fc.assert(
      fc.asyncProperty(histories(), async (items) => {
        const { store } = place();
        const records = await written(store, items);
        expect((await store.read('s')).records).toEqual(JSON.parse(JSON.stringify(records)));
        expect((await newestOf(store)).toReversed()).toEqual((await store.read('s')).records);
      }),
      { numRuns: 50 },
    );
  });

  test('lines longer than the pieces that are read are whole, from both ends', async () => {
    const { store } = place();
    const long = [...'äß€'].map((letter, at) => user(letter.repeat(200_000 * (at + 1))));
    await written(store, [user('short'), ...long, user('short')]);
    const { records } = await store.read('s');
    expect(records.slice(2, 5)).toMatchObject(long.map((item) => ({ item })));
    let seq = records.length;
    for await (const record of store.newest('s')) expect(record).toEqual(records[--seq]);
    expect(seq).toBe(0);
  });

  test('is read from its newest record back wherever the pieces that are read begin', async () => {
    const { file, store } = place();
    // Lines of some hundred bytes, in files that differ by one byte in length.
    await written(store);
    const [header] = readFileSync(file, 'utf8').split('\n');
    for (let more = 0; more < 120; more++) {
      const lines = Array.from(
        { length: 240 },
        (_, at) =>
          `{"seq":${at + 1},"at":0,"t":"state","namespace":"n","value":"${'x'.repeat(at === 239 ? more : 60)}"}`,
      );
      writeFileSync(file, [header, ...lines, ''].join('\n'));
      let seq = 240;
      for await (const record of store.newest('s')) expect(record.seq).toBe(seq--);
      expect(seq).toBe(-1);
    }
  });

  test('is read from its newest record back only as far as is asked for', async () => {
    const { store } = place();
    await written(
      store,
      Array.from({ length: 3000 }, (_, at) => user(`${at} `.repeat(30))),
    );
    const { open } = promises;
    let bytes = 0;
    jest.spyOn(promises, 'open').mockImplementation(async (...how) => {
      const handle = await open(...how);
      const read = handle.read.bind(handle) as (...given: readonly unknown[]) => ReturnType<typeof handle.read>;
      return Object.assign(handle, {
        async read(...given: readonly unknown[]) {
          const done = await read(...given);
          bytes += done.bytesRead;
          return done;
        },
      });
    });
    let asked = 0;
    for await (const { seq } of store.newest('s')) {
      expect(seq).toBe(3000 - asked);
      if (++asked === 20) break;
    }
    expect(bytes).toBeLessThanOrEqual(16 * 1024);
  });

  test('is read without holding others up', async () => {
    const { store } = place();
    await written(
      store,
      Array.from({ length: 3000 }, (_, at) => user(`${at} `.repeat(300))),
    );
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    await store.read('s');
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
  });
});

describe('a torn last line', () => {
  test('is left out at every byte it may be torn at, with a warning, and cut off before the next record', async () => {
    const { file, store } = place();
    const records = await written(store);
    const bytes = readFileSync(file);
    const start = bytes.lastIndexOf('\n', -2) + 1;
    for (let size = start; size <= bytes.length; size++) {
      writeFileSync(file, bytes.subarray(0, size));
      // A line that lacks nothing but its end is whole.
      const kept = size >= bytes.length - 1 ? records.length : records.length - 1;
      const isTorn = size > start && kept < records.length;
      const { records: read, warnings, writer } = await store.open('s');
      expect(read).toEqual(records.slice(0, kept));
      expect(warnings).toEqual(isTorn ? [`${file}: the last line (3) is torn and was left out.`] : []);
      expect(readFileSync(file).length).toBe(size);
      expect((await newestOf(store)).toReversed()).toEqual(read);
      const next: SessionRecord = { seq: kept, at: 8, t: 'turn', phase: 'start', turn: 1 };
      writer.append(next);
      await writer.close();
      expect(readFileSync(file, 'utf8')).toBe(
        [...records.slice(0, kept), next].map((record) => `${JSON.stringify(record)}\n`).join(''),
      );
    }
  });

  test.each([
    ['zeros, as after a power cut', Buffer.alloc(5000)],
    ['letters of no encoding', Buffer.from('{"seq":3,"at":1,"t":"x","y":"\xff"}\n', 'latin1')],
    ['an empty line', Buffer.from('\n')],
  ])('may be made of %s', async (_, tail) => {
    const { file, store } = place();
    const records = await written(store);
    appendFileSync(file, tail);
    const { records: read, warnings } = await store.read('s');
    expect([read, warnings.length]).toEqual([records, 1]);
    expect((await newestOf(store)).toReversed()).toEqual(records);
  });

  test.each([
    ['two empty lines', '\n\n'],
    ['JSON that is no record', 'null\n'],
  ])('is not what %s are', async (_, tail) => {
    const { file, store } = place();
    await written(store);
    appendFileSync(file, tail);
    const corrupt = { code: 'PITH_SESSION_CORRUPT' };
    expect(await errorOf(store.read('s'))).toMatchObject(corrupt);
    expect(await errorOf(newestOf(store))).toMatchObject(corrupt);
  });

  test('may be larger than any text', async () => {
    const { file, store } = place();
    const records = await written(store);
    truncateSync(file, 600_000_000);
    expect(await store.read('s')).toMatchObject({ records, warnings: [expect.any(String)] });
    appendFileSync(file, '\n{}\n');
    expect((await errorOf(store.read('s'))).message).toMatch(
      /, line 4 is malformed: its \d{9} bytes are more than a text can hold\./,
    );
  }, 60_000);

  test('that is the first one leaves no session, and says so', async () => {
    const { file, store } = place();
    await written(store);
    const none = {
      code: 'PITH_SESSION_CORRUPT',
      message: `${file} has no header: whoever began it was interrupted before anything was kept. Remove the file.`,
      details: { path: file },
    };
    for (const size of [0, 1, 40]) {
      truncateSync(file, size);
      expect(await errorOf(store.open('s'))).toMatchObject(none);
      expect(await errorOf(newestOf(store))).toMatchObject(none);
    }
    // Nobody is locked out by what was refused.
    expect(await store.list()).toEqual([expect.not.objectContaining({ owner: expect.anything() as object })]);
  });
});

describe('a line that is not what it should be', () => {
  const other = '{"seq":1,"at":0,"t":"turn","phase":"start","turn":1}';
  test.each([
    ['no JSON', '{"seq":1,"at'],
    ['an empty line', ''],
    ['no record', '[1]'],
    ['of another place', other.replace('"seq":1', '"seq":5')],
    ['of no place', '{"at":0,"t":"turn","phase":"start","turn":1}'],
    ['of no time', other.replace('"at":0', '"at":null')],
    ['a record that lacks a field', '{"seq":1,"at":0,"t":"turn","turn":1}'],
    ['a second header', '{"seq":1,"at":0,"t":"session","schema":"pith.session/1","id":"s"}'],
    ['a count that is none', '{"seq":1,"at":0,"t":"item","item":{"kind":"reasoning","id":"r"},"count":{"text":-1}}'],
  ])('is refused, naming file and line: %s', async (_, line) => {
    const { file, store } = place();
    await written(store);
    const [header, ...rest] = readFileSync(file, 'utf8').split('\n');
    // Those behind it are where they would be if it was right.
    const later = rest.map((one, at) => one.replace(`"seq":${at + 1}`, `"seq":${at + 2}`));
    writeFileSync(file, [header, line, ...later].join('\n'));
    const before = readFileSync(file);
    const error = await errorOf(store.open('s'));
    expect(error).toMatchObject({ code: 'PITH_SESSION_CORRUPT', details: { path: file, line: 2 } });
    expect(error.message).toContain(`${file}, line 2 is malformed: `);
    expect(readFileSync(file).equals(before)).toBe(true);
    // From its end a file is read by bytes.
    const byte = `${header}\n`.length;
    const found = await errorOf(newestOf(store));
    expect(found).toMatchObject({ code: 'PITH_SESSION_CORRUPT', details: { path: file, byte } });
    expect(found.message).toContain(`${file}, the line at byte ${byte} is malformed: `);
    expect(found.message.split(' malformed: ')[1]).toBe(error.message.split(' malformed: ')[1]);
  });

  test('a header of a newer version is refused by name', async () => {
    const { file, store } = place();
    await written(store);
    writeFileSync(file, readFileSync(file, 'utf8').replace('pith.session/1', 'pith.session/12'));
    const error = await errorOf(store.open('s'));
    expect([error.code, error.message]).toEqual([
      'PITH_SESSION_SCHEMA',
      expect.stringContaining('"pith.session/12"') as string,
    ]);
  });

  test('a file that holds another session is refused', async () => {
    const { dir, file, store } = place();
    await written(store);
    writeFileSync(join(dir, 'copy.jsonl'), readFileSync(file));
    const copy = join(dir, 'copy.jsonl');
    expect(await errorOf(store.open('copy'))).toMatchObject({
      code: 'PITH_SESSION_CORRUPT',
      message: `${copy} holds session "s"; give the file that session's name again, or fork the session for another.`,
      details: { path: copy },
    });
    expect((await store.read('s')).records).toHaveLength(3);
  });

  test('what could not be read back is not written', async () => {
    const { file, store } = place();
    const session = createSession({ id: 's', writer: await store.create('s') });
    const before = readFileSync(file, 'utf8');
    const cyclic: { inner?: unknown } = {};
    cyclic.inner = cyclic;
    const bad: readonly (() => void)[] = [
      () => session.record({ t: 'state', namespace: 'n', value: undefined as never }),
      () => session.record({ t: 'state', namespace: 'n', value: cyclic as never }),
      () => session.record({ t: 'state', namespace: 'n', value: 1n as never }),
      () => session.append([{ kind: 'message', role: 'user', parts: 'text' as never }]),
      () => session.append([{ kind: 'song' } as never]),
    ];
    for (const write of bad) expect(write).toThrow(expect.objectContaining({ code: 'PITH_SESSION_WRITE' }) as Error);
    expect([session.position, session.itemCount, readFileSync(file, 'utf8')]).toEqual([0, 0, before]);
    session.append([user('fine')]);
    session.record({ t: 'usage', usage: { inputTokens: Number.NaN } });
    await session.close();
    expect((await store.read('s')).records).toHaveLength(3);
  });
});

describe('a folder', () => {
  test('has its sessions listed with size, time and who writes; what else is in it is none', async () => {
    const { dir, file, store } = place();
    await written(store);
    mkdirSync(join(dir, 'folder.jsonl'));
    symlinkSync(join(dir, 'nowhere'), join(dir, 'gone.jsonl'));
    for (const name of ['%zz.jsonl', 'a b.jsonl', 's.json', 's.jsonx', 't.lock', 'notes'])
      writeFileSync(join(dir, name), '');
    const { size, mtimeMs } = statSync(file);
    const listed = { id: 's', bytes: size, modifiedAt: mtimeMs };
    expect(await store.list()).toStrictEqual([listed]);
    const { writer } = await store.open('s');
    const since = expect.any(String) as string;
    expect(await store.list()).toEqual([{ ...listed, owner: { pid: process.pid, since, host: hostname() } }]);
    await writer.close();
    writeFileSync(join(dir, 's.lock'), 'of a machine that went down');
    expect(await store.list()).toStrictEqual([listed]);
  });

  test('that is a file holds no sessions, and says so whatever is asked of it', async () => {
    const dir = join(folderWith({ file: '' }), 'file');
    const store = createJsonlStore({ dir });
    const cause = expect.objectContaining({ code: 'ENOTDIR' }) as Error;
    const unreadable = { code: 'PITH_INPUT_UNREADABLE', message: expect.stringContaining(dir) as string, cause };
    expect(await errorOf(store.list())).toMatchObject(unreadable);
    expect(await errorOf(store.read('s'))).toMatchObject(unreadable);
    expect(await errorOf(store.create('s'))).toMatchObject({
      code: 'PITH_SESSION_WRITE',
      message: expect.stringContaining(`Session "s" cannot be locked by ${join(dir, 's.lock')}: `) as string,
      cause: expect.objectContaining({ code: 'EEXIST' }) as Error,
    });
    expect(await errorOf(store.open('s'))).toMatchObject({
      code: 'PITH_SESSION_NOT_FOUND',
      message: `There is no session "s": ${join(dir, 's.jsonl')} does not exist.`,
    });
  });

  test('where a session should be is no session that could be read, and locks nobody out', async () => {
    const { file, store } = place();
    mkdirSync(file, { recursive: true });
    const unreadable = {
      code: 'PITH_INPUT_UNREADABLE',
      message: expect.stringContaining(`${file} cannot be read: `) as string,
    };
    expect(await errorOf(store.read('s'))).toMatchObject(unreadable);
    expect(await errorOf(store.open('s'))).toMatchObject(unreadable);
    expect(await errorOf(store.open('s'))).toMatchObject(unreadable);
    expect(await errorOf(newestOf(store))).toMatchObject(unreadable);
    expect(await errorOf(store.create('s'))).toMatchObject({
      code: 'PITH_SESSION_EXISTS',
      message: `Session "s" exists already (${file}); open it instead.`,
    });
  });
});

test('a session that is written to says by whom, and what to do', async () => {
  const { dir, store } = place();
  await written(store);
  const { writer } = await store.open('s');
  const error = await errorOf(store.open('s'));
  expect(error).toMatchObject({ code: 'PITH_SESSION_LOCKED', details: { pid: process.pid, host: hostname() } });
  expect(error.message).toContain(`Session "s" is written to by this process (${process.pid}), which began at `);
  expect(error.message).toContain(`remove ${join(dir, 's.lock')}.`);
  await writer.close();
  expect(() => writer.append({ seq: 3, at: 0, t: 'turn', phase: 'start', turn: 1 })).toThrow(
    `${join(dir, 's.jsonl')} is closed; open the session again.`,
  );
  const elsewhere = { pid: 7, since: '2001-01-01T00:00:00.000Z', host: 'elsewhere', start: '', token: 'a'.repeat(16) };
  writeFileSync(join(dir, 's.lock'), JSON.stringify(elsewhere));
  expect((await errorOf(store.open('s'))).message).toContain('by process 7 on elsewhere, which began at 2001');
});

test('a session that never began leaves nothing', async () => {
  const { dir, store } = place();
  await (await store.create('s')).close();
  const none = (function* (): Iterable<SessionRecord> {
    throw new Error('nothing to begin with');
  })();
  await expect(store.create('s', none)).rejects.toThrow('nothing to begin with');
  expect(readdirSync(dir)).toEqual(['.gitignore']);
  expect(await store.list()).toEqual([]);
});

test('no file is left open, however a session was read or written', async () => {
  const { dir, file, store } = place();
  await written(store);
  await store.read('s');
  await newestOf(store);
  for await (const _ of store.newest('s')) break;
  await (await store.open('s')).writer.close();
  writeFileSync(file, 'no JSON\n{}\n');
  await errorOf(store.open('s'));
  await errorOf(newestOf(store));
  expect(openBelow(dir)).toEqual([]);
});

/** The files in a folder that this process has open, where the system tells. */
function openBelow(dir: string): readonly string[] {
  if (!existsSync('/proc/self/fd')) return [];
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(dir) ? [path] : [];
    } catch {
      return [];
    }
  });
}
