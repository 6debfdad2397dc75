/** Contexts in the manner of common tools, each within the tokens it is given. */
import { fileCalls } from '../../../core';
import type { Item, LineRange } from '../../../core';
import { itemTokens } from './context';
import type { ContextBlock, NewContext } from './context';
import { textOf } from './item-text';
import type { Policy, PolicyInput } from './policy';

/** Share of the tokens for files, where a baseline shows files whole; the rest is the newest of the conversation. */
const FILE_SHARE = 0.6;
/** Items after which a touch of a file weighs half. */
const HALF_LIFE = 60;
const RECENT = 5;

/** The newest items that fit. */
export const newest: Policy = async (input) => ({ ...newestOf(input, input.tokens), references: [] });

/** The five files touched last, whole, then the newest items. */
export const recentFiles: Policy = (input) => withFiles(input, touchesOf(input).slice(0, RECENT));

/** All files by a sum of touches that halves with age, whole as far as they fit, then the newest items. */
export const recencyWeighted: Policy = (input) =>
  withFiles(
    input,
    touchesOf(input).sort((a, b) => b.weight - a.weight),
  );

/** The paths of all files, last touched first, then the newest items. */
export const pathsOnly: Policy = async (input) => {
  const { files, tokens, tokenizer } = input;
  const references = touchesOf(input).map(({ path }) => ({ path, text: files.display(path) }));
  const { text, tokens: spent } = tokenizer.truncate(
    references.map((reference) => reference.text).join('\n'),
    tokens,
    'head',
  );
  const { blocks, tail } = newestOf(input, tokens - spent);
  return { blocks: [{ text }, ...blocks], tail, references };
};

/** Files whole, in their order, cut where their share ends, and the newest items in what is left. */
async function withFiles(input: PolicyInput, chosen: readonly { readonly path: string }[]): Promise<NewContext> {
  const { files, tokens, tokenizer } = input;
  const blocks: ContextBlock[] = [];
  let left = Math.floor(tokens * FILE_SHARE);
  let spent = 0;
  for (const { path } of chosen) {
    const read = await files.read(path);
    if (!read.ok) continue;
    const texts = read.text.split('\n');
    const lines: LineRange[] = [];
    let text = files.display(path);
    let cost = tokenizer.countText(text);
    for (const { fromLine, toLine } of read.known ?? [{ fromLine: 1, toLine: texts.length }]) {
      const whole = texts.slice(fromLine - 1, toLine).join('\n');
      const kept = tokenizer.truncate(whole, Math.max(0, left - cost - 1), 'head');
      if (kept.tokens === 0) break;
      text += `\n${kept.text}`;
      cost = tokenizer.countText(text);
      lines.push({ fromLine, toLine: fromLine + kept.text.split('\n').length - 1 });
      if (kept.truncated) break;
    }
    if (lines.length === 0 || cost > left) continue;
    left -= cost;
    spent += cost;
    blocks.push({ text, path, lines });
  }
  const rest = newestOf(input, tokens - spent);
  const references = blocks.map(({ path = '', text }) => ({ path, text: text.slice(0, text.indexOf('\n')) }));
  return { blocks: [...blocks, ...rest.blocks], tail: rest.tail, references };
}

/**
 * The newest items within a number of tokens, from the beginning of a reply or message on; of the item before them the end that
 * fits, so that no tokens are left over.
 */
function newestOf({ before, files, tokenizer }: PolicyInput, tokens: number): Pick<NewContext, 'blocks' | 'tail'> {
  const costs = new Map<number, number>();
  let start = before.length;
  let sum = 0;
  let at = before.length - 1;
  for (; at >= 0; at--) {
    sum += itemTokens(before[at] as Item, tokenizer);
    if (sum > tokens) break;
    if (before[at]?.kind !== 'tool_result') start = at;
    costs.set(at, sum);
  }
  const tail = before.slice(start);
  const straddling = before[start - 1];
  if (straddling === undefined) return { blocks: [], tail };
  const left = tokens - (costs.get(start) ?? 0);
  const { text } = tokenizer.truncate(textOf(straddling), left, 'tail');
  const call =
    straddling.kind === 'tool_result'
      ? before.find((item) => item.kind === 'tool_call' && item.callId === straddling.callId)
      : undefined;
  const path = call?.kind === 'tool_call' ? fileCalls(call.name, call.arguments)[0]?.path : undefined;
  return { blocks: [{ text, ...(path !== undefined && { path: files.canonical(path) }) }], tail };
}

interface TouchedFile {
  readonly path: string;
  readonly last: number;
  readonly weight: number;
}

/** The files of a history, last touched first. */
function touchesOf({ before, files }: PolicyInput): TouchedFile[] {
  const touched = new Map<string, TouchedFile>();
  for (const [at, item] of before.entries()) {
    if (item.kind !== 'tool_call') continue;
    for (const call of fileCalls(item.name, item.arguments)) {
      const path = files.canonical(call.path);
      const weight = (touched.get(path)?.weight ?? 0) + 0.5 ** ((before.length - at) / HALF_LIFE);
      touched.set(path, { path, last: at, weight });
    }
  }
  return [...touched.values()].sort((a, b) => b.last - a.last);
}
