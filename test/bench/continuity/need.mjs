// What the agent really did behind a cut, as far as it needed what lies before: lines of files, names, words of the user.
import { createSessionFiles, fileCalls } from './built.mjs';

/** The items behind a cut up to a number of tool calls, with the results of these. */
export function horizonOf(items, calls) {
  let left = calls;
  const taken = [];
  const open = new Set();
  for (const item of items) {
    if (item.kind === 'tool_call' && left-- <= 0) break;
    if (item.kind === 'tool_call') open.add(item.callId);
    if (item.kind === 'tool_result' && !open.has(item.callId)) continue;
    taken.push(item);
  }
  return taken;
}

/** All that is needed: `before` are the items that are compacted, `after` those of the horizon, `later` all that follow. */
export async function needOf({ before, after, later, root, system }) {
  const files = createSessionFiles(before, root);
  return {
    ...(await fileNeed(after, files)),
    names: namesNeeded(before, after, system),
    directives: directivesHeld(before, later),
  };
}

/** Lines known before the cut that the next calls used: shown again by a read, or replaced by an edit. */
async function fileNeed(after, files) {
  const known = new Map();
  const knownOf = async (path) => {
    const name = files.canonical(path);
    if (!known.has(name)) known.set(name, linesOf(await files.read(path)));
    return known.get(name);
  };
  const lines = new Map();
  const touched = new Set();
  const rereads = [];
  const results = new Map(after.filter(({ kind }) => kind === 'tool_result').map((item) => [item.callId, item]));
  for (const item of after) {
    if (item.kind !== 'tool_call') continue;
    for (const call of fileCalls(item.name, item.arguments)) {
      const at = await knownOf(call.path);
      const name = files.canonical(call.path);
      if (at.size === 0) continue;
      touched.add(name);
      const used = call.op === 'read' ? shownAgain(call, at, results.get(item.callId)) : replaced(call, at);
      if (used.length === 0) continue;
      const needed = lines.get(name) ?? new Map();
      lines.set(name, needed);
      for (const number of used) needed.set(number, at.get(number));
      if (call.op === 'read' && call.mixed !== true) rereads.push({ path: name, lines: used });
    }
  }
  return { lines, touched, rereads };
}

/** Text of the known lines by number, without blank ones. */
function linesOf(read) {
  const lines = new Map();
  if (!read.ok) return lines;
  const texts = read.text.split('\n');
  const known = read.known ?? [{ fromLine: 1, toLine: texts.length }];
  for (const { fromLine, toLine } of known)
    for (let number = fromLine; number <= toLine; number++)
      if ((texts[number - 1] ?? '').trim() !== '') lines.set(number, texts[number - 1].trim());
  return lines;
}

/** Known lines that a read shows once more. */
function shownAgain({ fromLine = 1, lines = Infinity }, known, result) {
  const text = result === undefined ? '' : textOf(result);
  const shown = new Set(text.split('\n').map((line) => line.replace(/^\s*\d+(?:→|\t|\||:)/, '').trim()));
  return [...known]
    .filter(([number, line]) => number >= fromLine && number < fromLine + lines && shown.has(line))
    .map(([number]) => number);
}

/** Known lines that an edit replaces. */
function replaced(call, known) {
  const blocks =
    call.op === 'edit'
      ? (call.edits ?? []).map(({ old }) => old.split('\n'))
      : call.op === 'patch'
        ? call.hunks.map(({ old }) => old)
        : [];
  return blocks.flatMap((block) =>
    placeOf(
      block.map((line) => line.trim()).filter((line) => line !== ''),
      known,
    ),
  );
}

/** Where a block of lines stands among the known lines; none where it does not. */
function placeOf(block, known) {
  const numbers = [...known.keys()];
  const texts = [...known.values()];
  if (block.length === 0) return [];
  for (let at = 0; at + block.length <= texts.length; at++) {
    const isEqual = block.every((line, of) =>
      block.length === 1
        ? texts[at].includes(line)
        : of === 0
          ? texts[at].endsWith(line)
          : texts[at + of].startsWith(line),
    );
    if (isEqual) return numbers.slice(at, at + block.length);
  }
  return [];
}

