/** How tool calls are shown: one line each, and what a person is asked to allow. */
import type { ToolResult } from '../agent/tools';
import type { Json, ToolCallItem } from '../session/items';
import { fitTo, printable, printableLine, widthOf, wrapTo } from './display-width';
import { counted, duration } from './layout';
import type { Terminal } from './terminal';

/** Arguments that say most about a call, the most telling first. */
const TELLING = ['command', 'path', 'file_path', 'pattern', 'query', 'url'];

/** Rows of one argument that a person is shown before a call runs. */
const MOST_ROWS = 12;

/** `read_file src/main.rs`: the tool and what it is about, on one line. */
export function callTitle({ name, arguments: args }: Pick<ToolCallItem, 'name' | 'arguments'>): string {
  return printableLine(`${name} ${mainArgument(args)}`);
}

/** The line of a call that has ended: mark, title, what came of it, and how long it took. */
export function resultLine(
  call: ToolCallItem,
  { summary, isError = false }: Pick<ToolResult, 'summary' | 'isError'>,
  ms: number,
  { colours, columns }: Pick<Terminal, 'colours' | 'columns'>,
): string {
  const mark = isError ? colours.red('✗') : colours.green('✓');
  const took = duration(ms);
  const room = columns - 4 - widthOf(took);
  const title = fitTo(callTitle(call), Math.max(20, room >> 1));
  const said = fitTo(printableLine(summary), room - widthOf(title) - 3);
  const about = isError ? colours.red(said) : colours.dim(said);
  return `${mark} ${title}${said === '' ? '' : `  ${about}`}  ${colours.dim(took)}`;
}

/** All arguments of a call in rows, long ones cut in the middle of nothing but their end. */
export function argumentRows(args: Json, columns: number): readonly string[] {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return rowsOf(textOf(args), columns);
  return Object.entries(args as Readonly<Record<string, Json>>).flatMap(([name, value]) => {
    const text = textOf(value);
    const line = `${printableLine(name)}: ${text}`;
    if (!text.includes('\n') && widthOf(line) <= columns) return [printable(line)];
    return [`${printableLine(name)}:`, ...rowsOf(text, columns - 2).map((row) => `  ${row}`)];
  });
}

function rowsOf(text: string, columns: number): readonly string[] {
  const rows = wrapTo(printable(text).trimEnd(), columns);
  const more = rows.length - MOST_ROWS;
  return more > 1 ? [...rows.slice(0, MOST_ROWS), `… ${counted(more, 'more row')}`] : rows;
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function mainArgument(args: Json): string {
  if (typeof args === 'string') return args;
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return '';
  const given = args as Readonly<Record<string, Json>>;
  const telling = TELLING.find((name) => Object.hasOwn(given, name) && typeof given[name] === 'string');
  const text = telling === undefined ? Object.values(given).find((value) => typeof value === 'string') : given[telling];
  return typeof text === 'string' ? text : '';
}
