/**
 * Whether two items say the same: what a host tells of a reply and what it keeps of it later, what a log holds and what a
 * host shows again. Ids, data of providers and opaque reasoning do not count.
 */
import { createHash } from 'node:crypto';
import type { Json, NewItem, Part } from '../session/items';
import { jsonText } from '../session/nesting';

/** Whether two items say the same. Texts that are one object cost nothing to compare. */
export function isSame(one: NewItem, other: NewItem): boolean {
  switch (one.kind) {
    case 'message':
      return other.kind === 'message' && one.role === other.role && areSameParts(one.parts, other.parts);
    case 'tool_call':
      return (
        other.kind === 'tool_call' &&
        one.callId === other.callId &&
        one.name === other.name &&
        isSameJson(one.arguments, other.arguments)
      );
    case 'tool_result':
      return (
        other.kind === 'tool_result' &&
        one.callId === other.callId &&
        (one.isError === true) === (other.isError === true) &&
        areSameContents(one, other)
      );
    case 'reasoning':
      return other.kind === 'reasoning' && (one.text ?? '') === (other.text ?? '');
  }
}

/** A digest that is equal for items that say the same. */
export function digestOf(item: NewItem): string {
  return createHash('sha256')
    .update(JSON.stringify(wordsOf(item)))
    .digest('base64url');
}

/** Whether the model made it. */
export function isOfReply(item: NewItem): boolean {
  return item.kind === 'message' ? item.role === 'assistant' : item.kind !== 'tool_result';
}

function wordsOf(item: NewItem): readonly unknown[] {
  switch (item.kind) {
    case 'message':
      return [item.kind, item.role, plain(item.parts)];
    case 'tool_call':
      return [item.kind, item.callId, item.name, jsonText(item.arguments)];
    case 'tool_result':
      return [item.kind, item.callId, item.isError === true, plain(item.content ?? [])];
    case 'reasoning':
      return [item.kind, item.text ?? ''];
  }
}

type Result = Extract<NewItem, { kind: 'tool_result' }>;

/** What is sent of a result (S5.1); a summary may have been made only when it was logged. */
function areSameContents(one: Result, other: Result): boolean {
  if (one.content !== undefined || other.content !== undefined)
    return areSameParts(one.content ?? [], other.content ?? []);
  return one.summary === other.summary || one.summary === '' || other.summary === '';
}

/** A text counts as the same however it is split into parts. */
function areSameParts(one: readonly Part[], other: readonly Part[]): boolean {
  const [first, only] = [one[0], other[0]];
  if (one.length === 1 && other.length === 1 && first?.type === 'text' && only?.type === 'text')
    return first.text === only.text;
  return plain(one) === plain(other);
}

function plain(parts: readonly Part[]): string {
  return parts
    .map((part) => (part.type === 'text' ? part.text : `\0${part.mediaType} ${part.data ?? part.url ?? ''}\0`))
    .join('');
}

function isSameJson(one: Json, other: Json): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other)) {
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((value, at) => isSameJson(value as Json, other[at] as Json))
    );
  }
  const [fields, others] = [one as Readonly<Record<string, Json>>, other as Readonly<Record<string, Json>>];
  const keys = Object.keys(fields).filter((key) => fields[key] !== undefined);
  return (
    keys.length === Object.keys(others).filter((key) => others[key] !== undefined).length &&
    keys.every((key) => Object.hasOwn(others, key) && isSameJson(fields[key] as Json, others[key] as Json))
  );
}
