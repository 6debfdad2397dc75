/** `read_file`: the text of a file as it stands there, so that it can be edited by exact text. */
import { readNamedFile } from '../../core/index';
import type { FileSource, LineRange, Session, Tool, ToolOutput } from '../../core/index';
import { because, countOf, refused } from './wording';
import { fileTool } from './file-tool';
import { pageOf, withRest, type Page } from './page';
import type { SeenFiles } from './seen';
import type { InTurn } from './turns';

interface ReadArguments {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
}

export function readFileTool(files: FileSource, seen: SeenFiles, inTurn: InTurn): Tool {
  return fileTool<ReadArguments>(files, inTurn, {
    name: 'read_file',
    description:
      'Reads a text file, or lines of it: at most 2000 lines and 48 kB. The text comes exactly as it stands in the file, without line numbers. Where lines are left, a last line in brackets says so and where to go on.',
    kind: 'read',
    properties: {
      offset: { type: 'integer', minimum: 1, description: 'First line, counted from 1.' },
      limit: { type: 'integer', minimum: 1, description: 'Number of lines.' },
    },
    required: [],
    run: (args, { session }) => readPage(files, seen, args, session),
  });
}

async function readPage(
  files: FileSource,
  seen: SeenFiles,
  { path, offset, limit }: ReadArguments,
  session: Session,
): Promise<ToolOutput> {
  const shown = files.display(path);
  const read = await readNamedFile(files, path);
  if (!read.ok) return refused(because(shown, read.reason));
  const page = knownPage(read.text, read.known, offset, limit);
  const total = page?.total ?? lineCount(read.text);
  if (page === undefined && total > 0) {
    const lines = countOf(total, 'line', 'lines');
    return refused(`${shown} has ${lines}; nothing is there from line ${String(offset)} on.`);
  }
  if (read.bytes !== undefined) {
    seen.read(session, read.path, read.bytes, page ?? { fromLine: 1, toLine: 0 }, total);
  }
  if (page === undefined) return `[${shown} is empty]`;
  const isWhole = page.fromLine === 1 && page.toLine === total;
  const range = isWhole ? `all ${countOf(total, 'line', 'lines')}` : rangeOf(page);
  return { summary: `Read ${shown}: ${range}`, content: withRest(page) };
}

/** The page, of the first lines that are known where not all are. */
function knownPage(
  text: string,
  known: readonly LineRange[] | undefined,
  offset = 1,
  limit?: number,
): Page | undefined {
  if (known === undefined) return pageOf(text, offset, limit);
  const range = known.find(({ toLine }) => toLine >= offset);
  if (range === undefined) return undefined;
  const from = Math.max(offset, range.fromLine);
  return pageOf(text, from, Math.min(limit ?? Infinity, range.toLine - from + 1));
}

function rangeOf({ fromLine, toLine, total }: Page): string {
  return `lines ${String(fromLine)}-${String(toLine)} of ${String(total)}`;
}

function lineCount(text: string): number {
  return pageOf(text, 1, 1)?.total ?? 0;
}
