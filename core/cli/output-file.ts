/**
 * Files that a command writes: whole or not at all. The text goes to a temporary file in the same folder, which then takes
 * the place of the old one.
 */
import { closeSync, fsyncSync, openSync, realpathSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { messageOf, PithError } from '../errors';

/** A file that can be written, as far as can be known before there is anything to write. */
export interface OutputFile {
  /** Absolute; symbolic links followed. */
  readonly path: string;
  /** Puts the text in the place of what was there. Throws `PITH_OUTPUT_UNWRITABLE`; then the old file is as it was. */
  write(text: string): void;
}

/**
 * Makes sure that the file of an option can be written before any work is done for it. Throws `PITH_OUTPUT_UNWRITABLE`, and
 * `PITH_USAGE` where the file is the very input.
 */
export function openOutput(path: string, input?: string, option: '--out' | '--html' = '--out'): OutputFile {
  const target = targetOf(path);
  if (input !== undefined && isSame(target, input)) {
    throw new PithError(
      'PITH_USAGE',
      `${option} ${path} is the session itself; name another file, so that its log is kept`,
    );
  }
  const temporary = join(dirname(target), `.${basename(target)}.${String(process.pid)}.tmp`);
  try {
    replaceable(target);
    closeSync(openSync(temporary, 'w'));
    rmSync(temporary);
  } catch (error) {
    throw unwritable(path, error);
  }
  return {
    path: target,
    write: (text) => {
      try {
        writeWhole(temporary, text, modeOf(target));
        renameSync(temporary, target);
      } catch (error) {
        rmSync(temporary, { force: true });
        throw unwritable(path, error);
      }
    },
  };
}

/** The file behind a path: a link stays a link, and what it leads to is written. */
function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

function isSame(target: string, input: string): boolean {
  try {
    return realpathSync(input) === target;
  } catch {
    return false;
  }
}

/** Throws where the path is something that must not be put away, such as a folder or a device. */
function replaceable(target: string): void {
  const found = statSync(target, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) {
    throw new Error(found.isDirectory() ? 'it is a folder' : 'it is not a regular file');
  }
}

function modeOf(target: string): number | undefined {
  return statSync(target, { throwIfNoEntry: false })?.mode;
}

function writeWhole(path: string, text: string, mode: number | undefined): void {
  const file = openSync(path, 'w', mode);
  try {
    const bytes = Buffer.from(text, 'utf8');
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function unwritable(path: string, error: unknown): PithError {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  const reason = code === 'ENOENT' ? 'its folder does not exist' : messageOf(error);
  return new PithError('PITH_OUTPUT_UNWRITABLE', `cannot write ${path}: ${reason}`, { cause: error });
}
