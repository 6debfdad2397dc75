// Which lines of which files stand in a context, and how much of what was needed that is.
import { createSessionFiles, fileCalls } from './built.mjs';
import { standsIn, textOf, wordsOf } from './need.mjs';

/** The known lines of a file with their numbers. */
export function placedIn(read) {
  if (!read.ok) return [];
  const texts = read.text.split('\n');
  const known = read.known ?? [{ fromLine: 1, toLine: texts.length }];
  return known.flatMap(({ fromLine, toLine }) => {
    const lines = [];
    for (let number = fromLine; number <= toLine; number++) lines.push([number, texts[number - 1] ?? '']);
    return lines;
  });
}

/** Answers whether a line of a file stands in a context: in a range that was read again, or in the tail. */
export async function shownBy({ ranges, tail }, names, { root, canonical }) {
  const files = createSessionFiles(tail, root);
  const byNumber = new Map();
  const byText = new Map();
  for (const name of names) {
    const numbers = new Set(placedIn(await files.read(name)).map(([number]) => number));
    byNumber.set(name, numbers);
    byText.set(name, new Set());
  }
  for (const item of tail) {
    if (item.kind !== 'tool_call') continue;
    for (const call of fileCalls(item.name, item.arguments)) {
      const texts = byText.get(canonical(call.path));
      if (texts === undefined) continue;
      for (const line of putIn(call)) texts.add(line.trim());
    }
  }
  return (name, number, line) =>
    byNumber.get(name)?.has(number) === true ||
    byText.get(name)?.has(line) === true ||
    (ranges.get(name) ?? []).some(([from, to]) => from <= number && number <= to);
}

/** Lines that an edit puts in, or shows as they were. */
function putIn(call) {
  if (call.op === 'edit') return (call.edits ?? []).flatMap((edit) => edit.new.split('\n'));
  if (call.op === 'patch') return call.hunks.flatMap((hunk) => [...hunk.new]);
  if (call.op === 'insert') return call.text.split('\n');
  return [];
}

/** Share of the known lines of a read that must be there for the read to be needless, and of a file that counts as there. */
const NEEDLESS = 0.95;
const THERE = 0.5;

/** The measures of one context against one need; null where nothing was needed. `docs/continuity.md` defines them. */
export async function measure(context, need, { root, canonical, tokenizer }) {
  const isShown = await shownBy(context, need.touched, { root, canonical });
  const share = (name, numbers, lines) =>
    numbers.filter((number) => isShown(name, number, lines.get(number))).length / numbers.length;
  const wanted = [...need.lines].map(([name, lines]) => ({ name, lines, numbers: [...lines.keys()] }));
  const lines = wanted.flatMap(({ name, lines: of, numbers }) =>
    numbers.map((number) => isShown(name, number, of.get(number))),
  );
  const text = [...context.texts, ...context.tail.map(textOf)].join('\n');
  const words = ` ${wordsOf(text).join(' ')} `;
  const named = new Set([...context.named, ...context.ranges.keys()]);
  const touched = [...need.touched];
  return {
    files: ratio(wanted.map(({ name, lines: of, numbers }) => share(name, numbers, of) >= THERE)),
    lines: ratio(lines),
    names: ratio([...need.names].map(([name, around]) => standsIn(text, name, around))),
    directives: ratio(
      need.directives.map((sentence) => words.includes(` ${wordsOf(sentence).slice(0, 24).join(' ')} `)),
    ),
    reads: ratio(
      need.rereads.map(({ path, lines: numbers }) => share(path, numbers, need.lines.get(path)) >= NEEDLESS),
    ),
    named: ratio(touched.map((name) => named.has(name) || text.includes(name.slice(name.lastIndexOf('/') + 1)))),
    precision: ratio([...context.named].map((name) => need.touched.has(name))),
    tokens: tokenizer.countText(text),
  };
}

function ratio(answers) {
  return answers.length === 0 ? null : answers.filter(Boolean).length / answers.length;
}
