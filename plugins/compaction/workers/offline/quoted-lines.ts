/** Which lines of a history are quoted (S9.8): those whose names are likely to be needed and stand nowhere else in the new context. */
import { inSlices, type Json } from '../../../../core/index';
import type { TaskEntry } from '../../summary-format';
import { commandKey } from './commands';
import { namesIn, type PlacedName } from './names';
import type { Entry } from './pages';
import { roughTokens, shorten } from './prose';
import { linesDone, linesSaid, pathsOf, SOURCES, type QuotableLine } from './quotable';
import { callsOf, type Turn } from './turns';

/** Items after which saying a name counts half, as for files. */
const HALF_LIFE = 60;
/** What it counts to say a name: what the user and the agent say of themselves counts more than what tools print. */
const WEIGHT: Readonly<Partial<Record<Entry['kind'], number>>> = { user: 2, assistant: 1, call: 1, result: 0.2 };
/** What a line of an earlier summary counts; it was worth telling when that was written. */
const EARLIER = 1;
/** Newest items that are looked at; what was said before counts nothing any more. */
const REACH = 25 * HALF_LIFE;
/** Characters on each side of the names of a line, where somebody says it, and more of them up to the end of a word. */
const AROUND = 12;
const AROUND_SAID = 40;
const WORD = 24;
/** Characters of a quotation at most. */
const LONGEST = 160;
/** From round to round lines of this share of the worth per token are taken, down to the least. */
const STEP = 0.8;
const LEAST = 1e-4;

/** A line that is quoted. */
export interface QuotedLine extends QuotableLine {
  /** Its place among all lines. */
  readonly place: number;
}

/** A line with what it is worth. */
interface Candidate extends QuotedLine {
  readonly names: readonly string[];
  readonly tokens: number;
}

/** What the choice is made from. */
export interface QuotedInput {
  readonly entries: readonly Entry[];
  readonly turns: readonly Turn[];
  /** Number of the first item to summarise. */
  readonly from: number;
  /** Quoted lines of an earlier summary, by source. */
  readonly earlier: readonly TaskEntry[];
  /** What the new context shows beside the retained tail: files and the sections of the summary. */
  readonly shown: readonly string[];
  /** Paths whose contents nobody is to be shown. */
  readonly hidden: ReadonlySet<string>;
}

/** Lines in the order of their worth per token, as many as fit into about `tokens`; each name is paid for once. Works in slices. */
export async function chooseLines(
  input: QuotedInput,
  tokens: number,
  signal: AbortSignal,
): Promise<readonly QuotedLine[]> {
  const { entries, turns, from, earlier, hidden } = input;
  const end = (entries.at(-1)?.number ?? from) + 1;
  const worth = new Map<string, number>();
  const shown = new Set(input.shown.flatMap((text) => text.split('\n').flatMap((line) => namesIn(line).map(nameOf))));
  const count = (names: Iterable<string>, number: number, weight: number): void => {
    for (const name of names) worth.set(name, (worth.get(name) ?? 0) + weight * 0.5 ** ((end - number) / HALF_LIFE));
  };
  const near = entries.filter(({ number }) => number >= end - REACH);
  await inSlices(
    near,
    (entry) => {
      const weight = WEIGHT[entry.kind] ?? 0;
      const names = weight === 0 ? new Set<string>() : namesOf(entry);
      count(names, entry.number, weight);
      if (entry.kept) for (const name of names) shown.add(name);
    },
    signal,
  );
  const lines: QuotableLine[] = earlier.flatMap(({ name, lines: texts }) =>
    texts.map((text) => ({ source: name, text, number: from - 1 })),
  );
  for (const { text, number } of lines) count(new Set(namesIn(text).map(nameOf)), number, EARLIER);
  await inSlices(near, (entry) => void (entry.kept || lines.push(...linesSaid(entry))), signal);
  const calls = callsOf(turns).filter(({ entry }) => entry.number >= end - REACH);
  await inSlices(
    calls,
    (call) => {
      if (call.command !== undefined) {
        const key = commandKey(call.command);
        count([key], call.entry.number, WEIGHT.call ?? 0);
        if (call.entry.kept) shown.add(key);
      }
      if (!call.entry.kept)
        lines.push(
          ...linesDone(
            call,
            pathsOf(call).some((path) => hidden.has(path)),
          ),
        );
    },
    signal,
  );
  const value = (name: string): number => {
    const known = worth.get(name) ?? 0;
    return known / (known + 1);
  };
  const candidates = new Map<string, Candidate>();
  let place = 0;
  await inSlices(
    lines,
    (line) => {
      const found = hidden.has(line.source) ? undefined : candidateOf({ ...line, place: place++ }, shown, value);
      if (found !== undefined) candidates.set(found.text, found);
    },
    signal,
  );
  return inOrder([...candidates.values()], value, tokens, signal);
}

