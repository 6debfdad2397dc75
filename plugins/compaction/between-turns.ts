/**
 * The checkpoint between turns (S9.1, S9.11): proactive, and nobody waits for it. The job begins when the turn is over;
 * prompts are accepted at once, and its result is applied as soon as no turn is open.
 */
import type { Background, PostRunEvent, PromptSubmitEvent } from '../../core/index';
import type { Automatic } from './automatic';
import { SESSION_COMPACTOR } from './session-compactor';
import { atMost } from './thresholds';

/** What is to be done after a turn; waits for the compaction where it is not to run in the background. */
export async function compactAfterTurn(
  automatic: Automatic,
  { session, context }: PostRunEvent,
): Promise<Background | undefined> {
  const { background } = automatic.parts.settings;
  const { exceedsPostRun, postRunThreshold: threshold, window } = automatic.measures(session);
  if (threshold === undefined || !exceedsPostRun(atMost(context.occupancy()))) return undefined;
  if (automatic.isObserving) {
    automatic.observe(session, 'post_run');
    return undefined;
  }
  const compactor = session.get(SESSION_COMPACTOR);
  if (compactor.running !== undefined || compactor.rest(window) !== undefined) return undefined;
  const options = { trigger: 'post_run', threshold } as const;
  if (!background) {
    await compactor.begin(options, true).end;
    return undefined;
  }
  return {
    do: 'background',
    reason: `The context is above the threshold of ${threshold} tokens.`,
    run: async (signal) => void (await compactor.begin({ ...options, signal }, false).end),
  };
}

/** Lets a result that is being applied come first, so that the turn starts from the new context. */
export async function awaitApplication({ session, opens }: PromptSubmitEvent): Promise<void> {
  if (opens) await session.get(SESSION_COMPACTOR).running?.settled();
}
