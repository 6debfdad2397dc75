/** What `pith compact` tells of a compaction: the JSON of S12.1, and the report that a person reads. */
import type { CompactionReport } from '../../plugins/compaction/compaction';
import type { Estimate } from '../tokens/occupancy';
import { padTo, printable, printableLine, wrapTo } from './display-width';
import { duration, figure, flow, percent, stackedBar, table } from './layout';
import type { CompactRun } from './compact-run';
import type { ContextParts } from './context-parts';
import type { SourceFacts } from './opened-session';
import { sourceLines } from './source-lines';
import type { Terminal } from './terminal';

/** `pith.compact/1` (S12.1); parts that were not reached are null. Tokens are whole numbers. */
export interface CompactJson {
  readonly schema: 'pith.compact/1';
  readonly source: SourceFacts;
  readonly before: { readonly tokens: number; readonly source: Estimate['source'] };
  readonly prune: { readonly candidates: number; readonly savedTokens: number } | null;
  readonly plan: CompactionReport['plan'] | null;
  readonly outcome: CompactionReport['outcome'];
  readonly worker: string | null;
  readonly usage: CompactionReport['usage'] | null;
  readonly summary: CompactionReport['summary'] | null;
  readonly autoRead:
    | readonly {
        readonly path: string;
        readonly fromLine: number;
        readonly toLine: number;
        readonly tokens: number;
        readonly source: string;
        readonly reason: string | null;
      }[]
    | null;
  readonly references: readonly { readonly path: string; readonly note: string | null }[] | null;
  readonly after: { readonly tokens: number; readonly items: number } | null;
  readonly durationsMs: {
    readonly load: number;
    readonly plan: number;
    readonly worker: number;
    readonly apply: number;
    readonly total: number;
  };
}

/** The run as JSON, exactly as S12.1 gives it. */
export function compactJson({ opened, before, prune, report, loadMs, totalMs }: CompactRun): CompactJson {
  const { plan, outcome, summary, after, durationsMs } = report;
  const isDone = outcome === 'done';
  return {
    schema: 'pith.compact/1',
    source: opened.facts,
    before: { tokens: Math.round(before.tokens), source: before.source },
    prune: prune ?? null,
    plan:
      plan === undefined
        ? null
        : { cutItem: plan.cutItem, summarised: rounded(plan.summarised), retained: rounded(plan.retained) },
    outcome,
    worker: plan === undefined ? null : report.worker,
    usage: plan === undefined ? null : report.usage,
    summary: summary === undefined ? null : rounded(summary),
    autoRead: isDone
      ? report.marks.map(({ path, fromLine, toLine, tokens, source, reason }) => {
          return { path, fromLine, toLine, tokens: Math.round(tokens), source, reason: reason ?? null };
        })
      : null,
    references: isDone ? report.references.map(({ path, note }) => ({ path, note: note ?? null })) : null,
    after: after === undefined || !isDone ? null : rounded(after),
    durationsMs: {
      load: tenths(loadMs),
      plan: tenths(durationsMs.plan),
      worker: tenths(durationsMs.worker),
      apply: tenths(durationsMs.apply),
      total: tenths(totalMs),
    },
  };
}

function rounded<T extends { readonly tokens: number }>(value: T): T {
  return { ...value, tokens: Math.round(value.tokens) };
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}

/** The run for a person: bars, what became of everything, and the summary. */
export function printCompact(run: CompactRun, terminal: Terminal): void {
  const { bold, dim } = terminal.colours;
  const { report } = run;
  for (const line of sourceLines(run, terminal)) terminal.print(line);
  terminal.print('');
  for (const line of occupancyLines(run, terminal)) terminal.print(line);
  terminal.print('');
  for (const line of fateLines(run, terminal)) terminal.print(line);
  if (report.outcome === 'done' && report.summary !== undefined) {
    terminal.print(`\n${bold('Summary')}  ${dim(`${figure(report.summary.tokens)} tokens`)}\n`);
    for (const line of printable(report.summary.text).trim().split('\n')) {
      const paint = line.startsWith('#') ? bold : (text: string): string => text;
      for (const part of wrapTo(line, terminal.columns - 2)) terminal.print(`  ${paint(part)}`.trimEnd());
    }
  }
  terminal.print(`\n${closingLine(run, terminal)}`);
}

const LABEL = 8;
const PARTS: readonly { readonly part: keyof ContextParts; readonly name: string; readonly glyph: string }[] = [
  { part: 'fixed', name: 'system', glyph: '░' },
  { part: 'summary', name: 'summary', glyph: '▒' },
  { part: 'files', name: 'files', glyph: '▓' },
  { part: 'others', name: 'references', glyph: '▪' },
  { part: 'conversation', name: 'conversation', glyph: '█' },
];

