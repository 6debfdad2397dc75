/** What a history tells, found once: tasks, decisions, words of the user, the last work. How much of it is told is decided later. */
import { inSlices, nextSlice } from '../../../../core/index';
import { parseSummary, type Summary, type TaskEntry } from '../../summary-format';
import { errorLine, verdictOf } from './commands';
import { answersOf, decisionsOf, type Decision } from './decisions';
import { languageOf, wordsOf, type Words } from './language';
import type { Entry } from './pages';
import { planOf } from './plan-entries';
import { joined, proseLines, reportLines, shorten } from './prose';
import { gatherQuotations, type Quotations } from './quotations';
import { activeTask, finishedTask, shortPath, type FinishedTask } from './task-entries';
import { commitsOf, factsOf, newestPlan, writtenFiles } from './task-facts';
import { callsOf, joinTasks, tasksOf, type Call, type Task, type Turn } from './turns';

/** Quotations that are taken over from a summary in a form of its own. */
const FOREIGN_QUOTATIONS = 8;

/** A decision with the number of the item that states it; those of an earlier summary are below 0. */
export interface DatedDecision extends Decision {
  readonly at: number;
}

export interface Digest {
  readonly finished: readonly FinishedTask[];
  readonly active: TaskEntry | undefined;
  readonly decisions: readonly DatedDecision[];
  readonly quotations: Quotations;
  readonly current: readonly string[];
  /** Quoted lines of the earlier summary. */
  readonly quoted: readonly TaskEntry[];
}

/**
 * Takes a history apart, in slices. At most `maxTasks` finished tasks are told apart; what an earlier summary says is
 * carried on.
 */
export async function digestHistory(
  entries: readonly Entry[],
  turns: readonly Turn[],
  previousSummary: string | undefined,
  maxTasks: number,
  signal: AbortSignal,
): Promise<Digest> {
  const words = wordsOf(languageOf(wordsSaid(entries)));
  const earlier = earlierSummary(previousSummary, words);
  const found = tasksOf(turns);
  const last = found.at(-1);
  const tasks = joinTasks(found.slice(0, -1), maxTasks).filter(isSummarised);
  await nextSlice();
  const goesOn = turns[0]?.prompt === '' ? earlier.active[0] : undefined;
  const finished: FinishedTask[] = [];
  for (const task of tasks) {
    const begun = task.turns[0] === turns[0] ? goesOn : undefined;
    finished.push(finishedTask(task, await factsOf(task, signal), words, begun));
    await nextSlice();
  }
  const ended = goesOn === undefined && turns.length > 0 ? earlier.active.map((task) => endedTask(task, words)) : [];
  const carried = [...earlier.completed, ...ended].map(carriedTask);
  const facts = last === undefined ? undefined : await factsOf(last, signal);
  const steps = finished.length === 0 && facts !== undefined ? stepsOf(facts.calls, words) : [];
  const active =
    last === undefined || facts === undefined ? earlier.active[0] : activeTask(last, facts, words, earlier.active[0]);
  await nextSlice();
  return {
    finished: [...carried, ...finished, ...steps],
    active,
    decisions: await decisionsIn(entries, earlier.decisions, signal),
    quotations: await gatherQuotations(entries, earlier.directives, signal),
    current: currentWork(entries, last, words, earlier.current),
    quoted: earlier.quoted ?? [],
  };
}

/** Text in the language of the conversation: what the user said, and what the agent said where the user said little. */
function wordsSaid(entries: readonly Entry[]): string {
  const of = (kind: Entry['kind']): string =>
    entries
      .filter((entry) => entry.kind === kind)
      .slice(-30)
      .map(({ text }) => text.slice(0, 600))
      .join('\n');
  const user = of('user');
  return user.length > 400 ? user : `${user}\n${of('assistant')}`;
}

/** An earlier summary as data; one in a form of its own becomes a finished task that keeps its lines. */
function earlierSummary(text: string | undefined, words: Words): Summary {
  const none: Summary = { completed: [], active: [], decisions: [], directives: [], current: [] };
  if (text === undefined) return none;
  const parsed = parseSummary(text);
  if (Object.values(parsed).some((part: readonly unknown[]) => part.length > 0)) return parsed;
  return { ...none, completed: [{ name: words.earlier, lines: proseLines(text) }], directives: quotedIn(text) };
}

/** What a summary in a form of its own puts between quotation marks on one line; perhaps the user's words. */
function quotedIn(text: string): readonly string[] {
  return [...text.matchAll(/"([^"\n]{16,400})"/g)].slice(-FOREIGN_QUOTATIONS).map(([quotation]) => quotation);
}

/** Whether a task lies in the summarised part, at least in part. */
function isSummarised({ turns }: Task): boolean {
  return turns.some(({ calls, said }) => calls.some(({ entry }) => !entry.kept) || said.some(({ kept }) => !kept));
}

