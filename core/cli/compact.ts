/** `pith compact FILE` (S12.1): a session file of any known format becomes a smaller context, with a report of what became of it. */
import type { CompactionOutcome } from '../agent/compaction';
import { Option } from 'commander';
import type { Command } from 'commander';
import { PithError } from '../errors';
import { WRITERS } from '../formats';
import type { ContextWriter } from '../formats';
import { compactJson } from './compact-json';
import { printCompact } from './compact-report';
import { runCompact } from './compact-run';
import type { CompactRequest } from './compact-run';
import { EXIT } from './exit-code';
import { folderOf, jsonOption, pluginOptions, sessionOptions, tokensOf } from './options';
import { openOutput } from './output-file';
import { pageOf } from './session-report';
import type { Terminal } from './terminal';
import { transportOptions } from './transport-options';

interface CompactFlags extends Omit<CompactRequest, 'file'> {
  readonly out?: string;
  readonly to?: ContextWriter['name'];
  readonly html?: string;
  readonly json?: true;
}

/** The heading of the options that say how a worker in another process is reached. */
const FOR_REMOTE = 'Options for --worker remote:';

export function define(command: Command, terminal: Terminal): void {
  const own = jsonOption(pluginOptions(sessionOptions(command)))
    .option('--root <DIR>', 'where the files of the session are; else their contents as last seen in it', folderOf)
    .option('--retained-tokens <N>', 'newest tokens that are carried over word for word', tokensOf)
    .option('--auto-read-budget <N>', 'tokens of files whose contents stand in the new context', tokensOf)
    .addOption(new Option('--worker <NAME>', 'who writes the summary').choices(['offline', 'llm', 'remote']))
    .option('--out <FILE>', 'write the new context to a file')
    .addOption(
      new Option('--to <SHAPE>', 'the shape of --out (default: pith)').choices(WRITERS.map(({ name }) => name)),
    )
    .option('--html <FILE>', 'write a report with charts to a file, as a page for a browser');
  transportOptions(own.optionsGroup(FOR_REMOTE)).action(async (file: string, flags: CompactFlags) => {
    const isGiven = (option: Option): boolean => command.getOptionValueSource(option.attributeName()) === 'cli';
    const connection = command.options.find((option) => option.helpGroupHeading === FOR_REMOTE && isGiven(option));
    requireUsable(flags, connection?.long);
    process.exitCode = await compact(file, flags, terminal);
  });
}

/** Outcomes after which all is well: the context is smaller now, or there was nothing to gain. */
const HARMLESS: ReadonlySet<CompactionOutcome> = new Set(['done', 'nothing-to-do', 'inflated']);

async function compact(file: string, flags: CompactFlags, terminal: Terminal): Promise<number> {
  if (flags.to !== undefined && flags.out === undefined)
    throw new PithError('PITH_USAGE', '--to needs --out FILE to write to');
  const output = flags.out === undefined ? undefined : openOutput(flags.out, file);
  const page = flags.html === undefined ? undefined : openOutput(flags.html, file, '--html');
  if (page !== undefined && page.path === output?.path)
    throw new PithError('PITH_USAGE', '--out and --html name the same file; give each its own');
  const run = await runCompact({ ...flags, file }, terminal);
  const isDone = HARMLESS.has(run.report.outcome);
  if (isDone) output?.write(written(run.context, flags.to ?? 'pith'));
  if (flags.json) terminal.printJson(compactJson(run));
  else printCompact(run, terminal);
  if (isDone && output !== undefined) terminal.note(`wrote ${flags.out ?? ''} (${flags.to ?? 'pith'})`);
  if (page === undefined) return isDone ? EXIT.done : EXIT.failed;
  // What came to nothing is worth looking at as well.
  page.write(pageOf(run.session));
  terminal.note(`wrote ${flags.html ?? ''} (report)`);
  return isDone ? EXIT.done : EXIT.failed;
}

/** Throws `PITH_NOT_AVAILABLE` for a worker that needs a model, `PITH_USAGE` for a connection by which no worker is asked. */
function requireUsable({ worker }: CompactFlags, connection: string | undefined): void {
  if (worker === 'llm')
    throw new PithError(
      'PITH_NOT_AVAILABLE',
      '--worker llm is not part of this version; use --worker offline or remote',
    );
  if (connection !== undefined && worker !== 'remote')
    throw new PithError('PITH_USAGE', `${connection} needs --worker remote`);
}

/** The context in a shape, as the text of a file. */
function written(context: Parameters<ContextWriter['write']>[0], shape: ContextWriter['name']): string {
  const value = WRITERS.find(({ name }) => name === shape)?.write(context);
  return typeof value === 'string' ? value : `${JSON.stringify(value, undefined, 2)}\n`;
}
