/** `pith inspect FILE` (S12.2): how the context of a session filled. */
import type { Command } from 'commander';
import { PRUNE } from '../../plugins/prune/token';
import { inspectSession } from '../agent/inspect';
import type { Inspection } from '../agent/inspect';
import { pastCompactions } from '../agent/past-compactions';
import type { PastCompaction } from '../agent/past-compactions';
import { PithError } from '../errors';
import { TOKENIZER } from '../tokens/tokenizer';
import { EXIT } from './exit-code';
import { printCompaction } from './inspect-compaction';
import { printInspection } from './inspect-report';
import { counted } from './layout';
import type { SourceFacts } from './opened-session';
import { folderOf, jsonOption, ordinalOf, pluginOptions, sessionOptions } from './options';
import { openOutput } from './output-file';
import type { OutputFile } from './output-file';
import { openAtWork } from './session-at-work';
import type { SessionAtWork, SessionRequest } from './session-at-work';
import { pageOf, reportAtWork } from './session-report';
import { serviceOf } from './started-plugins';
import type { Terminal } from './terminal';

/** `pith.inspect/1` (S12.2); `compaction` only where one was asked for. */
export interface InspectJson extends Inspection {
  readonly schema: 'pith.inspect/1';
  readonly source: SourceFacts;
  readonly compaction?: PastCompaction & { readonly compaction: number };
}

interface InspectFlags extends Omit<SessionRequest, 'file'> {
  readonly compaction?: number;
  readonly html?: string;
  readonly json?: true;
}

export function define(command: Command, terminal: Terminal): void {
  jsonOption(pluginOptions(sessionOptions(command)))
    .option(
      '--compaction <N>',
      'one compaction of the session: its input, worker calls, summary and refusals',
      ordinalOf,
    )
    .option('--root <DIR>', 'where the files of the session are; paths are shown relative to it', folderOf)
    .option('--html <FILE>', 'write a report with charts to a file, as a page for a browser')
    .action(async (file: string, flags: InspectFlags) => {
      const page = flags.html === undefined ? undefined : openOutput(flags.html, file, '--html');
      terminal.progress('reading the session');
      const work = await openAtWork({ ...flags, file }, {}, terminal);
      try {
        inspect(work, flags, page, terminal);
      } finally {
        await work.close();
      }
      process.exitCode = EXIT.done;
    });
}

function inspect(
  work: SessionAtWork,
  { compaction: number, json, html }: InspectFlags,
  page: OutputFile | undefined,
  terminal: Terminal,
): void {
  const { opened, kernel, files } = work;
  const { session, facts } = opened;
  const compactions = pastCompactions(session);
  const chosen = number === undefined ? undefined : compactionAt(number, compactions, facts);
  const isWhole = json !== true && chosen === undefined;
  if (chosen === undefined || page !== undefined) terminal.progress('counting tokens');
  if (json === true) {
    const inspection = inspectSession(session, { tokenizer: kernel.get(TOKENIZER), files });
    terminal.printJson(inspectJson(facts, inspection, chosen));
  } else if (chosen !== undefined) printCompaction(work, chosen, terminal);
  if (!isWhole && page === undefined) return;
  const prune = serviceOf(kernel, PRUNE)?.evaluate(session);
  const report = reportAtWork(work, prune, number);
  if (isWhole) printInspection({ work, report, compactions: compactions.length, prune }, terminal);
  if (page === undefined) return;
  page.write(pageOf(report));
  terminal.note(`wrote ${html ?? ''} (report)`);
}

/** An inspection as JSON, exactly as S12.2 gives it. */
export function inspectJson(
  source: SourceFacts,
  inspection: Inspection,
  compaction?: InspectJson['compaction'],
): InspectJson {
  return { schema: 'pith.inspect/1', source, ...inspection, ...(compaction !== undefined && { compaction }) };
}

function compactionAt(
  number: number,
  compactions: readonly PastCompaction[],
  { path }: SourceFacts,
): PastCompaction & { readonly compaction: number } {
  const found = compactions[number - 1];
  if (found !== undefined) return { compaction: number, ...found };
  throw new PithError(
    'PITH_USAGE',
    `${path} has no compaction ${String(number)}; its session went through ${counted(compactions.length, 'compaction')}`,
  );
}
