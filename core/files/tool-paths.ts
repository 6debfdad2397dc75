/**
 * The files that a tool call touches (S7.4): what the file tools of the common agents are called, and under which argument
 * they take a path. Tools that are not known here declare their paths themselves.
 */
import type { Json } from '../session/items';
import type { FileCall, Replacement } from './file-call';
import { parsePatch, parseSearchReplace } from './patch';
import { shellFileCalls } from './shell-files';

/** A file that a call touches; `offset` is a 1-based line, `limit` a number of lines, both only for reads of a part. */
export interface TouchedPath {
  readonly path: string;
  readonly access: 'read' | 'write' | 'edit';
  readonly offset?: number;
  readonly limit?: number;
}

/** The files that a call of a known tool touches, in order; empty for unknown tools and senseless arguments. Never throws. */
export function pathsOfCall(name: string, args: Json): readonly TouchedPath[] {
  return fileCalls(name, args).flatMap((call): readonly TouchedPath[] => {
    switch (call.op) {
      case 'read':
        return [
          {
            path: call.path,
            access: 'read',
            ...(call.fromLine !== undefined && { offset: call.fromLine }),
            ...(call.lines !== undefined && { limit: call.lines }),
          },
        ];
      case 'write':
      case 'delete':
        return [{ path: call.path, access: 'write' }];
      case 'move':
        return [
          { path: call.path, access: 'write' },
          { path: call.to, access: 'write' },
        ];
      case 'edit':
      case 'insert':
      case 'patch':
        return [{ path: call.path, access: 'edit' }];
    }
  });
}

type Kind = 'read' | 'write' | 'edit' | 'command' | 'patch' | 'shell' | 'delete' | 'move';

/** Tool names in lower case without `_` and `-`, and without the server prefix of MCP tools. */
const KINDS: ReadonlyMap<string, Kind> = new Map([
  ...kind('read', 'read readfile readfiles readmanyfiles readmultiplefiles readtextfile fileread viewfile view'),
  ...kind('read', 'open openfile getfilecontents notebookread'),
  ...kind('write', 'write writefile writetofile filewrite create createfile savefile'),
  ...kind(
    'edit',
    'edit editfile fileedit multiedit notebookedit replace replaceinfile strreplace searchreplace editor',
  ),
  ...kind('command', 'strreplaceeditor strreplacebasededittool texteditor fileeditor fswrite fsread'),
  ...kind('patch', 'applypatch'),
  ...kind('shell', 'bash shell shellcommand execcommand localshell runshellcommand executebash executecommand'),
  ...kind('shell', 'runcommand runcommands runterminalcmd runinterminal terminal run'),
  ...kind('delete', 'deletefile removefile'),
  ...kind('move', 'movefile renamefile'),
]);

function kind(of: Kind, names: string): (readonly [string, Kind])[] {
  return names.split(' ').map((name) => [name, of] as const);
}

/** What a call of a known tool does to files, with the contents that its arguments tell. Never throws. */
export function fileCalls(name: string, args: Json): readonly FileCall[] {
  return callsOf(name, args).filter((call) => isPath(call.path) && (call.op !== 'move' || isPath(call.to)));
}

function callsOf(name: string, args: Json): readonly FileCall[] {
  const own = name.split('__').pop() ?? name;
  const plain = own.toLowerCase().replace(/[_-]/g, '');
  const known = KINDS.get(plain);
  if (known === undefined) return [];
  const given = typeof args === 'string' ? parsed(args) : args;
  if (known === 'patch') return typeof args === 'string' && !isFields(given) ? parsePatch(args) : patchCalls(given);
  if (!isFields(given)) return [];
  switch (known) {
    case 'read':
      return readCalls(own, given);
    case 'write':
      return pathOf(given).map((path) => ({ op: 'write', path, ...textOf(given) }));
    case 'edit':
      return pathOf(given).map((path) => editCall(path, given));
    case 'command':
      return commandCalls(given);
    case 'shell':
      return shellCalls(given);
    case 'delete':
      return pathOf(given).map((path) => ({ op: 'delete', path }));
    case 'move':
      return moveCalls(given);
  }
}

type ReadCall = Extract<FileCall, { op: 'read' }>;
type Fields = Readonly<Record<string, Json>>;

const PATH_KEYS =
  'file_path filePath path absolute_path filename file_name target_file relative_path notebook_path file uri'.split(
    ' ',
  );
const OLD_KEYS = 'old_string oldString old_text oldText old_str search old'.split(' ');
const NEW_KEYS = 'new_string newString new_text newText new_str replace new'.split(' ');
const TEXT_KEYS = 'content file_text contents text new_source'.split(' ');

function readCalls(tool: string, args: Fields): readonly ReadCall[] {
  const several = args.files ?? args.paths ?? args.file_paths;
  if (Array.isArray(several)) {
    return (several as readonly Json[])
      .flatMap((entry) =>
        typeof entry === 'string' ? readCalls(tool, { path: entry }) : isFields(entry) ? readCalls(tool, entry) : [],
      )
      .map((call) => ({ ...call, listed: true }) as const);
  }
  const fromLine = firstLineOf(tool, args);
  const end = lineOf(args.end_line ?? args.endLine ?? args.end);
  const lines = lineOf(args.limit) ?? (end === undefined ? undefined : end - (fromLine ?? 1) + 1);
  return pathOf(args).map((path) => ({
    op: 'read',
    path,
    ...(fromLine !== undefined && { fromLine }),
    ...(lines !== undefined && lines > 0 && { lines }),
    ...(tool === 'Read' && { numbered: true }),
  }));
}

