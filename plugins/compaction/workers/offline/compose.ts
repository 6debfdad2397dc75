/** The summary from the history (S9.12): which tasks, decisions, words and problems are told, and how much of each. */
import { parseSummary, type Summary, type TaskEntry } from '../../summary-format';
import type { CompactJob } from '../../worker';
import { decisionsOf } from './decisions';
import { errorLine, verdictOf } from './commands';
import { languageOf, wordsOf, type Words } from './language';
import type { Entry } from './pages';
import { joined, proseLines, roughTokens, shorten, titleOf } from './prose';
import { quotedDirectives } from './quotations';
import { activeTask, commitsOf, finishedTask, newestPlan, writtenFiles, type FinishedTask } from './task-entries';
import { planOf } from './plan-entries';
import { callsOf, tasksOf, turnsOf, type Call, type Task } from './turns';

/** Shares of the tokens for a summary; what a section leaves goes to the finished tasks. */
const SHARES = { active: 0.24, decisions: 0.14, directives: 0.24, current: 0.08 } as const;

/** The summary of a history in about `tokens` tokens. Deterministic. */
export function composeSummary(job: Pick<CompactJob, 'previousSummary'>, entries: readonly Entry[], tokens: number): Summary {
  const summarised = entries.filter(({ kept }) => !kept);
  const words = wordsOf(languageOf(wordsSaid(entries)));
  const earlier = earlierSummary(job.previousSummary);
  const tasks = tasksOf(turnsOf(entries));
  const last = tasks.at(-1);
  const active = last === undefined ? earlier.active : [withinTokens(activeTask(last, words, earlier.active[0]), tokens * SHARES.active)];
  const decisions = chosenDecisions(summarised, earlier.decisions, tokens * SHARES.decisions);
  const directives = quotedDirectives(entries, earlier.directives, tokens * SHARES.directives);
  const current = currentWork(entries, last, words, earlier.current).map((line) => shorten(line, Math.floor(tokens * SHARES.current * 1.6)));
  const left = tokens - sizeOf({ completed: [], active, decisions, directives, current });
  return { completed: completedTasks(tasks, earlier, words, left), active, decisions, directives, current };
}

/** Text in the language of the conversation: what the user said, and what the agent said where the user said little. */
function wordsSaid(entries: readonly Entry[]): string {
  const of = (kind: Entry['kind']): string => entries.filter((entry) => entry.kind === kind).slice(-30).map(({ text }) => text.slice(0, 600)).join('\n');
  const user = of('user');
  return user.length > 400 ? user : `${user}\n${of('assistant')}`;
}

/** An earlier summary as data; one in a form of its own becomes a finished task that keeps its lines. */
function earlierSummary(text: string | undefined): Summary {
  const none: Summary = { completed: [], active: [], decisions: [], directives: [], current: [] };
  if (text === undefined) return none;
  const parsed = parseSummary(text);
  if (Object.values(parsed).some((part: readonly unknown[]) => part.length > 0)) return parsed;
  return { ...none, completed: [{ name: titleOf(text, 80), lines: proseLines(text).slice(1) }] };
}

function completedTasks(tasks: readonly Task[], earlier: Summary, words: Words, tokens: number): readonly TaskEntry[] {
  const goesOn = tasks[0]?.turns[0]?.prompt === '' ? earlier.active[0] : undefined;
  const finished = tasks
    .slice(0, -1)
    .filter(isSummarised)
    .map((task, index) => finishedTask(task, words, index === 0 ? goesOn : undefined));
  const steps = finished.length === 0 && tasks.length > 0 ? stepsOf(callsOf(tasks.at(-1)?.turns ?? []), words) : [];
  const ended = tasks.length > 0 && tasks[0]?.turns[0]?.prompt !== '' ? earlier.active : [];
  const carried = [...earlier.completed, ...ended].map(carriedTask);
  return fitted([...carried, ...finished, ...steps], tokens);
}

