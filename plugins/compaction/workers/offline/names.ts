/** Names in a text that somebody may need again: identifiers, paths, options, addresses, numbers of issues and errors. */

/** A name and where it stands in its line. */
export interface PlacedName {
  readonly name: string;
  readonly at: number;
}

const SHORTEST = 4;
const LONGEST = 160;
/** Stretches that may hold a name. */
const WORD = /[\w$@~#/.:-]+/g;

/** The names of a line in their order; plain words are none. Linear. */
export function namesIn(line: string): readonly PlacedName[] {
  const found: PlacedName[] = [];
  for (const match of line.matchAll(WORD)) {
    const [word] = match;
    if (word.length < SHORTEST || word.length > LONGEST) continue;
    const start = word.search(/[\w$@~#/]|-\w|--|\.\w|\.{1,2}\//);
    const name = start === -1 ? '' : withoutEnd(word.slice(start));
    const at = match.index + start;
    if (isName(name) && !isClosingTag(line, at)) found.push({ name, at });
  }
  return found;
}

/** A word without the marks that end a sentence, and without the numbers of line and column behind a path. */
function withoutEnd(word: string): string {
  let end = word.length;
  while (end > 0 && '.:/-#~@'.includes(word.charAt(end - 1))) end--;
  const name = word.slice(0, end);
  return /[./]/.test(name) && !name.includes('//') ? name.replace(/(?::\d{1,6}){1,2}$/, '') : name;
}

function isClosingTag(line: string, at: number): boolean {
  return line.charAt(at) === '/' && line.charAt(at - 1) === '<';
}

function isName(name: string): boolean {
  if (name.length < SHORTEST || !/[A-Za-z]/.test(name)) return /^#\d{2,7}$/.test(name);
  if (name.length > 40 && isEncoded(name)) return false;
  return (
    /^--[a-z][\w-]+$/.test(name) ||
    /[\w~@.]\/[\w@.]|^\/\w/.test(name) ||
    /\w_\w/.test(name) ||
    /[a-z][A-Z]/.test(name) ||
    /[A-Za-z_$][\w$-]*[.:]{1,2}[A-Za-z_$]/.test(name) ||
    /^[A-Za-z][\w.-]*:\d{2,5}$/.test(name) ||
    /^[A-Z]{2,}-?\d+$/.test(name)
  );
}

/** Whether a long word is data rather than a name: many digits and no part of a path or of an identifier ends. */
function isEncoded(name: string): boolean {
  return !/[._-]/.test(name) && (name.match(/\d/g)?.length ?? 0) > name.length / 10;
}
