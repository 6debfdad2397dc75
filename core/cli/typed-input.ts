/**
 * What a person types, on its way to the line editor. A paste arrives as a whole instead of key by key, so that its line ends
 * send nothing.
 */
import { EventEmitter } from 'node:events';
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
/** A key that is a sequence, a run of text, or any other key. */
const KEY = /\u001B(?:\[[0-?]*[ -/]*[@-~]|O?[^])|\P{Cc}{2,}|[^]/gu;
const BEGUN_KEY = /\u001B(?:\[[0-?]*[ -/]*|O)?$/;

/**
 * The keys, as the editor reads them; pastes, line ends that send nothing, and other text that came at once go to `onText` in
 * their place. Not a real stream: the order of keys and pastes must hold, and streams give out what they hold when they like.
 */
export class TypedInput extends EventEmitter {
  readonly isTTY = true;
  readonly #source: TypedSource;
  readonly #onText: (text: string) => void;
  readonly #decoder = new StringDecoder('utf8');
  /** What was pasted so far; undefined outside of a paste. */
  #pasted: string | undefined;
  /** What may be the beginning of a mark. */
  #held = '';
  /** Whether the last chunk ended in the middle of a key. */
  #isWithinKey = false;

  constructor(source: TypedSource, onText: (text: string) => void) {
    super();
    this.#source = source;
    this.#onText = onText;
    source.on('data', this.#take);
    source.on('end', this.#end);
  }

  setRawMode(isRaw: boolean): this {
    this.#source.setRawMode?.(isRaw);
    return this;
  }

  resume(): this {
    this.#source.resume();
    return this;
  }

  pause(): this {
    this.#source.pause();
    return this;
  }

  /** Lets go of the terminal. */
  release(): void {
    this.#source.off('data', this.#take);
    this.#source.off('end', this.#end);
    this.#source.pause();
  }

  readonly #end = (): void => void this.emit('end');

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
    else this.#onText('\n');
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
    this.#onText(pasted.replace(/\r\n?/g, '\n'));
    return text.slice(at + END.length);
  }

  /**
   * One key at a time, and text that came at once as a whole: of several keys in one chunk the editor would not notice that
   * they fill its row.
   */
  #keys(text: string): void {
    if (this.#isWithinKey) {
      this.#isWithinKey = BEGUN_KEY.test(text);
      this.emit('data', text);
      return;
    }
    this.#isWithinKey = BEGUN_KEY.test(text);
    for (const [key] of text.matchAll(KEY)) {
      if (/^\P{Cc}{2}/u.test(key)) this.#onText(key);
      else this.emit('data', key);
    }
  }
}

/** The end of a text that begins a mark, if it has at least so many characters of it. */
function beginningAtEnd(text: string, mark: string, least: number): string {
  for (let length = Math.min(mark.length - 1, text.length); length >= least; length--)
    if (text.endsWith(mark.slice(0, length))) return mark.slice(0, length);
  return '';
}
