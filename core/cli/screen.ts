/**
 * The screen of a conversation: what was said stands above for good, below it are a few rows that change, and the line that is
 * being typed. Typing goes on while text comes. A terminal that cannot move its cursor (`TERM=dumb`) gets plain lines instead.
 */
import { clearScreenDown, createInterface, cursorTo, moveCursor } from 'node:readline';
import type { Interface } from 'node:readline';
import { Draft, lineOf } from './draft';
import { Frame } from './frame';
import type { ScreenOutput } from './frame';
import { createTerminal } from './terminal';
import type { Terminal } from './terminal';
import { BRACKETED_PASTE, TypedInput } from './typed-input';
import type { TypedSource } from './typed-input';

export interface ScreenOptions {
  readonly input: TypedSource;
  readonly output: ScreenOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Words that Tab completes at the beginning of a line. */
  readonly words: readonly string[];
  /** Lines that were typed before, the newest first. */
  readonly history: readonly string[];
  /** The rows above the line, asked for whenever they are drawn; each has to fit into {@link Screen.columns}. */
  rows(): readonly string[];
  onLine(text: string): void;
  /** Ctrl-C, unless it answers a question. */
  onInterrupt(): void;
  /** Ctrl-D on an empty line, or the terminal is gone. */
  onEnd(): void;
}

/** What stands before the line. */
const SIGN = '› ';

export class Screen {
  readonly #options: ScreenOptions;
  readonly #isLive: boolean;
  readonly #frame: Frame;
  readonly #keys: TypedInput | undefined;
  readonly #editor: Interface;
  readonly #draft: Draft;
  #terminal: Terminal;
  /** Text that will stand for good, with its line ends. */
  #pending = '';
  #drawn = '';
  /** Whether rows and line are on the screen. */
  #isShown = false;
  #isDrawing = false;
  #isClosed = false;
  /** Rows of the line that is being sent, above which the cursor comes to stand. */
  #sentRows = 0;
  #question: { readonly sign: string; answer(text: string | undefined): void } | undefined;

