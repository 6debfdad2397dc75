/** Splits shell scripts into commands and words, as far as is needed to see which files they name. */

/** One command of a script. */
export interface ShellCommand {
  /** The words without quotes; an unquoted word that the shell would expand is undefined. */
  readonly words: readonly (string | undefined)[];
  /** The file that its output goes to, and whether it is added to. */
  readonly into?: { readonly path: string; readonly append: boolean };
  /** The text of its here-document, unless the shell would expand something in it. */
  readonly input?: string;
  /** Whether its output feeds the next command. */
  readonly piped: boolean;
}

interface Draft {
  readonly words: (string | undefined)[];
  into?: { readonly path: string; readonly append: boolean };
  input?: string;
  piped: boolean;
}

interface Document {
  readonly delimiter: string;
  readonly indented: boolean;
  /** Whether the shell leaves its body as it stands. */
  readonly literal: boolean;
  readonly reader: Draft;
}

const LONGEST = 200_000;
const QUOTED_IN_BLANK = new Set(' \t"\'\\$()&;|<>[]`');

/**
 * The commands of a script, in order, without those inside of substitutions. Here-documents become the input of their
 * command. Linear; scripts above 200,000 characters and such with unbalanced quotes have no commands.
 */
export function shellCommands(script: string): readonly ShellCommand[] {
  if (script.length > LONGEST) return [];
  const commands: Draft[] = [];
  const documents: Document[] = [];
  let command: Draft = { words: [], piped: false };
  let at = 0;
  const close = (piped: boolean): void => {
    command.piped = piped;
    if (command.words.length > 0 || command.into !== undefined) commands.push(command);
    command = { words: [], piped: false };
  };
  while (at < script.length) {
    const char = script[at] as string;
    if (char === '\n') {
      close(false);
      at++;
      for (const document of documents.splice(0)) {
        const end = endOfDocument(script, at, document);
        const body = script.slice(at, end.body);
        if (document.literal || !/[$`\\]/.test(body)) document.reader.input = body;
        at = end.next;
      }
    } else if (char === ' ' || char === '\t' || char === '\r') at++;
    else if (char === '#') at = lineEnd(script, at);
    else if (char === ';' || char === '&' || char === '|') {
      const double = script[at + 1] === char;
      close(char === '|' && !double);
      at += double ? 2 : 1;
    } else if (script.startsWith('<<', at)) {
      const indented = script[at + 2] === '-';
      at = skipBlanks(script, at + (indented ? 3 : 2));
      const word = nextWord(script, at);
      if (word === undefined) return [];
      documents.push({ delimiter: word.text, indented, literal: /['"\\]/.test(script[at] ?? ''), reader: command });
      at = word.next;
    } else if (/[<>\d]/.test(char) && /^\d*(?:>>?|<)/.test(script.slice(at, at + 4))) {
      const operator = /^\d*(?:>>?|<)(?:&\d)?/.exec(script.slice(at, at + 5))?.[0] ?? char;
      at += operator.length;
      if (operator.includes('&')) continue;
      const word = nextWord(script, skipBlanks(script, at));
      if (word === undefined) return [];
      if (/^1?>/.test(operator) && !word.expands) command.into = { path: word.text, append: operator.endsWith('>>') };
      at = word.next;
    } else {
      const word = nextWord(script, at);
      if (word === undefined) return [];
      command.words.push(word.expands ? undefined : word.text);
      at = word.next;
    }
  }
  close(false);
  return commands;
}

interface Word {
  readonly text: string;
  readonly expands: boolean;
  readonly next: number;
}

/** The word at a place; undefined where a quote is not closed. Backslashes of Windows paths are kept. */
function nextWord(script: string, from: number): Word | undefined {
  let text = '';
  let expands = false;
  let at = from;
  while (at < script.length && !/[\s;&|<>]/.test(script[at] as string)) {
    const char = script[at] as string;
    if (char === "'" || char === '"') {
      const quoted = char === "'" ? /'([^']*)'/y : /"((?:[^"\\]|\\[^])*)"/y;
      quoted.lastIndex = at;
      const inner = quoted.exec(script)?.[1];
      if (inner === undefined) return undefined;
      if (char === '"' && /[$`]/.test(inner)) expands = true;
      text += char === "'" ? inner : inner.replace(/\\(["\\$`])/g, '$1');
      at = quoted.lastIndex;
    } else if (char === '\\' && QUOTED_IN_BLANK.has(script[at + 1] ?? '')) {
      text += script[at + 1] ?? '';
      at += 2;
    } else if (char === '\\' && script[at + 1] === '\n') at += 2;
    else {
      if ('$`*?{}'.includes(char)) expands = true;
      text += char;
      at++;
    }
  }
  return { text, expands, next: Math.max(at, from + 1) };
}

function endOfDocument(
  script: string,
  from: number,
  document: Document,
): { readonly body: number; readonly next: number } {
  for (let at = from; at < script.length;) {
    const end = lineEnd(script, at);
    const line = script.slice(at, end);
    if ((document.indented ? line.trimStart() : line).trimEnd() === document.delimiter) {
      return { body: at, next: Math.min(end + 1, script.length) };
    }
    at = end + 1;
  }
  return { body: script.length, next: script.length };
}

function skipBlanks(script: string, from: number): number {
  let at = from;
  while (script[at] === ' ' || script[at] === '\t') at++;
  return at;
}

function lineEnd(script: string, from: number): number {
  const end = script.indexOf('\n', from);
  return end === -1 ? script.length : end;
}
