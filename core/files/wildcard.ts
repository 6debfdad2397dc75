/** Patterns in which `*` stands for any text, as names and commands are matched by. */

/**
 * Whether a text fits a pattern: `*` is any run of characters, also none, and `\*` the character itself. Looks at each part of
 * the text once for each part of the pattern, so no pattern makes it slow.
 */
export function wildcard(pattern: string): (text: string) => boolean {
  const [first = '', ...parts] = pattern.split(/(?<!\\)\*/).map((part) => part.replaceAll('\\*', '*'));
  const last = parts.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => {
    const end = text.length - last.length;
    let at = first.length;
    if (at > end || !text.startsWith(first) || !text.endsWith(last)) return false;
    for (const part of parts) {
      const found = text.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return at <= end;
  };
}
