// Which parts of a text are secrets.

const MASK = '[redacted]';
/** Values below so many characters are words as likely as secrets. */
const SHORTEST = 6;

/**
 * @typedef {(text: string) => string} Mask The text without secrets. It keeps its lines, since files are cited by line.
 */

/**
 * Makes a mask for these very values, for words that begin like keys, and for private keys. Linear in the text.
 *
 * @param {{ readonly values: readonly string[], readonly prefixes: readonly string[] }} secrets
 * @returns {Mask}
 */
function createMask({ values, prefixes }) {
  const spellings = values
    .filter((value) => value.length >= SHORTEST)
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)]);
  const known = [...new Set(spellings)].sort((a, b) => b.length - a.length).map(literal);
  const keys = prefixes.map(literal).join('|');
  const patterns = [
    /(?<=-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)[^-]+/g,
    ...(known.length > 0 ? [new RegExp(known.join('|'), 'g')] : []),
    ...(keys !== '' ? [new RegExp(`(?<![A-Za-z0-9_-])(?:${keys})[A-Za-z0-9_-]{12,}`, 'g')] : []),
  ];
  return (text) => patterns.reduce((masked, pattern) => masked.replace(pattern, maskLines), text);
}

/** @param {string} secret */
function maskLines(secret) {
  return secret.replace(/[^\r\n]+/g, MASK);
}

/** @param {string} text */
function literal(text) {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

module.exports = { createMask };
