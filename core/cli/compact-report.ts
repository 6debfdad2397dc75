/** The report of `pith compact` for a person (S12.1): bars, what became of everything, and the summary. */
import type { CompactRun } from './compact-run';
import type { ContextParts } from './context-parts';
import { fitTo, padTo, printable, printableLine, widthOf, wrapTo } from './display-width';
import { duration, figure, flow, leftOut, MOST_ROWS, percent, stackedBar, table } from './layout';
import type { Column } from './layout';
import { appliedMap, mapLines, numbersOf } from './session-map';
import { sourceLines } from './source-lines';
import type { Terminal } from './terminal';

/** Prints the report of a run. */
export function printCompact(run: CompactRun, terminal: Terminal): void {
  const { bold, dim } = terminal.colours;
  const { report } = run;
  const bars = [...occupancyLines(run, terminal), ...fateMap(run, terminal)];
  const blocks = [sourceLines(run, terminal), bars, fateLines(run, terminal)];
  for (const lines of blocks) terminal.print(`${lines.join('\n')}\n`);
  if (report.outcome === 'done' && report.summary !== undefined) {
    terminal.print(`${bold('Summary')}  ${dim(`${figure(report.summary.tokens)} tokens`)}\n`);
    for (const line of printable(report.summary.text).trim().split('\n')) {
      const paint = line.startsWith('#') ? bold : (text: string): string => text;
      for (const part of wrapTo(line, terminal.columns - 2)) terminal.print(`  ${paint(part)}`.trimEnd());
    }
    terminal.print('');
  }
  terminal.print(closingLine(run, terminal));
}

const LABEL = 8;
/** Columns from which on a bar leaves room for how its figure came about. */
const ROOM_FOR_SOURCE = 64;
const PARTS: readonly { readonly part: keyof ContextParts; readonly name: string; readonly glyph: string }[] = [
  { part: 'fixed', name: 'system', glyph: '░' },
  { part: 'summary', name: 'summary', glyph: '▒' },
  { part: 'files', name: 'files', glyph: '▓' },
  { part: 'others', name: 'references', glyph: '▪' },
  { part: 'conversation', name: 'conversation', glyph: '█' },
];

/** Two bars of one scale, and what the parts of the new one are. */
function occupancyLines({ before, report, parts }: CompactRun, { columns, colours }: Terminal): readonly string[] {
  const after = report.outcome === 'done' ? report.after?.tokens : undefined;
  const saved = after === undefined ? '' : `−${percent(before.tokens - after, before.tokens)}`;
  const max = Math.max(before.tokens, after ?? 0);
  const figures = figure(max).length + 1;
  const source = sourceOf(before);
  const isNarrow = columns < ROOM_FOR_SOURCE;
  const aside = isNarrow ? '' : source;
  const room = columns - LABEL - figures - ' tokens  '.length - Math.max(aside.length, saved.length);
  const line = (label: string, tokens: number, made: ContextParts, end: string): string => {
    const drawn = stackedBar(
      PARTS.map(({ part, glyph }) => ({ value: made[part], glyph })),
      max,
      room,
    );
    return `${padTo(label, LABEL)}${colours.cyan(padTo(drawn, room))}${padTo(figure(tokens), figures, 'right')} tokens${end === '' ? '' : `  ${end}`}`;
  };
  const shown = after === undefined ? parts.before : parts.after;
  const legend = PARTS.filter(({ part }) => shown[part] >= 0.5).map(
    ({ part, name, glyph }) => `${glyph} ${name} ${figure(shown[part])}`,
  );
  if (isNarrow) legend.unshift(source);
  return [
    line('before', before.tokens, parts.before, aside && colours.dim(aside)),
    ...(after === undefined ? [] : [line('after', after, parts.after, colours.bold(saved))]),
    ...flow(legend, columns - LABEL).map((text) => `${' '.repeat(LABEL)}${colours.dim(text)}`),
  ];
}

/** What became of the session: the map of what was summarised, read again and kept, with what pruning would have shortened. */
function fateMap({ report, session, prune, opened }: CompactRun, { columns, colours }: Terminal): readonly string[] {
  if (report.outcome !== 'done' || report.plan === undefined) return [];
  const map = appliedMap(session.map, numbersOf(prune?.edits, opened.session), report.plan.cutItem);
  const lines = mapLines(map, columns - LABEL, colours);
  return lines.length === 0 ? [] : ['', ...lines.map((line, at) => padTo(at === 0 ? 'session' : '', LABEL) + line)];
}

/** How a figure came about, with the error it may have. */
function sourceOf({ source, margin }: CompactRun['before']): string {
  return margin === 0 ? source : `${source} ±${figure(margin)}`;
}

