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
    return new SyntaxFault(message, line, column);
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
    const found = statementAt(lines, starts, at);
    const isHeader = /^\s*\[/.test(lines[from] ?? '');
    if (isHeader) inLostTable = isFault(found);
    if (isFault(found)) {
      if (isHeader || !inLostTable) faults.push(found);
      at++;
      continue;
    }
    if (!inLostTable) statements.push({ from, to: found.to, isHeader });
    at = found.next;
  }
  return { statements, faults };
}

function statementAt(
  lines: readonly string[],
  starts: readonly number[],
  at: number,
): { readonly to: number; readonly next: number } | TomlFault {
  const from = starts[at] as number;
  let first: TomlFault | undefined;
  for (let next = at + 1; next <= Math.min(at + LONGEST_STATEMENT, starts.length); next++) {
    const to = starts[next] ?? lines.length;
    const result = parsed(lines.slice(from, to).join('\n'));
    if (!isFault(result)) return { to, next };
    first ??= new SyntaxFault(result.message, from + result.line, result.column);
  }
  return first as TomlFault;
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
