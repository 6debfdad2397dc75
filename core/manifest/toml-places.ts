/** Where the keys of a TOML text stand. The parser gives values without places; this finds the places of valid texts. */

/** A place in a text: 1-based line and column (in UTF-16 units). */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A path from the top of a document: keys of tables, 0-based places of lists. */
export type TomlPath = readonly (string | number)[];

/** Finds the place of a key, of a table's header, or of an entry of a list; the nearest thing around it where it has none. */
export type FindPlace = (path: TomlPath) => Place;

/** Finds the places of all keys in one pass over a text that parses. */
export function tomlPlaces(text: string): FindPlace {
  const offsets = new Scanner(text).scan();
  const starts = lineStarts(text);
  return (path) => {
    for (let length = path.length; length > 0; length--) {
      const offset = offsets.get(keyOf(path.slice(0, length)));
      if (offset !== undefined) return placeOf(offset, starts);
    }
    return { line: 1, column: 1 };
  };
}

class Scanner {
  readonly #text: string;
  #at = 0;
  readonly #offsets = new Map<string, number>();
  /** How many tables each list of tables has so far. */
  readonly #lengths = new Map<string, number>();

  constructor(text: string) {
    this.#text = text;
  }

  scan(): ReadonlyMap<string, number> {
    let table: TomlPath = [];
    for (this.#skip(true); this.#at < this.#text.length; this.#skip(true)) {
      const start = this.#at;
      if (this.#take('[[')) table = this.#listEntry(this.#resolve(this.#key().map(({ name }) => name)), start);
      else if (this.#take('[')) {
        table = this.#resolve(this.#key().map(({ name }) => name));
        this.#note(table, start);
      } else this.#pair(table);
      // Only a comment may follow; whatever it is, the next line is the next statement.
      this.#at = endOfLine(this.#text, this.#at);
    }
    return this.#offsets;
  }

  #pair(table: TomlPath): void {
    let path = table;
    for (const { name, offset } of this.#key()) {
      path = [...path, name];
      this.#note(path, offset);
    }
    this.#take('=');
    this.#skip(false);
    this.#value(path);
  }

  #value(path: TomlPath): void {
    if (this.#take('[')) {
      for (let index = 0; !this.#closed(']'); index++) {
        const start = this.#at;
        this.#note([...path, index], start);
        this.#value([...path, index]);
        this.#comma(start);
      }
    } else if (this.#take('{')) {
      while (!this.#closed('}')) {
        const start = this.#at;
        this.#pair(path);
        this.#comma(start);
      }
    } else if (!this.#string()) {
      while (this.#at < this.#text.length && !/[,\]}\n#]/.test(this.#text[this.#at] as string)) this.#at++;
    }
  }

  /** Whether a list or table ends here; at the end of the text everything does. */
  #closed(bracket: string): boolean {
    this.#skip(true);
    return this.#at >= this.#text.length || this.#take(bracket);
  }

  /** Goes on behind a comma, and on in any case, whatever the text is like. */
  #comma(start: number): void {
    this.#skip(true);
    if (!this.#take(',') && this.#at === start) this.#at++;
  }

  /** The parts of a dotted key with the offset of each. */
  #key(): readonly { readonly name: string; readonly offset: number }[] {
    const parts: { name: string; offset: number }[] = [];
    do {
      this.#skip(false);
      const offset = this.#at;
      if (this.#string()) parts.push({ name: unquoted(this.#text.slice(offset, this.#at)), offset });
      else {
        while (/[\w-]/.test(this.#text[this.#at] ?? '')) this.#at++;
        parts.push({ name: this.#text.slice(offset, this.#at), offset });
      }
      this.#skip(false);
    } while (this.#take('.'));
    this.#take(']');
    return parts;
  }

  /** Skips a string of any of the four kinds. */
  #string(): boolean {
    const quote = this.#text[this.#at];
    if (quote !== '"' && quote !== "'") return false;
    const long = quote.repeat(3);
    const close = this.#text.startsWith(long, this.#at) ? long : quote;
    this.#at += close.length;
    while (this.#at < this.#text.length && !this.#text.startsWith(close, this.#at)) {
      this.#at += quote === '"' && this.#text[this.#at] === '\\' ? 2 : 1;
    }
    this.#at += close.length;
    // Up to two quotes may stand right before the closing ones.
    if (close === long) while (this.#text[this.#at] === quote) this.#at++;
    return true;
  }

  #skip(lines: boolean): void {
    for (;;) {
      const char = this.#text[this.#at];
      if (char === ' ' || char === '\t' || (lines && (char === '\n' || char === '\r'))) this.#at++;
      else if (lines && char === '#') this.#at = endOfLine(this.#text, this.#at);
      else return;
    }
  }

  #take(token: string): boolean {
    if (!this.#text.startsWith(token, this.#at)) return false;
    this.#at += token.length;
    return true;
  }

  #note(path: TomlPath, offset: number): void {
    const key = keyOf(path);
    if (!this.#offsets.has(key)) this.#offsets.set(key, offset);
  }

  #listEntry(list: TomlPath, offset: number): TomlPath {
    const key = keyOf(list);
    const index = this.#lengths.get(key) ?? 0;
    this.#lengths.set(key, index + 1);
    this.#note(list, offset);
    const entry = [...list, index];
    this.#note(entry, offset);
    return entry;
  }

  /** A header's path, in which a list of tables stands for its newest entry, save in the last place. */
  #resolve(names: readonly string[]): TomlPath {
    let path: TomlPath = [];
    for (const [at, name] of names.entries()) {
      path = [...path, name];
      const length = this.#lengths.get(keyOf(path));
      if (length !== undefined && at < names.length - 1) path = [...path, length - 1];
    }
    return path;
  }
}

function unquoted(quoted: string): string {
  if (quoted.startsWith("'")) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted.replace(/\\(?:U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|[^])/g, unescaped)) as string;
  } catch {
    return quoted.slice(1, -1);
  }
}

/** The escapes of TOML that JSON does not know, in the form that JSON knows. */
function unescaped(escape: string, long: string | undefined, short: string | undefined): string {
  const digits = long ?? short;
  if (digits === undefined) return escape === '\\e' ? '\\u001b' : escape;
  const code = Number.parseInt(digits, 16);
  return code > 0x10ffff ? escape : JSON.stringify(String.fromCodePoint(code)).slice(1, -1);
}

function keyOf(path: TomlPath): string {
  return JSON.stringify(path);
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function placeOf(offset: number, starts: readonly number[]): Place {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] as number) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (starts[low] as number) + 1 };
}
