/** All that a handler can do wrong, by name: none of it may change what other plugins do (S3.6). */
import { wait } from './virtual-time';

/** Milliseconds that a handler of these has. */
export const HANDLER_MS = 100;

/** What a handler does instead of its work; `late` is what it would have returned. */
export type Misbehaviour = (late: unknown) => unknown;

/** A promise of no known kind. */
const thenable = (then: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void): unknown => ({
  then,
});

function thrower(value: unknown): () => never {
  return () => {
    throw value;
  };
}

/** What fails, comes too late or is malformed in any hook. */
export const MISBEHAVIOURS: Readonly<Record<string, Misbehaviour>> = {
  'throws an error': thrower(new Error('boom')),
  'throws a text': thrower('boom'),
  'throws nothing': thrower(undefined),
  'throws what cannot be shown': thrower(Object.create(null)),
  rejects: () => Promise.reject(new Error('boom')),
  'rejects with nothing': () => Promise.reject(undefined as never),
  'rejects after a while': () => wait(50).then(thrower(new Error('boom'))),
  'never ends': () => new Promise(() => undefined),
  'ends too late': (late) => wait(5000).then(() => late),
  'fails too late': () => wait(5000).then(thrower(new Error('boom'))),
  'returns a number': () => 42,
  'returns null': () => null,
  'returns a text': () => 'append',
  'returns a list': () => [{ do: 'append' }],
  'returns a function': () => () => undefined,
  'returns no outcome': () => ({}),
  'returns an outcome that no hook knows': () => ({ do: 'format-disk' }),
  'returns an outcome that every object knows': () => ({ do: 'constructor' }),
  'returns an outcome that cannot be read': () => Object.defineProperty({}, 'do', { get: thrower(new Error('boom')) }),
  'returns a promise of an outcome that no hook knows': () => Promise.resolve({ do: 'format-disk' }),
  'returns what throws when it is waited for': () => thenable(thrower(new Error('boom'))),
  'returns what cannot be waited for': () => Object.defineProperty({}, 'then', { get: thrower(new Error('boom')) }),
  'returns what never settles': () => thenable(() => undefined),
  'returns what settles twice, with nonsense': () =>
    thenable((resolve, reject) => {
      resolve(42);
      reject(new Error('boom'));
    }),
};
