/** Lines of a history that may be quoted for the names in them: what was put into files, run, printed and said (S9.8). */
import { fileCalls, oneLine, type Json } from '../../../../core/index';
import type { Entry } from './pages';
import { planOf } from './plan-entries';
import { isTelling, proseLines, shorten } from './prose';
import { commandKey, errorLine, isLooking, verdictOf } from './commands';
import type { Call } from './turns';
import { userWords } from './user-words';

/** Where a line comes from: a file, or one of these. */
export const SOURCES = { commands: 'Commands', output: 'Output', user: 'User', agent: 'Agent' } as const;

/** Whether a source is one of these rather than a file. */
export function isPlace(source: string): boolean {
  return Object.values(SOURCES).some((place) => place === source);
}

/** A line and where it stood. */
export interface QuotableLine {
  /** Path of a file, or one of {@link SOURCES}. */
  readonly source: string;
  readonly text: string;
  /** Number of the item; lines of an earlier summary stand before the first. */
  readonly number: number;
  /** What the line is about beside the names in it. */
  readonly key?: string;
}

/** Characters of a line that is looked at; longer ones are data. */
const LONGEST_LINE = 1000;

/** The lines of a message of the user or the agent. */
export function linesSaid({ kind, text, number }: Entry): readonly QuotableLine[] {
  if (kind === 'user')
    return [
      ...quotable(userWords(text).split('\n'), SOURCES.user, number),
      ...quotable(printedIn(text).filter(isNoProse), SOURCES.output, number),
    ];
  return kind === 'assistant' ? quotable(proseLines(text), SOURCES.agent, number) : [];
}

/** Output of commands that the user ran, which harnesses put into messages. */
function printedIn(text: string): readonly string[] {
  return ['bash-stdout', 'bash-stderr', 'local-command-stdout'].flatMap((tag) => {
    const start = text.indexOf(`<${tag}>`);
    return start === -1 ? [] : (text.slice(start + tag.length + 2).split(`</${tag}>`, 1)[0] ?? '').split('\n');
  });
}

/** The files that a call touches or may look into: what it puts out may be what they hold. */
export function pathsOf({ entry, command, script = '' }: Call): readonly string[] {
  const touched = entry.touches.map(({ path }) => path);
  if (command === undefined || !isLooking(command)) return touched;
  return [...touched, ...wordsOf(script).filter((word) => /[./]/.test(word) && /\w/.test(word))];
}

/** The lines of a call and its result; of the call alone where its `hidden` result is not to be shown. */
export function linesDone(call: Call, hidden: boolean): readonly QuotableLine[] {
  const result = hidden ? undefined : call.result;
  const shown = result === undefined ? [] : linesShown(result, fileShown(call));
  const put = fileCalls(call.entry.tool, call.entry.args).flatMap((one) => {
    const path = call.entry.touches.find((touched) => one.path.endsWith(touched.path))?.path ?? one.path;
    return quotable(linesPut(one), path, call.entry.number);
  });
  return [...put, ...linesRun({ ...call, result }), ...shown];
}

/** The one file that a result shows parts of: the one that was read, or the only one that a command looks into. */
function fileShown({ entry, command, script = '' }: Call): string | undefined {
  const [touch, ...more] = entry.touches;
  if (touch !== undefined) return touch.access === 'read' && more.length === 0 ? touch.path : undefined;
  if (command === undefined || !isLooking(command) || script.includes('\n')) return undefined;
  const [file, ...others] = new Set(wordsOf(script).filter((word) => FILE.test(word)));
  return others.length === 0 ? file : undefined;
}

/** A path in a folder with a suffix. */
const FILE = /^[^*?$\\]*\/[^*?$\\/]*\w\.[a-z]\w{0,7}$/i;

/** The words of a script, without quotation marks. */
function wordsOf(script: string): readonly string[] {
  return script.slice(0, LONGEST_LINE).split(/[\s'"|;&<>]+/);
}

/** What a call puts into a file. */
function linesPut(call: ReturnType<typeof fileCalls>[number]): readonly string[] {
  switch (call.op) {
    case 'edit':
      return (call.edits ?? []).flatMap((edit) => edit.new.split('\n'));
    case 'patch':
      return call.hunks.flatMap((hunk) => hunk.new);
    case 'insert':
      return call.text.split('\n');
    case 'write':
      return call.text?.split('\n') ?? [];
    case 'read':
    case 'delete':
    case 'move':
      return [];
  }
}

/** The command of a call with its outcome and the other lines of its script; of another call that touches no file its arguments. */
function linesRun({ entry, script, command, result, failed }: Call): readonly QuotableLine[] {
  if (script === undefined || command === undefined) {
    if (entry.touches.length > 0 || planOf(entry) !== undefined) return [];
    return quotable([`${entry.tool} ${wordsIn(entry.args).join(' ')}`], SOURCES.commands, entry.number);
  }
  const [first = '', ...rest] = script.split('\n').filter((line) => line.trim() !== '');
  const outcome = result === undefined ? '' : failed ? errorLine(result.text, 80) : verdictOf(result.text);
  const run = `${shorten(oneLine(first), 160)}${outcome === '' ? '' : ` → ${shorten(outcome, 80)}`}`;
  return [
    { source: SOURCES.commands, text: run, number: entry.number, key: commandKey(command) },
    ...(entry.touches.length > 0 ? [] : quotable(rest, SOURCES.output, entry.number)),
  ];
}

/** Strings among arguments, as far as they are short. */
function wordsIn(args: Json): readonly string[] {
  if (typeof args === 'string') return args.length > 200 ? [] : [oneLine(args)];
  return typeof args === 'object' && args !== null ? Object.values(args as Record<string, Json>).flatMap(wordsIn) : [];
}

/** `src/a.ts:12: text` or `src/a.ts:text` of a search, `src/a.ts-12- text` of what stands around a find. */
const FOUND = [
  /^([^\s:'"]{1,200}):\d{1,6}:(.*)$/,
  /^([\w@~.][^\s:'"]{0,200}\/[^\s:'"/)]{1,80}|\.[\w.-]{1,80}):(?!\/\/)(.*)$/,
  /^([^\s:'"]{1,200}\.\w{1,8})-\d{1,6}-(.*)$/,
];
/** The number that a reading puts before a line. */
const NUMBERED = /^\s*\d{1,6}(?:→|\t|\||:)/;

/** What a result shows. Prose is left out: what tools print is no place to be told something (S9.4). */
function linesShown(result: Entry, path: string | undefined): readonly QuotableLine[] {
  return result.text.split('\n').flatMap((line) => {
    const isShort = path === undefined && line.length < LONGEST_LINE;
    const [, found, text] = (isShort && FOUND.map((form) => form.exec(line)).find((match) => match !== null)) || [];
    const said = found === undefined ? line.replace(NUMBERED, '') : (text ?? '');
    return isNoProse(said) ? quotable([said], found ?? path ?? SOURCES.output, result.number) : [];
  });
}

/** Whether a line does not read as a sentence, that is, as words in a row and nothing of code. */
function isNoProse(line: string): boolean {
  const words = line.match(/\p{Ll}{2,}(?=\s)/gu)?.length ?? 0;
  return words < 4 || !isTelling(line.trim()) || /[{};=]|\(\S*\)|=>|::/.test(line);
}

function quotable(lines: readonly string[], source: string, number: number): readonly QuotableLine[] {
  return lines.flatMap((line) => {
    const text = line.length > LONGEST_LINE ? '' : oneLine(line).replace(/^[-*•+>]\s+/u, '');
    return text.length < 4 || text.startsWith('[…') ? [] : [{ source, text, number }];
  });
}
