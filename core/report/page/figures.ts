/** Numbers and texts as the page writes them. Pure. */

const GROUPED = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** A whole number with its thousands apart: `84,210`. */
export function figure(value: number): string {
  return GROUPED.format(value);
}

/** A number where there is little room: `84.2K`. */
export function shortFigure(value: number): string {
  return SHORT.format(value);
}

/** A number with what it counts: `1 request`, `2 requests`. */
export function counted(count: number, what: string): string {
  return `${figure(count)} ${what}${count === 1 ? '' : 's'}`;
}

/** A share in whole percent: `42%`; what is there but rounds to nothing is `<1%`. */
export function percent(part: number, whole: number): string {
  if (whole <= 0 || part <= 0) return '0%';
  const share = (100 * part) / whole;
  return share < 1 ? '<1%' : `${GROUPED.format(share)}%`;
}

/** Milliseconds as a person says them: `340 ms`, `12.4 s`, `3 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${figure(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${figure(Math.floor(seconds / 60))} min ${String(seconds % 60)} s`;
}

/** Characters that steer rather than show: controls, line separators, and what turns the direction of text. */
const UNSEEN = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** A text in which nothing hides or disguises itself: what cannot be seen is told by its code. Line breaks and tabs stay. */
export function shown(text: string): string {
  return text.toWellFormed().replace(UNSEEN, (character) => {
    if (character === '\n' || character === '\t') return character;
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return `‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›`;
  });
}
