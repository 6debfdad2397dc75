/** The input of an import: read once, bounded, parsed lazily (S12.1). */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { messageOf, PithError } from '../errors';
import type { Source } from './format';
import { parseJson } from './shape';

/** The largest input that is read, in bytes; what is longer does not fit into one string. */
export const MAX_INPUT_BYTES = 512_000_000;

/** A source from text that is already in memory. `path` only names it in messages. A byte-order mark is taken off. */
export function createSource(path: string, text: string): Source {
  const plain = text.startsWith('\uFEFF') ? text.slice(1) : text;
  let json: { readonly value: unknown } | undefined;
  let lines: Source['lines'] | undefined;
  return {
    path,
    text: plain,
    get json() {
      json ??= { value: parseJson(plain) };
      return json.value;
    },
    get lines() {
      lines ??= this.json === undefined ? parseLines(plain) : { values: [this.json], malformed: 0 };
      return lines;
    },
  };
}

/**
 * Reads a file, or standard input where the path is `-`. Throws `PITH_INPUT_UNREADABLE` (missing, a folder, no
 * permission), `PITH_INPUT_TOO_LARGE` above {@link MAX_INPUT_BYTES}, `PITH_INPUT_EMPTY`, and `PITH_FORMAT_UNKNOWN` for
 * binary input.
 */
export async function readSource(path: string, stdin: AsyncIterable<Uint8Array> = process.stdin): Promise<Source> {
  const name = path === '-' ? 'standard input' : path;
  const bytes = await readBytes(name, path === '-' ? stdin : await openFile(path));
  if (bytes.includes(0)) {
    throw new PithError('PITH_FORMAT_UNKNOWN', `${name} is binary; a session is a text file of JSON or JSON lines`);
  }
  const source = createSource(name, bytes.toString('utf8'));
  if (!/\S/.test(source.text)) throw new PithError('PITH_INPUT_EMPTY', `${name} is empty; there is no session in it`);
  return source;
}

async function openFile(path: string): Promise<AsyncIterable<Uint8Array>> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) {
      throw new PithError('PITH_INPUT_UNREADABLE', `${path} is a folder; name one session file inside it`);
    }
    if (found.size > MAX_INPUT_BYTES) throw tooLarge(path, found.size);
    return createReadStream(path, { highWaterMark: 1 << 20 });
  } catch (error) {
    throw unreadable(path, error);
  }
}

async function readBytes(name: string, stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      size += chunk.length;
      if (size > MAX_INPUT_BYTES) throw tooLarge(name, size);
      chunks.push(chunk);
    }
  } catch (error) {
    throw unreadable(name, error);
  }
  return Buffer.concat(chunks, size);
}

function tooLarge(name: string, size: number): PithError {
  const limit = String(MAX_INPUT_BYTES / 1_000_000);
  const found = String(Math.ceil(size / 1_000_000));
  return new PithError(
    'PITH_INPUT_TOO_LARGE',
    `${name} has ${found} MB or more; at most ${limit} MB are read. Split the file or cut it down`,
  );
}

function unreadable(name: string, error: unknown): PithError {
  if (PithError.is(error)) return error;
  const code = (error as { code?: unknown } | undefined)?.code;
  const reason = code === 'ENOENT' ? 'there is no such file' : messageOf(error);
  return new PithError('PITH_INPUT_UNREADABLE', `cannot read ${name}: ${reason}`, { cause: error });
}

/** Blank lines and `//` comments are no records; a line that is no JSON object or list is malformed. */
function parseLines(text: string): Source['lines'] {
  const values: unknown[] = [];
  let malformed = 0;
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end).trim();
    start = end + 1;
    if (line === '' || line.startsWith('//')) continue;
    const value = line.startsWith('{') || line.startsWith('[') ? parseJson(line) : undefined;
    if (value === undefined) malformed++;
    else values.push(value);
  }
  return { values, malformed };
}
