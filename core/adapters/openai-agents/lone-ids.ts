/**
 * The provider refuses an item by its id where the reasoning that it was made with is missing. Where reasoning goes, what
 * followed it in its reply goes on without an id, or goes too where it has no meaning without one.
 */
import type { AgentItem } from './agent-items';
import { isMessage } from './codec';
import { HOSTED } from './hosted-calls';

/** One copy for each item, so that it is the same in every request. */
const copies = new WeakMap<AgentItem, AgentItem>();

/** What is sent of `asked`, with no item bound to reasoning that is not sent. */
export function withoutLoneIds(sent: readonly AgentItem[], asked: readonly AgentItem[]): readonly AgentItem[] {
  if (sent === asked) return sent;
  const lone = followersOfMissing(new Set(sent), asked);
  if (lone.size === 0) return sent;
  return sent.flatMap((item) => {
    if (!lone.has(item)) return [item];
    return HOSTED.has(item.type ?? '') ? [] : [withoutId(item)];
  });
}

function followersOfMissing(sent: ReadonlySet<AgentItem>, asked: readonly AgentItem[]): ReadonlySet<AgentItem> {
  const lone = new Set<AgentItem>();
  let isBound = false;
  for (let at = asked.findIndex((item) => sent.has(item)) - 1; at >= 0; at--) {
    // The first reply that is sent may have begun before its first item that is sent.
    const item = asked[at] as AgentItem;
    if (!isOfModel(item)) break;
    isBound ||= item.type === 'reasoning';
  }
  for (let at = asked.findIndex((item) => sent.has(item)); at >= 0 && at < asked.length; at++) {
    const item = asked[at] as AgentItem;
    if (!isOfModel(item)) isBound = false;
    else if (item.type === 'reasoning') isBound = !sent.has(item);
    else if (isBound && item.id !== undefined && sent.has(item)) lone.add(item);
  }
  return lone;
}

/** What does not end the model's reply; outputs of what the provider runs stand inside of it. */
function isOfModel(item: AgentItem): boolean {
  return isMessage(item) ? item.role === 'assistant' : !ANSWERS.has(item.type ?? '');
}

const ANSWERS = new Set(['function_call_result', 'computer_call_result', 'apply_patch_call_output']);

function withoutId(item: AgentItem): AgentItem {
  let copy = copies.get(item);
  if (copy === undefined) {
    const { id: _, ...rest } = item;
    copies.set(item, (copy = rest));
  }
  return copy;
}
