/** Message contents of all providers as parts (S5.1). */
import type { ImagePart, Part } from '../session/items';
import { fieldsOf, isFields, stringOf, textOf } from './shape';
import type { Fields } from './shape';

/**
 * The parts of a foreign content: a string, a list of blocks of any provider (text; images by bytes, data URL or link), or
 * any other JSON, which is kept as text. Empty texts are left out. Never throws.
 */
export function partsOf(content: unknown): readonly Part[] {
  if (content === undefined || content === null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return isFields(content) && isBlock(content) ? partsOf([content]) : [textPart(content)];
  const parts: Part[] = [];
  for (const block of content as readonly unknown[]) {
    const part = partOf(block);
    if (part !== undefined) parts.push(part);
  }
  return parts;
}

/** The texts of parts, one after another. */
export function joinText(parts: readonly Part[]): string {
  if (parts.length === 1 && parts[0]?.type === 'text') return parts[0].text;
  return parts
    .filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join('\n');
}

function partOf(block: unknown): Part | undefined {
  if (typeof block === 'string') return block === '' ? undefined : { type: 'text', text: block };
  if (!isFields(block)) return block === null || block === undefined ? undefined : textPart(block);
  if (typeof block.text === 'string' && isTextType(block.type)) {
    return block.text === '' ? undefined : { type: 'text', text: block.text };
  }
  return (
    imageOf(block) ?? (isImageBlock(block.type) ? { type: 'text', text: '[image without data]' } : textPart(block))
  );
}

function isImageBlock(type: unknown): boolean {
  return type === 'image' || type === 'image_url' || type === 'input_image';
}

function isTextType(type: unknown): boolean {
  return type === undefined || type === 'text' || type === 'input_text' || type === 'output_text';
}

function isBlock(content: Fields): boolean {
  return (typeof content.text === 'string' && isTextType(content.type)) || imageOf(content) !== undefined;
}

function textPart(value: unknown): Part {
  return { type: 'text', text: textOf(value) };
}

/** Anthropic `source`, OpenAI `image_url` (object or string), pi and MCP `data`/`mimeType`, AI SDK `image`/`mediaType`, Gemini `inlineData`. */
function imageOf(block: Fields): ImagePart | undefined {
  const source = fieldsOf(block.source);
  const inline = fieldsOf(block.inlineData);
  switch (block.type) {
    case 'image':
      return (
        image(source.data ?? block.data ?? block.image, source.media_type ?? block.mimeType ?? block.mediaType) ??
        image(source.url ?? block.url, source.media_type)
      );
    case 'image_url':
    case 'input_image':
      return image(isFields(block.image_url) ? block.image_url.url : block.image_url, undefined);
    case 'file':
      return isImageType(block.mediaType ?? block.mime)
        ? image(block.data ?? block.url, block.mediaType ?? block.mime)
        : undefined;
    case undefined:
      return isImageType(inline.mimeType) ? image(inline.data, inline.mimeType) : undefined;
    default:
      return undefined;
  }
}

function isImageType(type: unknown): boolean {
  return typeof type === 'string' && type.startsWith('image/');
}

/** An image part from base64, a data URL or a link. */
function image(from: unknown, type: unknown): ImagePart | undefined {
  const text = stringOf(from);
  if (text === undefined) return undefined;
  const mediaType = stringOf(type) ?? 'image/png';
  if (text.startsWith('data:')) {
    const comma = text.indexOf(',');
    const header = text.slice(5, comma === -1 ? undefined : comma);
    if (comma === -1 || !header.endsWith(';base64')) return { type: 'image', mediaType, url: text };
    const data = text.slice(comma + 1);
    return { type: 'image', mediaType: header.slice(0, header.indexOf(';')) || mediaType, data };
  }
  if (isLink(text)) return { type: 'image', mediaType, url: text };
  return { type: 'image', mediaType, data: text };
}

/** Base64 has no colon, so a scheme (`https:`, `blob:sha256:`) tells a reference from bytes. */
function isLink(text: string): boolean {
  const colon = text.slice(0, 64).indexOf(':');
  return colon > 0;
}
