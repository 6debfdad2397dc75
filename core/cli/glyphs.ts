/**
 * The glyphs of bars and charts. All is drawn with these; a terminal that does not show them gets one ASCII character for each,
 * so that nothing moves. Glyphs always differ where colours do.
 */

/** Parts of a cell, filled from its left: one eighth to all of it. */
export const ACROSS = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'] as const;

/** Parts of a cell, filled from its bottom: one eighth to all of it. */
export const UPWARD = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** ASCII in the place of each glyph that is drawn; eighths become thirds. */
const ASCII: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '▏▎▍': '-',
    '▌▋▊▉': '=',
    '▁▂▃': '.',
    '▄▅▆': 'o',
    '▇█': '#',
    '·': '.',
    '░': ':',
    '▒': '+',
    '▓': '%',
    '▪': '*',
    '│┃': '|',
    '─╌−–—': '-',
    '┤┬└': '+',
    '▼': 'V',
    '▽': 'v',
    '×': 'x',
    '▴': '^',
    '→': '>',
    '…': '~',
    '±': '~',
  }).flatMap(([glyphs, ascii]) => [...glyphs].map((glyph) => [glyph, ascii] as const)),
);

const DRAWN = new RegExp(`[${[...ASCII.keys()].join('')}]`, 'gu');

/** The text with ASCII in the place of what is drawn; as wide as before. Letters of any language stay. */
export function inAscii(text: string): string {
  return text.replace(DRAWN, (glyph) => ASCII.get(glyph) ?? glyph);
}

/**
 * Whether a terminal shows more than ASCII: not where it is a dumb one or the console of Linux, nor in a locale that names
 * another encoding than UTF-8. Where no locale is set, as in containers and on Windows, it does.
 */
export function showsGlyphs(env: Readonly<Record<string, string | undefined>>): boolean {
  if (env['TERM'] === 'dumb' || env['TERM'] === 'linux') return false;
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return locale === '' || /utf-?8/i.test(locale);
}
