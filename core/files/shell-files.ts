/** The files that simple shell commands show, write, change and remove: what agents do where they have a shell only. */
import type { FileCall } from './file-call';
import { parsePatch } from './patch';
import { shellCommands, type ShellCommand } from './shell-words';

/**
 * What a script, or an argument vector, does to files. A read is `mixed` unless the output of the whole script is the text
 * of that one file. What the shell would expand is left out. Never throws.
 *
 * @param workdir the folder that relative paths start from, if the call names one
 */
export function shellFileCalls(command: string | readonly string[], workdir?: string): readonly FileCall[] {
  const [program = '', flag = '', script = ''] = typeof command === 'string' ? [] : command;
  if (program === 'apply_patch') return parsePatch(flag).map((call) => within(workdir, call));
  if (/^(?:\/bin\/|\/usr\/bin\/)?(?:ba|z|da)?sh$/.test(program) && /^-l?c$/.test(flag))
    return shellFileCalls(script, workdir);
  const commands =
    typeof command === 'string' ? shellCommands(command) : [{ words: command, piped: false } satisfies ShellCommand];
  let folder = workdir;
  let outputs = 0;
  const calls: FileCall[] = [];
  for (let at = 0; at < commands.length; at++) {
    const { words, into, input, piped } = commands[at] as ShellCommand;
    const [name, ...rest] = words;
    if (name === 'cd' && rest.length === 1) {
      folder = rest[0] === undefined ? undefined : join(folder, rest[0]);
      continue;
    }
    if (name === 'apply_patch') {
      const patch = input ?? rest[0];
      if (patch !== undefined) calls.push(...parsePatch(patch).map((call) => within(folder, call)));
      continue;
    }
    if (into !== undefined) {
      const text = name === 'cat' && rest.length === 0 && !into.append ? input : undefined;
      if (into.path !== '/dev/null')
        calls.push(within(folder, { op: 'write', path: into.path, ...(text !== undefined && { text }) }));
      continue;
    }
    if (!piped) outputs++;
    const part = piped ? partOf(commands[at + 1]) : undefined;
    const found = commandCalls(name, rest, piped && part === undefined);
    if (part === undefined) calls.push(...found.map((call) => within(folder, call)));
    else {
      calls.push(...found.map((call) => within(folder, narrowed(call, part))));
      outputs++;
      at++;
    }
  }
  const reads = calls.filter(({ op }) => op === 'read').length;
  return outputs === 1 && reads === 1
    ? calls
    : calls.map((call) => (call.op === 'read' ? { ...call, mixed: true } : call));
}

/** A read whose output goes through a part of it; a part of a part is not followed. */
function narrowed(call: FileCall, part: Part): FileCall {
  if (call.op !== 'read') return call;
  return call.fromLine === undefined && call.lines === undefined ? { ...call, ...part } : { ...call, mixed: true };
}

const SHOW = new Set(['cat', 'nl', 'bat', 'batcat', 'less', 'more', 'type', 'gc', 'get-content']);

