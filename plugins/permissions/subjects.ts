/** What a call is about, in the terms of patterns: the commands that it runs, the files that it touches, or just the tool. */
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import type { FileSource, Tool } from '../../core/index';
import { aliasesOf, commandText, plainCommands } from './plain-commands';

/** One thing that a call would do. All of a call's subjects must be allowed. */
export interface Subject {
  /** A script is a command that cannot be taken apart for certain. */
  readonly about: 'command' | 'script' | 'path' | 'tool';
  /** What it is called; every name must be allowed. */
  readonly names: readonly string[];
  /** Further names by which it can be asked about or denied. */
  readonly aliases: readonly string[];
}

/** Arguments under which tools take a command, and those under which they take a path. */
const COMMAND_KEYS = ['command', 'cmd', 'commands', 'script'];
const PATH_KEYS = ['path', 'file_path', 'filePath', 'absolute_path', 'file', 'filename', 'folder', 'directory'];

/** A call of which nothing but the tool is known. */
const TOOL: Subject = { about: 'tool', names: [], aliases: [] };

/** The subjects of a call, at least one. `args` are those that the tool runs with. */
export function subjectsOf(tool: Tool, args: unknown, files: FileSource): readonly Subject[] {
  const commands = tool.kind === 'exec' ? valuesIn(args, COMMAND_KEYS) : [];
  if (commands.length > 0)
    return commands.flatMap((command) => (typeof command === 'string' ? subjectsOfScript(command) : [TOOL]));
  const declared = tool.paths(args);
  // a tool that lists a folder declares none, but takes one
  const paths = declared.length > 0 ? declared : valuesIn(args, PATH_KEYS).filter((value) => typeof value === 'string');
  if (paths.length === 0) return [TOOL];
  return paths.map((path) => ({ about: 'path', names: namesOfPath(path, files), aliases: [] }));
}

function subjectsOfScript(script: string): readonly Subject[] {
  const commands = plainCommands(script);
  if (commands === undefined) return [{ about: 'script', names: [script], aliases: [] }];
  return commands.map((words) => ({ about: 'command', names: [commandText(words)], aliases: aliasesOf(words) }));
}

function valuesIn(args: unknown, keys: readonly string[]): readonly unknown[] {
  const fields = (args ?? {}) as Readonly<Record<string, unknown>>;
  return keys.flatMap((key) => (Object.hasOwn(fields, key) && fields[key] !== undefined ? [fields[key]] : []));
}

/**
 * The file that a path leads to, and the path itself behind the links of its folder: they differ where it is a link or one
 * of several names of a file. Relative to the root when inside, the root itself is `.`. Paths that are not of a disk have
 * one name.
 */
function namesOfPath(path: string, files: FileSource): readonly string[] {
  const root = files.canonical('.');
  if (!isAbsolute(root)) return [files.display(path)];
  const place = resolve(root, path);
  const folder = files.canonical(dirname(place));
  const written = place === root ? root : resolve(folder, basename(place));
  return [...new Set([files.canonical(path), written].map((name) => shown(root, name)))];
}

function shown(root: string, path: string): string {
  if (path === root) return '.';
  const inside = path.startsWith(root.endsWith(sep) ? root : root + sep);
  return (inside ? relative(root, path) : path).split(sep).join('/');
}
