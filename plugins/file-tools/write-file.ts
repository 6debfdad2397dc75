/** `write_file`: a new file, or a new text in the place of all of an old one. */
import type { Tool, ToolOutput, ToolRun, Workspace } from '../../core/index';
import { fileTool } from './file-tool';
import { encode, inMannerOf, withFeeds } from './line-endings';
import { because, countOf, refused, textProblem } from './wording';
import type { SeenFiles } from './seen';
import type { InTurn } from './turns';

interface WriteArguments {
  readonly path: string;
  readonly content: string;
}

export function writeFileTool(files: Workspace, seen: SeenFiles, inTurn: InTurn): Tool {
  return fileTool<WriteArguments>(files, inTurn, {
    name: 'write_file',
    description:
      'Writes a whole text file; missing folders are made. A file that exists must have been read in full before, and keeps its line endings and mode. Prefer edit_file to change a part.',
    kind: 'write',
    properties: { content: { type: 'string', description: 'The whole new text.' } },
    required: ['content'],
    run: (args, run) => writeWhole(files, seen, args, run),
  });
}

async function writeWhole(
  files: Workspace,
  seen: SeenFiles,
  { path, content }: WriteArguments,
  { session, signal }: ToolRun,
): Promise<ToolOutput> {
  const shown = files.display(path);
  if (/[/\\]$/.test(path)) return refused(`${path} names a folder; give the path of a file.`);
  const problem = textProblem('content', content);
  if (problem !== undefined) return refused(problem);
  const old = await files.readBytes(path);
  if (!old.ok && old.reason !== 'not-found') return refused(because(shown, old.reason));
  const unseen = old.ok ? seen.refusal(session, old.path, old.bytes, true) : undefined;
  if (unseen !== undefined) return refused(`${shown} ${unseen}`);
  const bytes = old.ok ? encode(inMannerOf(textOf(old.bytes), content), old.bytes) : encode(content);
  signal.throwIfAborted();
  const written = await files.write(path, bytes, old.ok ? old.bytes : undefined);
  if (!written.ok) return refused(because(shown, written.reason));
  seen.wrote(session, written.path, bytes);
  const size = `${countOf(lineCount(content), 'line', 'lines')}, ${countOf(bytes.length, 'byte', 'bytes')}`;
  return `${old.ok ? 'Overwrote' : 'Created'} ${shown}: ${size}`;
}

/** Enough of the old text to tell its line endings, whatever its encoding. */
function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

function lineCount(text: string): number {
  if (text === '') return 0;
  return withFeeds(text).split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
