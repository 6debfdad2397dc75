// The least that any tool does that knows how large a session is: reads the file, parses each line and encodes all text,
// arguments and results in slices of 8 KB. Imports nothing of Pith.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const SLICE = 8192;
const { get_encoding: getEncoding } = createRequire(import.meta.url)('tiktoken');

const text = readFileSync(process.argv[2], 'utf8');
const encoder = getEncoding('o200k_base');
let tokens = 0;
for (const piece of piecesOf(text)) {
  for (let at = 0; at < piece.length; at += SLICE)
    tokens += encoder.encode_ordinary(piece.slice(at, at + SLICE)).length;
}
process.stdout.write(`${JSON.stringify({ tokens })}\n`);

/** The text, arguments and results of every message of a file. */
function* piecesOf(source) {
  for (const value of parse(source)) yield* ofRecord(value);
}

function parse(source) {
  try {
    return [JSON.parse(source)];
  } catch {
    return source.split('\n').flatMap((line) => {
      try {
        return [JSON.parse(line)];
      } catch {
        return [];
      }
    });
  }
}

function* ofRecord(record) {
  if (Array.isArray(record)) {
    for (const entry of record) yield* ofRecord(entry);
    return;
  }
  if (record === null || typeof record !== 'object' || record.isSidechain === true || record.type === 'event_msg')
    return;
  const body = record.payload ?? record.message ?? record.item ?? record;
  for (const list of [body.messages, body.history, body.traj]) if (Array.isArray(list)) yield* ofRecord(list);
  for (const content of [body.content, body.parts, body.output, body.input, body.arguments, body.tool_calls])
    yield* ofContent(content);
}

function* ofContent(content) {
  if (typeof content === 'string') yield content;
  else if (Array.isArray(content)) for (const part of content) yield* ofPart(part);
  else if (content !== null && typeof content === 'object') yield JSON.stringify(content);
}

function* ofPart(part) {
  if (typeof part === 'string') yield part;
  if (part === null || typeof part !== 'object') return;
  for (const value of [part.text, part.thinking, part.content, part.input, part.arguments, part.function?.arguments])
    yield* ofContent(value);
}
