/** `pith inspect FILE` (S12.2): how the context of a session filled. */
import { COMPACTION } from '../agent/compaction';
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
import { openAtWork } from './session-at-work';
import type { SessionAtWork, SessionRequest } from './session-at-work';
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
    .action(async (file: string, flags: InspectFlags) => {
      terminal.progress('reading the session');
      const work = await openAtWork({ ...flags, file }, {}, terminal);
      try {
        inspect(work, flags, terminal);
      } finally {
        await work.close();
      }
      process.exitCode = EXIT.done;
    });
}

function inspect(work: SessionAtWork, { compaction: number, json }: InspectFlags, terminal: Terminal): void {
  const { session, facts } = work.opened;
  const compactions = pastCompactions(session);
  const chosen = number === undefined ? undefined : compactionAt(number, compactions, facts);
  if (chosen !== undefined && json !== true) return printCompaction(work, chosen, terminal);
  terminal.progress('counting tokens');
  const inspection = inspectSession(session, { tokenizer: work.kernel.get(TOKENIZER), files: work.files });
  if (json === true) return terminal.printJson(inspectJson(facts, inspection, chosen));
  printInspection(
    {
      work,
      inspection,
      compactions,
      prune: serviceOf(work.kernel, PRUNE)?.evaluate(session),
      plan: serviceOf(work.kernel, COMPACTION)?.plan(session),
    },
    terminal,
  );
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
