/** `search_files`: the lines of files that a regular expression matches. */
import {
  type Clock,
  defineTool,
  readNamedFile,
  type Tool,
  type ToolOutput,
  type ToolRun,
  type Workspace,
} from '../../core/index';
import { argumentsOf, FOLDER, GLOB } from './arguments';
import { lineMatcher, linesOf, shownLine, type LineMatcher } from './line-search';
import { folderReason } from './list-files';
import { because, countOf, pathLine, refused } from './wording';
import { walkFrom } from './walk';

/** Lines that one call shows. */
const MOST_MATCHES = 200;
/** Files that are opened ahead of the one that is searched. */
const READ_AHEAD = 16;
/** Milliseconds of one search. */
const MOST_TIME = 20_000;
/** Milliseconds of matching after which others get their turn. */
const SLICE = 10;

interface SearchArguments {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly ignore_case?: boolean;
}

export function searchFilesTool(files: Workspace, clock: Pick<Clock, 'now'>): Tool {
  return defineTool({
    name: 'search_files',
    description:
      'Finds the lines that match a regular expression (RE2 syntax, line by line), in one file or in all text files below a folder. At most 200 lines; what git ignores is left out.',
    kind: 'read',
    input: argumentsOf(
      {
        pattern: { type: 'string', minLength: 1, maxLength: 1000, description: 'Regular expression.' },
        path: {
          ...(FOLDER as object),
          description: 'Folder or file to search, relative to the root; the root by default.',
        },
        glob: GLOB,
        ignore_case: { type: 'boolean', description: 'Whether case does not matter.' },
      },
      ['pattern'],
    ),
    paths: () => [],
    run: (args, run) => search(files, clock, args as unknown as SearchArguments, run),
  });
}

async function search(
  files: Workspace,
  clock: Pick<Clock, 'now'>,
  { pattern, path = '.', glob, ignore_case: ignoreCase = false }: SearchArguments,
  { signal }: ToolRun,
): Promise<ToolOutput> {
  const match = lineMatcher(pattern, ignoreCase);
  if (typeof match === 'string') return refused(match);
  const paths = await filesToSearch(files, path, glob);
  if ('refusal' in paths) return refused(paths.refusal);
  const pace = createPace(clock, signal);
  const found: string[] = [];
  let matches = 0;
  let searched = 0;
  for await (const { path: file, text } of textsOf(files, paths.files)) {
    signal.throwIfAborted();
    searched++;
    const lines = await matchesIn(text, match, MOST_MATCHES - matches, pace);
    if (lines.length > 0) found.push([pathLine(file), ...lines].join('\n'));
    matches += lines.length;
    if (matches >= MOST_MATCHES || pace.isOver()) break;
  }
  const notes = [
    ...(matches >= MOST_MATCHES
      ? [`[${String(MOST_MATCHES)} lines, there may be more; narrow pattern, path or glob]`]
      : []),
    ...(pace.isOver() ? [`[stopped after ${String(MOST_TIME / 1000)} s; narrow path or glob]`] : []),
    ...(paths.isCutShort() ? ['[the folder is too large to be searched whole; narrow path]'] : []),
  ];
  const summary =
    matches === 0
      ? `No line matches ${pattern} in ${countOf(searched, 'file', 'files')}`
      : `${countOf(matches, 'line matches', 'lines match')} ${pattern} in ${String(found.length)} of ${countOf(searched, 'file', 'files')}`;
  return found.length + notes.length === 0 ? summary : { summary, content: [...found, ...notes].join('\n\n') };
}

type SearchedFiles = {
  readonly files: AsyncIterable<string> | Iterable<string>;
  isCutShort(): boolean;
};

async function filesToSearch(
  files: Workspace,
  path: string,
  glob: string | undefined,
): Promise<SearchedFiles | { readonly refusal: string }> {
  const walk = await walkFrom(files, path, glob);
  if (typeof walk !== 'string') return walk;
  if (walk !== 'not-a-file') return { refusal: folderReason(files, path, walk) };
  const read = await readNamedFile(files, path);
  if (!read.ok) return { refusal: because(files.display(path), read.reason) };
  return { files: [files.display(path)], isCutShort: () => false };
}

/** The texts of files in their order, without files that hold none; some are read while others are searched. */
async function* textsOf(
  files: Workspace,
  paths: SearchedFiles['files'],
): AsyncGenerator<{ readonly path: string; readonly text: string }> {
  const ahead: { readonly path: string; readonly read: ReturnType<typeof readNamedFile> }[] = [];
  async function* next(): AsyncGenerator<{ readonly path: string; readonly text: string }> {
    const first = ahead.shift();
    const read = await first?.read;
    if (first !== undefined && read?.ok === true) yield { path: first.path, text: read.text };
  }
  for await (const path of paths) {
    ahead.push({ path, read: readNamedFile(files, path) });
    if (ahead.length === READ_AHEAD) yield* next();
  }
  while (ahead.length > 0) yield* next();
}

async function matchesIn(text: string, match: LineMatcher, most: number, pace: Pace): Promise<readonly string[]> {
  const shown: string[] = [];
  let number = 0;
  for (const line of linesOf(text)) {
    number++;
    const at = match(line);
    if (at !== -1) shown.push(`${String(number)}: ${shownLine(line, at)}`);
    if (shown.length >= most || pace.isOver()) break;
    if (pace.isDue()) await pace.rest();
  }
  return shown;
}

/** Keeps a search from holding everybody else up, and from going on for ever. */
interface Pace {
  isDue(): boolean;
  rest(): Promise<void>;
  isOver(): boolean;
}

function createPace(clock: Pick<Clock, 'now'>, signal: AbortSignal): Pace {
  const start = clock.now();
  let slice = start;
  return {
    isDue: () => clock.now() - slice > SLICE,
    rest: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
      slice = clock.now();
    },
    isOver: () => clock.now() - start > MOST_TIME,
  };
}
