/** Whether a value is the record it says it is (S5.2); all that reads records relies on their shape. */
import type { NewItem, Part } from './items';
import { isShallow } from './nesting';
import type { Position, RecordBody } from './records';

/** An object whose fields may be anything. */
type Fields = { readonly [key: string]: unknown };

/** What each kind of record must hold. Kinds that are not listed are of a later version. */
const SHAPES: { readonly [kind in RecordBody['t']]: (record: Fields) => boolean } = {
  session: ({ schema, id, root }) => isText(schema) && isText(id) && isText(root ?? ''),
  item: ({ item, count, enc }) =>
    isFields(item) &&
    isNamedItem(item) &&
    (count === undefined || (isFields(count) && isItemCount(count))) &&
    isText(enc ?? ''),
  settings: ({ system, tools, model }) =>
    isText(system ?? '') && isText(model ?? '') && isListOf(tools ?? [], (tool) => isText(tool.name)),
  pin: ({ item, text, key }) => isText(item ?? text) && (key === undefined || isText(key)),
  // A provider may report no figure, or one that is no number and so null in JSON.
  usage: ({ usage }) => isFields(usage) && typeof (usage.inputTokens ?? 0) === 'number',
  prompt: ({ phase, items, item }) =>
    phase === 'queued' ? isListOf(items, isNamedItem) && (items as readonly Fields[]).length > 0 : isText(item),
  turn: ({ phase, turn }) => (phase === 'start' || phase === 'end') && typeof turn === 'number',
  run: ({ outcome }) => isText(outcome),
  edits: ({ by, edits }) => isText(by) && isListOf(edits, isEdit),
  compaction: ({ phase, compaction, data }) => isText(phase) && isText(compaction) && isFields(data),
  checkpoint: ({ compaction, blocks, cut, lead, edits }) =>
    isText(compaction) &&
    isListOf(blocks, ({ kind, text }) => isText(kind) && isText(text)) &&
    Number.isSafeInteger(cut) &&
    (cut as number) >= 0 &&
    isText(lead ?? '') &&
    isListOf(edits, isEdit),
  undo: ({ checkpoint }) => typeof checkpoint === 'number',
  state: ({ namespace, value }) => isText(namespace) && value !== undefined,
};

/** Whether this version knows the kind of a record. */
export function isKnownKind(kind: string): kind is RecordBody['t'] {
  return Object.hasOwn(SHAPES, kind);
}

/** Whether a record of a known kind has the fields of its kind. */
export function hasShape(record: Fields, kind: RecordBody['t']): boolean {
  return SHAPES[kind](record);
}

/**
 * What is wrong with the record at a position, in words that go on "is malformed: ", or undefined. Kinds of later versions
 * are records like any other (S5.5).
 */
export function faultOfRecord(value: unknown, seq: Position): string | undefined {
  if (!isFields(value) || !isText(value.t)) return 'it is no record';
  if (value.seq !== seq) return `its seq is ${JSON.stringify(value.seq) ?? 'missing'}, and ${seq} comes next`;
  if (!Number.isFinite(value.at)) return 'it does not say when it was written';
  if ((value.t === 'session') !== (seq === 0)) {
    return seq === 0 ? 'a log begins with a session header' : 'there is a second session header';
  }
  if (isKnownKind(value.t) && !hasShape(value, value.t)) {
    return `its record "${value.t}" lacks fields or has them of a wrong type`;
  }
  return undefined;
}

function isNamedItem(item: Fields): boolean {
  return isText(item.id) && isItem(item);
}

function isItemCount(count: Fields): boolean {
  return [count.text, count.images, count.opaque].every((tokens) => Number.isFinite(tokens) && (tokens as number) >= 0);
}

/** Whether a value is an item, with an id or without one, that a log can hold. */
export function isNewItem(value: unknown): value is NewItem {
  return (
    isFields(value) && isText(value.id ?? '') && isItem(value) && isJson(value.arguments) && isJson(value.provider)
  );
}

/** Whether a value is a list of texts and images. */
export function isPartList(value: unknown): value is readonly Part[] {
  return isListOf(value, isPart);
}

/** Whether JSON can say a value, or leaves it out. What is nested too deeply is made text before it is in a log. */
function isJson(value: unknown): boolean {
  return !isShallow(value) || isPlain(value);
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return value === undefined || typeof value === 'string' || typeof value === 'boolean';
  if (value === null) return true;
  if (Array.isArray(value)) return value.every(isPlain);
  const made: unknown = Object.getPrototypeOf(value);
  return (made === null || made === Object.prototype) && Object.values(value).every(isPlain);
}

function isItem(item: Fields): boolean {
  switch (item.kind) {
    case 'message':
      return ['system', 'user', 'assistant'].includes(item.role as string) && isListOf(item.parts, isPart);
    case 'tool_call':
      return isText(item.callId) && isText(item.name) && item.arguments !== undefined;
    case 'tool_result':
      return isText(item.callId) && isText(item.summary) && isListOf(item.content ?? [], isPart);
    case 'reasoning':
      return isText(item.text ?? '') && isText(item.opaque ?? '');
    default:
      return false;
  }
}

function isPart(part: Fields): boolean {
  if (part.type === 'text') return isText(part.text);
  return part.type === 'image' && isText(part.mediaType) && isText(part.data ?? '') && isText(part.url ?? '');
}

function isEdit(edit: Fields): boolean {
  switch (edit.edit) {
    case 'drop':
      return Array.isArray(edit.items) && edit.items.every(isText);
    case 'content':
      return isText(edit.item) && (edit.text === null || isText(edit.text));
    case 'insert':
      return isText(edit.before) && isFields(edit.item) && isItem(edit.item);
    default:
      return false;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isListOf(value: unknown, is: (entry: Fields) => boolean): boolean {
  return Array.isArray(value) && value.every((entry) => isFields(entry) && is(entry));
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