/** The first line that a read asks for. Tools that take an absolute or a `file_path` to `read_file` count lines from 0. */
function firstLineOf(tool: string, args: Fields): number | undefined {
  const start = lineOf(args.start_line ?? args.startLine ?? args.start);
  if (start !== undefined) return start;
  const offset = typeof args.offset === 'number' && Number.isSafeInteger(args.offset) ? args.offset : undefined;
  const fromZero = tool === 'read_file' && args.path === undefined;
  return offset === undefined ? undefined : Math.max(1, fromZero ? offset + 1 : offset);
}

/** The tools that take a `command`: view, create, str_replace, insert, undo_edit. */
function commandCalls(args: Fields): readonly FileCall[] {
  return pathOf(args).map((path): FileCall => {
    switch (args.command) {
      case 'create':
      case 'write':
        return { op: 'write', path, ...textOf(args) };
      case 'view':
      case 'read':
      case undefined: {
        const [from, to] = Array.isArray(args.view_range) ? (args.view_range as readonly Json[]) : [];
        const fromLine = lineOf(from);
        const toLine = lineOf(to);
        const lines = fromLine !== undefined && toLine !== undefined ? toLine - fromLine + 1 : undefined;
        return {
          op: 'read',
          path,
          ...(fromLine !== undefined && { fromLine }),
          ...(lines !== undefined && lines > 0 && { lines }),
        };
      }
      default:
        return editCall(path, args);
    }
  });
}

function editCall(path: string, args: Fields): FileCall {
  if (Array.isArray(args.edits)) {
    const edits = (args.edits as readonly Json[]).map((edit) => (isFields(edit) ? replacementOf(edit) : undefined));
    return edits.every((edit) => edit !== undefined) ? { op: 'edit', path, edits } : { op: 'edit', path };
  }
  if (typeof args.diff === 'string') return { op: 'edit', path, ...parseSearchReplace(args.diff) };
  const afterLine = args.insert_line;
  const inserted = text(args, [...NEW_KEYS, 'insert_text']);
  if (typeof afterLine === 'number' && afterLine >= 0 && inserted !== undefined) {
    return { op: 'insert', path, afterLine, text: inserted };
  }
  const edit = replacementOf(args);
  if (edit === undefined) return { op: 'edit', path };
  return edit.old === '' ? { op: 'write', path, text: edit.new } : { op: 'edit', path, edits: [edit] };
}

/** A replacement; without an old text the whole file is what is new. */
function replacementOf(args: Fields): Replacement | undefined {
  const fresh = text(args, NEW_KEYS);
  if (fresh === undefined) return undefined;
  return { old: text(args, OLD_KEYS) ?? '', new: fresh, all: (args.replace_all ?? args.replaceAll) === true };
}

function patchCalls(args: Json): readonly FileCall[] {
  if (!isFields(args)) return [];
  const patch = text(args, ['input', 'patch', 'patchText', 'patch_text']);
  return patch === undefined ? [] : parsePatch(patch);
}

function shellCalls(args: Fields): readonly FileCall[] {
  const commands = args.command ?? args.cmd ?? args.commands ?? args.script;
  const folder = args.workdir ?? args.cwd ?? args.dir_path;
  const workdir = typeof folder === 'string' ? folder : undefined;
  if (typeof commands === 'string') return shellFileCalls(commands, workdir);
  if (!Array.isArray(commands)) return [];
  const words = (commands as readonly Json[]).filter((word) => typeof word === 'string');
  if (args.commands !== undefined) {
    const calls = words.flatMap((command) => shellFileCalls(command, workdir));
    return words.length === 1 ? calls : calls.map((call) => (call.op === 'read' ? { ...call, mixed: true } : call));
  }
  return shellFileCalls(words, workdir);
}

function moveCalls(args: Fields): readonly FileCall[] {
  const from = text(args, ['source', 'from', 'old_path', ...PATH_KEYS]);
  const to = text(args, ['destination', 'to', 'new_path']);
  return from !== undefined && to !== undefined ? [{ op: 'move', path: from, to }] : [];
}

function pathOf(args: Fields): readonly string[] {
  const path = text(args, PATH_KEYS);
  return path === undefined ? [] : [path];
}

function isPath(path: string): boolean {
  return path.trim() !== '' && path.length <= 4096 && !/[\0\r\n*]|^\w+:\/\//.test(path);
}

function textOf(args: Fields): { text?: string } {
  const found = text(args, TEXT_KEYS);
  return found === undefined ? {} : { text: found };
}

function text(args: Fields, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = Object.hasOwn(args, key) ? args[key] : undefined;
    if (typeof value === 'string') return value;
  }
  return undefined;
}

function lineOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 ? value : undefined;
}

function parsed(args: string): Json {
  if (!args.trimStart().startsWith('{')) return args;
  try {
    return JSON.parse(args) as Json;
  } catch {
    return args;
  }
}

function isFields(value: Json | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
