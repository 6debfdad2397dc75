/** The files of a session that are not at hand: their contents as its tool calls and results last showed them (S12.1). */
import type { Item, ToolResultItem } from '../session/items';
import { inSlices } from '../session/slices';
import type { FileCall } from './file-call';
import type { FileRead, FileSource } from './file-source';
import { KnownLines } from './known-lines';
import { lexicalPath, relativeTo } from './path-spelling';
import { answersOf, lookOf, saysFailed, snippetOf, windowNames, windowOf } from './read-output';
import { fileCalls } from './tool-paths';

/**
 * A file source that knows of files only what a session saw of them: reads are replayed, and the writes, edits and patches
 * that succeeded after them. Where only a part was seen, `known` says which lines; nothing is filled in by guess. A file of
 * which nothing is known is `not-found`. The items are gone through once for the names and once for the contents, each at the
 * first use, the contents in slices.
 *
 * @param root the folder that the session's relative paths start from, if it names one
 */
export function createSessionFiles(items: Iterable<Item>, root?: string): FileSource {
  let gone: readonly Item[] | undefined;
  const all = (): readonly Item[] => (gone ??= [...items]);
  let names: ((path: string) => string) | undefined;
  const canonical = (path: string): string => (names ??= namesIn(all(), root))(path);
  let contents: Promise<ReadonlyMap<string, KnownLines>> | undefined;
  return {
    canonical,
    display: (path) => relativeTo(root, canonical(path)),
    async read(path) {
      contents ??= replay(all(), canonical);
      return readFrom(await contents, canonical(path));
    },
  };
}

/** One spelling for each file, also for those that an editor's window shows by another name. */
function namesIn(items: readonly Item[], root: string | undefined): (path: string) => string {
  const others = new Map<string, string>();
  for (const item of items) {
    const window = item.kind === 'tool_result' && item.isError !== true ? windowNames(textOf(item)) : undefined;
    if (window === undefined) continue;
    const spelling = lexicalPath(window.named, root);
    const path = lexicalPath(window.path, root);
    if (spelling !== path) others.set(spelling, path);
  }
  return (path) => {
    const spelling = lexicalPath(path, root);
    return others.get(spelling) ?? spelling;
  };
}

/** What is known of each file at the end. */
async function replay(
  items: readonly Item[],
  canonical: (path: string) => string,
): Promise<ReadonlyMap<string, KnownLines>> {
  const files = new Map<string, KnownLines>();
  const linesOf = (path: string): KnownLines => {
    const name = canonical(path);
    const known = files.get(name) ?? new KnownLines();
    files.set(name, known);
    return known;
  };
  const open = new Map<string, readonly FileCall[]>();
  await inSlices(items, (item) => {
    if (item.kind === 'tool_call') open.set(item.callId, fileCalls(item.name, item.arguments));
    if (item.kind !== 'tool_result') return;
    const calls = open.get(item.callId) ?? [];
    open.delete(item.callId);
    const text = textOf(item);
    if (item.isError === true || saysFailed(text)) return;
    const window = windowOf(text);
    if (window !== undefined) return linesOf(window.path).see(window.look);
    // A summary alone is a description, not the text of a file.
    const answers = item.content === undefined ? [] : answersOf(text, calls.length);
    calls.forEach((call, at) => {
      if (call.op === 'move') {
        const moved = files.get(canonical(call.path));
        files.delete(canonical(call.path));
        if (moved !== undefined) files.set(canonical(call.to), moved);
      } else if (call.op === 'delete') files.delete(canonical(call.path));
      else apply(call, answers[at] ?? '', answers[at] !== undefined, linesOf(call.path));
    });
  });
  return files;
}

function readFrom(files: ReadonlyMap<string, KnownLines>, path: string): FileRead {
  const lines = files.get(path);
  const known = lines?.known();
  if (lines === undefined || known?.length === 0) return { ok: false, path, reason: 'not-found' };
  return { ok: true, path, text: lines.text(), source: 'session', ...(known !== undefined && { known }) };
}

function apply(
  call: Exclude<FileCall, { op: 'move' | 'delete' }>,
  answer: string,
  answered: boolean,
  lines: KnownLines,
): void {
  switch (call.op) {
    case 'read': {
      const look = answered ? lookOf(call, answer) : undefined;
      if (look !== undefined) lines.see(look);
      return;
    }
    case 'write':
      if (call.text === undefined) lines.forget();
      else lines.write(call.text);
      return;
    case 'edit':
      if (call.edits === undefined) lines.forget();
      else call.edits.every((edit) => lines.replace(edit));
      break;
    case 'insert':
      lines.insert(call.afterLine, call.text);
      break;
    case 'patch':
      lines.patch(call.hunks);
      break;
  }
  const snippet = snippetOf(answer);
  if (snippet !== undefined) lines.see(snippet);
}

function textOf(result: ToolResultItem): string {
  const texts = (result.content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === 0 && result.content === undefined ? result.summary : texts.join('\n');
}
