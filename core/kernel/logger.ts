/** Logging (S3.6): levels and bound fields; `warn` and above reach stderr by default. */
import { createToken } from './token';

/** How much a line of the log matters. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
/** Facts of a line of the log; never secrets or contents of a session. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes lines of the log, by level, with facts beside the message. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger whose lines carry these fields. */
  with(fields: LogFields): Logger;
}

/** One line of a log. */
export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  /** Any values at all; a sink must take them as they come. */
  readonly fields: LogFields;
}

/** Where a log goes. */
export interface LogSink {
  /** The lowest level that is written. */
  readonly level: LogLevel;
  write(entry: LogEntry): void;
}

/** The log sink of the kernel; stderr by default. */
export const LOG_SINK = createToken<LogSink>('pith/log-sink');

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** Makes a logger. Its sink is asked for with each line; a sink that throws harms nobody. */
export function createLogger(sink: () => LogSink, fields: LogFields = {}): Logger {
  const log = (level: LogLevel, message: string, more: LogFields | undefined): void => {
    try {
      const { level: lowest } = sink();
      if (LEVELS.indexOf(level) < LEVELS.indexOf(lowest)) return;
      sink().write({ level, message, fields: { ...fields, ...more } });
    } catch {
      // a log line is never worth a failure
    }
  };
  return {
    debug: (message, more) => log('debug', message, more),
    info: (message, more) => log('info', message, more),
    warn: (message, more) => log('warn', message, more),
    error: (message, more) => log('error', message, more),
    with: (more) => createLogger(sink, { ...fields, ...more }),
  };
}
