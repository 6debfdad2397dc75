/** The summary from a digest: as much of each part as its share of the tokens takes, the most worth first (S9.8). */
import type { Summary, TaskEntry } from '../../summary-format';
import type { DatedDecision, Digest } from './digest';
import { roughTokens, shorten } from './prose';
import { chosenQuotations } from './quotations';
import type { FinishedTask } from './task-entries';

/** Shares of the tokens; what a section leaves over goes to the finished tasks. */
const SHARES = { active: 0.26, decisions: 0.14, directives: 0.2, current: 0.1 } as const;

/** The sections of a digest in about `tokens` tokens; with `sure` only quotations of this history. Pure and deterministic. */
export function composeSummary(digest: Digest, tokens: number, sure: boolean): Summary {
  const active = digest.active === undefined ? [] : [withinTokens(digest.active, tokens * SHARES.active)];
  const decisions = chosenDecisions(digest.decisions, tokens * SHARES.decisions);
  const directives = chosenQuotations(digest.quotations, tokens * SHARES.directives, sure).map(
    (quotation) => `"${quotation}"`,
  );
  const current = withinTokens({ name: '', lines: digest.current }, tokens * SHARES.current).lines;
  const spent = roughTokens(
    [...active.flatMap(({ name, lines }) => [name, ...lines]), ...decisions, ...directives, ...current]
      .map((line) => `- ${line}`)
      .join('\n'),
  );
  return {
    completed: fitted(digest.finished, tokens - spent - HEADINGS),
    active,
    decisions,
    directives,
    current,
    quoted: [],
  };
}

/** Tokens of the headings. */
const HEADINGS = 40;

/** As many tasks in full as fit, the newest and weightiest first; the others in short, by name alone, then not at all. */
function fitted(tasks: readonly FinishedTask[], tokens: number): readonly TaskEntry[] {
  const chosen: (TaskEntry | undefined)[] = tasks.map(() => undefined);
  const order = tasks
    .map((task, index) => ({ task, index, worth: task.weight + (8 * (index + 1)) / tasks.length }))
    .sort((a, b) => b.worth - a.worth);
  let left = tokens;
  const offer = (pick: (task: FinishedTask) => TaskEntry): void => {
    for (const { task, index } of order) {
      const entry = pick(task);
      const gain = entryTokens(entry) - entryTokens(chosen[index]);
      if (gain <= 0 || gain > left) continue;
      chosen[index] = entry;
      left -= gain;
    }
  };
  offer(({ short }) => ({ name: short.name, lines: [] }));
  offer(({ short }) => short);
  offer(({ full }) => full);
  return chosen.filter((entry) => entry !== undefined);
}

function entryTokens(entry: TaskEntry | undefined): number {
  return entry === undefined ? 0 : roughTokens(`### ${entry.name}\n${entry.lines.join('\n')}`) + 1;
}

/** The entry with as many of its lines as fit: the first, then from the end, since what is next stands there. */
function withinTokens({ name, lines }: TaskEntry, tokens: number): TaskEntry {
  let left = tokens - roughTokens(name);
  const kept = new Map<number, string>();
  for (let nth = 0; nth < lines.length; nth++) {
    const index = nth === 0 ? 0 : lines.length - nth;
    const room = Math.floor(left * 3);
    if (room < 40) break;
    const line = shorten(lines[index] ?? '', room);
    kept.set(index, line);
    left -= roughTokens(line) + 1;
  }
  return { name, lines: lines.flatMap((_, index) => kept.get(index) ?? []) };
}

function chosenDecisions(decisions: readonly DatedDecision[], tokens: number): readonly string[] {
  const chosen: DatedDecision[] = [];
  let left = tokens;
  for (const decision of [...decisions].sort((a, b) => b.weight - a.weight || b.at - a.at)) {
    const size = roughTokens(decision.line) + 3;
    if (size > left || chosen.some(({ line }) => line === decision.line)) continue;
    chosen.push(decision);
    left -= size;
  }
  return chosen.sort((a, b) => a.at - b.at).map(({ line }) => line);
}
