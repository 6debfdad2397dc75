/** `edit_file`: one exact text of a file replaced by another. */
import { readNamedFile, type Tool, type ToolOutput, type ToolRun, type Workspace } from '../../core/index';
import { fileTool } from './file-tool';
import { encode } from './line-endings';
import { because, refused, textProblem } from './wording';
import { replaceText } from './replace';
import type { SeenFiles } from './seen';
import type { InTurn } from './turns';

interface EditArguments {
  readonly path: string;
  readonly old_text: string;
  readonly new_text: string;
  readonly replace_all?: boolean;
}

export function editFileTool(files: Workspace, seen: SeenFiles, inTurn: InTurn): Tool {
  return fileTool<EditArguments>(files, inTurn, {
    name: 'edit_file',
    description:
      'Replaces an exact text in a file that was read before. old_text must occur exactly once, white space included, unless replace_all is set. Line endings are kept as the file has them.',
    kind: 'write',
    properties: {
      old_text: { type: 'string', description: 'The text to replace, exactly as it stands in the file.' },
      new_text: { type: 'string', description: 'What stands there instead; empty removes it.' },
      replace_all: { type: 'boolean', description: 'Replace every occurrence.' },
    },
    required: ['old_text', 'new_text'],
    run: (args, run) => edit(files, seen, args, run),
  });
}

async function edit(
  files: Workspace,
  seen: SeenFiles,
  { path, old_text: old, new_text: fresh, replace_all: all = false }: EditArguments,
  { session, signal }: ToolRun,
): Promise<ToolOutput> {
  const shown = files.display(path);
  const problem = textProblem('old_text', old) ?? textProblem('new_text', fresh);
  if (problem !== undefined) return refused(problem);
  const read = await readNamedFile(files, path);
  if (!read.ok || read.bytes === undefined) {
    const hint = read.ok || read.reason !== 'not-found' ? '' : ' Use write_file to create it.';
    return refused(because(shown, read.ok ? 'denied' : read.reason) + hint);
  }
  const unseen = seen.refusal(session, read.path, read.bytes, false);
  if (unseen !== undefined) return refused(`${shown} ${unseen}`);
  const replaced = replaceText(read.text, old, fresh, all);
  if (typeof replaced === 'string') return refused(`${shown} is unchanged: ${replaced}`);
  const bytes = encode(replaced.text, read.bytes);
  signal.throwIfAborted();
  const written = await files.write(path, bytes, read.bytes);
  if (!written.ok) return refused(because(shown, written.reason));
  seen.edited(session, written.path, bytes);
  const { lines } = replaced;
  const [first = 1] = lines;
  return lines.length === 1
    ? `Edited ${shown} at line ${String(first)}`
    : `Edited ${shown}: ${String(lines.length)} places, the first at line ${String(first)}`;
}
