/** What a command writes to: results on standard output, all else on standard error (S12). */
import picocolors from 'picocolors';
import { PithError } from '../errors';
import { fitTo, printable } from './display-width';
import { inAscii, showsGlyphs } from './glyphs';

/** Colours that are plain text where the stream takes none. */
export type Colours = ReturnType<typeof picocolors.createColors>;

export interface Terminal {
  /** Colours of standard output. */
  readonly colours: Colours;
  /** Columns for text on standard output: 80 where it is no terminal, between 40 and 120. */
  readonly columns: number;
  /** Columns for charts, which gain by each of them: all that there are, 40 at least. */
  readonly chartColumns: number;
  /** Prints a result, with a line end; in ASCII what is drawn, where the terminal shows no more. */
  print(text: string): void;
  /** Prints a value as JSON. */
  printJson(value: unknown): void;
  /** Tells something beside the result. */
  note(message: string): void;
  warn(message: string): void;
  /** Tells why a command failed, with the code of the error. */
  fail(error: unknown): void;
  /** Shows for a moment what is being done, where a person is watching; the empty text takes it away. */
  progress(phase: string): void;
}

interface Stream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

export interface TerminalOptions {
  readonly out: Stream;
  readonly err: Stream;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const CLEAR_LINE = '\r\u001B[2K';

/** The terminal of a process. */
export function createTerminal({ out, err, env }: TerminalOptions): Terminal {
  const colours = picocolors.createColors(isColoured(out, env));
  const { red, yellow, dim } = picocolors.createColors(isColoured(err, env));
  const drawn = showsGlyphs(env) ? (text: string): string => text : inAscii;
  const columns = Math.max(40, out.columns ?? 80);
  let shown = false;
  const clear = (): void => {
    if (shown) err.write(CLEAR_LINE);
    shown = false;
  };
  const tell = (text: string): void => {
    clear();
    err.write(`${drawn(text)}\n`);
  };
  return {
    colours,
    columns: Math.min(120, columns),
    chartColumns: columns,
    print: (text) => {
      clear();
      out.write(`${drawn(text)}\n`);
    },
    printJson: (value) => {
      clear();
      out.write(`${JSON.stringify(value, undefined, 2)}\n`);
    },
    note: (message) => tell(dim(printable(message))),
    warn: (message) => tell(`${yellow('warning:')} ${printable(message)}`),
    fail: (error) => tell(printable(faultOf(error)).replace(/^error/, red('error'))),
    progress: (phase) => {
      if (err.isTTY !== true || env['TERM'] === 'dumb') return;
      clear();
      if (phase === '') return;
      err.write(dim(drawn(fitTo(`${phase} …`, (err.columns ?? 80) - 1))));
      shown = true;
    },
  };
}

/** `NO_COLOR` goes before `FORCE_COLOR`, and both before what the stream is. */
function isColoured(stream: Stream, env: TerminalOptions['env']): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  const forced = env['FORCE_COLOR'] ?? '';
  if (forced !== '') return forced !== '0' && forced !== 'false';
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}

/** One message for a person; the stack only of what is a fault of Pith itself. */
function faultOf(error: unknown): string {
  if (PithError.is(error)) return `error ${error.code}: ${error.message}`;
  return `error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}
