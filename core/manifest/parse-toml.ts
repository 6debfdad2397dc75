/** TOML text → values with places. A fault of syntax does not hide those behind it. */
import { parse, TomlError } from 'smol-toml';
import { tomlPlaces, type FindPlace, type Place } from './toml-places';

export interface TomlFault extends Place {
  readonly message: string;
}

export interface ParsedToml {
  /** What could be parsed. Tables have no prototype; keys may be any text. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly faults: readonly TomlFault[];
  readonly placeOf: FindPlace;
}

/** Lines that may begin statements of their own and yet belong to one, as in a list of lists. */
const LONGEST_STATEMENT = 64;

/**
 * Parses a text. Where it is malformed, the statements at fault are left out, a table whose header is malformed as a whole,
 * so that one report can name all faults. Messages never repeat the text. Takes no time for that where the text is well-formed.
 */
export function parseToml(text: string): ParsedToml {
  const whole = parsed(text);
  if (!isFault(whole)) return { values: whole, faults: [], placeOf: tomlPlaces(text) };
  const lines = text.split('\n');
  const { statements, faults } = statementsOf(lines);
  for (;;) {
    const rest = textWith(lines, statements);
    const values = parsed(rest);
    if (!isFault(values)) return { values, faults, placeOf: tomlPlaces(rest) };
    // Each statement is well-formed, so one of them does not go with an earlier one.
    faults.push(values);
    const at = statements.findIndex(({ from, to }) => from < values.line && values.line <= to);
    statements.splice(
      Math.max(at, 0),
      at === -1 || statements[at]?.isHeader === true ? lengthOfTable(statements, at) : 1,
    );
  }
}

type Values = Readonly<Record<string, unknown>>;

function parsed(text: string): Values | TomlFault {
  try {
    return parse(text);
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    const { line, column } = thrown;
    const message = (thrown.message.split('\n', 1)[0] ?? '').replace('Invalid TOML document: ', '');
    return new SyntaxFault(
      message === 'invalid value' ? 'invalid value; texts stand in quotes' : message,
      line,
      column,
    );
  }
}

class SyntaxFault implements TomlFault {
  constructor(
    readonly message: string,
    readonly line: number,
    readonly column: number,
  ) {}
}

function isFault(result: Values | TomlFault): result is TomlFault {
  return result instanceof SyntaxFault;
}

/** The lines of a statement, 0-based, `to` exclusive. */
interface Statement {
  readonly from: number;
  readonly to: number;
  readonly isHeader: boolean;
}

const KEY = String.raw`(?:[\w-]+|"[^"]*"|'[^']*')`;
const STATEMENT = new RegExp(String.raw`^\s*(?:\[|${KEY}(?:\s*\.\s*${KEY})*\s*=)`);

/** The statements that are well-formed by themselves, and what is wrong with the others. */
function statementsOf(lines: readonly string[]): { readonly statements: Statement[]; readonly faults: TomlFault[] } {
  const starts = lines.flatMap((line, at) => (at === 0 || STATEMENT.test(line) ? [at] : []));
  const statements: Statement[] = [];
  const faults: TomlFault[] = [];
  let inLostTable = false;
  for (let at = 0; at < starts.length;) {
    const from = starts[at] as number;
    const isHeader = /^\s*\[/.test(lines[from] ?? '');
    const { to, next, fault } = statementAt(lines, starts, at);
    if (isHeader) inLostTable = to === from;
    if (to > from && !inLostTable) statements.push({ from, to, isHeader });
    if (fault !== undefined && (isHeader || !inLostTable)) faults.push(fault);
    at = next;
  }
  return { statements, faults };
}

interface FoundStatement {
  /** Its end; its start where it is malformed. */
  readonly to: number;
  /** The next start to look at. */
  readonly next: number;
  readonly fault?: TomlFault;
}

/** The shortest run of lines from a start that is well-formed; else the lines before the fault, if those are. */
function statementAt(lines: readonly string[], starts: readonly number[], at: number): FoundStatement {
  const from = starts[at] as number;
  const textTo = (to: number): Values | TomlFault => parsed(lines.slice(from, to).join('\n'));
  let fault: TomlFault | undefined;
  for (let next = at + 1; next <= Math.min(at + LONGEST_STATEMENT, starts.length); next++) {
    const to = starts[next] ?? lines.length;
    const result = textTo(to);
    if (!isFault(result)) return { to, next };
    fault ??= new SyntaxFault(result.message, from + result.line, result.column);
  }
  if (fault === undefined) return { to: from, next: at + 1 };
  const before = fault.line - 1;
  return { to: before > from && !isFault(textTo(before)) ? before : from, next: at + 1, fault };
}

/** The text of these statements, each in its lines. */
function textWith(lines: readonly string[], statements: readonly Statement[]): string {
  const kept = lines.map(() => '');
  for (const { from, to } of statements) for (let at = from; at < to; at++) kept[at] = lines[at] as string;
  return kept.join('\n');
}

/** How many statements a table has, with its header. */
function lengthOfTable(statements: readonly Statement[], at: number): number {
  const next = statements.findIndex(({ isHeader }, index) => index > at && isHeader);
  return (next === -1 ? statements.length : next) - Math.max(at, 0);
}
