/** The whole log of a session as a history, and which of its items the context no longer holds as they were. */
import { inSlices, type History, type Item, type Session, type SessionContext } from '../../core/index';
import { isRecord } from './record';

/** Items that are looked back at for the call of a result. */
const LOOK_BACK = 2000;

/** All items of a session, in full. */
export function sessionHistory(session: Session, mask: (text: string) => string): History {
  const end = session.itemCount;
  return {
    from: 0,
    to: end,
    end,
    item: (number) => (number < end ? session.item(number) : undefined),
    callOf(result) {
      const item = session.item(result);
      for (let number = result - 1; number >= Math.max(0, result - LOOK_BACK); number--) {
        const call = session.item(number);
        if (call.kind === 'tool_call' && item.kind === 'tool_result' && call.callId === item.callId) return number;
      }
      return undefined;
    },
    notes: () => [],
    size: (item) => `${String(charactersOf(item))} characters`,
    mask,
  };
}

/**
 * Numbers of the items that the next request does not send as they are in the log, newest first: what lies before the cut,
 * and what was pruned, trimmed or dropped behind it. Results of recall itself are left out; they are copies.
 */
export async function compactedAway(session: Session, context: SessionContext): Promise<readonly number[]> {
  const cut = context.checkpoint()?.cut ?? 0;
  const sent = new Set<Item>();
  await inSlices(context.view().items(), (item) => void sent.add(item));
  const numbers: number[] = [];
  await inSlices(backwards(session.itemCount), (number) => {
    const item = session.item(number);
    if ((number < cut || !sent.has(item)) && !isRecord(item)) numbers.push(number);
  });
  return numbers;
}

function* backwards(count: number): Iterable<number> {
  for (let number = count - 1; number >= 0; number--) yield number;
}

function charactersOf(item: Item): number {
  switch (item.kind) {
    case 'message':
      return lengthOf(item.parts);
    case 'tool_result':
      return item.content === undefined ? item.summary.length : lengthOf(item.content);
    case 'tool_call':
      return JSON.stringify(item.arguments).length;
    case 'reasoning':
      return item.text?.length ?? 0;
  }
}

function lengthOf(parts: readonly { readonly type: string; readonly text?: string }[]): number {
  return parts.reduce((sum, { text = '' }) => sum + text.length, 0);
}
