/** Digests of long contexts in slices (S9.11): what is digested once is kept, so the plan that follows finds it ready. */
import { inSlices } from '../../core/index';
import type { ContextView } from '../../core/index';

/** Entries that are digested at a stretch. */
const STRETCH = 64;

/** Has the digests of a context computed, and lets others run in between. */
export async function warmDigests(view: ContextView, signal: AbortSignal): Promise<void> {
  await inSlices(stretches(view.length), (length) => void view.digestOf(length), signal);
}

function* stretches(length: number): Iterable<number> {
  for (let end = STRETCH; end <= length; end += STRETCH) yield end;
}
