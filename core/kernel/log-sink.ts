/** Log lines for people and for machines (S10 `[log]`): pretty on a terminal, NDJSON elsewhere. */
import picocolors from 'picocolors';
import type { LogEntry, LogLevel, LogSink } from './logger';
import { plain } from './plain';

type Colours = ReturnType<typeof picocolors.createColors>;

/** What a log tells, in which form, and where to. */
export interface LogSinkOptions {
  /** The lowest level that is written; `warn` by default. */
  readonly level?: LogLevel;
  /** `pretty` where stderr is a terminal, else `ndjson`. */
  readonly format?: 'pretty' | 'ndjson';
  /** Takes a line with its line break; stderr by default. */
  write?(line: string): void;
  /** Milliseconds since the epoch. */
  now?(): number;
}

/** Makes a sink that writes one line per entry. No field, however strange, makes it throw. */
export function createLogSink(options: LogSinkOptions = {}): LogSink {
  const isTerminal = options.write === undefined && process.stderr.isTTY;
  const {
    level = 'warn',
    format = isTerminal ? 'pretty' : 'ndjson',
    write = (line) => void process.stderr.write(line),
    now = Date.now,
  } = options;
  const colour = picocolors.createColors(isTerminal && (process.env['NO_COLOR'] ?? '') === '');
  const render = format === 'pretty' ? (entry: LogEntry, at: string) => prettyLine(entry, at, colour) : ndjsonLine;
  return { level, write: (entry) => write(`${render(entry, new Date(now()).toISOString())}\n`) };
}

function ndjsonLine({ level, message, fields }: LogEntry, at: string): string {
  return JSON.stringify({ ...(plain(fields) as object), at, level, message });
}

function prettyLine({ level, message, fields }: LogEntry, at: string, colour: Colours): string {
  const paint = { debug: colour.gray, info: colour.cyan, warn: colour.yellow, error: colour.red }[level];
  const known = Object.entries(plain(fields) as object).filter(([, value]) => value !== undefined);
  const pairs = known.map(
    ([key, value]) =>
      ` ${colour.dim(`${visible(key)}=`)}${visible(typeof value === 'string' ? value : JSON.stringify(value))}`,
  );
  return `${colour.dim(at.slice(11, 23))} ${paint(level.padEnd(5))} ${visible(message)}${pairs.join('')}`;
}

/** Control characters made visible, so that no text can forge lines or steer a terminal. */
function visible(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, escaped);
}

function escaped(character: string): string {
  if (character === '\n') return '\\n';
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
