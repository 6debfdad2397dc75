/**
 * Parts of AI SDK messages, one by one, as readers of whole sessions and of single messages understand them. Live messages hold
 * bytes and URL objects where files hold text; version 7 tags both.
 */
import type { Json } from '../session/items';
import { REDACTED_THINKING, SIGNED_THINKING } from './bound-reasoning';
import type { ItemExtras } from './draft';
import { ENCRYPTING } from './write/provider-options';
import { argumentsOf, fieldsOf, isFields, listOf, stringOf, textOf } from './shape';
import type { Fields } from './shape';

/** Parts that the model sees: not sources, custom data and approvals, which are for the screen. */
export function isShown(value: unknown): boolean {
  const type = stringOf(fieldsOf(value).type) ?? '';
  return !type.startsWith('source') && !type.startsWith('data-') && !type.startsWith('tool-approval');
}

/** A file that is no image is its text or its name; all other parts are as every reader understands them. */
export function contentOf(value: unknown): unknown {
  const part = fieldsOf(value);
  if (part.type === 'image' && typeof part.image === 'object' && part.image !== null)
    return { type: 'image', mediaType: part.mediaType, image: dataOf(part.image) };
  if (part.type !== 'file') return value;
  const mediaType = stringOf(part.mediaType) ?? 'unknown type';
  if (mediaType === 'image' || mediaType.startsWith('image/'))
    return { ...part, mediaType: mediaType === 'image' ? 'image/*' : mediaType, data: dataOf(part.data ?? part.url) };
  const name = `[file ${stringOf(part.filename) ?? ''} of ${mediaType}]`;
  const { type, text } = fieldsOf(part.data);
  return { type: 'text', text: type === 'text' ? `${name}\n${textOf(text)}` : name };
}

/** What a tool gave, and whether it is an error. */
export function outputOf(part: Fields): { readonly content: unknown; readonly isError: boolean } {
  if (!isFields(part.output)) return { content: textOf(part.result ?? part.output), isError: part.isError === true };
  const { type, value, reason } = part.output;
  const isError = type === 'error-text' || type === 'error-json' || type === 'execution-denied';
  if (type === 'content') return { content: listOf(value).map(pieceOf), isError };
  if (type === 'execution-denied') return { content: reason ?? 'denied', isError };
  return { content: textOf('value' in part.output ? value : part.output), isError };
}

/** Signed and encrypted reasoning comes with the data of its provider, by which the provider knows it again. */
export function reasoningOf(part: Fields): {
  readonly text: unknown;
  readonly opaque: unknown;
  readonly extras: ItemExtras;
} {
  const bound = boundOf(part);
  const { signature, redactedData } = fieldsOf(bound.anthropic);
  const text = part.text ?? part.reasoning;
  if (stringOf(redactedData) !== undefined) return { text, opaque: redactedData, extras: REDACTED_THINKING };
  const signed = signature ?? part.signature;
  if (stringOf(signed) !== undefined) return { text, opaque: signed, extras: SIGNED_THINKING };
  const { provider } = extrasOf(part);
  const name = ENCRYPTING.find((one) => stringOf(fieldsOf(bound[one]).reasoningEncryptedContent) !== undefined);
  if (provider === undefined || name === undefined) return { text, opaque: undefined, extras: extrasOf(part) };
  const { reasoningEncryptedContent: opaque, ...rest } = fieldsOf(provider[name]);
  return { text, opaque, extras: { provider: { ...provider, [name]: rest as Json } } };
}

/** Data of the provider on a part, which goes back to it unread. */
export function extrasOf(part: Fields): ItemExtras {
  const bound = part.providerOptions ?? part.providerMetadata ?? part.callProviderMetadata;
  const provider = isFields(bound) ? argumentsOf(bound) : undefined;
  return isFields(provider) ? { provider } : {};
}

function boundOf(part: Fields): Fields {
  return fieldsOf(part.providerOptions ?? part.providerMetadata);
}

/** One piece of a result, in the names of versions 5 (`media`), 6 (`image-data`, `image-url`, `file-…`) and 7 (`file`). */
function pieceOf(value: unknown): unknown {
  const { type, data, url, mediaType } = fieldsOf(value);
  if (type === 'image-url') return { type: 'file', mediaType: 'image/png', data: url };
  if (type === 'file') return contentOf(value);
  if (type !== 'media' && type !== 'image-data' && type !== 'file-data') return value;
  return contentOf({ type: 'file', mediaType: mediaType ?? 'image/png', data });
}

/** Bytes as base64, an address as text. */
function dataOf(data: unknown): unknown {
  if (data instanceof URL) return data.href;
  if (data instanceof Uint8Array || data instanceof ArrayBuffer) return base64Of(data);
  const { type, data: bytes, url } = fieldsOf(data);
  if (type === 'data') return dataOf(bytes);
  return type === 'url' ? dataOf(url) : data;
}

const ENCODED = new WeakMap<object, string>();

/** The same bytes come with every request, and are encoded once. */
function base64Of(bytes: Uint8Array | ArrayBuffer): string {
  let text = ENCODED.get(bytes);
  if (text === undefined) {
    const view = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes;
    text = Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString('base64');
    ENCODED.set(bytes, text);
  }
  return text;
}
