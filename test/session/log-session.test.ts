import { createSessionToken } from '../../core';
import type { NewItem, SessionRecord } from '../../core';
import { createSession, restoreSession } from '../../core/session/log-session';
import { createMemoryStore } from '../../core/session/memory-store';

const said = (text: string): NewItem => ({ kind: 'message', role: 'user', parts: [{ type: 'text', text }] });

const numbers = {
  '~standard': {
    version: 1 as const,
    vendor: 'test',
    validate: (value: unknown) =>
      typeof value === 'number' ? { value } : { issues: [{ message: 'a number is expected' }] },
  },
};

describe('a session', () => {
  test('begins with a header that names schema, id, root and source', () => {
    const session = createSession({ id: 's', root: '/repo', source: 'pi', now: () => 7 });
    expect([...session.records()]).toEqual([
      { seq: 0, at: 7, t: 'session', schema: 'pith.session/1', id: 's', root: '/repo', source: 'pi' },
    ]);
  });

  test('numbers its records without gaps and stamps them', () => {
    let now = 10;
    const session = createSession({ id: 's', now: () => now++ });
    session.append([said('a'), said('b')]);
    session.record({ t: 'turn', phase: 'start', turn: 1 });
    expect([...session.records()].map(({ seq, at, t }) => [seq, at, t])).toEqual([
      [0, 10, 'session'],
      [1, 11, 'item'],
      [2, 12, 'item'],
      [3, 13, 'turn'],
    ]);
    expect(session.position).toBe(3);
  });

  test('gives items short ids that can be cited, keeps ids that are free, and never has one twice', () => {
    const session = createSession({ id: 's' });
    session.append([
      said('a'),
      { ...said('b'), id: 'mine' },
      { ...said('c'), id: 'mine' },
      { ...said('d'), id: 'i5' },
      said('e'),
      said('f'),
    ]);
    const ids = [...session.items()].map((item) => item.id);
    expect(ids.slice(0, 5)).toEqual(['i0', 'mine', 'i2', 'i5', 'i4']);
    expect(new Set(ids).size).toBe(6);
    ids.forEach((id, number) => expect(session.indexOf(id)).toBe(number));
  });

  test('freezes items and names the plugin that appended them', () => {
    const session = createSession({ id: 's' });
    const [item] = session.append([said('a')], 'todo');
    expect(item).toMatchObject({ by: 'todo' });
    expect(Object.isFrozen(item)).toBe(true);
  });

  test('tells an item outside the log by its code', () => {
    const session = createSession({ id: 's' });
    expect(() => session.item(0)).toThrow(expect.objectContaining({ code: 'PITH_SESSION_POSITION' }) as Error);
  });

  test('shows records and items from a place on', () => {
    const session = createSession({ id: 's' });
    session.append([said('a'), said('b'), said('c')]);
    expect([...session.records(2, 4)].map(({ seq }) => seq)).toEqual([2, 3]);
    expect([...session.items(1)].map(({ id }) => id)).toEqual(['i1', 'i2']);
  });

  test('tells observers every record until they stop', () => {
    const session = createSession({ id: 's' });
    const seen: SessionRecord[] = [];
    const stop = session.observe((record) => seen.push(record));
    session.append([said('a')]);
    stop();
    session.append([said('b')]);
    expect(seen.map(({ t }) => t)).toEqual(['item']);
  });

  test('keeps state of plugins by namespace and refuses what does not fit its schema', () => {
    const session = createSession({ id: 's' });
    const state = session.state('counter', numbers);
    expect(state.get()).toBeUndefined();
    state.set(3);
    expect(session.state('counter', numbers).get()).toBe(3);
    expect(() => state.set('x' as never)).toThrow(expect.objectContaining({ code: 'PITH_STATE_INVALID' }) as Error);
    expect(state.get()).toBe(3);
  });

  test('takes nothing more once it is closed, and disposes its services', async () => {
    const disposed: string[] = [];
    const token = createSessionToken<string>('test/value');
    const session = createSession({
      id: 's',
      services: ({ id }) => ({ get: () => `of ${id}` as never, dispose: async () => void disposed.push(id) }),
    });
    expect(session.get(token)).toBe('of s');
    await session.close();
    await session.close();
    expect(disposed).toEqual(['s']);
    expect(() => session.append([said('late')])).toThrow(
      expect.objectContaining({ code: 'PITH_SESSION_CLOSED' }) as Error,
    );
    expect(session.itemCount).toBe(0);
  });

  test('without a kernel has no services and says so', () => {
    expect(() => createSession({ id: 's' }).get(createSessionToken('test/value'))).toThrow('test/value');
  });
});

describe('a restored session', () => {
  test('is the same session: records, items, ids and state, and goes on from there', async () => {
    const store = createMemoryStore();
    const session = createSession({ id: 's', root: '/repo', now: () => 1, writer: await store.create('s') });
    session.append([said('a'), said('b')]);
    session.state('counter', numbers).set(5);
    await session.close();
    const { records, writer } = await store.open('s');
    const restored = restoreSession(records, { now: () => 2, writer });
    expect([...restored.records()]).toEqual([...session.records()]);
    expect(restored.root).toBe('/repo');
    expect(restored.state('counter', numbers).get()).toBe(5);
    restored.append([said('c')]);
    expect((await store.read('s')).records.at(-1)).toMatchObject({ seq: 4, t: 'item', item: { id: 'i2' } });
  });

  test('needs a header', () => {
    expect(() => restoreSession([], {})).toThrow(expect.objectContaining({ code: 'PITH_SESSION_CORRUPT' }) as Error);
  });
});
