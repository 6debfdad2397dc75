/** The bound at a number of tokens: a context of nothing but what will be needed, found by looking ahead. */
import type { ContextBlock } from './context';
import type { Policy } from './policy';

/**
 * Directives, then names with the least that they must stand with, then lines, cheapest files first, until the tokens are used
 * up. Files that will be touched are named by their paths.
 */
export const oracle: Policy = async ({ need, files, tokens, tokenizer }) => {
  let left = tokens;
  const blocks: ContextBlock[] = [];
  const take = (text: string, path?: string, numbers: readonly number[] = []): boolean => {
    const cost = tokenizer.countText(text);
    if (cost > left) return false;
    left -= cost;
    const lines = numbers.map((number) => ({ fromLine: number, toLine: number }));
    blocks.push({ text, ...(path !== undefined && { path, lines }) });
    return true;
  };
  const references = [...need.touched].map((path) => ({ path, text: files.display(path) }));
  take(references.map(({ text }) => text).join('\n'));
  for (const { sentence } of need.directives) take(sentence);
  for (const { name, surroundings, spellings } of need.names) take(surroundings?.quotation ?? spellings.at(-1) ?? name);
  const byCost = [...need.lines]
    .map(([path, lines]) => ({ path, lines, cost: tokenizer.countText([...lines.values()].join('\n')) }))
    .sort((a, b) => a.cost - b.cost);
  for (const { path, lines } of byCost) {
    if (take([...lines.values()].join('\n'), path, [...lines.keys()])) continue;
    for (const [number, line] of lines) take(line, path, [number]);
  }
  return { blocks, tail: [], references };
};
