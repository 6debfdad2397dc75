/** Which format a source is in, and what to say where it is in none (S12.3). */
import { closest } from 'fastest-levenshtein';
import { PithError } from '../errors';
import type { SessionFormat, Source } from './format';
import { isFields, listOf } from './shape';

/** A source is taken to be in a format from this sureness on. */
const SURE = 0.5;

/** How many elements of each list, and how many levels, are looked at for field names. */
const SAMPLE = 8;
const LEVELS = 4;

/** The format of a source. Throws `PITH_FORMAT_UNKNOWN`, naming the nearest format and what the source lacks for it. */
export function detectFormat(source: Source, formats: readonly SessionFormat[]): SessionFormat {
  const best = surest(source, formats);
  if (best !== undefined && best.sureness >= SURE) return best.format;
  throw unknownFormat(source, formats);
}

/**
 * The format that was asked for by name. Throws `PITH_FORMAT_UNKNOWN` where no format has the name and
 * `PITH_FORMAT_MISMATCH` where the source is not in it at all.
 */
export function namedFormat(source: Source, name: string, formats: readonly SessionFormat[]): SessionFormat {
  const names = formats.map((format) => format.name);
  const format = formats.find((candidate) => candidate.name === name);
  if (format === undefined) {
    throw new PithError(
      'PITH_FORMAT_UNKNOWN',
      `there is no format "${name}"; the nearest is "${closest(name, names)}". Known formats: ${names.join(', ')}`,
    );
  }
  if (format.detect(source) > 0) return format;
  throw mismatch(source, format, formats);
}

/** Whether a source is in a format beyond doubt. */
export function isIn(source: Source, format: SessionFormat): boolean {
  return format.detect(source) >= SURE;
}

/** The error for a source that turned out not to be in the format it was read as. */
export function mismatch(source: Source, format: SessionFormat, formats: readonly SessionFormat[]): PithError {
  const best = surest(source, formats);
  const instead =
    best !== undefined && best.sureness >= SURE && best.format !== format
      ? `it is in the format ${best.format.name}`
      : `it is ${describe(source)}`;
  return new PithError(
    'PITH_FORMAT_MISMATCH',
    `${source.path} is not in the format ${format.name} (${format.title}): ${instead}. Leave --format out to have it detected`,
  );
}

function surest(
  source: Source,
  formats: readonly SessionFormat[],
): { readonly format: SessionFormat; readonly sureness: number } | undefined {
  let best: { readonly format: SessionFormat; readonly sureness: number } | undefined;
  for (const format of formats) {
    const sureness = format.detect(source);
    if (best === undefined || sureness > best.sureness) best = { format, sureness };
  }
  return best;
}

function unknownFormat(source: Source, formats: readonly SessionFormat[]): PithError {
  const present = fieldNames(source);
  const lacks = (format: SessionFormat): readonly string[] => format.marks.filter((mark) => !present.has(mark));
  const near = (format: SessionFormat): number =>
    format.detect(source) + 1 - lacks(format).length / format.marks.length;
  const nearest = formats.reduce((best, format) => (near(format) > near(best) ? format : best));
  const missing = lacks(nearest);
  const why = missing.length === 0 ? 'its fields are there but hold something else' : `it lacks ${quoted(missing)}`;
  return new PithError(
    'PITH_FORMAT_UNKNOWN',
    `${source.path} is in no known format: it is ${describe(source)}. The nearest is ${nearest.name} (${nearest.title}), but ${why}. ` +
      `Known formats: ${formats.map((format) => format.name).join(', ')}`,
  );
}

/** What a source looks like, in words; names of fields only, never their contents. */
function describe(source: Source): string {
  const { values, malformed } = source.lines;
  if (source.json !== undefined) {
    if (Array.isArray(source.json)) return `a JSON list of ${String(source.json.length)}${withFields(source.json[0])}`;
    return isFields(source.json) ? `one JSON object${withFields(source.json)}` : 'a single JSON value';
  }
  if (values.length > 0) {
    const broken = malformed === 0 ? '' : ` (${String(malformed)} more are malformed)`;
    return `${String(values.length)} JSON lines${broken}${withFields(values[0])}`;
  }
  return /^\s*[{[]/.test(source.text) ? 'JSON that is cut off or malformed' : 'text without JSON';
}

function withFields(value: unknown): string {
  const names = isFields(value) ? Object.keys(value) : [];
  if (names.length === 0) return '';
  const shown = quoted(names.slice(0, SAMPLE).map((name) => name.slice(0, 40)));
  return ` with the fields ${shown}${names.length > SAMPLE ? ' and more' : ''}`;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(', ');
}

function fieldNames(source: Source): ReadonlySet<string> {
  const names = new Set<string>();
  collect(source.json ?? source.lines.values, LEVELS, names);
  // Nothing parses: the names that the head of the text seems to have are all there is to go by.
  if (names.size === 0) {
    for (const [, name = ''] of source.text.slice(0, 10_000).matchAll(/"([\w-]{1,40})"\s*:/g)) names.add(name);
  }
  return names;
}

function collect(value: unknown, levels: number, into: Set<string>): void {
  if (levels === 0) return;
  for (const element of listOf(value).slice(0, SAMPLE)) collect(element, levels - 1, into);
  if (!isFields(value)) return;
  for (const [name, inner] of Object.entries(value).slice(0, 64)) {
    into.add(name);
    collect(inner, levels - 1, into);
  }
}
