/** Tells text from everything else. */

/** Bytes that are looked at for a NUL. */
const SNIFFED = 8192;

/** The text of a file without its byte-order mark, line endings kept; or why it is none. */
export function decodeText(
  bytes: Uint8Array,
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: 'binary' | 'not-utf8' } {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (isUtf16) return { ok: false, reason: 'not-utf8' };
  if (bytes.subarray(0, SNIFFED).includes(0)) return { ok: false, reason: 'binary' };
  try {
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { ok: false, reason: 'not-utf8' };
  }
}
