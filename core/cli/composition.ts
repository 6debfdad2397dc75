/** What a context is made of, as shares of its tokens. */
import type { Inspection } from '../agent/inspect';
import { printableLine } from './display-width';
import { bar, figure, leftOut, MOST_ROWS, percent, table } from './layout';
import type { Terminal } from './terminal';

const KIND_NAMES: Readonly<Record<string, string>> = {
  system: 'system and tools',
  checkpoint: 'earlier summary',
  tool_call: 'tool calls',
  tool_result: 'tool results',
};

/** How large a context is, and how that is known. */
export function compositionTitle({ total, source }: Inspection['tokens']): string {
  return `Context of ${figure(total)} tokens (${source})`;
}

/** Tokens by kind or by tool: name, tokens, percent, bar. */
export function shareLines(
  shares: Readonly<Record<string, number>>,
  total: number,
  { columns, colours }: Pick<Terminal, 'columns' | 'colours'>,
): readonly string[] {
  const entries = Object.entries(shares);
  const shown = entries.slice(0, MOST_ROWS);
  const most = Math.max(0, ...entries.map(([, tokens]) => tokens));
  const rows = shown.map(([name, tokens]) => [
    printableLine(KIND_NAMES[name] ?? name),
    figure(tokens),
    percent(tokens, total),
  ]);
  const barColumns = Math.min(30, columns >> 2);
  const lines = table(rows, [{ cut: 'end' }, { align: 'right' }, { align: 'right' }], columns - barColumns - 4).map(
    (line, at) => `${line}  ${colours.cyan(bar(shown[at]?.[1] ?? 0, most, barColumns))}`,
  );
  return [...lines, ...leftOut(entries.length - shown.length, 'more tool', columns - 2)];
}
