/** Prose out of messages: lines without markup and code, sentences, and texts cut at the end of a word. All linear. */

/** The prose of a report: without its headings and the lines that only lead to a list. */
export function reportLines(text: string): readonly string[] {
  const kept = text.split('\n').filter((line) => !/^\s*(?:#{1,6}\s|\*\*[^*]{1,60}\*\*:?\s*$|.{0,60}:\s*$)/.test(line));
  const lines = proseLines(kept.join('\n'));
  return lines.length > 0 ? lines : proseLines(text);
}

/** The prose lines of a message: no fenced code, no tables, no rules; headings, bullets and quotes without their marks. */
export function proseLines(text: string): readonly string[] {
  const lines: string[] = [];
  let fence = '';
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    const mark = line.startsWith('```') ? '```' : line.startsWith('~~~') ? '~~~' : '';
    if (mark !== '' && (fence === '' || fence === mark)) fence = fence === '' ? mark : '';
    else if (fence === '' && !line.startsWith('|')) {
      const plain = unmarked(line);
      if (/[\p{L}\p{N}]/u.test(plain)) lines.push(plain);
    }
  }
  return lines;
}

/** A line without the marks of headings, bullets, quotes, numbers and emphasis. */
function unmarked(line: string): string {
  return line
    .replace(/^(?:[#>*•–—+✅✓✔☐☑❌⚠️🎉🔧-]+\s*|\d{1,3}[.)]\s+|\[[ xX]\]\s+)+/u, '')
    .replace(/\*\*/g, '')
    .replace(/\[([^[\]]{1,100})\]\(([^()\s]{1,200})\)/g, (_, text: string, to: string) =>
      to.endsWith(text) ? to : `${text} (${to})`,
    )
    .replace(/\s+/gu, ' ')
    .trim();
}

const ENDS = new Set(['.', '!', '?', '…']);
const WIDE_ENDS = new Set(['。', '！', '？']);

/** The sentences of a line with their marks. A full stop inside of a name (`a.ts`) ends nothing. */
export function sentencesOf(line: string): readonly string[] {
  const sentences: string[] = [];
  let start = 0;
  for (let at = 0; at < line.length; at++) {
    const mark = line.charAt(at);
    const wide = WIDE_ENDS.has(mark);
    if (!wide && !(ENDS.has(mark) && (at + 1 === line.length || line.charAt(at + 1) === ' '))) continue;
    if (mark === '.' && isAbbreviation(line, start, at)) continue;
    sentences.push(line.slice(start, at + 1).trim());
    start = at + 1;
  }
  const rest = line.slice(start).trim();
  return rest === '' ? sentences : [...sentences, rest];
}

function isAbbreviation(line: string, start: number, at: number): boolean {
  const word = line.slice(Math.max(start, line.lastIndexOf(' ', at - 1) + 1), at).replace(/^[("'[]+/, '');
  return word.length === 1 || /^(?:e\.g|i\.e|etc|vs|z\.B|bzw|ca|Dr|Mr|Mrs|Nr|No|resp|approx|\d{1,2})$/i.test(word);
}

/** The text at most `max` characters long, cut behind a word and ended by `…` where something is missing. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = max;
  while (end > max - 60 && end > 0 && !/[\s,，、。]/.test(text.charAt(end))) end--;
  if (end <= max - 60 || end <= 0) end = /[\udc00-\udfff]/.test(text.charAt(max)) ? max - 1 : max;
  return `${text.slice(0, end).trimEnd()} …`;
}

/** Lines joined to one text of at most `max` characters, whole lines first; a line that ends without a mark gets one. */
export function joined(lines: readonly string[], max: number): string {
  let text = '';
  for (const line of lines) {
    const glue = text === '' ? '' : /[.!?…:;,。！？；：，]$/u.test(text) ? ' ' : '; ';
    if (text.length + glue.length + line.length > max) {
      if (text.length < max * 0.5) text += glue + shorten(line, max - text.length - glue.length);
      break;
    }
    text += glue + line;
  }
  return text;
}

/** A line of prose to name something by; at most `max` characters and without a closing mark. */
export function titleOf(text: string, max: number): string {
  const lines = proseLines(text);
  const telling = lines.slice(0, 12).filter(isTelling);
  const line = telling[0] ?? lines[0] ?? '';
  const [first = line, second = telling[1]] = sentencesOf(line);
  const title =
    first.length < 16 && second !== undefined ? `${first}${/[.!?]$/.test(first) ? '' : ':'} ${second}` : first;
  return shorten(title.replace(/[.:;,。：；，]+$/u, ''), max);
}

/** Whether a line reads as words rather than as output or code. */
export function isTelling(line: string): boolean {
  const letters = line.match(/\p{L}/gu)?.length ?? 0;
  return (
    /^[\p{L}"'“«@]/u.test(line) &&
    letters > line.length * 0.6 &&
    /[\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}]/u.test(line)
  );
}

/** About how many tokens a text has; on the safe side, so that what fits by it fits in fact nearly always. */
export function roughTokens(text: string): number {
  let wide = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x24f) wide++;
  return Math.ceil((text.length - wide) / 3.2 + wide * 1.1);
}
