// What has changed between two versions of a report, block by block.

/** Lines of a difference: a heading for each block that is not the same, and its lines with `-` and `+`. */
export function changesOf(file, before, after) {
  if (before === after) return [];
  const old = blocksOf(before);
  const now = blocksOf(after);
  const names = [...new Set([...old.keys(), ...now.keys()])].sort();
  const changes = names.flatMap((name) => {
    const [was, is] = [old.get(name) ?? [], now.get(name) ?? []];
    if (was.join('\n') === is.join('\n')) return [];
    return [`  ${name}`, ...linesOf(was, is)];
  });
  return [file, ...(changes.length > 0 ? changes : ['  the order of its parts'])];
}

/** The blocks of a report by their first line; overloads of one name are one block. */
function blocksOf(text) {
  const blocks = new Map();
  for (const block of text.split('\n\n').filter((part) => part.trim() !== '')) {
    const [first, ...rest] = block.trimEnd().split('\n');
    blocks.set(first, [...(blocks.get(first) ?? []), ...rest]);
  }
  return blocks;
}

/** The longest common lines stay as they are; around them what went and what came. */
function linesOf(was, is) {
  const lengths = Array.from({ length: was.length + 1 }, () => new Uint32Array(is.length + 1));
  for (let i = was.length - 1; i >= 0; i--)
    for (let j = is.length - 1; j >= 0; j--)
      lengths[i][j] = was[i] === is[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  const lines = [];
  for (let i = 0, j = 0; i < was.length || j < is.length;) {
    if (i < was.length && j < is.length && was[i] === is[j]) {
      i++;
      j++;
    } else if (j === is.length || (i < was.length && lengths[i + 1][j] >= lengths[i][j + 1]))
      lines.push(`    - ${was[i++]}`);
    else lines.push(`    + ${is[j++]}`);
  }
  return lines;
}
