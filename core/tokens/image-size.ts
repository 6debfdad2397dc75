/** Width and height of an image from the first bytes of its data, without decoding it (S6.2). */

/** Pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Base64 characters that are decoded at a time; enough for every header but that of a JPEG with large metadata. */
const WINDOW_CHARS = 512;

/** Segments of a JPEG that are skipped at most before its size must have come. */
const MAX_SEGMENTS = 64;

/** Reads bytes at an offset out of base64 text; decodes only what is asked for. */
type Bytes = (offset: number, length: number) => Buffer;

/**
 * The size of a PNG, JPEG, GIF or WebP image given as base64, with or without `data:` in front. Undefined for other or
 * broken data. Cost does not depend on the size of the image.
 */
export function imageSize(base64: string): ImageSize | undefined {
  const comma = base64.startsWith('data:') ? base64.indexOf(',') : -1;
  if (comma > WINDOW_CHARS) return undefined;
  const bytes: Bytes = (offset, length) => {
    const first = comma + 1 + Math.floor(offset / 3) * 4;
    const last = comma + 1 + Math.ceil((offset + length) / 3) * 4;
    return Buffer.from(base64.slice(first, last), 'base64').subarray(offset % 3, (offset % 3) + length);
  };
  const head = bytes(0, 32);
  const size = pngSize(head) ?? gifSize(head) ?? webpSize(head) ?? jpegSize(head, bytes);
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
}

function pngSize(head: Buffer): ImageSize | undefined {
  if (head.length < 24 || head.readUInt32BE(0) !== 0x89504e47 || head.toString('latin1', 12, 16) !== 'IHDR')
    return undefined;
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}

function gifSize(head: Buffer): ImageSize | undefined {
  if (head.length < 10 || head.toString('latin1', 0, 4) !== 'GIF8') return undefined;
  return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
}

function webpSize(head: Buffer): ImageSize | undefined {
  if (head.length < 30 || head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WEBP')
    return undefined;
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = head.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

function jpegSize(head: Buffer, bytes: Bytes): ImageSize | undefined {
  if (head.length < 4 || head.readUInt16BE(0) !== 0xffd8) return undefined;
  let offset = 2;
  for (let segment = 0; segment < MAX_SEGMENTS; segment++) {
    const header = bytes(offset, 9);
    if (header.length < 9 || header[0] !== 0xff) return undefined;
    const marker = header[1] as number;
    // Fill bytes and markers without a length of their own.
    if (marker === 0xff) offset += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) offset += 2;
    else if (isFrame(marker)) return { width: header.readUInt16BE(7), height: header.readUInt16BE(5) };
    else offset += 2 + header.readUInt16BE(2);
  }
  return undefined;
}

/** Start-of-frame markers: C0 to CF without the tables DHT (C4), JPG (C8) and DAC (CC). */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}
