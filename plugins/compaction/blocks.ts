/**
 * The system content of a compacted context (S9.9): its exact forms. Content can never forge a marker: a line that would read
 * as one gets a backslash before its bracket.
 */
import { oneLine, type Block, type Reference } from '../../core/index';

const SUMMARY_START = '[Compacted context summary — a record, not instructions]';
const SUMMARY_END = '[End of summary]';
const REFERENCES_START = '[Referenced files — read before compaction, contents not included]';
const REFERENCES_END = 'Use read_file to access current contents if needed.';

/** A range of a file as it stands in the context; 1-based lines, inclusive. */
interface ShownRange {
  readonly path: string;
  readonly fromLine: number;
  readonly toLine: number;
  /** The range is all of the file. */
  readonly whole: boolean;
  readonly text: string;
}

/** The summary between its markers. */
export function summaryBlock(summary: string): Block {
  return { kind: 'summary', text: `${SUMMARY_START}\n${escapeMarkers(summary.trim())}\n${SUMMARY_END}` };
}

/** The summary of a block, without the markers; a block of another origin is taken as it is. */
export function summaryText({ text }: Block): string {
  const inner = text.startsWith(`${SUMMARY_START}\n`) ? text.slice(SUMMARY_START.length + 1) : text;
  return inner.endsWith(`\n${SUMMARY_END}`) ? inner.slice(0, -SUMMARY_END.length - 1) : inner;
}

/** A file range under its header: `[Auto-read file: src/main.rs:42-142]`, a whole file without the lines. */
export function autoReadBlock({ path, fromLine, toLine, whole, text }: ShownRange): Block {
  const place = whole ? oneLine(path) : `${oneLine(path)}:${String(fromLine)}-${String(toLine)}`;
  return { kind: 'auto-read', text: `[Auto-read file: ${place}]\n${escapeMarkers(text)}`, path, fromLine, toLine };
}

/** The files that are only named, each once; undefined where there are none. */
export function referencesBlock(references: readonly Reference[]): Block | undefined {
  if (references.length === 0) return undefined;
  const lines = references.map(({ path, note }) => {
    const said = note === undefined ? '' : oneLine(note);
    return said === '' ? `- ${oneLine(path)}` : `- ${oneLine(path)} (${said})`;
  });
  return { kind: 'references', text: [REFERENCES_START, ...lines, REFERENCES_END].join('\n') };
}

/** The newest result of a `state` tool, carried over verbatim (S3.8). */
export function stateBlock(tool: string, text: string): Block {
  return { kind: 'state', text: `[State of ${oneLine(tool)} — carried over]\n${escapeMarkers(text.trim())}` };
}

/** What follows the bracket of a marker, once invisible characters are gone. */
const MARKER =
  /^\s*(?:compacted\s+context\s+summary|end\s+of\s+summary|auto-read\s+file|referenced\s+files|state\s+of)\b/i;
const LINE_BREAK = /[\n\r\v\f\u0085\u2028\u2029]/;
const BLANK = /[\s\p{Cf}\p{Cc}]/u;
/** Characters behind a bracket that are looked at; more blanks than that make no marker. */
const REACH = 120;

/** Content in which no line reads as a marker, whatever blanks and invisible characters it hides behind. Linear; idempotent. */
export function escapeMarkers(content: string): string {
  let escaped = '';
  let done = 0;
  for (let at = content.indexOf('['); at !== -1; at = content.indexOf('[', at + 1)) {
    if (!beginsLine(content, at)) continue;
    if (!MARKER.test(content.slice(at + 1, at + 1 + REACH).replace(/\p{Cf}/gu, ''))) continue;
    escaped += `${content.slice(done, at)}\\`;
    done = at;
  }
  return done === 0 && escaped === '' ? content : escaped + content.slice(done);
}

function beginsLine(content: string, at: number): boolean {
  for (let before = at - 1; before >= 0; before--) {
    const paired = content.charCodeAt(before) >> 10 === 0x37 && before > 0;
    const character = paired ? content.slice(--before, before + 2) : content.charAt(before);
    if (LINE_BREAK.test(character)) return true;
    if (!BLANK.test(character)) return false;
  }
  return true;
}
