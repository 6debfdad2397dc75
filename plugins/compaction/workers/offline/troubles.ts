/** What went wrong and what put it right (S9.8): a failed call, and the later success of the same command, tool and file. */
import { inSlices } from '../../../../core/index';
import { commandKey, errorLine, isLooking } from './commands';
import type { Call } from './turns';

/** A failure and how it ended. */
export interface Trouble {
  /** The command, or the tool and its file. */
  readonly what: string;
  /** What the error said. */
  readonly message: string;
  /** Number of the call that failed last. */
  readonly number: number;
  /** How often it failed. */
  readonly times: number;
  readonly solved: boolean;
  /** What was done between the failure and the success: files edited, else commands run. */
  readonly by: readonly string[];
  /** How much it is worth telling. */
  readonly weight: number;
}

interface Open {
  readonly key: string;
  readonly what: string;
  /** What the last failure printed. */
  readonly output: string;
  readonly number: number;
  readonly times: number;
  readonly by: string[];
  readonly ran: string[];
}

/** Troubles at most this many calls apart from their solution are one story. */
const REACH = 120;
/** Troubles that are followed at once; the one that failed longest ago is given up first. */
const FOLLOWED = 40;

/** The troubles of calls in their order; those that nobody came back to are unsolved. */
export async function troublesOf(calls: readonly Call[], signal: AbortSignal): Promise<readonly Trouble[]> {
  const open = new Map<string, Open>();
  const troubles: Trouble[] = [];
  const follow = (call: Call, index: number): void => {
    const key = keyOf(call);
    const known = open.get(key);
    if (call.failed && !refused(call)) {
      const times = (known?.times ?? 0) + 1;
      const output = call.result?.text ?? '';
      open.set(key, { by: [], ran: [], ...known, key, what: whatOf(call), output, number: index, times });
      if (open.size > FOLLOWED) giveUpOldest(open, calls, troubles);
      return;
    }
    if (known !== undefined && call.result !== undefined) {
      open.delete(key);
      if (index - known.number <= REACH) troubles.push(closed(known, calls, true, call));
    }
    noteWork(open, call);
  };
  let index = 0;
  await inSlices(calls, (call) => follow(call, index++), signal);
  for (const trouble of open.values()) troubles.push(closed(trouble, calls, false, undefined));
  return troubles.sort((a, b) => a.number - b.number);
}

function giveUpOldest(open: Map<string, Open>, calls: readonly Call[], troubles: Trouble[]): void {
  const [oldest] = [...open.values()].sort((a, b) => a.number - b.number);
  if (oldest === undefined) return;
  open.delete(oldest.key);
  troubles.push(closed(oldest, calls, false, undefined));
}

/** Whether a person or a policy refused the call; that is no failure of the work. */
function refused(call: Call): boolean {
  return /user (?:doesn't|does not|didn't|rejected|denied|declined)|rejected by user|tool use was rejected|interrupted by user/i.test(
    call.result?.text.slice(0, 400) ?? '',
  );
}

function keyOf({ entry, command }: Call): string {
  if (command !== undefined) return commandKey(command);
  return `${entry.tool} ${entry.touches[0]?.path ?? ''}`;
}

function whatOf({ entry, command }: Call): string {
  if (command !== undefined) return command.length > 80 ? commandKey(command) : command;
  const path = entry.touches[0]?.path;
  return path === undefined ? entry.tool : `${entry.tool} ${path}`;
}

/** What was done while a trouble was open may be what solved it. */
function noteWork(open: ReadonlyMap<string, Open>, call: Call): void {
  if (open.size === 0) return;
  const edited = call.entry.touches.filter(({ access }) => access !== 'read').map(({ path }) => path);
  for (const trouble of open.values()) {
    for (const path of edited) if (!trouble.by.includes(path)) trouble.by.push(path);
    if (edited.length === 0 && call.command !== undefined && !isLooking(call.command) && trouble.ran.length < 3)
      trouble.ran.push(call.command);
  }
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

function closed(trouble: Open, calls: readonly Call[], solved: boolean, success: Call | undefined): Trouble {
  const failed = calls[trouble.number];
  const looking = failed?.command !== undefined && isLooking(failed.command);
  const variant = success?.command !== undefined && success.command !== failed?.command ? [success.command] : [];
  const done =
    trouble.by.length > 0 ? trouble.by.slice(-3).map(baseName) : [...trouble.ran.slice(-2), ...variant].slice(0, 2);
  const by = [...new Set(done.map((text) => (text.length > 80 ? commandKey(text) : text)))].filter(
    (text) => text !== trouble.what,
  );
  const helped = trouble.by.length > 0 ? 2 : by.length > 0 ? 1 : 0;
  const weight = 2 + helped + Math.min(2, trouble.times - 1) + (failed?.command === undefined ? -1 : 1);
  return {
    what: trouble.what,
    message: errorLine(trouble.output, 160),
    number: failed?.entry.number ?? -1,
    times: trouble.times,
    solved,
    by,
    weight: looking ? 0 : weight,
  };
}
