/** `list_files`: the entries of a folder, or all files below it that match a glob. */
import { defineTool, type Tool, type ToolOutput, type Workspace } from '../../core/index';
import { argumentsOf, FOLDER, GLOB } from './arguments';
import { because, countOf, pathLine, refused } from './wording';
import { prefixOf, walkFrom } from './walk';

/** Paths that one call lists. */
const MOST_PATHS = 500;

interface ListArguments {
  readonly path?: string;
  readonly glob?: string;
}

export function listFilesTool(files: Workspace): Tool {
  return defineTool({
    name: 'list_files',
    description:
      'Lists a folder (folders end with /), or with a glob all files below it that match. At most 500 paths; what git ignores is left out.',
    kind: 'read',
    input: argumentsOf({ path: FOLDER, glob: GLOB }, []),
    paths: () => [],
    run: (args, { signal }) => {
      const { path = '.', glob } = args as unknown as ListArguments;
      return glob === undefined ? listFolder(files, path) : listMatches(files, path, glob, signal);
    },
  });
}

async function listFolder(files: Workspace, path: string): Promise<ToolOutput> {
  const read = await files.list(path);
  if (!read.ok) return refused(folderReason(files, path, read.reason));
  const prefix = prefixOf(files, read.path);
  const entries = read.entries.filter(({ ignored }) => !ignored);
  const names = entries.slice(0, MOST_PATHS).map(({ name, kind }) => {
    const path = pathLine(prefix + name);
    if (kind === 'folder') return `${path}/`;
    return kind === 'file' ? path : `${path} (${kind === 'link' ? 'link' : 'special file'})`;
  });
  const left = entries.length - names.length;
  const ignored = read.entries.length - entries.length;
  const notes = [
    ...(left > 0 ? [`[${String(left)} more entries; use a glob]`] : []),
    ...(ignored > 0 ? [`[${String(ignored)} ignored by git]`] : []),
  ];
  const summary = `Listed ${prefix === '' ? 'the root' : prefix}: ${countOf(entries.length, 'entry', 'entries')}`;
  return names.length + notes.length === 0 ? summary : { summary, content: [...names, ...notes].join('\n') };
}

async function listMatches(files: Workspace, path: string, glob: string, signal: AbortSignal): Promise<ToolOutput> {
  const walk = await walkFrom(files, path, glob);
  if (typeof walk === 'string') return refused(folderReason(files, path, walk));
  const paths: string[] = [];
  for await (const file of walk.files) {
    signal.throwIfAborted();
    if (paths.length === MOST_PATHS) {
      paths.push(`[more than ${String(MOST_PATHS)} files match; narrow path or glob]`);
      break;
    }
    paths.push(pathLine(file));
  }
  if (walk.isCutShort()) paths.push('[the folder is too large to be listed whole; narrow path]');
  if (paths.length === 0) return `No file matches ${glob}`;
  const found = Math.min(paths.length, MOST_PATHS);
  return { summary: `${countOf(found, 'file matches', 'files match')} ${glob}`, content: paths.join('\n') };
}

/** Why a folder is not listed. */
export function folderReason(files: Workspace, path: string, reason: Parameters<typeof because>[1]): string {
  return reason === 'not-a-file' ? `${files.display(path)} is not a folder.` : because(files.display(path), reason);
}
