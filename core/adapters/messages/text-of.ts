/** Contents of messages as items have them, and back, for both shapes. */
import { partsOf } from '../../formats/parts';
import { fieldsOf, isFields, listOf, stringOf } from '../../formats/shape';
import type { Part, ToolResultItem } from '../../session/items';

/** The parts of a content; files and sound are named only, as their bytes are no text. */
export function readParts(content: unknown): readonly Part[] {
  return partsOf(Array.isArray(content) ? listOf(content).map(named) : content);
}

/** What is sent of a result: its content if it is there, else its summary (S5.1). */
export function sentParts({ content, summary }: Pick<ToolResultItem, 'content' | 'summary'>): readonly Part[] {
  return content === undefined || content.length === 0 ? [{ type: 'text', text: summary }] : content;
}

const BINARY = new Set<unknown>(['file', 'input_audio', 'document']);

function named(block: unknown): unknown {
  if (!isFields(block) || !BINARY.has(block.type)) return block;
  const { file, title, type } = block;
  const name = stringOf(title) ?? stringOf(fieldsOf(file).filename) ?? stringOf(fieldsOf(file).file_id) ?? '';
  return { type: 'text', text: `[${String(type)} ${name}]` };
}
