/** The two patch languages that agents write: `*** Begin Patch` envelopes, and SEARCH/REPLACE blocks. */
import type { FileCall, Hunk, Replacement } from './file-call';

const HEADER = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const MOVE = '*** Move to: ';

/** The files that a `*** Begin Patch` text adds, updates, moves and deletes, in order. Never throws; skips what it does not know. */
export function parsePatch(patch: string): readonly FileCall[] {
  const lines = patch.split(/\r?\n/);
  const calls: FileCall[] = [];
  for (let at = lines.indexOf('*** Begin Patch') + 1; at > 0 && at < lines.length;) {
    const header = HEADER.exec(lines[at] ?? '');
    at++;
    const path = header?.[2]?.trim();
    if (path === undefined) continue;
    const from = at;
    while (at < lines.length && !HEADER.test(lines[at] ?? '') && lines[at] !== '*** End Patch') at++;
    calls.push(...fileOf(header?.[1], path, lines.slice(from, at)));
  }
  return calls;
}

function fileOf(kind: string | undefined, path: string, body: readonly string[]): readonly FileCall[] {
  if (kind === 'Delete') return [{ op: 'delete', path }];
  if (kind === 'Add') {
    const text = body.filter((line) => line.startsWith('+')).map((line) => `${line.slice(1)}\n`);
    return [{ op: 'write', path, text: text.join('') }];
  }
  const to = body[0]?.startsWith(MOVE) === true ? body[0].slice(MOVE.length).trim() : undefined;
  const hunks = hunksOf(to === undefined ? body : body.slice(1));
  const update: readonly FileCall[] = hunks.length > 0 || to === undefined ? [{ op: 'patch', path, hunks }] : [];
  return to === undefined ? update : [...update, { op: 'move', path, to }];
}

function hunksOf(body: readonly string[]): readonly Hunk[] {
  const hunks: { after?: string; old: string[]; new: string[]; atEnd: boolean }[] = [];
  // Blank lines at the end belong to the envelope; a blank line of the file is a single space.
  const end = body.findLastIndex((line) => line !== '') + 1;
  for (const line of body.slice(0, end)) {
    if (line.startsWith('@@')) {
      const after = line.slice(2).trim();
      hunks.push({ ...(after !== '' && { after }), old: [], new: [], atEnd: false });
      continue;
    }
    if (hunks.length === 0) hunks.push({ old: [], new: [], atEnd: false });
    const hunk = hunks[hunks.length - 1];
    if (hunk === undefined) continue;
    if (line === '*** End of File') hunk.atEnd = true;
    else if (line.startsWith('+')) hunk.new.push(line.slice(1));
    else if (line.startsWith('-')) hunk.old.push(line.slice(1));
    else {
      hunk.old.push(line.slice(1));
      hunk.new.push(line.slice(1));
    }
  }
  return hunks.filter((hunk) => hunk.old.length > 0 || hunk.new.length > 0);
}

const SEARCH = /^(?:<{5,9}|-{5,9}) ?SEARCH>?$/;
const DIVIDER = /^={5,9}$/;
const REPLACE = /^(?:>{5,9}|\+{5,9}) ?REPLACE>?$/;

/** The replacements of SEARCH/REPLACE blocks; nothing where the text is malformed. */
export function parseSearchReplace(diff: string): { readonly edits?: readonly Replacement[] } {
  const edits: Replacement[] = [];
  let state: 'outside' | 'old' | 'new' = 'outside';
  let old: string[] = [];
  let fresh: string[] = [];
  for (const line of diff.split('\n')) {
    if (state === 'outside') {
      if (SEARCH.test(line.trimEnd())) [state, old, fresh] = ['old', [], []];
    } else if (state === 'old') {
      if (DIVIDER.test(line.trimEnd())) state = 'new';
      else old.push(line);
    } else if (REPLACE.test(line.trimEnd())) {
      edits.push({
        old: old.map((text) => `${text}\n`).join(''),
        new: fresh.map((text) => `${text}\n`).join(''),
        all: false,
      });
      state = 'outside';
    } else fresh.push(line);
  }
  return state === 'outside' && edits.length > 0 ? { edits } : {};
}
