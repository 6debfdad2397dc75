/** A history in turns and tasks: who asked for what, and which calls answered it. */
import { inSlices } from '../../../../core/index';
import { firstCommand, hasFailed, scriptOf } from './commands';
import type { Entry } from './pages';
import { isGoingOn, userWords } from './user-words';

/** A call with its result. */
export interface Call {
  readonly entry: Entry;
  readonly result: Entry | undefined;
  /** The script that it runs, and the first command of it on one line. */
  readonly script: string | undefined;
  readonly command: string | undefined;
  readonly failed: boolean;
}

/** One prompt and what came of it. */
export interface Turn {
  /** The words of the user; empty before the first prompt that is known. */
  readonly prompt: string;
  /** Number of the item that opened it. */
  readonly number: number;
  readonly calls: readonly Call[];
  /** What the agent said, in order. */
  readonly said: readonly Entry[];
}

/** A prompt that opened something new, with the turns that went on with it. */
export interface Task {
  readonly turns: readonly Turn[];
}

/** The turns of a history. What comes before the first prompt is a turn without one. */
export async function turnsOf(entries: readonly Entry[], signal: AbortSignal): Promise<readonly Turn[]> {
  const results = new Map<number, Entry>();
  for (const entry of entries) if (entry.kind === 'result') results.set(entry.call, entry);
  const turns: { prompt: string; number: number; calls: Call[]; said: Entry[] }[] = [];
  const open = (prompt: string, number: number): (typeof turns)[number] => {
    const turn = { prompt, number, calls: [], said: [] };
    turns.push(turn);
    return turn;
  };
  const place = (entry: Entry): void => {
    if (entry.kind === 'user') {
      const prompt = userWords(entry.text);
      if (prompt !== '') open(prompt, entry.number);
    } else if (entry.kind === 'assistant') {
      if (entry.text.trim() !== '') (turns.at(-1) ?? open('', entry.number)).said.push(entry);
    } else if (entry.kind === 'call') {
      const result = results.get(entry.number);
      const script = scriptOf(entry);
      const command = script === undefined ? undefined : firstCommand(script);
      const failed = result !== undefined && hasFailed(result, command);
      (turns.at(-1) ?? open('', entry.number)).calls.push({ entry, result, script, command, failed });
    }
  };
  await inSlices(entries, place, signal);
  return turns;
}

/** The tasks of a history: a prompt that only says to go on, or that nobody answered before the next, is no task of its own. */
export function tasksOf(turns: readonly Turn[]): readonly Task[] {
  const tasks: { turns: Turn[]; answered: boolean }[] = [];
  for (const turn of turns) {
    const current = tasks.at(-1);
    const answered = turn.calls.length > 0 || turn.said.length > 0;
    if (current !== undefined && (isGoingOn(turn.prompt) || !current.answered)) {
      current.turns.push(turn);
      current.answered ||= answered;
    } else tasks.push({ turns: [turn], answered });
  }
  return tasks;
}

/**
 * Neighbouring tasks joined until there are at most `max`: small ones that worked on the same files first, then the smallest. A
 * session of a hundred short prompts is not a hundred tasks.
 */
export function joinTasks(tasks: readonly Task[], max: number): readonly Task[] {
  let joined = tasks.map((task) => ({ turns: [...task.turns], files: filesOf(task) }));
  for (const alike of [0.5, 0.25, 0.01, -1]) {
    for (let size = 2; joined.length > max && size <= tasks.length * 2; size *= 2)
      joined = joinedPairs(joined, alike, size, max);
  }
  return joined;
}

interface Draft {
  readonly turns: Turn[];
  readonly files: ReadonlySet<string>;
}

/** One pass over neighbours: joins those alike enough that have together at most `size` turns. */
function joinedPairs(drafts: readonly Draft[], alike: number, size: number, max: number): Draft[] {
  const out: Draft[] = [];
  let excess = drafts.length - max;
  for (const draft of drafts) {
    const last = out.at(-1);
    if (
      last === undefined ||
      excess <= 0 ||
      last.turns.length + draft.turns.length > size ||
      likeness(last, draft) < alike
    )
      out.push({ ...draft, turns: [...draft.turns] });
    else {
      out[out.length - 1] = { turns: [...last.turns, ...draft.turns], files: new Set([...last.files, ...draft.files]) };
      excess--;
    }
  }
  return out;
}

/** How many of the fewer files two tasks share; tasks without files are alike to any neighbour. */
function likeness(one: Draft, other: Draft): number {
  const [few, many] = one.files.size < other.files.size ? [one.files, other.files] : [other.files, one.files];
  if (few.size === 0) return 0.4;
  let shared = 0;
  for (const file of few) if (many.has(file)) shared++;
  return shared / few.size;
}

function filesOf({ turns }: Task): ReadonlySet<string> {
  const files = new Set<string>();
  for (const { entry } of callsOf(turns))
    for (const { path, access } of entry.touches) if (access !== 'read') files.add(path);
  return files;
}

/** All calls of turns, in order. */
export function callsOf(turns: readonly Turn[]): readonly Call[] {
  return turns.flatMap(({ calls }) => calls);
}