/** The active task of an earlier summary, once another prompt has come: its name says the goal, and its next step is past. */
function endedTask({ name, lines }: TaskEntry, words: Words): TaskEntry {
  const past = [`${words.goal}: `, `${words.next}: `];
  return { name, lines: lines.filter((line) => !past.some((label) => line.startsWith(label))) };
}

/** A task of an earlier summary: the lines that name most are kept. */
function carriedTask({ name, lines }: TaskEntry): FinishedTask {
  const best = [...lines].sort((a, b) => naming(b) - naming(a));
  const entry = (count: number, characters: number): TaskEntry => {
    const kept = new Set(best.slice(0, count));
    return { name, lines: lines.filter((line) => kept.has(line)).map((line) => shorten(line, characters)) };
  };
  return { full: entry(24, 300), short: entry(lines.length > 10 ? 4 : 1, 200), weight: 1 };
}

function naming(line: string): number {
  return line.match(/[\w-]+[./_]\w+|`[^`]+`|\d+/g)?.length ?? 0;
}

/** Finished steps of the plan, else commits, of a task that is still under way. */
function stepsOf(calls: readonly Call[], words: Words): readonly FinishedTask[] {
  const done = newestPlan(calls).filter(({ state }) => state === 'done');
  const ends = done.length > 0 ? endsOfSteps(calls, new Set(done.map(({ text }) => text))) : endsOfCommits(calls);
  let from = 0;
  return ends.map(({ name, at }) => {
    const files = [...writtenFiles(calls.slice(from, at + 1)).keys()];
    from = at + 1;
    const lines = files.length === 0 ? [] : [`${words.files}: ${files.slice(0, 6).map(shortPath).join(', ')}`];
    const full = { name: shorten(name, 100), lines };
    return { full, short: { ...full, lines: [] }, weight: files.length };
  });
}

interface StepEnd {
  readonly name: string;
  readonly at: number;
}

/** Where each step was first said to be done. */
function endsOfSteps(calls: readonly Call[], done: ReadonlySet<string>): readonly StepEnd[] {
  const ends = new Map<string, number>();
  for (const [index, call] of calls.entries())
    for (const step of planOf(call.entry) ?? [])
      if (step.state === 'done' && done.has(step.text) && !ends.has(step.text)) ends.set(step.text, index);
  return [...ends].map(([name, at]) => ({ name, at }));
}

function endsOfCommits(calls: readonly Call[]): readonly StepEnd[] {
  return calls.flatMap((call, at) => commitsOf([call]).map((name) => ({ name, at })));
}

async function decisionsIn(
  entries: readonly Entry[],
  earlier: readonly string[],
  signal: AbortSignal,
): Promise<readonly DatedDecision[]> {
  const carried = earlier.map((line, index) => ({
    line: line.replace(/\s+/gu, ' '),
    weight: 4,
    at: index - earlier.length,
  }));
  const found: DatedDecision[] = [...carried];
  await inSlices(
    entries,
    ({ kind, kept, text, number }) => {
      if (kept) return;
      if (kind === 'assistant') for (const decision of decisionsOf(text)) found.push({ ...decision, at: number });
      if (kind === 'result') for (const line of answersOf(text)) found.push({ line, weight: 6, at: number });
    },
    signal,
  );
  return found;
}

function currentWork(
  entries: readonly Entry[],
  task: Task | undefined,
  words: Words,
  earlier: readonly string[],
): readonly string[] {
  const said = entries.findLast(({ kind, text }) => kind === 'assistant' && text.trim() !== '');
  const call = task === undefined ? undefined : callsOf(task.turns).at(-1);
  const user = entries.findLast(({ kind }) => kind === 'user');
  const unanswered = user !== undefined && (said === undefined || said.number < user.number);
  const lines = [
    said === undefined ? '' : joined(reportLines(said.text), 280),
    call === undefined ? '' : `${words.last}: ${lastAction(call)}`,
    unanswered ? `${words.said}: "${shorten(user.text.replace(/\s+/gu, ' '), 200)}"` : '',
  ].filter((line) => /[\p{L}\p{N}]/u.test(line));
  if (lines.length > 0) return lines;
  const anything = entries.findLast(({ text }) => /[\p{L}\p{N}]/u.test(text));
  if (anything !== undefined) return [shorten(anything.text.replace(/\s+/gu, ' '), 200)];
  return earlier.length > 0 ? earlier : [words.state];
}

/** `npm test → 12 passed`, `edit src/a.ts`. */
function lastAction({ entry, command, result, failed }: Call): string {
  const what =
    command === undefined ? [entry.tool, entry.touches[0]?.path ?? ''].join(' ').trim() : shorten(command, 120);
  const outcome = result === undefined ? '' : failed ? errorLine(result.text, 160) : verdictOf(result.text);
  return outcome === '' ? what : `${what} → ${failed ? `"${outcome}"` : outcome}`;
}
