/**
 * The patterns of `[permissions]`: `tool` or `tool(subject)`. The subject is a path or a command, as the tool has it.
 *
 * ```
 * write_file              every call of the tool
 * *                       every call of every tool
 * read_file(src/**)       paths from the root down; /… is outside of it
 * run_command(npm test *) a simple command; every one of a script must fit
 * ```
 *
 * `*` is any text (in paths: within one part), `\*` the character itself. A pattern of commands names its tool in full.
 */
import { wildcard } from '../../core/index';
import { pathPattern } from './path-pattern';

export interface Pattern {
  /** As it is written. */
  readonly text: string;
  /** Whether it is of all calls of its tools. */
  readonly isWhole: boolean;
  /** Whether it names one tool; such a pattern may be of its commands. */
  readonly isNamed: boolean;
  isOf(tool: string): boolean;
  fitsPath(path: string): boolean;
  fitsCommand(command: string): boolean;
}

/** A pattern, or in half a sentence what is wrong with it. */
export function parsePattern(text: string): Pattern | string {
  const [, tool, subject] = /^([\w.:/*-]+)(?:\(([^]*)\))?$/.exec(text.trim()) ?? [];
  if (tool === undefined) return 'is no pattern; expected a tool, or a tool with a path or command in brackets';
  if (subject?.trim() === '') return 'has nothing in its brackets; leave them out to mean every call of the tool';
  return {
    text,
    isWhole: subject === undefined,
    isNamed: !tool.includes('*'),
    isOf: wildcard(tool),
    fitsPath: pathPattern(subject?.trim() ?? '**'),
    fitsCommand: commandPattern(subject?.trim() ?? '*'),
  };
}

/** A pattern that ends with ` *` is also of the command without arguments. */
function commandPattern(subject: string): (command: string) => boolean {
  const fits = wildcard(subject);
  const alone = subject.endsWith(' *') ? wildcard(subject.slice(0, -2)) : undefined;
  return (command) => fits(command) || alone?.(command) === true;
}
