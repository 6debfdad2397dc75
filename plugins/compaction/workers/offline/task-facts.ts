/** What the calls of a task did: files, commits, plan, troubles. Found once per task. */
import { planOf, type PlanEntry } from './plan-entries';
import { troublesOf, type Trouble } from './troubles';
import { callsOf, type Call, type Task } from './turns';

/** How a file was changed. */
export interface WrittenFile {
  readonly edits: number;
  /** Written as a whole, once at least. */
  readonly written: boolean;
  readonly deleted: boolean;
}

export interface TaskFacts {
  readonly calls: readonly Call[];
  readonly files: ReadonlyMap<string, WrittenFile>;
  /** First lines of the messages of commits. */
  readonly commits: readonly string[];
  readonly troubles: readonly Trouble[];
}

export async function factsOf(task: Task, signal: AbortSignal): Promise<TaskFacts> {
  const calls = callsOf(task.turns);
  return { calls, files: writtenFiles(calls), commits: commitsOf(calls), troubles: await troublesOf(calls, signal) };
}

/** The steps of the newest plan. */
export function newestPlan(calls: readonly Call[]): readonly PlanEntry[] {
  for (let at = calls.length - 1; at >= 0; at--) {
    const call = calls[at];
    const plan = call === undefined ? undefined : planOf(call.entry);
    if (plan !== undefined) return plan;
  }
  return [];
}

/** Files that calls changed, in the order in which they were first changed. */
export function writtenFiles(calls: readonly Call[]): ReadonlyMap<string, WrittenFile> {
  const files = new Map<string, WrittenFile>();
  for (const { entry, failed } of calls) {
    for (const { path, access } of failed ? [] : entry.touches) {
      if (access === 'read') continue;
      const known = files.get(path);
      files.set(path, {
        edits: (known?.edits ?? 0) + (access === 'edit' ? 1 : 0),
        written: known?.written === true || access === 'write',
        deleted: access === 'delete',
      });
    }
  }
  return files;
}

/** First lines of the messages of commits that were made. */
export function commitsOf(calls: readonly Call[]): readonly string[] {
  return calls.flatMap(({ script, failed }) => {
    const at = script === undefined || failed ? -1 : script.indexOf('git commit');
    if (script === undefined || at === -1) return [];
    const rest = script.slice(at);
    const message = /<<-?[ \t]*['"]?\w+['"]?\n([^\n"]{3,200})/.exec(rest) ?? /-a?m[ =]?["']([^"'\n]{3,200})/.exec(rest);
    return message?.[1] === undefined ? [] : [message[1].trim()];
  });
}
