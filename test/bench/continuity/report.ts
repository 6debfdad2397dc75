/** The figures as text for a terminal of 80 columns. */
import type { Measure } from './measures';
import type { BigMiss } from './misses';
import type { Row } from './replay';
import { bySession, CLEARLY, meanOf } from './statistics';
import type { Comparison, Estimate } from './statistics';
import { COMPARED } from './summary';
import type { Estimates, HeldOut, Summary } from './summary';

/** Columns with their intervals below them, and columns of plain means. */
const WITH_INTERVAL = COMPARED;
const PLAIN = ['named', 'references', 'precision'] as const satisfies readonly Measure[];
const TITLES: Readonly<Record<Measure, string>> = {
  files: 'files',
  lines: 'lines',
  names: 'names',
  directives: 'direct',
  reads: 'reads',
  named: 'named',
  references: 'refs',
  precision: 'prec.',
  tokens: 'tokens',
};
const NAME = 11;
const WIDE = 8;
const NARROW = 6;
const TOKENS = 8;
const COMPARISON = 13;

export function summaryText({ budget, horizon, policies, comparisons }: Summary): string {
  const first = policies[0];
  const head = budget === 'defaults' ? "The manifest's defaults" : `${count(budget)} tokens`;
  const cuts = `${String(first?.sessions ?? 0)} sessions, ${cutsText(first?.cuts ?? 0)}`;
  const lines = [`${head}, the next ${String(horizon)} calls: ${cuts}`, header()];
  for (const policy of policies) lines.push(...estimateLines(policy.policy, policy));
  for (const { policy, over } of policies)
    if (over.cuts > 0)
      lines.push(
        `${policy} took more tokens than it was given at ${cutsText(over.cuts)}, at most ${percent(over.most)} more.`,
      );
  lines.push(
    '',
    `${first?.policy ?? ''} less others: difference, won/sessions, worse by more than ${share(CLEARLY)}; interval`,
  );
  lines.push(`${''.padEnd(NAME)}${COMPARED.map((name) => TITLES[name].padStart(COMPARISON)).join('')}`);
  for (const { against, measures } of comparisons) {
    lines.push(`${label(against)}${COMPARED.map((name) => wonText(measures[name]).padStart(COMPARISON)).join('')}`);
    lines.push(`${''.padEnd(NAME)}${COMPARED.map((name) => rangeText(measures[name]).padStart(COMPARISON)).join('')}`);
  }
  return lines.join('\n');
}

function header(): string {
  const wide = WITH_INTERVAL.map((name) => TITLES[name].padStart(WIDE));
  const narrow = PLAIN.map((name) => TITLES[name].padStart(NARROW));
  return `${''.padEnd(NAME)}${[...wide, ...narrow].join('')}${TITLES.tokens.padStart(TOKENS)}`;
}

function estimateLines(name: string, estimates: Estimates): readonly string[] {
  const wide = WITH_INTERVAL.map((measure) => share(estimates[measure]?.mean).padStart(WIDE));
  const narrow = PLAIN.map((measure) => share(estimates[measure]?.mean).padStart(NARROW));
  const intervals = WITH_INTERVAL.map((measure) => intervalText(estimates[measure]).padStart(WIDE));
  return [
    `${label(name)}${[...wide, ...narrow].join('')}${count(estimates.tokens?.mean).padStart(TOKENS)}`,
    `${''.padEnd(NAME)}${intervals.join('')}`,
  ];
}

/** Means of each session by the first policy, for one budget and horizon. */
export function sessionsText(rows: readonly Row[]): string {
  const measures = [...WITH_INTERVAL, ...PLAIN];
  const names = [...new Set(rows.map(({ session }) => session))];
  const width = Math.max(...names.map((name) => Math.min(24, name.length)), 7);
  const lines = [`${'session'.padEnd(width)}  cuts${measures.map((name) => TITLES[name].padStart(WIDE - 1)).join('')}`];
  for (const name of names) {
    const of = rows.filter(({ session }) => session === name);
    const means = measures.map((measure) => meanOf([...bySession(of, (row) => row.measured[measure]).values()]));
    lines.push(
      `${name.slice(0, width).padEnd(width)}${String(of.length).padStart(6)}${means.map((mean) => share(mean).padStart(WIDE - 1)).join('')}`,
    );
  }
  return lines.join('\n');
}

/** How settings do on sessions that they were not chosen on. */
export function heldOutText(folds: readonly HeldOut[]): string {
  const chosen = new Map<string, number>();
  for (const { settings } of folds[0]?.chosen ?? []) chosen.set(settings, (chosen.get(settings) ?? 0) + 1);
  const lines = [
    'Settings chosen without the session that they are measured on (chosen by folds: ' +
      `${[...chosen].map(([name, folds]) => `${name} ${String(folds)}`).join(', ')})`,
  ];
  for (const { budget, horizon, scores, best } of folds) {
    lines.push(
      '',
      `${budget === 'defaults' ? budget : count(budget)} tokens, the next ${String(horizon)} calls`,
      header(),
    );
    lines.push(...estimateLines('held out', scores), ...estimateLines('in sample', best.scores));
  }
  return lines.join('\n');
}

/** The biggest misses, those of one kind together. */
export function missesText(misses: readonly BigMiss[]): string {
  const lines: string[] = [];
  for (const [at, { kind, session, what, cost, cuts, example }] of misses.entries()) {
    if (misses[at - 1]?.kind !== kind) lines.push('', `Missing ${kind}: cost of the mean, what, where`);
    lines.push(
      `${percent(cost).padStart(6)}  ${what}`,
      `        ${session}, ${cutsText(cuts)}; at item ${String(example.cut)} last seen ${String(example.callsAgo)} calls ago: ${example.because}`,
    );
  }
  return lines.join('\n').trimStart();
}

/** The name of a row, cut where it is too long for its column. */
function label(name: string): string {
  return name.slice(0, NAME - 1).padEnd(NAME);
}

function cutsText(cuts: number): string {
  return cuts === 1 ? '1 cut' : `${String(cuts)} cuts`;
}

function share(value: number | undefined): string {
  if (value === undefined) return '-';
  return value.toFixed(2).replace(/^(-?)0\./, '$1.');
}

function intervalText(estimate: Estimate | undefined): string {
  // Room is short: 1.0 says as much as 1.00.
  const end = (value: number): string => share(value).replace('1.00', '1.0');
  return estimate === undefined ? '' : `${end(estimate.from)}-${end(estimate.to)}`;
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${share(value)}`;
}

function wonText(comparison: Comparison | undefined): string {
  if (comparison === undefined) return '-';
  const { difference, won, clearlyLost } = comparison;
  return `${signed(difference.mean)} ${String(won)}/${String(difference.n)} ${String(clearlyLost)}`;
}

function rangeText(comparison: Comparison | undefined): string {
  return comparison === undefined ? '' : `${signed(comparison.difference.from)}..${signed(comparison.difference.to)}`;
}

function percent(value: number): string {
  return `${(100 * value).toFixed(1)}%`;
}

function count(value: number | undefined): string {
  return value === undefined ? '-' : Math.round(value).toLocaleString('en-US');
}
