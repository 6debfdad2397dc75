/** Leaves work behind that does not end when its signal aborts. */
import { setMaxListeners } from 'node:events';

/** The outcome of the work, or a rejection with the signal's reason as soon as that aborts; what comes later is ignored. */
export function unlessAborted<T>(signal: AbortSignal, work: () => T | PromiseLike<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const abort = (): void => reject(signal.reason as Error);
    setMaxListeners(Infinity, signal); // as many wait for one signal as a model calls tools at once, which is no leak
    signal.addEventListener('abort', abort);
    const done = new Promise<T>((start) => start(work()));
    done.finally(() => signal.removeEventListener('abort', abort)).then(resolve, reject);
  });
}