  constructor(options: ScreenOptions) {
    const { input, output, env, words, history } = options;
    this.#options = options;
    this.#isLive = env['TERM'] !== 'dumb';
    this.#frame = new Frame(output);
    const paste = (text: string): void => void this.#editor.write(this.#draft.pasted(text));
    this.#keys = this.#isLive ? new TypedInput(input, paste) : undefined;
    this.#editor = createInterface({
      input: (this.#keys ?? input) as TypedSource,
      output: this.#frame,
      terminal: this.#isLive,
      history: history.map(lineOf),
      historySize: 500,
      completer: (line: string) => [words.filter((word) => word.startsWith(line)), line],
    });
    this.#draft = new Draft();
    this.#terminal = this.#terminalAbove();
    this.#listen();
    if (!this.#isLive) return;
    output.on('resize', this.#resized);
    this.#frame.write(BRACKETED_PASTE.on);
  }

  /** Columns that a row may take. */
  get columns(): number {
    return Math.max(20, this.#frame.columns - 1);
  }

  /** Whether what is typed is still on the screen when it has been sent. */
  get keepsLines(): boolean {
    return !this.#isLive;
  }

  /** Whether something is typed that was not sent. */
  get hasDraft(): boolean {
    return this.#editor.line !== '';
  }

  /** A terminal that prints above the rows. */
  get terminal(): Terminal {
    return this.#terminal;
  }

  /** Puts whole lines above the rows. */
  write(text: string): void {
    this.#pending += text.endsWith('\n') || text === '' ? text : `${text}\n`;
    this.changed();
  }

  /** Has the rows drawn again, together with all else that changes in this moment. */
  changed(): void {
    if (this.#isClosed) return this.#flush();
    if (!this.#isDrawing) setImmediate(() => this.#draw());
    this.#isDrawing = true;
  }

  /** Shows that a line is waited for, where nothing else shows it. */
  prompt(): void {
    this.changed();
    if (!this.#isLive) setImmediate(() => this.#promptPlainly());
  }

  /** Throws away what is typed. */
  clearDraft(): void {
    this.#editor.write(null, { ctrl: true, name: 'e' });
    this.#editor.write(null, { ctrl: true, name: 'u' });
  }

  /**
   * Asks a question in the place of the line; undefined where it is not answered: by Ctrl-C, at the end, or because the signal
   * aborts. What is being typed comes back afterwards.
   */
  async ask(sign: string, signal: AbortSignal): Promise<string | undefined> {
    const draft = this.#editor.line;
    this.clearDraft();
    const abort = (): void => this.#question?.answer(undefined);
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await new Promise<string | undefined>((answer) => {
        this.#question = { sign, answer };
        this.prompt();
        if (signal.aborted || this.#isClosed) answer(undefined);
      });
    } finally {
      signal.removeEventListener('abort', abort);
      this.#question = undefined;
      if (!this.#isClosed) {
        this.clearDraft();
        if (draft !== '') this.#editor.write(draft);
      }
      this.changed();
    }
  }

  /** Takes rows and line away and gives the terminal back. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.output.off('resize', this.#resized);
    this.#frame.hold();
    this.#erase();
    this.#flush();
    if (this.#isLive) this.#frame.write(BRACKETED_PASTE.off);
    this.#frame.release();
    this.#editor.close();
    this.#keys?.release();
    this.#question?.answer(undefined);
  }

  #terminalAbove(): Terminal {
    const stream = { isTTY: true, columns: this.#frame.columns, write: (text: string) => this.write(text) };
    return createTerminal({ out: stream, err: stream, env: this.#options.env });
  }

  #listen(): void {
    const { onLine, onInterrupt, onEnd } = this.#options;
    const editor = this.#editor;
    this.#keys?.prependListener('keypress', (_: unknown, key: { readonly name?: string } | undefined) => {
      if (key?.name !== 'return' && key?.name !== 'enter') return;
      editor.write(null, { ctrl: true, name: 'e' });
      this.#sentRows = editor.getCursorPos().rows + 1;
    });
    editor.on('line', (line) => {
      if (this.#isLive) this.#sent();
      if (this.#question !== undefined) this.#question.answer(line.trim());
      else onLine(this.#draft.textOf(line));
      // Now, as what the line sets going may hold everything up for a moment.
      this.#draw();
    });
    // Answers are no lines to come back to.
    editor.on('history', (history) => void (this.#question !== undefined && history.shift()));
    editor.on('SIGINT', () => (this.#question === undefined ? onInterrupt() : this.#question.answer(undefined)));
    editor.on('SIGTSTP', () => this.#suspend());
    editor.on('close', () => {
      if (this.#isClosed) return;
      this.#question?.answer(undefined);
      onEnd();
    });
  }

  #draw(): void {
    this.#isDrawing = false;
    if (this.#isClosed) return;
    if (!this.#isLive) return this.#flush();
    if (this.#isShown && this.#pending === '' && this.#prompt() === this.#drawn) return;
    this.#frame.hold();
    if (this.#pending !== '') {
      const rows = this.#isShown ? this.#editor.getCursorPos().rows : 0;
      this.#erase();
      this.#flush();
      this.#makeUpFor(rows);
    }
    this.#show();
    this.#frame.release();
  }

  #prompt(): string {
    return [...this.#options.rows(), this.#question?.sign ?? SIGN].join('\n');
  }

  #show(): void {
    this.#drawn = this.#prompt();
    this.#editor.setPrompt(this.#drawn);
    this.#editor.prompt(true);
    this.#isShown = true;
  }

  /** The editor goes up as many rows as it left the cursor below its first one, whatever became of them. */
  #makeUpFor(rows: number): void {
    this.#frame.write('\n'.repeat(rows));
  }

  /** Rows were broken anew by the terminal, so the cursor stands elsewhere below the first of them. */
  readonly #resized = (): void => {
    const { rows } = this.#editor.getCursorPos();
    this.#frame.measure();
    this.#terminal = this.#terminalAbove();
    if (!this.#isShown) return;
    this.#frame.hold();
    this.#erase();
    this.#makeUpFor(rows);
    this.#show();
    this.#frame.release();
  };

  /** Ctrl-Z: the terminal is the shell's until it lets us go on. */
  #suspend(): void {
    const { rows } = this.#editor.getCursorPos();
    this.#erase();
    this.#frame.write(BRACKETED_PASTE.off);
    this.#keys?.setRawMode(false);
    process.once('SIGCONT', () => {
      if (this.#isClosed) return;
      this.#keys?.setRawMode(true);
      this.#frame.write(BRACKETED_PASTE.on);
      this.#makeUpFor(rows);
      this.#draw();
    });
    process.kill(process.pid, 'SIGTSTP');
  }

  /** Takes rows and line away, or what was typed before they were there. */
  #erase(): void {
    if (!this.#isLive) return;
    this.#toFirstRow(this.#isShown ? this.#editor.getCursorPos().rows : 0);
    this.#isShown = false;
  }

  /** The line was sent, and the cursor stands on the row below it. */
  #sent(): void {
    this.#frame.hold();
    this.#toFirstRow(this.#sentRows);
    this.#frame.release();
    this.#isShown = false;
  }

  #toFirstRow(up: number): void {
    moveCursor(this.#frame, 0, -up);
    cursorTo(this.#frame, 0);
    clearScreenDown(this.#frame);
  }

  #flush(): void {
    this.#frame.write(this.#pending);
    this.#pending = '';
  }

  #promptPlainly(): void {
    if (this.#isClosed) return;
    this.#flush();
    const rows = this.#question === undefined ? this.#options.rows() : [];
    this.#frame.write([...rows, this.#question?.sign ?? SIGN].join('\n'));
  }
}