const NAME =
  /(?:[\w@.-]*\/)+[\w@.-]+|[A-Za-z_$][\w$]*(?:[.:]{1,2}[A-Za-z_$][\w$]*)+|[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w*|[A-Za-z]\w*_\w+|[\w-]+\.[a-z]{1,5}\b|[A-Z]{2,}[A-Z0-9]*\d+|--[a-z][\w-]+/g;
const ERROR = /\b\w*(?:Error|Exception|error TS\d+|FAIL(?:ED)?|panic)\b[^\n]{0,120}/g;

/** Identifiers, paths, options and commands in a text. */
export function namesIn(text) {
  const names = new Set();
  for (const [name] of text.matchAll(NAME)) if (name.length >= 5 && name.length <= 120) names.add(name);
  return names;
}

/** Words that stand around each occurrence of a name in a text. */
function surroundings(text, name, most = 40) {
  const words = new Set();
  let at = text.indexOf(name);
  for (let nth = 0; at !== -1 && nth < most; nth++) {
    const around = `${text.slice(Math.max(0, at - 80), at)} ${text.slice(at + name.length, at + name.length + 80)}`;
    for (const [word] of around.matchAll(/[\p{L}\p{N}_./-]{3,}/gu)) words.add(word.toLowerCase());
    at = text.indexOf(name, at + name.length);
  }
  return words;
}

/** Whether a text has a name with something of what it stood with before. */
export function standsIn(text, name, before) {
  if (!text.includes(name)) return false;
  if (before.size === 0) return true;
  for (const word of surroundings(text, name)) if (before.has(word)) return true;
  return false;
}

/** Names that agent and user say behind the cut and that had been said before, with what they stood with. */
function namesNeeded(before, after, system) {
  const said = before.map(textOf).join('\n');
  const needed = new Map();
  for (const item of after) {
    if (item.kind === 'tool_result') continue;
    const text = textOf(item);
    const found = [...namesIn(text), ...commandsOf(item), ...[...text.matchAll(ERROR)].map(([error]) => error.trim())];
    for (const name of found)
      if (!needed.has(name) && !system.includes(name) && said.includes(name))
        needed.set(name, surroundings(said, name));
  }
  return needed;
}

/** The program and its first word of a shell command. */
function commandsOf(item) {
  if (item.kind !== 'tool_call') return [];
  const { command, cmd } = Object(item.arguments);
  const line = [command, cmd].find((value) => typeof value === 'string');
  const words = (line ?? '').trim().split(/\s+/).slice(0, 2).join(' ');
  return words.length >= 5 && !words.includes('\n') ? [words] : [];
}

/** Words in a row by which one text quotes another. */
const QUOTED = 5;

/**
 * Sentences of the user that still hold: those of the prompt that is being worked on, and those that user or agent later say
 * again. Judged by words, not by what sounds like a rule.
 */
function directivesHeld(before, later) {
  const prompts = before.filter(isPrompt);
  const active = prompts.at(-1);
  const saidLater = later
    .filter(({ kind }) => kind === 'message')
    .map(textOf)
    .join('\n');
  const grams = gramsOf(saidLater);
  const held = new Set();
  for (const prompt of prompts)
    for (const sentence of sentencesOf(textOf(prompt)))
      if (prompt === active || [...gramsOf(sentence)].some((gram) => grams.has(gram))) held.add(sentence);
  return [...held].slice(-200);
}

function isPrompt(item) {
  return item.kind === 'message' && item.role === 'user' && textOf(item).length < 6000;
}

function sentencesOf(text) {
  return text
    .split(/\n+|(?<=[.!?。！？])\s+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => wordsOf(sentence).length >= QUOTED && !sentence.startsWith('<'));
}

export function wordsOf(text) {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function gramsOf(text) {
  const words = wordsOf(text);
  const grams = new Set();
  for (let at = 0; at + QUOTED <= words.length; at++) grams.add(words.slice(at, at + QUOTED).join(' '));
  return grams;
}

/** All that a model reads of an item. */
export function textOf(item) {
  const parts = (list) => list.map((part) => part.text ?? '').join('\n');
  switch (item.kind) {
    case 'message':
      return parts(item.parts);
    case 'tool_call':
      return `${item.name} ${JSON.stringify(item.arguments).replaceAll('\\n', '\n').replaceAll('\\"', '"')}`;
    case 'tool_result':
      return item.content === undefined ? item.summary : parts(item.content);
    default:
      return item.text ?? '';
  }
}
