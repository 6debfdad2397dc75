/** What `pith inspect` shows a person: what the context is made of, how it filled, and what could be done about it. */
import type { PruneEvaluation } from '../../plugins/prune/token';
import type { Report } from '../report/report';
import { compositionTitle, shareLines } from './composition';
import { printableLine, wrapTo } from './display-width';
import { occupancyLines, occupancyTitle } from './inspect-occupancy';
import { counted, figure, leftOut, MOST_ROWS, table } from './layout';
import type { Column } from './layout';
import type { SessionAtWork } from './session-at-work';
import { mapLines, numbersOf, plannedMap } from './session-map';
import { sourceLines } from './source-lines';
import type { Terminal } from './terminal';

export interface Inspected {
  readonly work: SessionAtWork;
  readonly report: Report;
  /** Number of compactions that the session went through, those without effect too. */
  readonly compactions: number;
  readonly prune: PruneEvaluation | undefined;
}

/** Prints a whole inspection. */
export function printInspection(inspected: Inspected, terminal: Terminal): void {
  const { report, work } = inspected;
  const { bold } = terminal.colours;
  const section = (title: string, lines: readonly string[]): void => {
    const titles = wrapTo(title, terminal.columns).map((line) => bold(line));
    if (lines.length > 0) terminal.print(['', ...titles, ...lines.map((line) => `  ${line}`)].join('\n'));
  };
  const wrapped = (lines: readonly string[]): readonly string[] =>
    lines.flatMap((line) => wrapTo(line, terminal.columns - 2));
  for (const line of sourceLines(work, terminal)) terminal.print(line);
  const { tokens, turns, files } = report;
  section(compositionTitle(tokens), shareLines(tokens.byKind, tokens.total, terminal));
  section('By tool, calls and results', shareLines(tokens.byTool, tokens.total, terminal));
  section(occupancyTitle(report), occupancyLines(report, terminal));
  section(`Turns: ${figure(turns.length)}`, turnLines(report, terminal));
  section(`Files touched: ${figure(files.length)}`, fileLines(report, terminal));
  section('What could be done', [...planLines(inspected, terminal), ...wrapped(outlookLines(inspected))]);
  section('Integrity', wrapped(integrityLines(report)));
}

function turnLines({ turns }: Report, terminal: Terminal): readonly string[] {
  const shown = turns.length <= MOST_ROWS ? turns : turns.slice(-MOST_ROWS);
  const rows = shown.map(({ turn, fromItem, requests, tokens, prompt }) => [
    figure(turn),
    figure(fromItem),
    figure(requests),
    figure(tokens),
    printableLine(prompt),
  ]);
  const earlier = leftOut(turns.length - shown.length, 'earlier turn', terminal.columns - 2);
  return [
    ...earlier,
    ...listing(
      ['turn', 'item', 'requests', 'tokens', 'prompt'],
      rows,
      [RIGHT, RIGHT, RIGHT, RIGHT, { cut: 'end' }],
      terminal,
    ),
  ];
}

function fileLines({ files }: Report, terminal: Terminal): readonly string[] {
  const shown = files.slice(0, MOST_ROWS);
  const rows = shown.map(({ path, reads, writes, lastItem }) => [
    figure(reads),
    figure(writes),
    figure(lastItem),
    printableLine(path),
  ]);
  return [
    ...listing(['reads', 'writes', 'last item', 'path'], rows, [RIGHT, RIGHT, RIGHT, { cut: 'start' }], terminal),
    ...leftOut(files.length - shown.length, 'more file', terminal.columns - 2),
  ];
}

const RIGHT: Column = { align: 'right' };

function listing(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  columns: readonly Column[],
  { columns: width, colours }: Terminal,
): readonly string[] {
  if (rows.length === 0) return [];
  const [first = '', ...others] = table([head, ...rows], columns, width - 2);
  return [colours.dim(first), ...others];
}

/** What would become of the session: the map of the plan, with what pruning would shorten. */
function planLines({ work, report, prune }: Inspected, { columns, colours }: Terminal): readonly string[] {
  const map = plannedMap(report.map, numbersOf(prune?.edits, work.opened.session), report.outlook.plan?.cutItem);
  return mapLines(map, columns - 2, colours);
}

function outlookLines({ report, prune, compactions, work }: Inspected): readonly string[] {
  const lines: string[] = [];
  const { plan } = report.outlook;
  if (prune !== undefined) {
    const amount = `${figure(prune.savedTokens)} tokens in ${counted(prune.candidates, 'tool result')}`;
    lines.push(
      prune.edits.length > 0
        ? `Pruning would save ${amount}.`
        : `Pruning would do nothing: ${prune.candidates === 0 ? 'no result is old and large enough' : `${amount} are too little`}.`,
    );
  }
  const retained = work.manifest.config['compaction']?.['retainedTokens'];
  if (plan !== undefined) {
    const { cutItem, summarised, retained: kept } = plan;
    lines.push(
      `A compaction would cut before item ${figure(cutItem)}: ${counted(summarised.items, 'item')} (${figure(summarised.tokens)} tokens) summarised, ${counted(kept.items, 'item')} (${figure(kept.tokens)} tokens) kept.`,
    );
  } else if (typeof retained === 'number')
    lines.push(
      `A compaction would do nothing: the conversation fits into the ${figure(retained)} tokens that are kept.`,
    );
  if (compactions > 0)
    lines.push(`The session went through ${counted(compactions, 'compaction')}; --compaction N shows one.`);
  return lines;
}

function integrityLines({ integrity: { orphanResults, unansweredCalls } }: Report): readonly string[] {
  if (orphanResults + unansweredCalls === 0) return ['Every call has its result.'];
  const lines: string[] = [];
  if (orphanResults > 0) lines.push(`${counted(orphanResults, 'result')} without a call; no context shows them.`);
  if (unansweredCalls > 0)
    lines.push(`${counted(unansweredCalls, 'call')} without a result; contexts close them as interrupted.`);
  return lines;
}
