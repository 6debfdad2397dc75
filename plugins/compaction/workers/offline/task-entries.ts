/** Tasks as entries of a summary: what was asked, what was done, which files, what went wrong. */
import type { TaskEntry } from '../../summary-format';
import { verdictOf } from './commands';
import type { Words } from './language';
import { planOf, type PlanEntry } from './plan-entries';
import { joined, proseLines, sentencesOf, shorten, titleOf } from './prose';
import { troublesOf, type Trouble } from './troubles';
import { callsOf, type Call, type Task } from './turns';

/** How much a finished task may say. */
export interface TaskRoom {
  readonly report: number;
  readonly files: number;
  readonly troubles: number;
}

const FULL: TaskRoom = { report: 360, files: 8, troubles: 2 };
const SHORT: TaskRoom = { report: 160, files: 4, troubles: 0 };

/** A finished task in full and in short. */
export interface FinishedTask {
  readonly full: TaskEntry;
  readonly short: TaskEntry;
  /** How much it is worth telling in full. */
  readonly weight: number;
}

/** A task as finished; `begun` is what an earlier summary says of its beginning. */
export function finishedTask(task: Task, words: Words, begun: TaskEntry | undefined): FinishedTask {
  const calls = callsOf(task.turns);
  const entry = (room: TaskRoom): TaskEntry => ({
    name: nameOf(task) || begun?.name || words.earlier,
    lines: [
      ...(begun?.lines.slice(0, 2) ?? []),
      shorten(reportOf(task), room.report),
      filesLine(calls, words, room.files),
      ...commitsLine(calls, words, room.report),
      ...troubleLines(troublesOf(calls), words, room.troubles, false),
    ].filter((line) => line !== ''),
  });
  const written = writtenFiles(calls).size;
  return { full: entry(FULL), short: entry(SHORT), weight: Math.min(6, written) + (calls.length > 0 ? 1 : 0) + Math.min(3, commitsOf(calls).length) };
}

/** The name of a task: its prompt in short. */
export function nameOf(task: Task): string {
  return titleOf(task.turns.find(({ prompt }) => prompt !== '')?.prompt ?? '', 80);
}

/** The entry of the task that is under way. */
export function activeTask(task: Task, words: Words, earlier: TaskEntry | undefined): TaskEntry {
  const calls = callsOf(task.turns);
  const plan = newestPlan(calls);
  const troubles = troublesOf(calls);
  const prompt = task.turns.find((turn) => turn.prompt !== '')?.prompt.replace(/\s+/gu, ' ') ?? '';
  const steps = (state: PlanEntry['state'], max: number): string => joined(plan.filter((step) => step.state === state).map(({ text }) => text), max);
  const said = saidLast(task);
  const line = (label: string, text: string): string => (text === '' ? '' : `${label}: ${text}`);
  return {
    name: nameOf(task) || earlier?.name || words.goal,
    lines: [
      ...(prompt === '' ? (earlier?.lines.slice(0, 4) ?? []) : [line(words.goal, `"${shortQuotation(prompt, 400)}"`)]),
      line(words.done, steps('done', 400)),
      line(words.state, said),
      filesLine(calls, words, 16),
      ...commitsLine(calls, words, 300),
      ...troubleLines(troubles, words, 3, true),
      line(words.open, [steps('active', 200), steps('open', 400)].filter((text) => text !== '').join('; ')),
      line(words.next, nextStep(task, plan)),
    ].filter((text) => text !== ''),
  };
}

