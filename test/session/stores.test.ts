import { createJsonlStore, createMemoryStore } from '../../core';
import { sessionStoreContract } from '../../core/testing';
import { folderWith } from '../files/folder';
import { join } from 'node:path';

const dirs = new WeakMap<object, string>();

const jsonl = sessionStoreContract({
  create: () => {
    const dir = join(folderWith(), 'below', 'sessions');
    const store = createJsonlStore({ dir });
    dirs.set(store, dir);
    return store;
  },
  again: (store) => createJsonlStore({ dir: dirs.get(store) ?? '' }),
});

describe('the store in memory', () => {
  test.each(sessionStoreContract({ create: createMemoryStore }))('$name', ({ run }) => run());
});

describe('the JSONL store', () => {
  test.each(jsonl)('$name', ({ run }) => run());
});