/** The lines under their sources: commands first, then files, then what was printed and said; each in the order of the session. */
export function bySource(lines: readonly QuotedLine[]): readonly TaskEntry[] {
  const groups = new Map<string, QuotedLine[]>([[SOURCES.commands, []]]);
  const last = [SOURCES.output, SOURCES.agent, SOURCES.user] as readonly string[];
  const ordered = [...lines].sort(
    (a, b) => last.indexOf(a.source) - last.indexOf(b.source) || a.number - b.number || a.place - b.place,
  );
  for (const line of ordered) groups.set(line.source, [...(groups.get(line.source) ?? []), line]);
  return [...groups]
    .filter(([, of]) => of.length > 0)
    .map(([name, of]) => ({ name, lines: of.map(({ text }) => text) }));
}

/** About how many tokens a line takes behind its bullet. */
export function lineTokens(text: string): number {
  return roughTokens(text) + 2;
}

function nameOf({ name }: PlacedName): string {
  return name;
}

/** The names that an entry says, of calls those of their arguments. */
function namesOf({ text, args, tool }: Entry): ReadonlySet<string> {
  const names = new Set<string>();
  for (const said of [text, tool, ...stringsIn(args)])
    for (const line of said.split('\n')) for (const { name } of namesIn(line)) names.add(name);
  return names;
}

function stringsIn(args: Json): readonly string[] {
  if (typeof args === 'string') return [args];
  return typeof args === 'object' && args !== null
    ? Object.values(args as Record<string, Json>).flatMap(stringsIn)
    : [];
}

/** The part of a line with the names that are shown nowhere; undefined where all are. */
function candidateOf(
  line: QuotedLine,
  shown: ReadonlySet<string>,
  value: (name: string) => number,
): Candidate | undefined {
  const placed = namesIn(line.text).filter(({ name }) => !shown.has(name) && line.source !== name);
  const isNews = line.key !== undefined && !shown.has(line.key);
  if (placed.length === 0 && !isNews) return undefined;
  const text = line.source === SOURCES.commands ? shorten(line.text, LONGEST) : stretchOf(line, placed, value);
  const names = [...new Set(placed.map(nameOf))].filter((name) => text.includes(name));
  return {
    ...line,
    text,
    names: isNews && line.key !== undefined ? [...names, line.key] : names,
    tokens: lineTokens(text),
  };
}

/** From the first of the names to the last, with a little on each side and whole words; where that is too long, around the best. */
function stretchOf(
  { text, source }: QuotableLine,
  placed: readonly PlacedName[],
  value: (name: string) => number,
): string {
  const [first, last] = [placed[0], placed.at(-1)];
  if (first === undefined || last === undefined) return text;
  const around = source === SOURCES.user || source === SOURCES.agent ? AROUND_SAID : AROUND;
  let from = first.at - around;
  let to = last.at + last.name.length + around;
  if (to - from > LONGEST) {
    const best = placed.reduce((one, other) => (value(other.name) > value(one.name) ? other : one));
    const room = Math.max(around, Math.floor((LONGEST - best.name.length) / 2));
    [from, to] = [best.at - room, best.at + best.name.length + room];
  }
  if (from < around) from = 0;
  if (to > text.length - around) to = text.length;
  while (from > 0 && /\S/.test(text.charAt(from - 1)) && from > first.at - around - WORD) from--;
  while (to < text.length && /[\w$]/.test(text.charAt(to)) && to < last.at + last.name.length + around + WORD) to++;
  return text.slice(Math.max(0, from), to).toWellFormed().trim();
}

/** Takes the lines of the most worth per token first; what a line is worth falls as its names are told. Deterministic. */
async function inOrder(
  candidates: readonly Candidate[],
  value: (name: string) => number,
  tokens: number,
  signal: AbortSignal,
): Promise<readonly QuotedLine[]> {
  const told = new Set<string>();
  const sources = new Set<string>();
  const chosen: QuotedLine[] = [];
  let rest = candidates;
  let left = tokens;
  const cost = ({ source, tokens: own }: Candidate): number => own + (sources.has(source) ? 0 : lineTokens(source));
  const worthOf = (candidate: Candidate): number =>
    candidate.names.reduce((sum, name) => sum + (told.has(name) ? 0 : value(name)), 0);
  let least = 0;
  await inSlices(candidates, (one) => void (least = Math.max(least, worthOf(one) / cost(one))), signal);
  for (; least > LEAST && left > 0; least *= STEP) {
    const later: Candidate[] = [];
    await inSlices(
      rest,
      (one) => {
        const worth = worthOf(one);
        const price = cost(one);
        if (price > left || worth === 0) return;
        if (worth < least * price) {
          later.push(one);
          return;
        }
        left -= price;
        chosen.push(one);
        sources.add(one.source);
        for (const name of one.names) told.add(name);
      },
      signal,
    );
    rest = later;
  }
  return chosen;
}