/** A quotation of at most `max` characters that ends behind a word; the whole text where it fits. */
export function shortQuotation(text: string, max: number): string {
  return text.length <= max ? text : shorten(text, max);
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

/** Files that calls wrote or edited, in order, with how often; the first writing may have made them. */
export function writtenFiles(calls: readonly Call[]): ReadonlyMap<string, { readonly edits: number; readonly written: boolean }> {
  const files = new Map<string, { edits: number; written: boolean }>();
  for (const { entry, failed } of calls) {
    if (failed) continue;
    for (const { path, access } of entry.touches) {
      if (access === 'read') continue;
      const known = files.get(path) ?? { edits: 0, written: false };
      if (access === 'write') known.written = true;
      else known.edits++;
      files.set(path, known);
    }
  }
  return files;
}

function filesLine(calls: readonly Call[], words: Words, max: number): string {
  const files = [...writtenFiles(calls)].sort(([, a], [, b]) => weightOf(b) - weightOf(a));
  if (files.length === 0 || max === 0) return '';
  const named = files.slice(0, max).map(([path, { edits, written }]) => {
    const how = [...(written ? [words.created] : []), ...(edits > 1 || (edits === 1 && written) ? [words.edits(edits)] : [])];
    return how.length === 0 ? path : `${path} (${how.join(', ')})`;
  });
  return `${words.files}: ${named.join(', ')}${files.length > max ? `, +${String(files.length - max)}` : ''}`;
}

function weightOf({ edits, written }: { readonly edits: number; readonly written: boolean }): number {
  return edits + (written ? 2 : 0);
}

/** First lines of the messages of commits that were made. */
export function commitsOf(calls: readonly Call[]): readonly string[] {
  return calls.flatMap(({ entry, failed }) => {
    const args = typeof entry.args === 'object' && entry.args !== null ? JSON.stringify(entry.args) : '';
    if (failed || !args.includes('git commit')) return [];
    const at = args.indexOf('git commit');
    const message =
      /<<-?\s*\\?['"]?\w+\\?['"]?\\n([^\\"]{3,200})/.exec(args.slice(at))?.[1] ?? /-a?m \\?["']([^"'\\]{3,200})/.exec(args.slice(at))?.[1];
    return message === undefined ? [] : [message.trim()];
  });
}

function commitsLine(calls: readonly Call[], words: Words, max: number): readonly string[] {
  const commits = commitsOf(calls);
  return commits.length === 0 ? [] : [`${words.commits}: ${joined(commits.slice(-6), max)}`];
}

function troubleLines(troubles: readonly Trouble[], words: Words, max: number, unsolvedToo: boolean): readonly string[] {
  const telling = troubles.filter(({ weight, solved, message }) => message !== '' && (solved ? weight >= 3 : unsolvedToo && weight >= 2));
  const best = [...telling].sort((a, b) => b.weight - a.weight || b.number - a.number).slice(0, max);
  return best.sort((a, b) => a.number - b.number).map((trouble) => troubleLine(trouble, words));
}

/** `Solved: npm test: "TypeError …" → src/a.ts`. */
export function troubleLine({ what, message, solved, by, times }: Trouble, words: Words): string {
  const often = times > 1 ? ` (${String(times)}×)` : '';
  return `${solved ? words.solved : words.unsolved}: ${what}${often}: "${message}"${solved && by.length > 0 ? ` → ${by.join(', ')}` : ''}`;
}

/** What the agent reported when it was done. */
function reportOf(task: Task): string {
  const said = task.turns.flatMap((turn) => turn.said);
  const last = said.at(-1);
  if (last === undefined) return verdictLine(task);
  const report = last.text.length >= 80 ? last : said.slice(-3).reduce((longest, entry) => (entry.text.length > longest.text.length ? entry : longest), last);
  return joined(proseLines(report.text), 400);
}

function verdictLine(task: Task): string {
  const result = callsOf(task.turns).findLast(({ result }) => result !== undefined && verdictOf(result.text) !== '')?.result;
  return result === undefined ? '' : verdictOf(result.text);
}

function saidLast(task: Task): string {
  const last = task.turns.flatMap((turn) => turn.said).at(-1);
  return last === undefined ? '' : joined(proseLines(last.text), 360);
}

const NEXT = /(?<![\p{L}\p{N}])(?:next|now i|now let|let me|let's|i'll|i will|i need to|we need to|remaining|todo|then i|nächste[rsn]?|als nächstes|jetzt|ensuite|maintenant|prochaine|ahora|siguiente|a continuación|agora|próximo|vou|adesso|prossimo|теперь|дальше|далее|следующ\p{L}*)(?![\p{L}\p{N}])|接下来|下一步|现在|次に|これから|다음|이제/iu;

/** The next step, as the agent said it last, else as its plan says it, else its closing question. */
function nextStep(task: Task, plan: readonly PlanEntry[]): string {
  const said = task.turns.flatMap((turn) => turn.said).slice(-3).reverse();
  for (const entry of said) {
    const sentences = proseLines(entry.text).flatMap(sentencesOf);
    const sentence = sentences.findLast((text) => text.length < 400 && (NEXT.test(text) || /[?？]$/.test(text)));
    if (sentence !== undefined) return shorten(sentence, 240);
  }
  return plan.find(({ state }) => state === 'active')?.text ?? plan.find(({ state }) => state === 'open')?.text ?? '';
}
