/**
 * What a person types, on its way to the line editor. A paste arrives as a whole instead of key by key, so that its line ends
 * send nothing.
 */
import { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** The terminal that is typed into. */
export interface TypedSource extends NodeJS.ReadableStream {
  setRawMode?(isRaw: boolean): unknown;
}

/** What turns bracketed paste on and off. */
export const BRACKETED_PASTE = { on: '\u001B[?2004h', off: '\u001B[?2004l' } as const;

const BEGIN = '\u001B[200~';
const END = '\u001B[201~';
/** Alt+Enter: a line end that sends nothing. */
const ALT_ENTER = '\u001B\r';

/** The keys, as the editor reads them; pastes and line ends without sending go to `onPaste`, in their place. */
export class TypedInput extends Readable {
  isRaw = false;
  readonly isTTY = true;
  readonly #source: TypedSource;
  readonly #onPaste: (text: string) => void;
  readonly #decoder = new StringDecoder('utf8');
  /** What was pasted so far; undefined outside of a paste. */
  #pasted: string | undefined;
  /** What may be the beginning of a mark. */
  #held = '';

  constructor(source: TypedSource, onPaste: (text: string) => void) {
    super({ read: () => undefined, encoding: 'utf8' });
    this.#source = source;
    this.#onPaste = onPaste;
    source.on('data', this.#take);
    source.on('end', this.#end);
    source.resume();
  }

  setRawMode(isRaw: boolean): this {
    this.isRaw = isRaw;
    this.#source.setRawMode?.(isRaw);
    return this;
  }

  /** Lets go of the terminal. */
  release(): void {
    this.#source.off('data', this.#take);
    this.#source.off('end', this.#end);
    this.#source.pause();
  }

  readonly #end = (): void => void this.push(null);

  readonly #take = (chunk: Buffer | string): void => {
    let text = this.#held + (typeof chunk === 'string' ? chunk : this.#decoder.write(chunk));
    this.#held = '';
    while (text !== '') text = this.#pasted === undefined ? this.#typed(text) : this.#paste(text);
  };

  /** Hands keys on, up to where a paste begins; returns what follows. */
  #typed(text: string): string {
    const [mark] = [BEGIN, ALT_ENTER]
      .filter((one) => text.includes(one))
      .sort((a, b) => text.indexOf(a) - text.indexOf(b));
    if (mark === undefined) {
      // The first two characters of the mark begin other keys as well, which must not wait.
      this.#held = beginningAtEnd(text, BEGIN, 3);
      this.#keys(text.slice(0, text.length - this.#held.length));
      return '';
    }
    const at = text.indexOf(mark);
    this.#keys(text.slice(0, at));
    if (mark === BEGIN) this.#pasted = '';
    else this.#onPaste('\n');
    return text.slice(at + mark.length);
  }

  #paste(text: string): string {
    const at = text.indexOf(END);
    if (at === -1) {
      this.#held = beginningAtEnd(text, END, 1);
      this.#pasted += text.slice(0, text.length - this.#held.length);
      return '';
    }
    const pasted = `${this.#pasted ?? ''}${text.slice(0, at)}`;
    this.#pasted = undefined;
    this.#onPaste(pasted.replace(/\r\n?/g, '\n'));
    return text.slice(at + END.length);
  }

  #keys(text: string): void {
    if (text !== '') this.push(text);
  }
}

/** The end of a text that begins a mark, if it has at least so many characters of it. */
function beginningAtEnd(text: string, mark: string, least: number): string {
  for (let length = Math.min(mark.length - 1, text.length); length >= least; length--)
    if (text.endsWith(mark.slice(0, length))) return mark.slice(0, length);
  return '';
}
