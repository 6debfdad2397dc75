/**
 * Groups: what cannot be parted (S1, S5.6). A group is one reply of the model (reasoning, text, calls) with the results of
 * its calls, or a single message of the user. Folding a log into groups keeps every context whole whatever the log holds:
 * results stand right behind their calls, orphans stay out, missing results are closed, nothing is empty.
 */
import type { Item, ItemId, MessageItem, Part, ToolCallItem, ToolResultItem } from '../session/items';
import { hasContent, wellFormed } from '../session/well-formed';

/** How edits change one item: it goes, or its content becomes a text or nothing. */
export type ItemChange = 'drop' | { readonly text: string | null };

/** Edits in force, by item. */
export interface Changes {
  changeOf(id: ItemId): ItemChange | undefined;
  /** What stands before an item; it is put before the group of the item. */
  insertedBefore(id: ItemId): readonly Item[];
}

export interface Group {
  /** What the model said, in order; or one message of the user. */
  readonly said: Item[];
  /** Ids of all its calls. */
  readonly calls: Set<string>;
  /** Results by call id, in the order they came, which is the order they are sent in. */
  readonly results: Map<string, ToolResultItem>;
  readonly reply: string | undefined;
  readonly user: boolean;
}

/** The text of a result that never came (S5.5). */
export const INTERRUPTED = 'interrupted: the call was not completed and has no result';

export function openGroup(item: Item): Group {
  const user = item.kind === 'message' && item.role !== 'assistant';
  const group: Group = { said: [], calls: new Set(), results: new Map(), reply: item.reply, user };
  extendGroup(group, item);
  return group;
}

/** Adds an item of the reply to its group; false for a call id that the reply has already, since one result answers one call. */
export function extendGroup(group: Group, item: Item): boolean {
  if (item.kind === 'tool_call') {
    if (group.calls.has(item.callId)) return false;
    group.calls.add(item.callId);
  }
  group.said.push(item);
  return true;
}

/** Whether an item goes on the reply of this group. */
export function continuesReply(group: Group, item: Item): boolean {
  if (group.user || (item.kind === 'message' && item.role !== 'assistant')) return false;
  return item.reply === group.reply && (item.reply !== undefined || group.results.size === 0);
}

/** The items of a group as they are sent; empty if nothing of it may be sent. */
export function flattenGroup(group: Group, changes: Changes): Item[] {
  const sent: Item[] = [];
  const inserted: Item[] = [];
  let speaks = false;
  const calls = new Set<string>();
  for (const item of group.said) {
    inserted.push(...changes.insertedBefore(item.id));
    const changed = changeItem(item, changes.changeOf(item.id));
    if (changed === undefined || !hasContent(changed)) continue;
    if (changed.kind === 'tool_call') calls.add(changed.callId);
    speaks ||= changed.kind !== 'reasoning';
    sent.push(wellFormed(asSent(changed)));
  }
  if (!speaks) return inserted;
  for (const [callId, result] of group.results) {
    inserted.push(...changes.insertedBefore(result.id));
    const changed = changeItem(result, changes.changeOf(result.id));
    if (changed !== undefined && calls.delete(callId)) sent.push(wellFormed(changed));
  }
  for (const item of group.said) {
    if (item.kind === 'tool_call' && calls.delete(item.callId)) sent.push(interrupted(item));
  }
  return [...inserted, ...sent];
}

/** The item with a change, or undefined where it is dropped; the very same object where nothing changes. */
export function changeItem(item: Item, change: ItemChange | undefined): Item | undefined {
  if (change === undefined) return item;
  if (change === 'drop') return undefined;
  const parts: Part[] = change.text === null ? [] : [{ type: 'text', text: change.text }];
  if (item.kind === 'tool_result') {
    const { content: _, ...rest } = item;
    return Object.freeze(change.text === null ? rest : { ...rest, content: parts });
  }
  if (item.kind === 'message') {
    return Object.freeze({ ...item, parts: [...parts, ...item.parts.filter((part) => part.type === 'image')] });
  }
  return item;
}

/** A system message inside the conversation is sent as a labelled note: system content stands first, once (S5.6). */
function asSent(item: Item): Item {
  if (item.kind !== 'message' || item.role !== 'system') return item;
  const note: MessageItem = {
    ...item,
    role: 'user',
    parts: [{ type: 'text', text: '[System note]' }, ...item.parts],
  };
  return Object.freeze(note);
}

function interrupted(call: ToolCallItem): ToolResultItem {
  return Object.freeze({
    kind: 'tool_result' as const,
    id: `${call.id}!`,
    callId: call.callId,
    summary: `${call.name}: ${INTERRUPTED}`,
    isError: true,
  });
}

/** What is wrong with a group under these changes, or undefined: edits leave or take what cannot be parted as a whole. */
export function faultOfGroup(group: Group, changes: Changes): string | undefined {
  const said = group.said.filter(hasContent);
  const staying: Item[] = [];
  for (const item of said) {
    const changed = changeItem(item, changes.changeOf(item.id));
    if (changed === undefined) continue;
    if (!hasContent(changed)) return `message ${item.id} would be empty`;
    staying.push(changed);
  }
  const calls = new Set(staying.map((item) => (item.kind === 'tool_call' ? item.callId : undefined)));
  for (const [callId, result] of group.results) {
    if (calls.has(callId) === (changes.changeOf(result.id) === 'drop'))
      return `result ${result.id} and its call "${callId}" would be parted`;
  }
  const [first] = staying;
  if (first !== undefined && staying.every(isReasoning) && !said.every(isReasoning))
    return `reasoning ${first.id} would stand without what it belongs to`;
  return undefined;
}

function isReasoning(item: Item): boolean {
  return item.kind === 'reasoning';
}
