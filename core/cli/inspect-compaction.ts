/** What `pith inspect --compaction N` shows a person: input, worker calls, refusals and summary of one compaction. */
import type { Mark } from '../agent/compaction';
import type { PastCompaction } from '../agent/past-compactions';
import { fitTo, printable, printableLine, wrapTo } from './display-width';
import { counted, figure } from './layout';
import type { SessionAtWork } from './session-at-work';
import { sourceLines } from './source-lines';
import type { Terminal } from './terminal';

/** Prints one compaction of a session. */
export function printCompaction(
  work: SessionAtWork,
  compaction: PastCompaction & { readonly compaction: number },
  terminal: Terminal,
): void {
  const { bold, dim, red } = terminal.colours;
  const section = (title: string, lines: readonly string[] | undefined): void => {
    terminal.print(
      ['', bold(title), ...(lines ?? [dim('the session does not hold it')]).map((line) => `  ${line}`.trimEnd())].join(
        '\n',
      ),
    );
  };
  const wrapped = (text: string): readonly string[] => wrapTo(printable(text).trim(), terminal.columns - 2);
  const { id, outcome, trigger, worker, cutItem, beforeTokens, afterTokens, input, calls, refusals } = compaction;
  const { summary, marks, references } = compaction;
  for (const line of sourceLines(work, terminal)) terminal.print(line);
  section(
    `Compaction ${figure(compaction.compaction)}`,
    [
      `id       ${printableLine(id)}`,
      `outcome  ${outcome ?? 'unknown'}${worker === null ? '' : `, by the ${printableLine(worker)} worker`}${trigger === null ? '' : `, asked for by ${printableLine(trigger)}`}`,
      `tokens   ${known(beforeTokens)} before, ${known(afterTokens)} after`,
      `cut      ${cutItem === null ? 'not applied' : `before item ${figure(cutItem)}`}`,
    ].flatMap(wrapped),
  );
  section('Input of the worker', input === null ? undefined : wrapped(input));
  section(
    calls === null ? 'Worker calls' : `Worker calls: ${figure(calls.length)}`,
    calls?.map(({ tool, arguments: args, result, isError }) => {
      const line = fitTo(printableLine(`${tool} ${JSON.stringify(args)} → ${result}`), terminal.columns - 2);
      return isError ? red(line) : line;
    }),
  );
  section(refusals === null ? 'Refusals' : counted(refusals.length, 'Refusal'), refusals?.flatMap(wrapped));
  section('Summary', summary === null ? undefined : wrapped(summary));
  section('Files read', marks?.map(markText).flatMap(wrapped));
  section(
    'Files that are only named',
    references?.map(({ path, note = '' }) => withReason(path, note)).flatMap(wrapped),
  );
}

function markText({ path, fromLine, toLine, tokens, reason = '' }: Mark): string {
  return withReason(`${path}:${String(fromLine)}-${String(toLine)}, ${figure(tokens)} tokens`, reason);
}

function withReason(what: string, reason: string): string {
  return printableLine(reason === '' ? what : `${what}: ${reason}`);
}

function known(tokens: number | null): string {
  return tokens === null ? 'unknown' : figure(tokens);
}
