/** Writes session files as an agent of Claude Code's kind would: its reads show files as its edits have left them. */

export const ROOT = '/home/ada/ledger';

/** An agent at work; every call is a reply of its own. */
export class RecordedAgent {
  readonly #lines: object[] = [];
  readonly #files = new Map<string, readonly string[]>();
  #calls = 0;

  /** A file that is there from the beginning. */
  given(path: string, lines: readonly string[]): void {
    this.#files.set(path, lines);
  }

  user(text: string): void {
    this.#line('user', { role: 'user', content: text });
  }

  say(text: string): void {
    this.#reply([{ type: 'text', text }]);
  }

  /** Reads a file, or `limit` lines of it from the 1-based line `offset` on. */
  read(path: string, offset = 1, limit = Infinity): void {
    const lines = this.#linesOf(path).slice(offset - 1, offset - 1 + limit);
    const shown = lines.map((line, at) => `${String(offset + at).padStart(6)}→${line}`).join('\n');
    const part = limit === Infinity ? {} : { offset, limit };
    this.#call('Read', { file_path: `${ROOT}/${path}`, ...part }, shown);
  }

  /** Replaces the one line that is `old`. */
  edit(path: string, old: string, fresh: string): void {
    const lines = this.#linesOf(path);
    if (!lines.includes(old)) throw new Error(`${path} has no line "${old}".`);
    this.#files.set(
      path,
      lines.flatMap((line) => (line === old ? fresh.split('\n') : [line])),
    );
    const input = { file_path: `${ROOT}/${path}`, old_string: old, new_string: fresh };
    this.#call('Edit', input, `The file ${ROOT}/${path} has been updated.`);
  }

  write(path: string, lines: readonly string[]): void {
    this.#files.set(path, lines);
    const input = { file_path: `${ROOT}/${path}`, content: lines.join('\n') };
    this.#call('Write', input, `File created successfully at: ${ROOT}/${path}`);
  }

  run(command: string, output: string): void {
    this.#call('Bash', { command }, output);
  }

  /** The session file. */
  text(): string {
    return this.#lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  }

  #linesOf(path: string): readonly string[] {
    const lines = this.#files.get(path);
    if (lines === undefined) throw new Error(`There is no file ${path}.`);
    return lines;
  }

  #call(name: string, input: object, result: string): void {
    const id = `call-${String(++this.#calls)}`;
    this.#reply([{ type: 'tool_use', id, name, input }]);
    this.#line('user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: result }] });
  }

  #reply(content: readonly object[]): void {
    const id = `m-${String(this.#lines.length)}`;
    this.#line('assistant', { id, type: 'message', role: 'assistant', model: 'claude-sonnet-4', content });
  }

  #line(type: 'user' | 'assistant', message: object): void {
    const at = this.#lines.length;
    this.#lines.push({
      type,
      uuid: `u-${String(at)}`,
      parentUuid: at === 0 ? null : `u-${String(at - 1)}`,
      sessionId: 'recorded',
      cwd: ROOT,
      version: '2.1.0',
      isSidechain: false,
      timestamp: new Date(Date.UTC(2025, 0, 1, 9, 0, at)).toISOString(),
      message,
    });
  }
}
