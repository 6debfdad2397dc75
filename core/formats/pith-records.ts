/** Whether a line of a session file is the record it says it is (S5.2); all that reads records relies on their shape. */
import type { RecordBody } from '../session/records';
import { isFields } from './shape';
import type { Fields } from './shape';

/** What each kind of record must hold. Kinds that are not listed are of a later version. */
const SHAPES: { readonly [kind in RecordBody['t']]: (record: Fields) => boolean } = {
  session: ({ schema, id }) => isText(schema) && isText(id),
  item: ({ item }) => isFields(item) && isText(item.id) && isItem(item),
  settings: ({ system, tools, model }) =>
    isText(system ?? '') && isText(model ?? '') && isListOf(tools ?? [], (tool) => isText(tool.name)),
  pin: ({ item, text }) => isText(item ?? text),
  usage: ({ usage }) => isFields(usage) && typeof usage.inputTokens === 'number',
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
  state: ({ namespace, ...record }) => isText(namespace) && 'value' in record,
};

/** Whether this version knows the kind of a record. */
export function isKnownKind(kind: string): kind is RecordBody['t'] {
  return Object.hasOwn(SHAPES, kind);
}

/** Whether a record of a known kind has the fields of its kind. */
export function hasShape(record: Fields, kind: RecordBody['t']): boolean {
  return SHAPES[kind](record);
}

function isItem(item: Fields): boolean {
  switch (item.kind) {
    case 'message':
      return ['system', 'user', 'assistant'].includes(item.role as string) && isListOf(item.parts, isPart);
    case 'tool_call':
      return isText(item.callId) && isText(item.name) && 'arguments' in item;
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
