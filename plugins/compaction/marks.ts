/** The marks of a desk (S9.6): ranges per file, merged, counted on the very text that will be injected. */
import { nextSlice } from '../../core/index';
import type { LineRange, Mark } from '../../core/index';
import { blockOf, mergeRanges, openFile, rangesOf, type FileAccess, type ShownFile } from './auto-read';

/** What is asked to be marked; 1-based lines. */
export interface MarkRequest {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
}

interface MarkedFile {
  readonly path: string;
  readonly source: string;
  readonly ranges: readonly (LineRange & { readonly tokens: number })[];
}

interface MarksOptions extends FileAccess {
  countText(text: string): number;
  /** Tokens beyond which it does not matter how many there are; Infinity where nobody keeps a budget. */
  readonly most: number;
  /** Why a file matters, by its key. */
  reason(key: string): string | undefined;
  /** Where a file stands in the order of marks: those touched last come first. */
  recency(key: string): number;
}

/** Characters per token up to which a text is counted in one go, and characters that are counted at a stretch else. */
const SHORT = 4;
const STRETCH = 8192;

/** What came of a request. */
type MarkOutcome = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly text: string };

export class Marks {
  readonly #options: MarksOptions;
  readonly #files = new Map<string, MarkedFile>();

  constructor(options: MarksOptions) {
    this.#options = options;
  }

  /** Every marked range, files touched last first. */
  get list(): readonly Mark[] {
    const { reason, recency } = this.#options;
    const files = [...this.#files].sort(([a], [b]) => recency(b) - recency(a));
    return files.flatMap(([key, { path, source, ranges }]) => {
      const why = reason(key);
      return ranges.map((range) => ({ path, ...range, source, ...(why !== undefined && { reason: why }) }));
    });
  }

  /** Tokens of all marks as they will be injected. */
  get tokens(): number {
    let tokens = 0;
    for (const file of this.#files.values()) tokens += tokensOf(file);
    return tokens;
  }

  /** Tokens of all marks with this one; those of now where the file cannot be marked. */
  async tokensWith(request: MarkRequest): Promise<number> {
    const wanted = await this.#wanted(request);
    if (typeof wanted === 'string') return this.tokens;
    return this.tokens - tokensOf(this.#files.get(wanted.key)) + tokensOf(wanted.file);
  }

  async add(request: MarkRequest): Promise<MarkOutcome> {
    const wanted = await this.#wanted(request);
    if (typeof wanted === 'string') return { ok: false, text: wanted };
    this.#files.set(wanted.key, wanted.file);
    const lines = wanted.file.ranges.map(({ fromLine, toLine }) => `${String(fromLine)}-${String(toLine)}`).join(', ');
    return { ok: true, text: `${wanted.file.path}:${lines}, ${String(tokensOf(wanted.file))} tokens.` };
  }

  /** Takes the marks of a file back. */
  remove(path: string): MarkOutcome {
    const key = this.#options.files.canonical(path);
    const file = this.#files.get(key);
    if (file === undefined) return { ok: false, text: `${path} has no mark.` };
    this.#files.delete(key);
    return { ok: true, text: `Unmarked ${file.path}, ${String(tokensOf(file))} tokens are free again.` };
  }

  /** Whether a file has a mark. */
  has(path: string): boolean {
    return this.#files.has(this.#options.files.canonical(path));
  }

  async #wanted({
    path,
    offset,
    limit,
  }: MarkRequest): Promise<{ readonly key: string; readonly file: MarkedFile } | string> {
    const file = await openFile(path, this.#options);
    if (typeof file === 'string') return `${path} ${file}; it cannot be marked.`;
    const asked = rangesOf(file, offset, limit);
    if (asked.length === 0) return `${file.path} has no such lines; ${linesText(file)}.`;
    const merged = mergeRanges([...(this.#files.get(file.key)?.ranges ?? []), ...asked]);
    const ranges: (LineRange & { readonly tokens: number })[] = [];
    for (const range of merged) ranges.push({ ...range, tokens: await this.#count(blockOf(file, range).text) });
    return { key: file.key, file: { path: file.path, source: file.source, ranges } };
  }

  /** Tokens of a block. Where it is far above all that may be marked, it is gone through in slices, and only so far. */
  async #count(text: string): Promise<number> {
    const { countText, most } = this.#options;
    if (text.length <= most * SHORT) return countText(text);
    let tokens = 0;
    for (let at = 0; at < text.length; at += STRETCH) {
      tokens += countText(text.slice(at, at + STRETCH));
      if (tokens > most * 1.1 + 100) return tokens;
      await nextSlice();
    }
    return countText(text);
  }
}

/** Which lines of a file there are, for the end of a sentence. */
export function linesText({ lines, known }: ShownFile): string {
  if (known === undefined) return `it has ${String(lines.length)} ${lines.length === 1 ? 'line' : 'lines'}`;
  return `only lines ${known.map(({ fromLine, toLine }) => `${String(fromLine)}-${String(toLine)}`).join(', ')} are known from the session`;
}

function tokensOf(file: MarkedFile | undefined): number {
  return file?.ranges.reduce((sum, { tokens }) => sum + tokens, 0) ?? 0;
}
