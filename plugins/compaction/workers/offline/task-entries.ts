/** Tasks as entries of a summary: what was asked, what was done, which files, what went wrong. */
import type { TaskEntry } from '../../summary-format';
import { verdictOf } from './commands';
import type { Words } from './language';
import type { PlanEntry } from './plan-entries';
import { joined, proseLines, reportLines, sentencesOf, shorten, titleOf } from './prose';
import { newestPlan, writtenFiles, type TaskFacts, type WrittenFile } from './task-facts';
import type { Trouble } from './troubles';
import { callsOf, type Task, type Turn } from './turns';
import { isGoingOn } from './user-words';

/** How much a finished task may say. */
interface TaskRoom {
  readonly asked: number;
  readonly report: number;
  readonly files: number;
  readonly troubles: number;
}

const FULL: TaskRoom = { asked: 240, report: 360, files: 8, troubles: 2 };
const SHORT: TaskRoom = { asked: 100, report: 160, files: 4, troubles: 0 };

/** A finished task in full and in short. */
export interface FinishedTask {
  readonly full: TaskEntry;
  readonly short: TaskEntry;
  /** How much it is worth telling in full. */
  readonly weight: number;
}

/** A task as finished; `begun` is what an earlier summary says of its beginning. */
export function finishedTask(task: Task, facts: TaskFacts, words: Words, begun: TaskEntry | undefined): FinishedTask {
  const { calls, files, commits, troubles } = facts;
  const entry = (room: TaskRoom): TaskEntry => ({
    name: nameOf(task) || begun?.name || titleOf(task.turns[0]?.said[0]?.text ?? '', 80) || words.earlier,
    lines: [
      ...(begun?.lines.slice(0, 2) ?? []),
      askedToo(task, room.asked),
      shorten(reportOf(task, room.report), room.report) || promptOf(task, room.asked),
      filesLine(files, words, room.files),
      ...commitsLine(commits, words, room.report),
      ...troubleLines(troubles, words, room.troubles, false),
    ].filter((line) => line !== ''),
  });
  return {
    full: entry(FULL),
    short: entry(SHORT),
    weight: Math.min(6, files.size) + (calls.length > 0 ? 1 : 0) + Math.min(3, commits.length),
  };
}

/** The name of a task: the first of its prompts that says enough, in short. */
function nameOf(task: Task): string {
  return titleOf(naming(task)?.prompt ?? '', 80);
}

function naming({ turns }: Task): Turn | undefined {
  return turns.find(({ prompt }) => prompt.length >= 24) ?? turns.find(({ prompt }) => prompt !== '');
}

/** Prompts of a task that are looked at, the newest. */
const ASKED = 40;

/** What else the user asked for in the course of a task, the longest prompts first to be kept. */
function askedToo(task: Task, max: number): string {
  const name = naming(task);
  const others = task.turns
    .slice(-ASKED)
    .filter((turn) => turn !== name && turn.prompt !== '' && !isGoingOn(turn.prompt));
  const titles = others.map(({ prompt }) => titleOf(prompt, 90)).filter((title) => title !== '');
  const best = [...titles].sort((a, b) => b.length - a.length);
  let left = max;
  const kept = new Set(best.filter((title) => (left -= title.length + 2) >= 0));
  return titles.filter((title) => kept.has(title)).join('; ');
}

/** The entry of the task that is under way. */
export function activeTask(task: Task, facts: TaskFacts, words: Words, earlier: TaskEntry | undefined): TaskEntry {
  const plan = newestPlan(facts.calls);
  const prompts = [naming(task), task.turns.findLast((turn) => turn.prompt !== '')].flatMap((turn) =>
    turn === undefined ? [] : [turn.prompt.replace(/\s+/gu, ' ')],
  );
  const goal = [...new Set(prompts)]
    .map((prompt, index) => `"${shorten(prompt, index === 0 ? 400 : 120)}"`)
    .join(' … ');
  const steps = (state: PlanEntry['state'], max: number): string =>
    joined(
      plan.filter((step) => step.state === state).map(({ text }) => text),
      max,
    );
  const said = saidLast(task);
  const line = (label: string, text: string): string => (text === '' ? '' : `${label}: ${text}`);
  return {
    name: nameOf(task) || earlier?.name || titleOf(task.turns[0]?.said[0]?.text ?? '', 80) || words.state,
    lines: [
      ...(goal === '' ? (earlier?.lines.slice(0, 4) ?? []) : [line(words.goal, goal)]),
      line(words.done, steps('done', 400)),
      line(words.state, said),
      filesLine(facts.files, words, 10),
      ...commitsLine(facts.commits, words, 300),
      ...troubleLines(facts.troubles, words, 3, true),
      line(words.open, [steps('active', 200), steps('open', 400)].filter((text) => text !== '').join('; ')),
      line(words.next, nextStep(task, plan)),
    ].filter((text) => text !== ''),
  };
}