/** Whether a task lies in the summarised part, at least in part. */
function isSummarised({ turns }: Task): boolean {
  return turns.some(({ calls, said }) => calls.some(({ entry }) => !entry.kept) || said.some(({ kept }) => !kept));
}

/** A task of an earlier summary: the lines that name things first when it must be short. */
function carriedTask({ name, lines }: TaskEntry): FinishedTask {
  const short = [...lines].sort((a, b) => naming(b) - naming(a)).slice(0, 1);
  return { full: { name, lines: lines.slice(0, 12) }, short: { name, lines: short.map((line) => shorten(line, 200)) }, weight: 1 };
}

function naming(line: string): number {
  return line.match(/[\w-]+[./_]\w+|`[^`]+`|\d+/g)?.length ?? 0;
}

/** Finished steps of the plan, else commits, of a task that is still under way. */
function stepsOf(calls: readonly Call[], words: Words): readonly FinishedTask[] {
  const plan = newestPlan(calls);
  const done = plan.filter(({ state }) => state === 'done').map(({ text }) => text);
  const ends = done.length > 0 ? endsOfSteps(calls, done) : endsOfCommits(calls);
  let from = 0;
  return ends.map(({ name, at }) => {
    const files = [...writtenFiles(calls.slice(from, at + 1)).keys()];
    from = at + 1;
    const entry = { name: shorten(name, 100), lines: files.length === 0 ? [] : [`${words.files}: ${files.slice(0, 6).join(', ')}`] };
    return { full: entry, short: { ...entry, lines: [] }, weight: files.length };
  });
}

/** Where each step was first said to be done. */
function endsOfSteps(calls: readonly Call[], done: readonly string[]): readonly { readonly name: string; readonly at: number }[] {
  const at = new Map<string, number>();
  for (const [index, call] of calls.entries())
    for (const step of planOf(call.entry) ?? []) if (step.state === 'done' && !at.has(step.text)) at.set(step.text, index);
  return done.map((name) => ({ name, at: at.get(name) ?? calls.length - 1 })).sort((a, b) => a.at - b.at);
}

function endsOfCommits(calls: readonly Call[]): readonly { readonly name: string; readonly at: number }[] {
  return calls.flatMap((call, at) => commitsOf([call]).map((name) => ({ name, at })));
}

/** As many tasks in full as fit, the newest and weightiest first; the others in short, the oldest by name alone, then not at all. */
function fitted(tasks: readonly FinishedTask[], tokens: number): readonly TaskEntry[] {
  const chosen: (TaskEntry | undefined)[] = tasks.map(() => undefined);
  const order = tasks.map((task, index) => ({ index, worth: task.weight + (8 * (index + 1)) / tasks.length })).sort((a, b) => b.worth - a.worth);
  let left = tokens;
  const offer = (pick: (task: FinishedTask) => TaskEntry): void => {
    for (const { index } of order) {
      const task = tasks[index];
      if (task === undefined) continue;
      const entry = pick(task);
      const gain = entryTokens(entry) - entryTokens(chosen[index]);
      if (gain <= 0 || gain > left) continue;
      chosen[index] = entry;
      left -= gain;
    }
  };
  offer(({ full }) => ({ name: full.name, lines: [] }));
  offer(({ short }) => short);
  offer(({ full }) => full);
  return chosen.filter((entry) => entry !== undefined);
}

function entryTokens(entry: TaskEntry | undefined): number {
  return entry === undefined ? 0 : roughTokens(`### ${entry.name}\n${entry.lines.join('\n')}`) + 1;
}

