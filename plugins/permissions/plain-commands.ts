/**
 * Shell scripts of which every command is known for certain: plain words, quotes in which nothing is expanded, and the operators
 * between commands. On these the parser of the shell files reads exactly what a shell runs; all else is not judged by its parts.
 */
import { shellCommands } from '../../core/index';

/** A simple command of a script: its words without quotes, the program first, assignments before it included. */
export type PlainCommand = readonly string[];

const LONGEST = 10_000;
/** Characters that mean themselves in a word, wherever they stand. */
const PLAIN = String.raw`[\p{L}\p{N}_./:@%+,\-]`;
/** What means itself behind another character of its word only: at the start it expands. */
const INNER = String.raw`(?<=[\p{L}\p{N}_./@%+,\-])[~^=]`;
const QUOTED = String.raw`'[^']*'|"[^"\\$\x60!]*"`;
/** Output that goes nowhere or where the other output goes, and no input. Other redirections read and write files. */
const HARMLESS = String.raw`(?:[012]|(?<![012]))(?:>>?[ \t]*\/dev\/null|>&[12])(?=[\s;&|]|$)|<[ \t]*\/dev\/null(?=[\s;&|]|$)`;
const SCRIPT = new RegExp(`^(?:[ \\t\\n;&|]|${HARMLESS}|${PLAIN}|${INNER}|${QUOTED})*$`, 'u');
const PLAIN_WORD = new RegExp(`^(?:${PLAIN}|${INNER})+$`, 'u');

/** Words that are no commands at the start of one. */
const KEYWORDS = new Set(
  'if then else elif fi do done case esac while until for in select function time coproc'.split(' '),
);
/** Programs that run what their words say. */
const WRAPPERS = new Set(
  'sudo doas env command exec builtin nohup nice ionice timeout xargs stdbuf setsid busybox time find flock parallel watch chroot'.split(
    ' ',
  ),
);
/** Words behind a wrapper that are looked at. */
const MOST_WRAPPED = 100;
const SHELLS = /^(?:ba|da|z|k|a|fi)?sh$/;

/** The simple commands of a script, or undefined where a shell might run anything else. */
export function plainCommands(script: string): readonly PlainCommand[] | undefined {
  if (script.length > LONGEST || !SCRIPT.test(script)) return undefined;
  const commands: string[][] = [];
  for (const { words } of shellCommands(script)) {
    const command = words.filter((word) => word !== undefined);
    if (command.length < words.length) return undefined;
    if (command.length === 0) continue;
    if (KEYWORDS.has(command[0] ?? '') || runsScript(command)) return undefined;
    commands.push(command);
  }
  return commands.length === 0 ? undefined : commands;
}

/** A command as patterns are written: words between single blanks, in quotes where they need them. */
export function commandText(command: PlainCommand): string {
  return command
    .map((word) => (PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .join(' ');
}

/**
 * Other ways to write a command, by which it is refused: without assignments, the program without its folder, what a wrapper
 * such as `sudo` runs, quotes left out.
 */
export function aliasesOf(command: PlainCommand): readonly string[] {
  return startsOf(command).flatMap((words) => {
    const bare = withoutAssignments(words);
    const named = [programOf(bare), ...bare.slice(1)];
    return [words.join(' '), bare.join(' '), named.join(' '), commandText(named)];
  });
}

/** The command, and behind a wrapper each of its words as the start of the command that is run. */
function startsOf(command: PlainCommand): readonly PlainCommand[] {
  const own = withoutAssignments(command);
  return WRAPPERS.has(programOf(own)) ? own.map((_, at) => own.slice(at)) : [own];
}

/** Whether a command is a shell that is given a script, by itself or through a wrapper. */
function runsScript(command: PlainCommand): boolean {
  const starts = startsOf(command);
  return starts.length > MOST_WRAPPED || starts.some(isScriptedShell);
}

function isScriptedShell(words: PlainCommand): boolean {
  const [program, ...args] = withoutAssignments(words);
  const name = programOf([program ?? '']);
  if (name === 'eval') return true;
  return SHELLS.test(name) && (args.every((arg) => arg.startsWith('-')) || args.some((arg) => /^-\w*c/.test(arg)));
}

function withoutAssignments(words: PlainCommand): PlainCommand {
  const start = words.findIndex((word) => !/^\w+=/.test(word));
  return start === -1 ? [] : words.slice(start);
}

function programOf([program = '']: PlainCommand): string {
  return program.slice(program.lastIndexOf('/') + 1);
}
