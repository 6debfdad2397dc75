/** Work in slices, so that the event loop is never held up for long (S9.11). */

/** Steps of a slice; each step is far below a tenth of a millisecond. */
const SLICE = 128;

/** Lets others run. */
export function nextSlice(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Does a step for each element, in order, and lets others run after every 128 of them. */
export async function inSlices<T>(
  elements: Iterable<T>,
  step: (element: T) => void,
  signal?: AbortSignal,
): Promise<void> {
  let steps = 0;
  for (const element of elements) {
    step(element);
    if (++steps % SLICE !== 0) continue;
    await nextSlice();
    signal?.throwIfAborted();
  }
}
