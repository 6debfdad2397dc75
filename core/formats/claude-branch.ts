/** Which lines of a Claude Code session the newest branch holds (S12.3). */
import { isCompactSummary, isConversation, isPrompt } from './claude-lines';
import { fieldsOf, stringOf, textOf } from './shape';
import type { Fields } from './shape';
import { parentsOf, ROOT } from './tree';

/**
 * The conversation without what was rewound, in file order. Parent links alone do not tell: parallel calls and hooks fork
 * the chain too. A rewind is a fork at which two prompts of the user stand side by side; the older one goes. A copy of the
 * whole history under a new root, as resuming leaves it, takes the place of the original.
 */
export function newestBranch(lines: readonly Fields[]): readonly Fields[] {
  const chained = withoutRepeats(lines);
  const parents = linkRoots(chained, parentsOf(chained.map(linkOf)));
  const leaf = chained.findLastIndex(isConversation);
  const next = new Map<number, Fields | undefined>();
  for (let place = leaf, below: Fields | undefined; place !== ROOT; place = parents[place] ?? ROOT) {
    next.set(place, below);
    const line = chained[place];
    if (line !== undefined && isConversation(line)) below = line;
  }
  // For each line off the chain: the place at which its branch left it, or why that no longer matters.
  const origin = new Map<number, number | 'kept' | 'rewound'>();
  return chained.filter((line, place) => {
    if (next.has(place)) return isConversation(line);
    const parent = parents[place] ?? ROOT;
    const from = next.has(parent) ? parent : (origin.get(parent) ?? 'rewound');
    const fate = typeof from === 'number' && isConversation(line) ? fateOf(line, next.get(from)) : from;
    origin.set(place, fate);
    return fate === 'kept' && isConversation(line);
  });
}

function fateOf(line: Fields, sibling: Fields | undefined): 'kept' | 'rewound' {
  return sibling !== undefined && isPrompt(line) && isPrompt(sibling) ? 'rewound' : 'kept';
}

function linkOf(line: Fields): { readonly id: string | undefined; readonly parent: string | null | undefined } {
  const { parentUuid } = line;
  return { id: stringOf(line.uuid), parent: parentUuid === null ? null : stringOf(parentUuid) };
}

/** Lines that hang in the tree, but for those that were written twice. */
function withoutRepeats(lines: readonly Fields[]): readonly Fields[] {
  const seen = new Map<string, Fields>();
  return lines.filter((line) => {
    const id = stringOf(line.uuid);
    if (id === undefined) return isConversation(line);
    const first = seen.get(id);
    if (first === undefined) seen.set(id, line);
    return first === undefined || textOf(first.message) !== textOf(line.message);
  });
}

/**
 * A root goes on from what stands before it, as a compaction does, unless replies below it stood in the file already under
 * another root: then it is a copy, and a history of its own.
 */
function linkRoots(lines: readonly Fields[], parents: Int32Array): Int32Array {
  const roots = new Int32Array(lines.length);
  const rootOfReply = new Map<string, number>();
  const copies = new Set<number>();
  lines.forEach((line, place) => {
    const parent = parents[place] ?? ROOT;
    const goesOn = parent !== ROOT || isCompaction(line);
    const root = goesOn && place > 0 ? (roots[parent === ROOT ? place - 1 : parent] ?? 0) : place;
    roots[place] = root;
    const reply = line.type === 'assistant' ? stringOf(fieldsOf(line.message).id) : undefined;
    if (reply === undefined) return;
    const first = rootOfReply.get(reply);
    if (first === undefined) rootOfReply.set(reply, root);
    else if (first !== root) copies.add(root);
  });
  let last = ROOT;
  return parents.map((parent, place) => {
    const before = last;
    const line = lines[place];
    if (line !== undefined && isConversation(line)) last = place;
    return parent === ROOT && !copies.has(place) ? before : parent;
  });
}

function isCompaction(line: Fields): boolean {
  return line.subtype === 'compact_boundary' || isCompactSummary(line);
}
