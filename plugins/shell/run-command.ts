/** The tool `run_command`: runs a command, follows it, and says how it ended. */
import { stat } from 'node:fs/promises';
import { isAbsolute, sep } from 'node:path';
import { defineTool, messageOf, oneLine } from '../../core/index';
import type { FileSource, Tokenizer, Tool, ToolResult, ToolRun } from '../../core/index';
import type { Recall } from '../recall/token';
import { CappedOutput } from './capped-output';
import { PlainOutput } from './plain-output';
import type { CommandEnd, ProcessGroups } from './process-groups';

/** Milliseconds between two reports of progress. */
const PROGRESS_MS = 250;
/** Characters of a command in its summary. */
const SHOWN_COMMAND = 120;

/** What the tool works with. */
export interface ShellParts {
  readonly groups: ProcessGroups;
  readonly files: FileSource;
  readonly tokenizer: Tokenizer;
  /** The program that runs commands, by `-c`. */
  readonly shell: string;
  readonly timeoutSeconds: number;
  readonly maxTimeoutSeconds: number;
  readonly outputTokens: number;
  environment(): NodeJS.ProcessEnv;
  mask(text: string): string;
  /** Where output beyond the bound is kept, if anywhere. */
  recallOf(session: ToolRun['session']): Recall | undefined;
}

interface RunArguments {
  readonly command: string;
  readonly timeout_seconds?: number;
  readonly cwd?: string;
}

/** Makes the tool. */
export function runCommandTool(parts: ShellParts): Tool {
  const { timeoutSeconds, maxTimeoutSeconds } = parts;
  return defineTool({
    name: 'run_command',
    description:
      'Runs a shell command and returns its output, standard error included. The command has no input and no terminal. ' +
      'Of long output beginning and end are shown. What it starts in the background goes on after it.',
    kind: 'exec',
    input: {
      type: 'object',
      properties: {
        command: { type: 'string', minLength: 1, description: 'The command, as a shell takes it.' },
        timeout_seconds: {
          type: 'number',
          exclusiveMinimum: 0,
          maximum: maxTimeoutSeconds,
          description: `Seconds after which it is ended; ${String(timeoutSeconds)} by default.`,
        },
        cwd: { type: 'string', minLength: 1, description: 'The folder to run it in; the root by default.' },
      },
      required: ['command'],
      additionalProperties: false,
    },
    run: (args, run) => runCommand(parts, args as unknown as RunArguments, run),
  });
}

async function runCommand(parts: ShellParts, args: RunArguments, run: ToolRun): Promise<ToolResult> {
  const { command, timeout_seconds: timeout = parts.timeoutSeconds, cwd } = args;
  const folder = await folderOf(parts.files, cwd ?? '.');
  if ('problem' in folder) return { summary: `Error: ${folder.problem}`, isError: true };
  const plain = new PlainOutput();
  const output = new CappedOutput(parts.outputTokens);
  let told = performance.now();
  const onOutput = (bytes: Buffer): void => {
    output.add(plain.write(bytes));
    if (performance.now() - told < PROGRESS_MS || run.signal.aborted) return;
    told = performance.now();
    if (output.lastLine !== '') run.progress(parts.mask(output.lastLine));
  };
  let end: CommandEnd;
  try {
    end = await parts.groups.run({
      shell: parts.shell,
      command,
      cwd: folder.path,
      env: parts.environment(),
      timeoutMs: timeout * 1000,
      signal: run.signal,
      onOutput,
    });
  } catch (thrown) {
    return { summary: `Error: the command could not be started: ${messageOf(thrown)}`, isError: true };
  }
  output.add(plain.end());
  return resultOf(parts, args.command, output, end, parts.recallOf(run.session));
}

/** The folder to run in, which is the root or below it, wherever links lead. */
async function folderOf(
  files: FileSource,
  cwd: string,
): Promise<{ readonly path: string } | { readonly problem: string }> {
  const root = files.canonical('.');
  const path = files.canonical(cwd);
  if (!isAbsolute(root)) return { problem: 'commands need a folder on disk, and the files of this agent are in none.' };
  if (path !== root && !path.startsWith(root.endsWith(sep) ? root : root + sep))
    return { problem: `${oneLine(cwd)} lies outside of the root; commands run inside of it.` };
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isFolder ? { path } : { problem: `there is no folder ${oneLine(cwd)}.` };
}

async function resultOf(
  { tokenizer }: ShellParts,
  command: string,
  output: CappedOutput,
  end: CommandEnd,
  recall: Recall | undefined,
): Promise<ToolResult> {
  const isError = end.cause !== 'exited' || end.exitCode !== 0;
  const ended = endText(end);
  const line = oneLine(command);
  const shown = line.length > SHOWN_COMMAND ? `${line.slice(0, SHOWN_COMMAND).toWellFormed()}…` : line;
  const summary = `\`${shown}\`: ${ended}, ${output.characters === 0 ? 'no output' : plural(output.lines, 'line')}`;
  if (output.characters === 0) return { summary, ...(isError && { isError }) };
  const { head, tail, leftOut } = output.shown(tokenizer);
  const parts = [head.trimEnd()];
  if (leftOut !== undefined) {
    const { pieces, isAll } = output.kept;
    // a full disk must not cost the part that is shown
    const id = await recall?.keep({ title: summary, pieces }).catch(() => undefined);
    const how = id === undefined ? '' : `; recall_read("${id}") shows ${isAll ? 'all of it' : 'the first 10 MB'}`;
    const lines = leftOut.lines > 0 ? `${plural(leftOut.lines, 'line')}, ` : '';
    parts.push(`[… ${lines}${plural(leftOut.characters, 'character')} left out${how} …]`, tail.trimEnd());
  }
  return { summary, content: [...parts, `[${ended}]`].join('\n'), ...(isError && { isError }) };
}

/** `exit code 1 after 3.2 s`. */
function endText({ cause, exitCode, signal, goesOn, durationMs }: CommandEnd): string {
  const how =
    cause === 'timed-out'
      ? 'timed out and was ended'
      : cause === 'aborted'
        ? 'aborted'
        : signal === null
          ? `exit code ${String(exitCode)}`
          : `ended by ${signal}`;
  const left = goesOn ? ', something that it started goes on' : '';
  return `${how} after ${(durationMs / 1000).toFixed(durationMs < 9950 ? 1 : 0)} s${left}`;
}

function plural(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
}
