/** Images as providers take them, or the words that stand for one that cannot be sent. */
import type { ImagePart } from '../../session/items';

const TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** An image that can be sent: by its bytes (base64) or by a web address. */
export type SentImage = { readonly mediaType: string; readonly data: string } | { readonly url: string };

/** The image where its bytes or a web address are there and the type is one that providers know; else undefined. */
export function sentImage(part: ImagePart): SentImage | undefined {
  const { data, url, mediaType } = part;
  if (data !== undefined && data !== '' && data.isWellFormed() && TYPES.has(mediaType)) return { mediaType, data };
  if (url !== undefined && /^https?:\/\//.test(url) && url.isWellFormed()) return { url };
  return undefined;
}

/** Says that an image was there, where the shape or the place takes none. */
export function imageNote(part: ImagePart): string {
  const image = sentImage(part);
  const what = image !== undefined && 'url' in image ? image.url : part.mediaType.toWellFormed();
  return `[Image: ${what}]`;
}
