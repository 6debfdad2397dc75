/** Contents of messages and outputs of tools, as parts and back. Each entry of a content is one part, at the same place. */
import { partsOf } from '../../formats/parts';
import { fieldsOf, isFields, stringOf, textOf } from '../../formats/shape';
import type { Fields } from '../../formats/shape';
import type { ImagePart, Part } from '../../session/items';

/** The type of text entries where a content stands: of a user, an assistant, the result of a tool. */
export type TextType = 'input_text' | 'output_text';

/** The parts of a content: a text, one entry, or a list of them. What the model is sent as a file or as sound is named. */
export function partsOfContent(content: unknown): readonly Part[] {
  return entriesOf(content).map(partOfEntry);
}

/** A content with other parts. Entries whose part is the same stay the very same objects. */
export function contentWith(content: unknown, parts: readonly Part[], type: TextType): unknown {
  const entries = entriesOf(content);
  const before = entries.map(partOfEntry);
  if (typeof content === 'string' && parts.every(isText)) return textOfParts(parts);
  if (before.length === parts.length && before.every((part, at) => part.type === parts[at]?.type)) {
    return entries.map((entry, at) => entryWith(entry, before[at] as Part, parts[at] as Part, type));
  }
  const images = entries.filter((_, at) => before[at]?.type === 'image');
  return parts.map((part) => (part.type === 'text' ? { type, text: part.text } : (images.shift() ?? imageEntry(part))));
}

/** A content made of parts alone: a text, or a list of entries where it shows images. */
export function contentOfParts(parts: readonly Part[], type: TextType): unknown {
  if (type === 'input_text' && parts.every(isText)) return textOfParts(parts);
  return parts.map((part) => (part.type === 'text' ? { type, text: part.text } : imageEntry(part)));
}

/** What is sent of parts where only text can be. */
export function textOfParts(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : `[image ${part.mediaType}]`)).join('\n\n');
}

function entriesOf(content: unknown): readonly unknown[] {
  if (content === undefined || content === null || content === '') return [];
  return Array.isArray(content) ? (content as readonly unknown[]) : [content];
}

function partOfEntry(value: unknown): Part {
  if (!isFields(value)) return text(textOf(value));
  switch (value.type) {
    case 'input_text':
    case 'output_text':
    case 'reasoning_text':
    case 'text':
      return text(textOf(value.text));
    case 'refusal':
      return text(textOf(value.refusal));
    case 'input_image':
    case 'image':
      return image(value.image ?? value.imageUrl ?? value.data, value);
    case 'computer_screenshot':
      return image(value.data, value);
    case 'input_file':
    case 'file':
      return text(`[file${nameOf(value)}]`);
    case 'audio':
      return text(stringOf(value.transcript) ?? '[audio]');
    default:
      return text(textOf(value));
  }
}

function entryWith(entry: unknown, before: Part, part: Part, type: TextType): unknown {
  if (part.type === 'image' || (before.type === 'text' && before.text === part.text)) return entry;
  const isPlain = isFields(entry) && 'text' in entry;
  return isPlain ? { ...entry, text: part.text } : { type, text: part.text };
}

function imageEntry({ mediaType, data, url }: ImagePart): Fields {
  return { type: 'input_image', image: data === undefined ? (url ?? '') : `data:${mediaType};base64,${data}` };
}

/** An image by its bytes, a data URL, a link, or an object that holds one of them; one that the provider keeps is named. */
function image(from: unknown, entry: Fields): Part {
  const source = isFields(from) && !(from instanceof Uint8Array) ? from : { data: from };
  const { data, url } = source;
  const bytes = data instanceof Uint8Array ? Buffer.from(data).toString('base64') : data;
  const mediaType = source.mediaType ?? entry.mediaType;
  const [part] = partsOf([{ type: 'image', data: bytes ?? url, mediaType }]);
  if (part?.type === 'image') return part;
  return text(`[image ${stringOf(source.id) ?? stringOf(source.fileId) ?? stringOf(entry.fileId) ?? 'without data'}]`);
}

function nameOf(entry: Fields): string {
  const { filename, id } = fieldsOf(entry.file);
  const name = stringOf(entry.filename) ?? stringOf(filename) ?? stringOf(id);
  return name === undefined ? '' : ` ${name}`;
}

function text(value: string): Part {
  return { type: 'text', text: value };
}

function isText(part: Part): boolean {
  return part.type === 'text';
}