/** Two bars of one scale, and what the parts of the new one are. */
function occupancyLines({ before, report, parts }: CompactRun, { columns, colours }: Terminal): readonly string[] {
  const isDone = report.outcome === 'done' && report.after !== undefined;
  const after = report.after?.tokens ?? 0;
  const max = Math.max(before.tokens, isDone ? after : 0);
  const figures = figure(max).length + 1;
  const room = Math.max(10, columns - LABEL - figures - 22);
  const line = (label: string, tokens: number, made: ContextParts, aside: string): string => {
    const drawn = stackedBar(
      PARTS.map(({ part, glyph }) => ({ value: made[part], glyph })),
      max,
      room,
    );
    return `${padTo(label, LABEL)}${colours.cyan(padTo(drawn, room))}${padTo(figure(tokens), figures, 'right')} tokens  ${aside}`.trimEnd();
  };
  const shown = isDone ? parts.after : parts.before;
  const legend = PARTS.filter(({ part }) => shown[part] >= 0.5).map(
    ({ part, name, glyph }) => `${glyph} ${name} ${figure(shown[part])}`,
  );
  return [
    line('before', before.tokens, parts.before, colours.dim(before.source)),
    ...(isDone
      ? [line('after', after, parts.after, colours.bold(`−${percent(before.tokens - after, before.tokens)}`))]
      : []),
    ...flow(legend, columns - LABEL).map((text) => `${' '.repeat(LABEL)}${colours.dim(text)}`),
  ];
}

/** What was summarised, kept, pruned, read and referenced, with the reasons. */
function fateLines({ prune, report, autoReadBudget }: CompactRun, terminal: Terminal): readonly string[] {
  const { bold, dim } = terminal.colours;
  const head = (label: string, figures: string, why = ''): string =>
    `${bold(padTo(label, 12))}${figures}${why === '' ? '' : `  ${dim(why)}`}`;
  const lines: string[] = [];
  const { plan, marks, references } = report;
  if (plan === undefined) lines.push(head('Nothing', 'to summarise', printableLine(report.reason ?? '')));
  else {
    lines.push(
      head('Summarised', stretch(plan.summarised), `all before item ${figure(plan.cutItem)}`),
      head('Kept', stretch(plan.retained), 'the newest, as the model last saw them'),
    );
  }
  if (prune !== undefined && prune.candidates > 0) {
    lines.push(
      head(
        'Prunable',
        amounts(prune.candidates, 'result', prune.savedTokens),
        'tool output that could be dropped without a summary',
      ),
    );
  }
  if (report.outcome !== 'done') return lines;
  const budget = autoReadBudget === undefined ? '' : `of ${figure(autoReadBudget)}; `;
  const paths = [...new Set(marks.map(({ path }) => path))];
  lines.push(head('Read', amounts(paths.length, 'file', tokensOf(marks)), `${budget}contents ${originOf(marks)}`));
  lines.push(
    ...listed(
      paths.map((path) =>
        readRow(
          path,
          marks.filter((mark) => mark.path === path),
        ),
      ),
      [{ align: 'right' }, { cut: 'start', least: 34 }, { cut: 'end', least: 12 }, { cut: 'end', least: 16 }],
      terminal,
    ),
  );
  lines.push(head('Referenced', amounts(references.length, 'file'), 'named only'));
  lines.push(
    ...listed(
      references.map(({ path, note }) => [printableLine(path), printableLine(note ?? '')]),
      [
        { cut: 'start', least: 40 },
        { cut: 'end', least: 16 },
      ],
      terminal,
    ),
  );
  return lines;
}

type Marks = CompactRun['report']['marks'];

function readRow(path: string, ranges: Marks): readonly string[] {
  const lines = ranges.map(({ fromLine, toLine }) =>
    fromLine === toLine ? String(fromLine) : `${String(fromLine)}-${String(toLine)}`,
  );
  return [figure(tokensOf(ranges)), printableLine(path), lines.join(', '), printableLine(ranges[0]?.reason ?? '')];
}

function tokensOf(marks: Marks): number {
  return marks.reduce((sum, { tokens }) => sum + tokens, 0);
}

function originOf(marks: Marks): string {
  const sources = [
    ...new Set(
      marks.map(({ source }) => (source === 'session' ? 'as the session last showed them' : `from ${source}`)),
    ),
  ];
  return sources.length === 0 ? 'in the new context' : sources.join(', ');
}

function listed(
  rows: readonly (readonly string[])[],
  columns: Parameters<typeof table>[1],
  terminal: Terminal,
): readonly string[] {
  return table(rows, columns, terminal.columns - 2).map((line) => `  ${line}`);
}

function stretch({ items, tokens }: { readonly items: number; readonly tokens: number }): string {
  return amounts(items, 'item', tokens);
}

function amounts(count: number, noun: string, tokens?: number): string {
  const counted = `${padTo(figure(count), 5, 'right')} ${padTo(count === 1 ? noun : `${noun}s`, 7)}`;
  return tokens === undefined ? counted : `${counted}${padTo(figure(tokens), 9, 'right')} tokens`;
}

function closingLine({ report, loadMs, totalMs }: CompactRun, { colours }: Terminal): string {
  const { plan, worker, apply } = report.durationsMs;
  const times = `load ${duration(loadMs)}, plan ${duration(plan)}, worker ${duration(worker)}, apply ${duration(apply)}`;
  const spent = colours.dim(`in ${duration(totalMs)} (${times})`);
  switch (report.outcome) {
    case 'done':
      return `${colours.green('done')} by the ${report.worker} worker ${spent}`;
    case 'nothing-to-do':
      return `${colours.green('nothing to do')} ${spent}`;
    default:
      return `${colours.red(report.outcome)}: ${printableLine(report.reason ?? 'the context stays as it was')} ${spent}`;
  }
}
