import { getEventListeners, getMaxListeners } from 'node:events';
import { unlessAborted } from '../../core/bus/unless-aborted';

test('however much waits for one signal, Node takes it for no leak, and nothing of it stays', async () => {
  const { signal } = new AbortController();
  const waits = Array.from({ length: 50 }, (_, n) => unlessAborted(signal, () => Promise.resolve(n)));
  expect(getEventListeners(signal, 'abort')).toHaveLength(50);
  expect(getMaxListeners(signal)).toBe(Infinity);
  await Promise.all(waits);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
