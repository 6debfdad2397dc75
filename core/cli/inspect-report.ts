/** What `pith inspect` shows a person: what the context is made of, how it filled, and what could be done about it. */
import type { CompactionPlan } from '../agent/compaction';
import type { Inspection } from '../agent/inspect';
import type { PastCompaction } from '../agent/past-compactions';
import type { PruneEvaluation } from '../../plugins/prune/token';
import { compositionTitle, shareLines } from './composition';
import { printableLine, wrapTo } from './display-width';
import { bar, counted, figure, leftOut, MOST_ROWS, table } from './layout';
import type { Column } from './layout';
import type { SessionAtWork } from './session-at-work';
import { sourceLines } from './source-lines';
import type { Terminal } from './terminal';

export interface InspectionReport {
  readonly work: SessionAtWork;
  readonly inspection: Inspection;
  readonly compactions: readonly PastCompaction[];
  readonly prune: PruneEvaluation | undefined;
  readonly plan: CompactionPlan | undefined;
}

/** Prints a whole inspection. */
export function printInspection(report: InspectionReport, terminal: Terminal): void {
  const { inspection, work } = report;
  const { bold } = terminal.colours;
  const section = (title: string, lines: readonly string[]): void => {
    const titles = wrapTo(title, terminal.columns).map((line) => bold(line));
    if (lines.length > 0) terminal.print(['', ...titles, ...lines.map((line) => `  ${line}`)].join('\n'));
  };
  const wrapped = (lines: readonly string[]): readonly string[] =>
    lines.flatMap((line) => wrapTo(line, terminal.columns - 2));
  for (const line of sourceLines(work, terminal)) terminal.print(line);
  const { tokens, turns, files } = inspection;
  section(compositionTitle(tokens), shareLines(tokens.byKind, tokens.total, terminal));
  section('By tool, calls and results', shareLines(tokens.byTool, tokens.total, terminal));
  section(occupancyTitle(inspection), occupancyLines(inspection, terminal));
  section(`Turns: ${figure(turns.length)}`, turnLines(report, terminal));
  section(`Files touched: ${figure(files.length)}`, fileLines(inspection, terminal));
  section('What could be done', wrapped(outlookLines(report)));
  section('Integrity', wrapped(integrityLines(inspection)));
}

function occupancyTitle({ occupancy }: Inspection): string {
  const peak = occupancy.reduce((most, entry) => (entry.tokens > most.tokens ? entry : most), {
    request: 0,
    tokens: 0,
  });
  return `Occupancy over ${counted(occupancy.length, 'request')}${peak.request === 0 ? '' : `, at most ${figure(peak.tokens)} tokens at request ${figure(peak.request)}`}`;
}

/** The requests at even distances, with the first, the last and the fullest. */
function occupancyLines({ occupancy }: Inspection, { columns, colours }: Terminal): readonly string[] {
  const most = Math.max(0, ...occupancy.map(({ tokens }) => tokens));
  const fullest = occupancy.findIndex(({ tokens }) => tokens === most);
  const step = Math.max(1, (occupancy.length - 1) / (MOST_ROWS - 2));
  const picked = new Set([fullest, occupancy.length - 1]);
  for (let at = 0; at < occupancy.length; at += step) picked.add(Math.round(at));
  const entries = [...picked].sort((a, b) => a - b).flatMap((at) => occupancy[at] ?? []);
  const head = ['request', 'item', 'tokens', 'source'];
  const rows = table(
    [
      head,
      ...entries.map(({ request, item, tokens, source }) => [figure(request), figure(item), figure(tokens), source]),
    ],
    [{ align: 'right' }, { align: 'right' }, { align: 'right' }, {}],
    columns - 2,
  );
  const width = Math.max(...rows.map((row) => row.length));
  return entries.length === 0
    ? []
    : rows.map((row, at) => {
        const entry = entries[at - 1];
        return entry === undefined
          ? colours.dim(row)
          : `${row.padEnd(width)}  ${colours.cyan(bar(entry.tokens, most, columns - width - 4))}`;
      });
}

function turnLines({ inspection: { turns }, work }: InspectionReport, terminal: Terminal): readonly string[] {
  const shown = turns.length <= MOST_ROWS ? turns : turns.slice(-MOST_ROWS);
  const rows = shown.map(({ turn, fromItem, requests, tokens }) => [
    figure(turn),
    figure(fromItem),
    figure(requests),
    figure(tokens),
    promptOf(work, fromItem),
  ]);
  const earlier = leftOut(turns.length - shown.length, 'earlier turn');
  return [
    ...earlier,
    ...listing(
      ['turn', 'from item', 'requests', 'tokens', 'prompt'],
      rows,
      [RIGHT, RIGHT, RIGHT, RIGHT, { cut: 'end' }],
      terminal,
    ),
  ];
}

function promptOf({ opened }: SessionAtWork, number: number): string {
  const item = opened.session.item(number);
  if (item.kind !== 'message') return '';
  return printableLine(
    item.parts.map((part) => (part.type === 'text' ? part.text.slice(0, 400) : '[image]')).join(' '),
  );
}

function fileLines({ files }: Inspection, terminal: Terminal): readonly string[] {
  const shown = files.slice(0, MOST_ROWS);
  const rows = shown.map(({ path, reads, writes, lastItem }) => [
    figure(reads),
    figure(writes),
    figure(lastItem),
    printableLine(path),
  ]);
  return [
    ...listing(['reads', 'writes', 'last item', 'path'], rows, [RIGHT, RIGHT, RIGHT, { cut: 'start' }], terminal),
    ...leftOut(files.length - shown.length, 'more file'),
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

function outlookLines({ prune, plan, compactions, work }: InspectionReport): readonly string[] {
  const lines: string[] = [];
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
  if (compactions.length > 0)
    lines.push(`The session went through ${counted(compactions.length, 'compaction')}; --compaction N shows one.`);
  return lines;
}

function integrityLines({ integrity: { orphanResults, unansweredCalls } }: Inspection): readonly string[] {
  if (orphanResults + unansweredCalls === 0) return ['Every call has its result.'];
  const lines: string[] = [];
  if (orphanResults > 0) lines.push(`${counted(orphanResults, 'result')} without a call; no context shows them.`);
  if (unansweredCalls > 0)
    lines.push(`${counted(unansweredCalls, 'call')} without a result; contexts close them as interrupted.`);
  return lines;
}
