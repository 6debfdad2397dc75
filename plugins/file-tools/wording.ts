/** What file tools say, in the words that the model reads. */
import type { ToolResult, Unwritable } from '../../core/index';

const REASONS: Readonly<Record<Unwritable, string>> = {
  'not-found': 'does not exist',
  'outside-scope': 'lies outside of the root',
  'not-a-file': 'is not a regular file',
  binary: 'is binary',
  'not-utf8': 'is not UTF-8 text',
  ignored: 'belongs to git or is ignored by it',
  denied: 'is not accessible',
  'too-large': 'is too large for this tool',
  'read-only': 'is write-protected',
  changed: 'changed on disk at this moment; read it again',
};

/** The sentence for a reason, as `src/app.ts is binary.` */
export function because(path: string, reason: Unwritable): string {
  return `${path} ${REASONS[reason]}.`;
}

/** An error result: its first line stays when the rest is pruned. */
export function refused(text: string): ToolResult {
  const whole = `Error: ${text}`;
  const [first = ''] = whole.split('\n', 1);
  return { summary: first, isError: true, ...(first !== whole && { content: whole }) };
}

/** What is wrong with a text that shall be written; undefined where nothing is. */
export function textProblem(name: string, text: string): string | undefined {
  if (!text.isWellFormed()) return `${name} holds half of a surrogate pair, which no file can hold as text.`;
  return text.includes('\0') ? `${name} holds a NUL character; these tools write text only.` : undefined;
}

/** A path on one line: a line break or control character in it is shown as an escape, so that no name can be taken for more. */
export function pathLine(path: string): string {
  return path.replace(
    /[\p{Cc}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A number with its noun. */
export function countOf(number: number, one: string, several: string): string {
  return `${String(number)} ${number === 1 ? one : several}`;
}
