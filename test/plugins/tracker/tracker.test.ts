import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  callTool,
  createDiskFiles,
  createKernel,
  createSession,
  defaultService,
  defineTool,
  FILE_SOURCE,
  type FileSource,
  type Item,
  type Json,
  type Kernel,
  type NewItem,
  type Session,
} from '../../../core/index';
import trackerPlugin from '../../../plugins/tracker';
import { createTracker } from '../../../plugins/tracker/recency';
import { touchedFiles } from '../../../plugins/tracker/replay';
import { TRACKER } from '../../../plugins/tracker/token';
import { folderWith, put } from '../../files/folder';

const same = (path: string): string => path;

describe('the tracker', () => {
  test('lists files newest first, and moves a file that is recorded again to the front', () => {
    const tracker = createTracker(20, same);
    for (const path of ['a', 'b', 'c', 'a']) tracker.record(path);
    expect(tracker.recentFiles(5)).toEqual(['a', 'c', 'b']);
    expect(tracker.recentFiles(2)).toEqual(['a', 'c']);
    expect(tracker.recentFiles(0)).toEqual([]);
    expect(tracker.recentFiles(-1)).toEqual([]);
  });

  test('remembers twenty files; the oldest falls out', () => {
    const tracker = createTracker(20, same);
    const names = Array.from({ length: 21 }, (_, at) => `f${String(at)}`);
    for (const name of names) tracker.record(name);
    expect(tracker.recentFiles(100)).toEqual(names.slice(1).reverse());
  });

  test('a symlink and its target are one entry', () => {
    const root = folderWith({ 'src/app.ts': 'x', 'other.ts': 'x' });
    symlinkSync('src/app.ts', join(root, 'link.ts'));
    const files = createDiskFiles({ root });
    const tracker = createTracker(20, (path) => files.canonical(path));
    for (const path of ['link.ts', 'other.ts', 'src/app.ts', './src/../link.ts', join(root, 'src/app.ts')])
      tracker.record(path);
    expect(tracker.recentFiles(5).map((path) => files.display(path))).toEqual(['src/app.ts', 'other.ts']);
  });

  test('keeps the hash of what was seen, also when the file is touched without contents', () => {
    const tracker = createTracker(20, same);
    expect(tracker.observed('a')).toBeUndefined();
    expect(tracker.changedSince('a', 'one')).toBe(true);
    tracker.record('a', 'one');
    tracker.record('a');
    expect(tracker.observed('a')).toMatch(/^[0-9a-f]{64}$/);
    expect(tracker.changedSince('a', 'one')).toBe(false);
    expect(tracker.changedSince('a', Buffer.from('one'))).toBe(false);
    expect(tracker.changedSince('a', 'two')).toBe(true);
  });

  test('keeps hashes of files that fell out of the list', () => {
    const tracker = createTracker(1, same);
    tracker.record('a', 'one');
    tracker.record('b', 'two');
    expect(tracker.recentFiles(5)).toEqual(['b']);
    expect(tracker.changedSince('a', 'one')).toBe(false);
  });

  test('after a compaction files must be read again, save those that are in the new context', () => {
    const tracker = createTracker(20, same);
    tracker.record('a', 'one');
    tracker.record('b', 'two');
    tracker.forgetContents(['b']);
    expect([tracker.changedSince('a', 'one'), tracker.changedSince('b', 'two')]).toEqual([true, false]);
    expect(tracker.recentFiles(5)).toEqual(['b', 'a']);
    tracker.record('a', 'one');
    expect(tracker.changedSince('a', 'one')).toBe(false);
    tracker.forgetContents();
    expect([tracker.changedSince('a', 'one'), tracker.changedSince('b', 'two')]).toEqual([true, true]);
  });

  test('is a list of the last distinct files, whatever is recorded', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(30).map(String)),
        fc.integer({ min: 1, max: 25 }),
        fc.nat(30),
        (paths, capacity, n) => {
          const tracker = createTracker(capacity, same);
          for (const path of paths) tracker.record(path);
          expect(tracker.recentFiles(n)).toEqual([...new Set(paths.toReversed())].slice(0, Math.min(n, capacity)));
        },
      ),
    );
  });
});

let ids = 0;
function exchange(
  name: string,
  args: Json,
  result: { readonly isError?: boolean } | undefined = {},
): readonly NewItem[] {
  const callId = `c${String(++ids)}`;
  const call: NewItem = { kind: 'tool_call', callId, name, arguments: args };
  return result === undefined ? [call] : [call, { kind: 'tool_result', callId, summary: 'done', ...result }];
}

