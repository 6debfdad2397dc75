/** Quotations in a summary (S9.7): what a line quotes, and how quotations are compared. */

/** The quotations of a line under User Directives that must stand in a message of the user. Empty: the line quotes nothing. */
export function quotationsOf(line: string): readonly string[] {
  const outer = outerQuotation(line);
  if (outer === undefined) return [];
  const inner = [...line.matchAll(/["“„«»「『”‟]([^"“”„‟«»「」『』]+)["”“«»」』]/gu)].flatMap(
    (match) => match[1] ?? [],
  );
  return inner.length > 1 ? [outer, ...inner] : [outer];
}

/** Text in which blanks of any kind and number are one blank; how quotations are compared. */
export function collapseBlanks(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}

/** What stands between the first opening and the last closing quotation mark. */
function outerQuotation(line: string): string | undefined {
  const start = line.search(/["“„‟«»「『]/u);
  const end = Math.max(...['"', '”', '“', '«', '»', '」', '』'].map((mark) => line.lastIndexOf(mark)));
  const quotation = start === -1 || end <= start ? '' : line.slice(start + 1, end);
  return quotation.trim() === '' ? undefined : quotation;
}
