/** A history in turns and tasks: who asked for what, and which calls answered it. */
import { commandOf, hasFailed } from './commands';
import type { Entry } from './pages';
import { isGoingOn, userWords } from './user-words';

/** A call with its result. */
export interface Call {
  readonly entry: Entry;
  readonly result: Entry | undefined;
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
export function turnsOf(entries: readonly Entry[]): readonly Turn[] {
  const results = new Map<number, Entry>();
  for (const entry of entries) if (entry.kind === 'result') results.set(entry.call, entry);
  const turns: { prompt: string; number: number; calls: Call[]; said: Entry[] }[] = [];
  const open = (prompt: string, number: number): (typeof turns)[number] => {
    const turn = { prompt, number, calls: [], said: [] };
    turns.push(turn);
    return turn;
  };
  for (const entry of entries) {
    if (entry.kind === 'user') {
      const prompt = userWords(entry.text);
      if (prompt !== '') open(prompt, entry.number);
    } else if (entry.kind === 'assistant') {
      if (entry.text.trim() !== '') (turns.at(-1) ?? open('', entry.number)).said.push(entry);
    } else if (entry.kind === 'call') {
      const result = results.get(entry.number);
      const command = commandOf(entry);
      const failed = result !== undefined && hasFailed(result, command);
      (turns.at(-1) ?? open('', entry.number)).calls.push({ entry, result, command, failed });
    }
  }
  return turns;
}

/** The tasks of a history: a prompt that only says to go on belongs to the task before it. */
export function tasksOf(turns: readonly Turn[]): readonly Task[] {
  const tasks: { turns: Turn[] }[] = [];
  for (const turn of turns) {
    const current = tasks.at(-1);
    if (current !== undefined && isGoingOn(turn.prompt)) current.turns.push(turn);
    else tasks.push({ turns: [turn] });
  }
  return tasks;
}

/** All calls of turns, in order. */
export function callsOf(turns: readonly Turn[]): readonly Call[] {
  return turns.flatMap(({ calls }) => calls);
}