/** The entry with as many of its lines as fit: the first, then from the end, since what is next stands there. */
function withinTokens(entry: TaskEntry, tokens: number): TaskEntry {
  let left = tokens - roughTokens(entry.name);
  const keep = entry.lines.map((line, index) => ({ line, index })).sort((a, b) => rankOf(a.index, entry.lines.length) - rankOf(b.index, entry.lines.length));
  const kept = keep.flatMap(({ line, index }) => {
    const room = Math.max(0, Math.floor(left * 3));
    if (room < 40) return [];
    const short = shorten(line, room);
    left -= roughTokens(short) + 1;
    return [{ line: short, index }];
  });
  return { name: entry.name, lines: kept.sort((a, b) => a.index - b.index).map(({ line }) => line) };
}

function rankOf(index: number, length: number): number {
  return index === 0 ? 0 : length - index;
}

function chosenDecisions(entries: readonly Entry[], earlier: readonly string[], tokens: number): readonly string[] {
  const found = entries.flatMap((entry) =>
    entry.kind === 'assistant'
      ? decisionsOf(entry.text).map((decision) => ({ ...decision, at: entry.number }))
      : entry.kind === 'result'
        ? answersOf(entry.text).map((line) => ({ line, weight: 6, at: entry.number }))
        : [],
  );
  const carried = earlier.map((line, index) => ({ line: line.replace(/\s+/gu, ' '), weight: 4, at: index - earlier.length }));
  const best = [...carried, ...found].sort((a, b) => b.weight - a.weight || b.at - a.at);
  const chosen: typeof best = [];
  let left = tokens;
  for (const decision of best) {
    const size = roughTokens(decision.line) + 3;
    if (size > left || chosen.some(({ line }) => line === decision.line)) continue;
    chosen.push(decision);
    left -= size;
  }
  return chosen.sort((a, b) => a.at - b.at).map(({ line }) => line);
}

/** Answers of the user to questions that the agent put with a tool: `"question"="answer"`. */
function answersOf(text: string): readonly string[] {
  if (!text.includes('"="')) return [];
  return [...text.matchAll(/"([^"\n]{4,300})"="([^"\n]{1,300})"/g)].map(([, question = '', answer = '']) => `${shorten(question, 160)} — "${answer}"`);
}

function currentWork(entries: readonly Entry[], task: Task | undefined, words: Words, earlier: readonly string[]): readonly string[] {
  const said = entries.findLast(({ kind, text }) => kind === 'assistant' && text.trim() !== '');
  const call = callsOf(task?.turns ?? []).at(-1);
  const user = entries.findLast(({ kind }) => kind === 'user');
  const lines = [
    ...(said === undefined ? [] : [joined(proseLines(said.text), 280)]),
    ...(call === undefined ? [] : [`${words.last}: ${lastAction(call)}`]),
    ...(user === undefined || (said !== undefined && said.number > user.number) ? [] : [`${words.said}: "${shorten(user.text.replace(/\s+/gu, ' '), 200)}"`]),
  ].filter((line) => line.trim() !== '');
  if (lines.length > 0) return lines;
  const anything = entries.findLast(({ text }) => /[\p{L}\p{N}]/u.test(text));
  if (anything !== undefined) return [shorten(anything.text.replace(/\s+/gu, ' '), 200)];
  return earlier.length > 0 ? earlier : [`${words.last}: ${entries.at(-1)?.tool || entries.at(-1)?.kind || words.earlier}`];
}

/** `npm test → 12 passed`, `edit src/a.ts`. */
function lastAction({ entry, command, result, failed }: Call): string {
  const what = command === undefined ? [entry.tool, entry.touches[0]?.path ?? ''].join(' ').trim() : shorten(command, 120);
  if (result === undefined) return what;
  const outcome = failed ? errorLine(result.text, 160) : verdictOf(result.text);
  return outcome === '' ? what : `${what} → ${failed ? `"${outcome}"` : outcome}`;
}

function sizeOf(summary: Summary): number {
  const lines = [...summary.active.flatMap(({ name, lines: said }) => [name, ...said]), ...summary.decisions, ...summary.directives, ...summary.current];
  return roughTokens(lines.join('\n')) + 3 * lines.length + 40;
}
