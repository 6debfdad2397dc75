/** What `pith compact` tells of a compaction: the JSON of S12.1, and the report that a person reads. */
import type { CompactionReport } from '../../plugins/compaction/compaction';
import type { Estimate } from '../tokens/occupancy';
import { padTo, printable, printableLine, wrapTo } from './display-width';
import { counted, duration, figure, percent, stackedBar, table } from './layout';
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
    for (const line of wrapTo(printable(report.summary.text).trim(), terminal.columns - 2)) {
      terminal.print(line.startsWith('#') ? `  ${bold(line)}` : `  ${line}`.trimEnd());
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
    const drawn = stackedBar(PARTS.map(({ part, glyph }) => ({ value: made[part], glyph })), max, room);
    return `${padTo(label, LABEL)}${colours.cyan(padTo(drawn, room))}${padTo(figure(tokens), figures, 'right')} tokens  ${aside}`.trimEnd();
  };
  const shown = isDone ? parts.after : parts.before;
  const legend = PARTS.filter(({ part }) => shown[part] >= 0.5).map(({ part, name, glyph }) => `${glyph} ${name} ${figure(shown[part])}`);
  return [
    line('before', before.tokens, parts.before, colours.dim(before.source)),
    ...(isDone ? [line('after', after, parts.after, colours.bold(`−${percent(before.tokens - after, before.tokens)}`))] : []),
    ...wrapTo(legend.join('  '), columns - LABEL).map((text) => `${' '.repeat(LABEL)}${colours.dim(text)}`),
  ];
}

/** What was summarised, kept, pruned, read and referenced, with the reasons. */
function fateLines({ prune, report, autoReadBudget }: CompactRun, terminal: Terminal): readonly string[] {
  const { bold, dim } = terminal.colours;
  const head = (label: string, figures: string, why: string): string => `${bold(padTo(label, 12))}  ${figures}${why === '' ? '' : `  ${dim(why)}`}`;
  const lines: string[] = [];
  const { plan } = report;
  if (plan === undefined) lines.push(head('Nothing', 'to summarise', printableLine(report.reason ?? 'all of it is within the tokens to retain')));
  else {
    lines.push(
      head('Summarised', stretch(plan.summarised), plan.cutItem > 0 ? `items before ${figure(plan.cutItem)}` : ''),
      head('Kept', stretch(plan.retained), 'the newest, as the model last saw them'),
    );
  }
  if (prune !== undefined) {
    const why = prune.candidates === 0 ? '' : `${figure(prune.savedTokens)} tokens that dropping stale output alone would save`;
    lines.push(head('Prunable', counted(prune.candidates, 'tool result'), why));
  }
  if (report.outcome !== 'done') return lines;
  const files = report.marks.reduce((sum, mark) => sum + mark.tokens, 0);
  const budget = autoReadBudget === undefined ? '' : ` of ${figure(autoReadBudget)}`;
  lines.push('', head('Read', counted(new Set(report.marks.map(({ path }) => path)).size, 'file'), `${figure(files)}${budget} tokens, contents in the new context`));
  lines.push(
    ...table(
      report.marks.map((mark) => [`  ${printableLine(mark.path)}:${String(mark.fromLine)}-${String(mark.toLine)}`, figure(mark.tokens), mark.source, printableLine(mark.reason ?? '')]),
      [{ cut: 'start' }, { align: 'right' }, {}, { cut: 'end' }],
      terminal.columns,
    ),
  );
  lines.push(head('Referenced', counted(report.references.length, 'file'), 'named only'));
  lines.push(
    ...table(
      report.references.map(({ path, note }) => [`  ${printableLine(path)}`, printableLine(note ?? '')]),
      [{ cut: 'start' }, { cut: 'end' }],
      terminal.columns,
    ),
  );
  return lines;
}

function stretch({ items, tokens }: { readonly items: number; readonly tokens: number }): string {
  return `${padTo(figure(items), 6, 'right')} ${items === 1 ? 'item ' : 'items'}  ${padTo(figure(tokens), 9, 'right')} tokens`;
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
