/** The files of a session that are not at hand: their contents as its tool calls and results last showed them (S12.1). */
import type { Item, ToolResultItem } from '../session/items';
import type { FileCall } from './file-call';
import type { FileRead, FileSource } from './file-source';
import { KnownLines } from './known-lines';
import { lexicalPath, relativeTo } from './path-spelling';
import { answersOf, lookOf, saysFailed, snippetOf, windowOf } from './read-output';
import { fileCalls } from './tool-paths';

/**
 * A file source that knows of files only what a session saw of them: reads are replayed, and the writes, edits and patches
 * that succeeded after them. Where only a part was seen, `known` says which lines; nothing is filled in by guess. A file of
 * which nothing is known is `not-found`. The items are gone through once, at the first use.
 *
 * @param root the folder that the session's relative paths start from, if it names one
 */
export function createSessionFiles(items: Iterable<Item>, root?: string): FileSource {
  let replayed: Replay | undefined;
  const replay = (): Replay => (replayed ??= replaySession(items, root));
  return {
    canonical: (path) => replay().canonical(path),
    display: (path) => relativeTo(root, replay().canonical(path)),
    read: (path) => Promise.resolve(replay().read(path)),
  };
}

interface Replay {
  canonical(path: string): string;
  read(path: string): FileRead;
}

function replaySession(items: Iterable<Item>, root: string | undefined): Replay {
  const files = new Map<string, KnownLines>();
  const otherNames = new Map<string, string>();
  const canonical = (path: string): string => {
    const spelling = lexicalPath(path, root);
    return otherNames.get(spelling) ?? spelling;
  };
  const linesOf = (path: string): KnownLines => {
    const name = canonical(path);
    const known = files.get(name) ?? new KnownLines();
    files.set(name, known);
    return known;
  };

  const open = new Map<string, readonly FileCall[]>();
  for (const item of items) {
    if (item.kind === 'tool_call') open.set(item.callId, fileCalls(item.name, item.arguments));
    if (item.kind !== 'tool_result') continue;
    const calls = open.get(item.callId) ?? [];
    open.delete(item.callId);
    const text = textOf(item);
    if (item.isError === true || saysFailed(text)) continue;
    const window = windowOf(text);
    if (window !== undefined) {
      const spelling = lexicalPath(window.named, root);
      if (spelling !== lexicalPath(window.path, root)) otherNames.set(spelling, lexicalPath(window.path, root));
      linesOf(window.path).see(window.look);
      continue;
    }
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
  }

  const read = (path: string): FileRead => {
    const name = canonical(path);
    const lines = files.get(name);
    const known = lines?.known();
    if (lines === undefined || known?.length === 0) return { ok: false, path: name, reason: 'not-found' };
    return { ok: true, path: name, text: lines.text(), source: 'session', ...(known !== undefined && { known }) };
  };
  return { canonical, read };
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
