/** Work in slices, so that the event loop is never held up for long (S9.11). */

/** Milliseconds of work after which others get their turn; far below the 20 ms that a stall may last. */
const SLICE_MS = 5;

/** Lets others run. */
export function nextSlice(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Does a step for each element, in order, and lets others run whenever 5 ms of work are done. A step should be short itself. */
export async function inSlices<T>(
  elements: Iterable<T>,
  step: (element: T) => void,
  signal?: AbortSignal,
): Promise<void> {
  let began = performance.now();
  for (const element of elements) {
    step(element);
    if (performance.now() - began < SLICE_MS) continue;
    await nextSlice();
    signal?.throwIfAborted();
    began = performance.now();
  }
}
