import { createMemoryStore, createSession, newestSession } from '../../core';

test('the newest session of a folder is the last one in which something was said there', async () => {
  const store = createMemoryStore();
  const keep = async (id: string, root: string | undefined, turns: number): Promise<void> => {
    const session = createSession({
      id,
      ...(root !== undefined && { root }),
      writer: await store.create(id),
      now: () => Date.now(),
    });
    for (let turn = 1; turn <= turns; turn++) session.record({ t: 'turn', phase: 'start', turn });
    await session.close();
  };
  expect(await newestSession(store, '/here')).toBeUndefined();
  await keep('first', '/here', 1);
  await keep('elsewhere', '/there', 1);
  await keep('silent', '/here', 0);
  const ages = new Map([
    ['first', 1],
    ['elsewhere', 2],
    ['silent', 3],
    ['rootless', 4],
  ]);
  const dated = {
    read: (id: string) => store.read(id),
    list: async () => (await store.list()).map((one) => ({ ...one, modifiedAt: ages.get(one.id) ?? 0 })),
  };
  expect(await newestSession(dated, '/here')).toBe('first');
  expect(await newestSession(dated, '/there')).toBe('elsewhere');
  expect(await newestSession(dated, '/nowhere')).toBeUndefined();
  await keep('rootless', undefined, 1);
  expect(await newestSession(dated, '/here')).toBe('rootless');
});
