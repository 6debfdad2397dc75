/** Bytes of a command as plain text, piece by piece: nothing in it moves a cursor, colours a line or is half a character. */
import { StringDecoder } from 'node:string_decoder';

/** Commands to a terminal: colours and cursor, titles and links, other strings, all of two characters. */
const TERMINAL =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[PX^_][^\u001b]*\u001b\\|\u001b[ -/]*[0-~]/g;
/** What may go on in the next piece: the beginning of such a command, or of a line break. */
const UNFINISHED =
  /(?:(?:\u001b\[|\u009b)[0-?]*[ -/]*|\u001b\][^\u0007\u001b]*\u001b?|\u001b[PX^_][^\u001b]*\u001b?|\u001b[ -/]*|\r)$/;
/** All control characters but tab and line break. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]+/g;
/** Characters of a terminal command that its end is waited for. */
const LONGEST = 4096;

export class PlainOutput {
  readonly #decoder = new StringDecoder('utf8');
  #held = '';

  /** The text of the next bytes. What is not UTF-8 is `U+FFFD`; the beginning of something is held back for its end. */
  write(bytes: Buffer): string {
    const text = this.#held + this.#decoder.write(bytes);
    const at = text.slice(-LONGEST).search(UNFINISHED);
    const cut = at === -1 ? text.length : Math.max(0, text.length - LONGEST) + at;
    this.#held = text.slice(cut);
    return plain(text.slice(0, cut));
  }

  /** What was held back. */
  end(): string {
    const text = this.#held + this.#decoder.end();
    this.#held = '';
    return plain(text);
  }
}

function plain(text: string): string {
  const commands = /[\u001b\u009b]/.test(text) ? text.replace(TERMINAL, '') : text;
  const lines = commands.includes('\r') ? commands.replace(/\r\n?/g, '\n') : commands;
  return lines.replace(CONTROL, '').toWellFormed();
}
