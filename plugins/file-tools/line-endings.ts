/** Line endings and byte-order marks: a model writes line feeds, a file keeps what it has. */

const BOM = '\uFEFF';

/** The line ending that most lines of a text have; a text without any has line feeds. */
export function endingOf(text: string): '\n' | '\r\n' {
  let feeds = 0;
  let pairs = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    feeds++;
    if (text[at - 1] === '\r') pairs++;
  }
  return pairs * 2 > feeds ? '\r\n' : '\n';
}

/** The text with line feeds alone; a carriage return without one stays. */
export function withFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** A new whole text in the manner of the old one. A text that has pairs itself means them. */
export function inMannerOf(old: string, text: string): string {
  return endingOf(old) === '\r\n' && !text.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
}

/** Bytes of a text, behind a byte-order mark where the old bytes had one. */
export function encode(text: string, old?: Uint8Array): Buffer {
  const [a, b, c] = old ?? [];
  const isMarked = a === 0xef && b === 0xbb && c === 0xbf;
  return Buffer.from(isMarked && !text.startsWith(BOM) ? BOM + text : text);
}
