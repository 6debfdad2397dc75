/** Contents of messages as parts and back. Each block of a content is one part, at the same place. */
import { partsOf } from '../../formats/parts';
import { fieldsOf, isFields, stringOf } from '../../formats/shape';
import { imageNote, sentImage } from '../../formats/write/images';
import type { Part } from '../../session/items';

/** The parts of a content: a text, or a list of blocks. Files, sound and film are named only, as their bytes are no text. */
export function partsOfContent(content: unknown): readonly Part[] {
  return blocksOf(content).map(partOfBlock);
}

/** The blocks of a content, a text among them as it is; none where there is nothing. */
export function blocksOf(content: unknown): readonly unknown[] {
  if (content === undefined || content === null || content === '') return [];
  return Array.isArray(content) ? (content as readonly unknown[]) : [content];
}

/** What a block says or shows. */
export function partOfBlock(block: unknown): Part {
  const { type } = fieldsOf(block);
  if (NAMED.has(type)) return { type: 'text', text: nameOf(String(type), block) };
  return partsOf([block])[0] ?? { type: 'text', text: '' };
}

/** A content with other parts; blocks whose part is the same stay the very same objects, and texts stay in their block. */
export function contentWith(content: unknown, parts: readonly Part[]): unknown {
  const blocks = blocksOf(content);
  const before = blocks.map(partOfBlock);
  if (before.length !== parts.length || typeof content === 'string') {
    return parts.every(isText) ? textOf(parts) : parts.map((part) => keptBlock(part, blocks, before) ?? blockOf(part));
  }
  return blocks.map((block, at) => blockWith(block, before[at] as Part, parts[at] as Part));
}

/** A content made of parts alone: a text, or a list of blocks where it shows images. */
export function contentOf(parts: readonly Part[]): unknown {
  return contentWith('', parts);
}

/** A block that says something else; the very same where it does not. */
export function blockWith(block: unknown, before: Part, part: Part): unknown {
  if (isSamePart(before, part)) return block;
  return part.type === 'text' && isFields(block) && typeof block.text === 'string'
    ? { ...block, text: part.text }
    : blockOf(part);
}

/** What parts say where only text can be. */
export function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : imageNote(part))).join('\n\n');
}

const NAMED = new Set<unknown>(['file', 'audio', 'video', 'input_audio', 'document', 'media']);

function nameOf(type: string, block: unknown): string {
  const { title, name, filename, metadata, file, fileId, file_id } = fieldsOf(block);
  const inner = { ...fieldsOf(metadata), ...fieldsOf(file) };
  const names = [title, name, filename, inner.title, inner.name, inner.filename, fileId, file_id, inner.file_id];
  return `[${[type, names.map(stringOf).find((one) => one !== undefined) ?? ''].join(' ').trim()}]`;
}

function keptBlock(part: Part, blocks: readonly unknown[], before: readonly Part[]): unknown {
  return part.type === 'image' ? blocks[before.findIndex((one) => isSamePart(one, part))] : undefined;
}

function blockOf(part: Part): object {
  const image = part.type === 'image' ? sentImage(part) : undefined;
  if (image === undefined) return { type: 'text', text: textOf([part]) };
  const url = 'url' in image ? image.url : `data:${image.mediaType};base64,${image.data}`;
  return { type: 'image_url', image_url: { url } };
}

function isSamePart(one: Part, other: Part): boolean {
  if (one.type === 'text') return other.type === 'text' && one.text === other.text;
  return other.type === 'image' && one.data === other.data && one.url === other.url;
}

function isText(part: Part): boolean {
  return part.type === 'text';
}