function filesLine(changed: TaskFacts['files'], words: Words, max: number): string {
  const files = [...changed].sort(([, a], [, b]) => weightOf(b) - weightOf(a));
  if (files.length === 0 || max === 0) return '';
  const named = files.slice(0, max).map(([path, { edits, written, deleted }]) => {
    const how = [
      ...(written ? [words.written] : []),
      ...(edits > 1 || (edits === 1 && written) ? [words.edits(edits)] : []),
      ...(deleted ? [words.deleted] : []),
    ];
    return how.length === 0 ? shortPath(path) : `${shortPath(path)} (${how.join(', ')})`;
  });
  return `${words.files}: ${named.join(', ')}${files.length > max ? `, +${String(files.length - max)}` : ''}`;
}

/** The end of a long path; files are named in full where the context lists or shows them. */
export function shortPath(path: string): string {
  if (path.length <= 40) return path;
  const segments = path.split(/[/\\]/);
  const enough = /^(?:index|page|route|mod|main|lib|__init__)\b/.test(segments.at(-1) ?? '') ? 3 : 2;
  return segments.length <= enough ? path : path.slice(-segments.slice(-enough).join('/').length);
}

function weightOf({ edits, written }: WrittenFile): number {
  return edits + (written ? 2 : 0);
}

function commitsLine(commits: readonly string[], words: Words, max: number): readonly string[] {
  return commits.length === 0 ? [] : [`${words.commits}: ${joined(commits.slice(-6), max)}`];
}

function troubleLines(
  troubles: readonly Trouble[],
  words: Words,
  max: number,
  unsolvedToo: boolean,
): readonly string[] {
  const telling = troubles.filter(
    ({ weight, solved, message }) => message !== '' && (solved ? weight >= 3 : unsolvedToo && weight >= 2),
  );
  const best = [...telling].sort((a, b) => b.weight - a.weight || b.number - a.number).slice(0, max);
  return best.sort((a, b) => a.number - b.number).map((trouble) => troubleLine(trouble, words));
}

/** `Solved: npm test: "TypeError …" → src/a.ts`. */
function troubleLine({ what, message, solved, by, times }: Trouble, words: Words): string {
  const often = times > 1 ? ` (${String(times)}×)` : '';
  return `${solved ? words.solved : words.unsolved}: ${what}${often}: "${message}"${solved && by.length > 0 ? ` → ${by.join(', ')}` : ''}`;
}

/** The prompt of a task of which nothing was reported, where its name does not say it all. */
function promptOf(task: Task, max: number): string {
  const prompt = naming(task)?.prompt.replace(/\s+/gu, ' ') ?? '';
  return prompt.length > 100 ? `"${shorten(prompt, max)}"` : '';
}

/** What the agent reported: the closing words of the turns that did most, in order. */
function reportOf(task: Task, max: number): string {
  const turns = task.turns.filter(({ said }) => said.length > 0);
  const best = [...turns].sort((a, b) => worthOf(b) - worthOf(a)).slice(0, turns.length > 2 ? 2 : 1);
  const told = turns
    .filter((turn) => best.includes(turn))
    .map((turn) => joined(reportLines(closingWords(turn)), Math.floor(max / best.length)));
  return told.length === 0 ? verdictLine(task) : told.join(' ');
}

function worthOf(turn: Turn): number {
  return writtenFiles(turn.calls).size * 4 + turn.calls.length + (closingWords(turn).length > 80 ? 3 : 0);
}

/** The last thing that was said in a turn, or the longest of the last three where that is only a word. */
function closingWords({ said }: Turn): string {
  const last = said.at(-1)?.text ?? '';
  if (last.length >= 80) return last;
  return said.slice(-3).reduce((longest, { text }) => (text.length > longest.length ? text : longest), last);
}

function verdictLine(task: Task): string {
  const result = callsOf(task.turns).findLast(
    ({ result }) => result !== undefined && verdictOf(result.text) !== '',
  )?.result;
  return result === undefined ? '' : verdictOf(result.text);
}

function saidLast(task: Task): string {
  const last = task.turns.flatMap((turn) => turn.said).at(-1);
  return last === undefined ? '' : joined(reportLines(last.text), 360);
}

const NEXT =
  /(?<![\p{L}\p{N}])(?:next(?!\.)|now i|now let|let me|let's|i'll|i will|i need to|we need to|remaining|then i|nächste[rsn]?|als nächstes|jetzt|ensuite|maintenant|prochaine|ahora|siguiente|a continuación|agora|próximo|vou|adesso|prossimo|теперь|дальше|далее|следующ\p{L}*)(?![\p{L}\p{N}])|接下来|下一步|现在|次に|これから|다음|이제/iu;

/** The next step, as the agent said it last, else as its plan says it, else its closing question. */
function nextStep(task: Task, plan: readonly PlanEntry[]): string {
  const lastCall = callsOf(task.turns).at(-1)?.entry.number ?? -1;
  const all = task.turns.flatMap((turn) => turn.said);
  const isOver = (all.at(-1)?.number ?? -1) > lastCall;
  const said = all.slice(isOver ? -1 : -3).reverse();
  for (const entry of said) {
    const sentences = proseLines(entry.text).flatMap(sentencesOf);
    const sentence = sentences.findLast(
      (text) => text.length < 400 && !/[:：]$|summar/i.test(text) && (NEXT.test(text) || /[?？]$/.test(text)),
    );
    if (sentence !== undefined) return shorten(sentence, 240);
  }
  return plan.find(({ state }) => state === 'active')?.text ?? plan.find(({ state }) => state === 'open')?.text ?? '';
}