describe('a restored or imported session', () => {
  const log = (items: readonly NewItem[]): Pick<Session, 'item' | 'itemCount'> => ({
    itemCount: items.length,
    item: (at) => ({ id: String(at), ...items[at] }) as Item,
  });

  test('is replayed: oldest first, failed and unanswered calls left out', () => {
    const items = [
      ...exchange('Read', { file_path: 'a' }),
      ...exchange('Read', { file_path: 'gone' }, { isError: true }),
      ...exchange('Edit', { file_path: 'b', old_string: 'x', new_string: 'y' }),
      ...exchange('Bash', { command: 'cat c && cat d' }),
      ...exchange('Read', { file_path: 'a' }),
      ...exchange('Read', { file_path: 'never' }, undefined),
    ].slice(0, -1);
    expect(touchedFiles(log(items), 20, same)).toEqual(['b', 'c', 'd', 'a']);
    expect(touchedFiles(log(items), 2, same)).toEqual(['d', 'a']);
  });

  test('is gone through from its end only as far as needed', () => {
    const items = Array.from({ length: 100 }, (_, at) => exchange('Read', { file_path: `f${String(at)}` })).flat();
    const asked = new Set<number>();
    const source = log(items);
    touchedFiles({ itemCount: source.itemCount, item: (at) => (asked.add(at), source.item(at)) }, 5, same);
    expect(Math.min(...asked)).toBe(190);
  });

  test('gives the list that recording every call would have given', () => {
    const call = fc.record({ path: fc.nat(9).map(String), isError: fc.boolean() });
    fc.assert(
      fc.property(fc.array(call), fc.integer({ min: 1, max: 8 }), (calls, capacity) => {
        const tracker = createTracker(capacity, same);
        for (const { path, isError } of calls) if (!isError) tracker.record(path);
        const items = calls.flatMap(({ path, isError }) => exchange('read', { path }, { isError }));
        expect(touchedFiles(log(items), capacity, same).toReversed()).toEqual(tracker.recentFiles(capacity));
      }),
    );
  });
});

describe('the plugin', () => {
  const source: FileSource = {
    canonical: (path) => path.replace(/^\.\//, ''),
    display: same,
    read: (path) => Promise.resolve({ ok: false, path, reason: 'not-found' }),
  };
  const start = (config = {}): Promise<Kernel> =>
    createKernel({ plugins: [trackerPlugin], config, defaults: [defaultService(FILE_SOURCE, () => source)] });
  const open = (kernel: Kernel, items: readonly NewItem[] = []): Session => {
    const session = createSession({ id: `s${String(++ids)}`, services: (one) => kernel.scope(one) });
    session.append(items);
    return session;
  };
  const tools = ['read_file', 'fetch'].map((name) =>
    defineTool({
      name,
      description: 'Reads.',
      input: { type: 'object' },
      kind: 'read',
      roles: ['main', 'compact-worker'],
      run: (args) => ({ summary: 'done', isError: JSON.stringify(args).includes('gone') }),
      ...(name === 'fetch' && { paths: () => ['declared.txt'] }),
    }),
  );
  const call = (kernel: Kernel, session: Session, role: string, name: string, args: Json) =>
    callTool(kernel, {
      session,
      role,
      tools,
      call: { id: 'x', kind: 'tool_call', callId: 'x', name, arguments: args },
      signal: new AbortController().signal,
    });

  test('hears of files by the calls of the agent and of the compact worker, of tools that are known or declare them', async () => {
    const kernel = await start();
    const session = open(kernel);
    await call(kernel, session, 'main', 'read_file', { path: './a' });
    await call(kernel, session, 'compact-worker', 'read_file', { path: 'b' });
    await call(kernel, session, 'main', 'read_file', { path: 'gone' });
    await call(kernel, session, 'main', 'fetch', {});
    await call(kernel, session, 'main', 'read_file', { path: 'a' });
    const tracker = session.get(TRACKER);
    expect(tracker.recentFiles(5)).toEqual(['a', 'declared.txt', 'b']);
    expect(tracker.observed('b')).toBeUndefined();
    await kernel.stop();
  });

  test('has one tracker per session, which begins with what the session touched before', async () => {
    const kernel = await start({ tracker: { capacity: 2 } });
    const session = open(kernel, [
      ...exchange('Read', { file_path: 'a' }),
      ...exchange('Read', { file_path: './b' }),
      ...exchange('Write', { file_path: 'c', content: '' }),
    ]);
    expect(session.get(TRACKER).recentFiles(5)).toEqual(['c', 'b']);
    expect(session.get(TRACKER).changedSince('c', '')).toBe(true);
    expect(open(kernel).get(TRACKER).recentFiles(5)).toEqual([]);
    await call(kernel, session, 'main', 'read_file', { path: 'd' });
    expect(session.get(TRACKER).recentFiles(5)).toEqual(['d', 'c']);
    await kernel.stop();
  });

  test('a file that vanished keeps its entry', () => {
    const root = folderWith();
    put(root, 'a.ts', 'x');
    const files = createDiskFiles({ root });
    const tracker = createTracker(20, (path) => files.canonical(path));
    tracker.record('a.ts');
    rmSync(join(root, 'a.ts'));
    tracker.record('./a.ts');
    expect(tracker.recentFiles(5)).toEqual([join(root, 'a.ts')]);
  });
});
