/** Asks a human about calls, one question after another, however many calls wait. */
import type { PreToolCallEvent } from '../../core/index';
import { approvalText, approve, callText, isApproved } from './approvals';
import type { Verdict } from './rules';
import type { Approval } from './token';
import { visible } from './wording';

/** Whether a human allows the subjects of a call that are to be asked about. Rejects when the signal aborts. */
export type Ask = (event: PreToolCallEvent, verdicts: readonly Verdict[], signal: AbortSignal) => Promise<boolean>;

/** Asks by this service. */
export function askOneByOne(approval: Approval): Ask {
  let queue: Promise<unknown> = Promise.resolve();

  async function ask(
    { session, tool, arguments: args }: PreToolCallEvent,
    verdicts: readonly Verdict[],
    signal: AbortSignal,
  ) {
    signal.throwIfAborted();
    // the answer to an earlier question may cover this one
    const open = verdicts.filter((verdict) => !isApproved(session, tool.name, verdict));
    if (open.length === 0) return true;
    const { name, kind } = tool;
    const calls = open.map((verdict) => visible(callText(name, verdict)));
    const allows = [...new Set(open.map((verdict) => visible(approvalText(name, verdict))))];
    const question = approval.ask({ session, tool: name, kind, arguments: args, calls, allows }, signal);
    const answer = await Promise.race([question, aborted(signal)]);
    if (answer === 'session') approve(session, name, open);
    return answer === 'once' || answer === 'session';
  }

  return (event, verdicts, signal) => {
    const turn = queue.then(() => ask(event, verdicts, signal));
    queue = turn.catch(() => undefined);
    return turn;
  };
}

/** Rejects when the signal aborts, so that a question that nobody answers holds up no other. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