function commandCalls(
  name: string | undefined,
  args: readonly (string | undefined)[],
  mixed: boolean,
): readonly FileCall[] {
  const tool = name?.toLowerCase().replace(/^\/(?:usr\/)?bin\//, '');
  if (tool === undefined) return [];
  if (tool === 'sed') return sedCalls(args, mixed);
  if (tool === 'tee') return filesOf(args).map((path) => ({ op: 'write', path }));
  if (tool === 'rm') return filesOf(args).map((path) => ({ op: 'delete', path }));
  if (tool === 'mv' || (tool === 'git' && args[0] === 'mv')) {
    const [path, to, ...more] = filesOf(tool === 'mv' ? args : args.slice(1));
    return path !== undefined && to !== undefined && more.length === 0 ? [{ op: 'move', path, to }] : [];
  }
  const read = (path: string, part: Part | undefined): FileCall => ({
    op: 'read',
    path,
    shell: true,
    ...part,
    ...((mixed || part === undefined) && { mixed: true }),
  });
  if (tool === 'head' || tool === 'tail') {
    const part = tool === 'head' ? headOf(args) : undefined;
    return filesOf(args, ['-n', '-c']).map((path) => read(path, part));
  }
  if (!SHOW.has(tool)) return [];
  const whole = args.every((arg) => arg === undefined || !/^-(?:tail|totalcount|first|last|head)$/i.test(arg));
  const files = filesOf(args, ['-tail', '-totalcount', '-first', '-last', '-head', '-encoding']);
  return files.map((path) => read(path, whole ? {} : undefined));
}

type Part = { readonly fromLine?: number; readonly lines?: number };

/** The part of its input that `sed -n A,Bp` or `head -n N` shows; undefined for any other command. */
function partOf(command: ShellCommand | undefined): Part | undefined {
  if (command === undefined || command.into !== undefined || command.piped) return undefined;
  const [name, ...args] = command.words;
  if (name === 'head' && filesOf(args, ['-n', '-c']).length === 0) return headOf(args);
  if (name === 'sed' && args[0] === '-n' && args.length === 2) return rangeOf(args[1]);
  return undefined;
}

function headOf(args: readonly (string | undefined)[]): Part | undefined {
  if (args.some((arg) => arg?.startsWith('-c'))) return undefined;
  const at = args.indexOf('-n');
  const count =
    at === -1 ? args.find((arg) => arg !== undefined && /^-n?\d+$/.test(arg))?.replace(/^-n?/, '') : args[at + 1];
  return at === -1 && count === undefined
    ? { lines: 10 }
    : /^\d{1,9}$/.test(count ?? '')
      ? { lines: Number(count) }
      : undefined;
}

function rangeOf(script: string | undefined): Part | undefined {
  const range = /^(\d{1,9})(?:,(\d{1,9}|\$))?p$/.exec(script ?? '');
  if (range === null) return undefined;
  const fromLine = Number(range[1]);
  if (range[2] === '$') return { fromLine };
  const lines = (range[2] === undefined ? fromLine : Number(range[2])) - fromLine + 1;
  return fromLine >= 1 && lines >= 1 ? { fromLine, lines } : undefined;
}

function sedCalls(args: readonly (string | undefined)[], mixed: boolean): readonly FileCall[] {
  if (args.some((arg) => arg !== undefined && /^(?:-i|-[a-z]*i[a-z]*$|--in-place)/.test(arg))) {
    return filesOf(args, ['-e', '-f'])
      .slice(args.includes('-e') ? 0 : 1)
      .map((path) => ({ op: 'edit', path }));
  }
  const [script, ...files] = filesOf(args);
  const part = args[0] === '-n' ? rangeOf(script) : undefined;
  return files.map((path) => ({
    op: 'read',
    path,
    shell: true,
    ...part,
    ...((mixed || part === undefined) && { mixed: true }),
  }));
}

/** The words that are neither options nor the values of the options named. */
function filesOf(args: readonly (string | undefined)[], withValue: readonly string[] = []): readonly string[] {
  const files: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at];
    if (arg === undefined) continue;
    if (withValue.includes(arg.toLowerCase())) at++;
    else if (arg !== '' && !arg.startsWith('-')) files.push(arg);
  }
  return files;
}

function within(folder: string | undefined, call: FileCall): FileCall {
  if (folder === undefined || folder === '' || folder === '.') return call;
  const path = join(folder, call.path);
  return call.op === 'move' ? { ...call, path, to: join(folder, call.to) } : { ...call, path };
}

function join(folder: string | undefined, path: string): string {
  if (folder === undefined || folder === '' || folder === '.' || /^(?:[/\\~]|[a-z]:)/i.test(path)) return path;
  return `${folder.replace(/[/\\]+$/, '')}/${path}`;
}
