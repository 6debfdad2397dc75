/** Integrity (S5.6): what every provider asks of the conversation part of a context. */
import type { Item, ItemId } from '../session/items';
import { hasContent, isWellFormed } from '../session/well-formed';

export interface IntegrityFault {
  readonly rule:
    | 'result-without-call'
    | 'call-without-result'
    | 'second-result'
    | 'parted-group'
    | 'lone-reasoning'
    | 'empty-message'
    | 'ill-formed';
  readonly item: ItemId;
  readonly message: string;
}

/** Every breach of S5.6 in a conversation as it would be sent. Empty means it is whole. */
export function checkIntegrity(items: Iterable<Item>): readonly IntegrityFault[] {
  const faults: IntegrityFault[] = [];
  const fault = (rule: IntegrityFault['rule'], item: Item, message: string): void => {
    faults.push({ rule, item: item.id, message });
  };
  let waiting = new Map<string, Item>();
  let answered = new Set<string>();
  let reasoning: Item | undefined;
  let saidSomething = false;

  const closeReply = (): void => {
    for (const call of waiting.values())
      fault('call-without-result', call, `Call ${call.id} has no result before the next message.`);
    if (reasoning !== undefined && !saidSomething)
      fault('lone-reasoning', reasoning, `Reasoning ${reasoning.id} stands without what it belongs to.`);
    waiting = new Map();
    answered = new Set();
    reasoning = undefined;
    saidSomething = false;
  };

  let inResults = false;
  for (const item of items) {
    if (!isWellFormed(item)) fault('ill-formed', item, `Item ${item.id} holds text that is not well-formed Unicode.`);
    if (item.kind === 'tool_result') {
      inResults = true;
      if (waiting.delete(item.callId)) answered.add(item.callId);
      else if (answered.has(item.callId))
        fault('second-result', item, `Result ${item.id} is the second one for its call.`);
      else fault('result-without-call', item, `Result ${item.id} has no call directly before it.`);
      continue;
    }
    if (inResults || (item.kind === 'message' && item.role !== 'assistant')) closeReply();
    inResults = false;
    if (item.kind === 'message') {
      if (!hasContent(item)) fault('empty-message', item, `Message ${item.id} is empty.`);
      if (item.role !== 'assistant') continue;
      saidSomething = true;
    } else if (item.kind === 'tool_call') {
      saidSomething = true;
      if (waiting.has(item.callId))
        fault('parted-group', item, `Call ${item.id} repeats the call id "${item.callId}" within one reply.`);
      waiting.set(item.callId, item);
    } else {
      reasoning ??= item;
    }
  }
  closeReply();
  return faults;
}

/** Counts what is broken in a raw log as it is walked through, as `pith inspect` shows it. */
export class LooseEnds {
  /** Calls that wait for a result, by id; 0 where all of an id have theirs. */
  readonly #open = new Map<string, number>();
  #orphanResults = 0;
  #unansweredCalls = 0;

  /** Results without a call, and calls without a result, so far. */
  get count(): { readonly orphanResults: number; readonly unansweredCalls: number } {
    return { orphanResults: this.#orphanResults, unansweredCalls: this.#unansweredCalls };
  }

  take(item: Item): void {
    if (item.kind === 'tool_call') {
      this.#open.set(item.callId, (this.#open.get(item.callId) ?? 0) + 1);
      this.#unansweredCalls++;
    }
    if (item.kind !== 'tool_result') return;
    const left = this.#open.get(item.callId);
    if (left === undefined) this.#orphanResults++;
    else if (left > 0) {
      this.#open.set(item.callId, left - 1);
      this.#unansweredCalls--;
    }
  }
}
