// Imported before another script, it answers the parent process by the size of the heap.
import { setTimeout as sleep } from 'node:timers/promises';
import { answerParent } from './child.mjs';

/** Bytes that are in use after garbage collection; needs --expose-gc. */
export async function heapUsed() {
  for (let pass = 0; pass < 3; pass++) {
    globalThis.gc();
    await sleep(20); // finalizers run in between
  }
  return process.memoryUsage().heapUsed;
}

if (process.channel !== undefined) answerParent(heapUsed);
