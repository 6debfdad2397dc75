/** Headers of image files, as large as they have to be. */

/** The first bytes of a PNG. */
export function png(width: number, height: number): Buffer {
  const file = Buffer.alloc(64);
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]).copy(file);
  file.write('IHDR', 12, 'latin1');
  file.writeUInt32BE(width, 16);
  file.writeUInt32BE(height, 20);
  return file;
}

/** The first bytes of a GIF. */
export function gif(width: number, height: number): Buffer {
  const file = Buffer.alloc(16);
  file.write('GIF89a', 0, 'latin1');
  file.writeUInt16LE(width, 6);
  file.writeUInt16LE(height, 8);
  return file;
}

/** The first bytes of a WebP: lossy (`VP8 `), lossless (`VP8L`) or extended (`VP8X`). */
export function webp(kind: string, width: number, height: number): Buffer {
  const file = Buffer.alloc(40);
  file.write('RIFF0000WEBP', 0, 'latin1');
  file.write(kind, 12, 'latin1');
  if (kind === 'VP8L') file.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 21);
  else if (kind === 'VP8X') {
    file.writeUIntLE(width - 1, 24, 3);
    file.writeUIntLE(height - 1, 27, 3);
  } else {
    file.writeUInt16LE(width, 26);
    file.writeUInt16LE(height, 28);
  }
  return file;
}

/** The first bytes of a JPEG whose frame follows a table and `metadata` bytes of another segment. */
export function jpeg(width: number, height: number, metadata = 30): Buffer {
  const segment = (marker: number, body: Buffer): Buffer => {
    const head = Buffer.from([0xff, marker, 0, 0]);
    head.writeUInt16BE(body.length + 2, 2);
    return Buffer.concat([head, body]);
  };
  const frame = Buffer.alloc(15);
  frame[0] = 8;
  frame.writeUInt16BE(height, 1);
  frame.writeUInt16BE(width, 3);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe1, Buffer.alloc(metadata, 0xff)),
    segment(0xc4, Buffer.alloc(28)),
    segment(0xc2, frame),
    Buffer.alloc(20),
  ]);
}
