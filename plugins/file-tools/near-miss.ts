/** Why an exact text is not found where its like stands: differences of white space alone, and line numbers of a listing. */

/** Lines and characters of the file that a hint quotes at most. */
const QUOTED_LINES = 20;
const QUOTED_CHARACTERS = 2000;
/** The longest file in which a likeness is looked for, in characters. */
const SEARCHED_CHARACTERS = 2_000_000;

/** What to do about a text that was not found; where it differs in white space alone, with the lines as they are. */
export function nearMiss(text: string, wanted: string): string {
  const place = text.length > SEARCHED_CHARACTERS ? undefined : placeOfLike(text, wanted);
  if (place !== undefined) {
    const { first, last } = place;
    const quoted = text.split('\n').slice(first - 1, Math.min(last, first - 1 + QUOTED_LINES));
    const where = first === last ? `Line ${String(first)} differs` : `Lines ${String(first)}-${String(last)} differ`;
    return `${where} from it in white space alone. Copy what stands there exactly:\n${quoted.join('\n').slice(0, QUOTED_CHARACTERS).toWellFormed()}`;
  }
  if (/^ *\d+[\t→|:]/.test(wanted)) return 'It seems to begin with a line number, which is no part of the file.';
  return 'Read the part of the file again and copy it exactly.';
}

/** The first place that equals the text when all white space is left out, as 1-based lines. */
function placeOfLike(text: string, wanted: string): { readonly first: number; readonly last: number } | undefined {
  const dense = wanted.replace(/\s+/g, '');
  if (dense === '') return undefined;
  const at = text.replace(/\s+/g, '').indexOf(dense);
  if (at === -1) return undefined;
  let seen = 0;
  let line = 1;
  let first = 0;
  for (const [word] of text.matchAll(/\n|[^\s]+/g)) {
    if (word === '\n') {
      line++;
      continue;
    }
    seen += word.length;
    if (first === 0 && seen > at) first = line;
    if (seen >= at + dense.length) return { first, last: line };
  }
  return undefined;
}