/** What was summarised, kept, pruned, read and referenced, with the reasons. */
function fateLines({ prune, report, autoReadBudget }: CompactRun, terminal: Terminal): readonly string[] {
  const { plan, marks, references, outcome } = report;
  const lines: string[] = [];
  const head = (label: string, amount: string, why: string): void => {
    const start = padTo(label, 11) + amount;
    const aside = fitTo(why, terminal.columns - widthOf(start) - 2);
    const end = aside === '' ? '' : `  ${terminal.colours.dim(aside)}`;
    lines.push(`${terminal.colours.bold(padTo(label, 11))}${amount.trimEnd()}${end}`);
  };
  if (plan !== undefined) {
    head(
      'Summarised',
      amounts(plan.summarised.items, 'item', plan.summarised.tokens),
      `all before item ${figure(plan.cutItem)}`,
    );
    head('Kept', amounts(plan.retained.items, 'item', plan.retained.tokens), 'the newest, as last seen by the model');
  } else head('Kept', 'everything', report.reason ?? '');
  if (prune !== undefined && prune.candidates > 0) {
    head('Prunable', amounts(prune.candidates, 'result', prune.savedTokens), 'what pruning alone would save');
  }
  if (outcome !== 'done') return lines;
  const paths = [...new Set(marks.map(({ path }) => path))];
  const budget = autoReadBudget === undefined ? '' : `of ${figure(autoReadBudget)}, `;
  head('Read', amounts(paths.length, 'file', tokensOf(marks)), `${budget}${originOf(marks)}`);
  lines.push(
    ...listed(
      paths.map((path) => readRow(path, marks)),
      READ_COLUMNS,
      terminal,
    ),
  );
  head('Referenced', amounts(references.length, 'file'), 'named only');
  const named = references
    .slice(0, MOST_ROWS)
    .map(({ path, note }) => [printableLine(path), printableLine(note ?? '')]);
  lines.push(
    ...listed(named, REFERENCE_COLUMNS, terminal),
    ...leftOut(references.length - named.length, 'more file', terminal.columns - 2).map((text) => `  ${text}`),
  );
  return lines;
}

type Marks = CompactRun['report']['marks'];

const READ_COLUMNS: readonly Column[] = [
  { align: 'right' },
  { cut: 'start', least: 34 },
  { cut: 'end', least: 12 },
  { cut: 'end', least: 16 },
];
const REFERENCE_COLUMNS: readonly Column[] = [
  { cut: 'start', least: 40 },
  { cut: 'end', least: 16 },
];

/** One file that was read: all its ranges together. */
function readRow(path: string, marks: Marks): readonly string[] {
  const ranges = marks.filter((mark) => mark.path === path);
  const lines = ranges.map(({ fromLine, toLine }) =>
    fromLine === toLine ? String(fromLine) : `${String(fromLine)}-${String(toLine)}`,
  );
  return [figure(tokensOf(ranges)), printableLine(path), lines.join(', '), printableLine(ranges[0]?.reason ?? '')];
}

function tokensOf(marks: Marks): number {
  return marks.reduce((sum, { tokens }) => sum + tokens, 0);
}

function originOf(marks: Marks): string {
  const sources = new Set(
    marks.map(({ source }) => (source === 'session' ? 'as last seen in the session' : `from ${source}`)),
  );
  return [...sources].join(' and ');
}

function listed(
  rows: readonly (readonly string[])[],
  columns: readonly Column[],
  terminal: Terminal,
): readonly string[] {
  return table(rows, columns, terminal.columns - 2).map((line) => `  ${line}`);
}

function amounts(count: number, noun: string, tokens?: number): string {
  const counted = `${padTo(figure(count), 5, 'right')} ${padTo(count === 1 ? noun : `${noun}s`, 7)}`;
  return tokens === undefined ? counted : `${counted}${padTo(figure(tokens), 9, 'right')} tokens`;
}

function closingLine({ report, loadMs, connectMs, totalMs }: CompactRun, { colours, columns }: Terminal): string {
  const { outcome, worker, reason = '' } = report;
  const { plan, worker: working, apply } = report.durationsMs;
  const connect = connectMs === undefined ? '' : `connect ${duration(connectMs)}, `;
  const times = `load ${duration(loadMs)}, ${connect}plan ${duration(plan)}, worker ${duration(working)}, apply ${duration(apply)}`;
  const end = (paint: (text: string) => string, words: string): string => {
    const ended = outcome.replaceAll('-', ' ');
    const said = wrapTo(`${ended}${words} in ${duration(totalMs)}`, columns).join('\n');
    return `${paint(ended)}${said.slice(ended.length)}\n${colours.dim(wrapTo(times, columns).join('\n'))}`;
  };
  if (outcome === 'done') return end(colours.green, ` by the ${worker} worker`);
  if (outcome === 'nothing-to-do') return end(colours.green, '');
  const why = wrapTo(printableLine(reason), columns).join('\n');
  return `${why}\n${end(outcome === 'inflated' ? colours.yellow : colours.red, ', the context stays as it was,')}`;
}
