/** Reads what the file tools of the common agents answer: plain text, numbered listings, windows, shell output, and their notes. */
import type { FileCall } from './file-call';
import type { Look } from './known-lines';

type ReadCall = Extract<FileCall, { op: 'read' }>;

/** The longest line that agents show in full. */
const LONGEST_LINE = 2000;
/** The most lines that agents show where no number was asked for. */
const MOST_LINES = 2000;

const CUT_LINE = /(?:\.\.\.|…) ?[[(]?(?:line )?truncated[\])]?$/;
const CUT_HERE =
  /\[\.\.\. omitted \d+ of \d+ lines|…\d+ (?:tokens|chars) truncated…|\[\d+ (?:lines|characters) truncated\]|<response clipped>/;
const MORE = /more lines|has more|truncated|clipped|only part of this file|showing lines|use offset|'offset'/i;
const FAILED =
  /^\s*(?:<tool_use_error>|error\b|(?:cat|sed|head|nl|bat|get-content) ?: |file (?:not found|does not exist)|no such file|enoent)/i;
const EMPTY_NOTE = /^\s*[<([][^\n]{0,200}\b(?:empty|no output|no content)\b[^\n]{0,200}[>)\]]\s*$/i;
/** What agents put around a text in ways that are not known here. */
const WRAPPED = /^\s*<(?:file|path|content|system|document|result|error)\b/i;

/** What a read showed of its file, or undefined where the answer is not, or not surely, its text. */
export function lookOf(call: ReadCall, answer: string): Look | undefined {
  if (call.mixed === true) return undefined;
  const output = call.shell === true ? shellOutput(answer) : answer;
  if (output === undefined || FAILED.test(output) || EMPTY_NOTE.test(output)) return undefined;
  return (
    numberedLook(call, output) ??
    truncatedLook(output) ??
    (call.numbered === true ? undefined : plainLook(call, output))
  );
}

/** The lines that the answer to a change shows: what the file is like there now. */
export function snippetOf(answer: string): Look | undefined {
  const start = /`cat -n`[^\n]*:\n/.exec(answer);
  const listing = start === null ? undefined : catListing(answer.slice(start.index + start[0].length).split('\n'));
  return listing && { fromLine: listing.fromLine, lines: listing.lines, toEnd: false };
}

const WINDOW = /\[File: ([^\n]+?) \((\d+) lines total\)\]\r?\n(?:\(\d+ more lines? above\)\r?\n)?/;
const WINDOW_LINE = /^(\d+):(.*)$/;

/** The window of an editor with an open file: which file it is, how it was named, and what it shows. */
export function windowOf(
  answer: string,
): { readonly path: string; readonly named: string; readonly look: Look } | undefined {
  const header = WINDOW.exec(answer);
  if (header === null) return undefined;
  const [head, named = '', total] = header;
  const listing = numbered(answer.slice(header.index + head.length).split(/\r?\n/), WINDOW_LINE);
  if (listing === undefined) return undefined;
  const toEnd = listing.fromLine + listing.lines.length - 1 === Number(total);
  return { ...windowPath(answer, named), look: { fromLine: listing.fromLine, lines: listing.lines, toEnd } };
}

/** The names in such a window, without reading what it shows. */
export function windowNames(answer: string): { readonly path: string; readonly named: string } | undefined {
  const header = answer.includes('[File: ') ? WINDOW.exec(answer) : null;
  if (header === null) return undefined;
  const [head, named = ''] = header;
  const start = header.index + head.length;
  const first = answer.slice(start, start + 20).split(/\r?\n/, 1)[0] ?? '';
  return WINDOW_LINE.test(first) ? windowPath(answer, named) : undefined;
}

function windowPath(answer: string, named: string): { readonly path: string; readonly named: string } {
  return { path: /\(Open file: ([^\n]+?)\)\r?\n/.exec(answer)?.[1] ?? named, named };
}

/** The answers to several calls in one result (a JSON list of `{ query, result }`); one answer for all where it is not that. */
export function answersOf(text: string, calls: number): readonly (string | undefined)[] {
  if (/^\s*\[\s*\{\s*"query"/.test(text)) {
    try {
      const entries = JSON.parse(text) as readonly { readonly result?: unknown; readonly success?: unknown }[];
      return entries.map(({ result, success }) =>
        typeof result === 'string' && success !== false ? result : undefined,
      );
    } catch {
      return [];
    }
  }
  return calls === 1 ? [text] : [];
}

/** Whether an answer says that its call failed though it is not marked as an error. */
export function saysFailed(answer: string): boolean {
  return /^\s*(?:<tool_use_error>|error\b|no replacement was performed|file has not been read|found \d+ matches|string (?:to replace )?not found|failed)|"success": ?false/i.test(
    answer.slice(0, 2000),
  );
}

const ARROW = /^ *(\d+)→(.*)$/;
/** As `cat -n` prints it: a number that is padded to six characters, so that no table of a file is taken for it. */
const PADDED = /^(?=[ \d]{6,}\t) *(\d+)\t(.*)$/;
const TAB = /^ *(\d+)\t(.*)$/;
const BAR = /^ *(\d+) ?\| ?(.*)$/;
const COLON = /^(\d+): ?(.*)$/;

interface Listing {
  readonly fromLine: number;
  readonly lines: readonly (string | undefined)[];
  /** What stands behind the listing. */
  readonly rest: string;
}

/** A listing whose first line has a number and whose further lines count on. */
function numbered(lines: readonly string[], shape: RegExp): Listing | undefined {
  const first = Number(shape.exec(lines[0] ?? '')?.[1] ?? Number.NaN);
  if (!(first >= 1)) return undefined;
  const found: (string | undefined)[] = [];
  for (const line of lines) {
    const match = shape.exec(line);
    if (match === null || Number(match[1]) !== first + found.length) break;
    found.push(uncut(match[2] ?? ''));
  }
  return { fromLine: first, lines: found, rest: lines.slice(found.length).join('\n') };
}

function catListing(lines: readonly string[]): Listing | undefined {
  return numbered(lines, ARROW) ?? numbered(lines, PADDED);
}

function numberedLook(call: ReadCall, output: string): Look | undefined {
  let text = output.replace(/^Here's the result of running `cat -n`[^\n]*:\n/, '');
  const tags = /^(?:<(?:file|path|type|content)>[^\n]*\n)+/.exec(text)?.[0];
  if (tags !== undefined) text = text.slice(tags.length);
  const lines = text.split('\n');
  const listing =
    catListing(lines) ??
    (call.numbered === true ? numbered(lines, TAB) : undefined) ??
    (tags !== undefined || call.listed === true ? (numbered(lines, BAR) ?? numbered(lines, COLON)) : undefined);
  if (listing === undefined) return undefined;
  const asked = call.lines ?? MOST_LINES;
  const toEnd =
    /end of file/i.test(listing.rest) ||
    (listing.lines.length < asked && !MORE.test(listing.rest.split('<system-reminder>', 1)[0] ?? ''));
  const { fromLine } = listing;
  if (!toEnd || call.shell === true) return { fromLine, lines: listing.lines, toEnd };
  // File tools number what stands between newlines, so a newline at the end shows as an empty line.
  const endsWithNewline = fromLine + listing.lines.length > 2 && listing.lines.at(-1) === '';
  return endsWithNewline
    ? { fromLine, lines: listing.lines.slice(0, -1), toEnd, endsWithNewline }
    : { fromLine, lines: listing.lines, toEnd, ...(call.numbered === true && { endsWithNewline }) };
}

/** A part of a file under a header that says which part it is. */
function truncatedLook(output: string): Look | undefined {
  const header =
    /^\s*IMPORTANT: [^\n]*truncated[^]{0,400}?lines (\d+)-(\d+) of (\d+)[^]{0,600}?\n--- FILE CONTENT[^\n]*---\n/i.exec(
      output,
    );
  if (header === null) return undefined;
  const lines = output.slice(header[0].length).split('\n');
  const fromLine = Number(header[1]);
  const count = Number(header[2]) - fromLine + 1;
  return { fromLine, lines: lines.slice(0, count).map(uncut), toEnd: header[2] === header[3] };
}

const NOTE = /\n\n?(?:\.\.\. \(|\[)[^\n]*(?:more lines|showing lines|truncated|offset=)[^\n]*[)\]]\s*$/i;

function plainLook(call: ReadCall, output: string): Look | undefined {
  if (WRAPPED.test(output)) return undefined;
  const fromLine = call.fromLine ?? 1;
  const cut = CUT_HERE.exec(output);
  if (cut !== null) {
    // The line in which the cut is made may itself be cut.
    const lines = output.slice(0, cut.index).split('\n').slice(0, -1);
    return lines.length === 0 ? undefined : { fromLine, lines: lines.map(uncut), toEnd: false };
  }
  const note = NOTE.exec(output);
  const lines = (note === null ? output : output.slice(0, note.index)).split('\n');
  const endsWithNewline = lines.at(-1) === '' && note === null;
  if (endsWithNewline) lines.pop();
  // Shell tools may trim blank lines at both ends of an output: then a part that came short begins nobody knows where.
  const trimmed = call.shell === true && !endsWithNewline;
  const short = call.lines !== undefined && lines.length < call.lines;
  if (trimmed && short && fromLine > 1) return undefined;
  const toEnd = note === null && (call.lines === undefined || (short && !trimmed));
  return {
    fromLine,
    lines: lines.map(uncut),
    toEnd,
    ...(toEnd && call.shell !== true && { endsWithNewline }),
  };
}

/** The line, or undefined where it may have been cut. */
function uncut(line: string): string | undefined {
  return line.length === LONGEST_LINE || CUT_LINE.test(line) ? undefined : line;
}

/** What a command printed, without what the tool puts around it; undefined where the command failed. */
function shellOutput(answer: string): string | undefined {
  let output = answer;
  let exit: string | undefined;
  if (/^\s*\{"output":/.test(answer)) {
    try {
      const told = JSON.parse(answer) as {
        readonly output?: unknown;
        readonly metadata?: { readonly exit_code?: unknown };
      };
      output = typeof told.output === 'string' ? told.output : '';
      exit = String(told.metadata?.exit_code ?? 0);
    } catch {
      return undefined;
    }
  } else {
    const header =
      /^(?:(?:chunk id|exit code|wall time|process exited|original token count|command|directory)[^\n]*\n)+(?:output|stdout):[ \n]/i.exec(
        answer,
      );
    if (header !== null) {
      output = answer.slice(header[0].length);
      exit = /exit(?:ed with)? code:? (\d+)/i.exec(header[0])?.[1];
    }
  }
  if (exit !== undefined && exit !== '0') return undefined;
  output = output.replace(/^(?:\/\S+\.sh: line \d+: [^\n]*\n)+/, '');
  return /^(?:[^\n]*\r\n)+[^\n]*$/.test(output) ? output.replace(/\r\n/g, '\n') : output;
}
