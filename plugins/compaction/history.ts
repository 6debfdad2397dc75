/** What the pages of a desk show beside the items (S9.5): which files calls touched, and what lies before the part to summarise. */
import { clipText, entryText, historyPage, oneLine, partsText, type Detail, type History } from '../../core/index';

/** A file that a call touched, by a path that stands in the log. */
export interface Touch {
  readonly path: string;
  readonly access: 'read' | 'write' | 'edit' | 'delete';
  /** 1-based line that a read began at, and number of lines it asked for. */
  readonly offset?: number;
  readonly limit?: number;
  /** Lines that an edit put in, by which its place in the file can be found. */
  readonly anchors?: readonly string[];
}

/** The history behind the pages of a desk; what lies from `to` on is carried over. */
export interface DeskHistory extends History {
  readonly previousSummary: string | undefined;
  /** What touched files before the part to summarise, the newest files and touches first; a few. */
  readonly earlierFiles: readonly Touch[];
  /** Numbers of the newest messages of the user before the part to summarise, ascending; a few short ones. */
  readonly earlierWords: readonly number[];
}

/** UTF-8 bytes of a page; one item is always shown. */
export const PAGE_BYTES = 16_000;
/** UTF-8 bytes of an earlier message of the user. */
const WORDS_BYTES = 6000;

/** A page from an item on; from -1 on, the page begins with what lies before the part to summarise. */
export function deskPage(history: DeskHistory, from: number, limit: number, detail: Detail): string {
  return historyPage(
    history,
    { from, limit, detail, opening: from === -1 ? earlierText(history) : [] },
    { most: PAGE_BYTES, measure: (text) => Buffer.byteLength(text) },
  );
}

/** What lies before the part to summarise: its summary, the files it touched, the last words of the user. */
function earlierText(history: DeskHistory): readonly string[] {
  const { previousSummary, earlierFiles, earlierWords, mask } = history;
  return [
    ...(previousSummary === undefined ? [] : [entryText('#-1 summary', clipText(previousSummary, PAGE_BYTES, mask))]),
    ...(earlierFiles.length === 0 ? [] : [entryText('#-1 files', earlierFiles.map(touchText).join('\n'))]),
    ...earlierWords.flatMap((number) => {
      const item = history.item(number);
      if (item?.kind !== 'message') return [];
      const head = `#${String(number)} earlier user (${history.size(item)})`;
      return [entryText(head, clipText(partsText(item.parts), WORDS_BYTES, mask))];
    }),
  ];
}

/** `read src/a.ts:10-60`, `edit src/a.ts ["a line that it put in"]`. */
export function touchText({ path, access, offset, limit, anchors }: Touch): string {
  const last = limit === undefined ? '' : String((offset ?? 1) + limit - 1);
  const lines = offset === undefined && limit === undefined ? '' : `:${String(offset ?? 1)}-${last}`;
  return `${access} ${oneLine(path)}${lines}${anchors === undefined || anchors.length === 0 ? '' : ` ${JSON.stringify(anchors)}`}`;
}
