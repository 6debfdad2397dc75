/** The files of a report: those that the session touched, and those that its compaction read or named. */
import type { LoggedCompaction } from '../agent/past-compactions';
import { byRecency } from '../agent/touched-files';
import type { FileNames, InspectedFile } from '../agent/touched-files';
import type { Mark } from '../agent/compaction';
import type { LineRange } from '../files/file-source';
import type { Block } from '../session/records';
import type { Tokenizer } from '../tokens/tokenizer';
import type { ReadAnew } from './report-map';
import type { ReadRange, ReportFile } from './report';

/** What a compaction made of one file. */
type Made = Pick<ReportFile, 'path' | 'ranges' | 'note'>;

/** What a compaction made of files. */
export class FilesMade {
  readonly #made = new Map<string, Made>();

  /** Of no compaction, or of one that changed nothing, nothing was made. */
  constructor(compaction: LoggedCompaction | undefined, names: FileNames, tokenizer: Tokenizer) {
    if (!compaction?.checkpoint) return;
    const { checkpoint, marks, references } = compaction;
    for (const block of checkpoint.blocks) {
      const range = rangeOf(block, marks ?? [], tokenizer);
      if (block.path !== undefined && range !== undefined) {
        const known = this.#of(names.canonical(block.path), block.path);
        known.ranges = [...known.ranges, range].sort((a, b) => a.fromLine - b.fromLine);
      }
    }
    for (const { path, note = '' } of references ?? []) this.#of(names.canonical(path), path).note = note;
  }

  /** What was read anew, by the one spelling of each file. */
  get ranges(): ReadAnew['ranges'] {
    return new Map<string, readonly LineRange[]>([...this.#made].map(([key, { ranges }]) => [key, ranges]));
  }

  /** These files of the session with what was made of them. */
  of(files: Iterable<readonly [key: string, file: InspectedFile]>): readonly ReportFile[] {
    return [...files].map(([key, file]) => this.#with(key, file)).sort(byRecency);
  }

  /** All files of the session, and behind them those that only the compaction knows. */
  all(files: ReadonlyMap<string, InspectedFile>): readonly ReportFile[] {
    const others = [...this.#made].flatMap(([key, { path }]) =>
      files.has(key) ? [] : [[key, { path, reads: 0, writes: 0, lastItem: -1 }] as const],
    );
    return this.of([...files, ...others]);
  }

  #with(key: string, { path, reads, writes, lastItem }: InspectedFile): ReportFile {
    const { ranges = [], note } = this.#made.get(key) ?? {};
    return { path, reads, writes, lastItem, ranges, ...(note !== undefined && { note }) };
  }

  #of(key: string, path: string): { -readonly [field in keyof Made]: Made[field] } {
    const known = this.#made.get(key) ?? { path, ranges: [] };
    this.#made.set(key, known);
    return known;
  }
}

function rangeOf(block: Block, marks: readonly Mark[], tokenizer: Tokenizer): ReadRange | undefined {
  const { kind, path, fromLine, toLine, text } = block;
  if (kind !== 'auto-read' || fromLine === undefined || toLine === undefined) return undefined;
  const ofFile = marks.filter((mark) => mark.path === path);
  const { reason } = ofFile.find((mark) => mark.fromLine <= toLine && fromLine <= mark.toLine) ?? ofFile[0] ?? {};
  return {
    fromLine,
    toLine,
    tokens: Math.round(tokenizer.countText(text)),
    ...(reason !== undefined && { reason }),
  };
}
