/** Session files for the tests of the command, as another agent would have written them. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

/** A fresh folder, removed after all tests of the file. */
export function freshFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pith-cli-')));
  folders.push(folder);
  return folder;
}

/** Writes a file into a fresh folder and returns its path. */
export function fileWith(name: string, text: string | Uint8Array): string {
  const path = join(freshFolder(), name);
  writeFileSync(path, text);
  return path;
}

/**
 * A session of Claude Code, in JSON lines, that fixes one module after another: each turn reads a file, edits it and runs the
 * tests. About 1,000 tokens a turn.
 */
export function longSession(turns: number, root = '/home/ada/ledger'): string {
  const lines: object[] = [];
  let parent: string | null = null;
  const line = (type: 'user' | 'assistant', message: object): void => {
    const uuid = `u-${String(lines.length)}`;
    const timestamp = new Date(Date.UTC(2025, 0, 1, 9, 0, lines.length)).toISOString();
    lines.push({
      type,
      uuid,
      parentUuid: parent,
      sessionId: 'ledger-session',
      cwd: root,
      version: '2.1.0',
      isSidechain: false,
      timestamp,
      message,
    });
    parent = uuid;
  };
  let size = 12_000;
  const reply = (content: readonly object[]): void => {
    size += 500;
    const usage = { input_tokens: size, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 90 };
    line('assistant', {
      id: `m-${String(lines.length)}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4',
      content,
      usage,
    });
  };
  const result = (id: string, text: string): void =>
    line('user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: text }] });
  for (let turn = 1; turn <= turns; turn++) {
    const path = `${root}/src/module${String(turn)}.ts`;
    line('user', {
      role: 'user',
      content: `Please fix the rounding in module ${String(turn)}, and keep the public names.`,
    });
    reply([
      { type: 'text', text: `I will look at module ${String(turn)} first.` },
      { type: 'tool_use', id: `read-${String(turn)}`, name: 'Read', input: { file_path: path } },
    ]);
    result(
      `read-${String(turn)}`,
      sourceLines(turn)
        .map((text, at) => `${String(at + 1).padStart(6)}→${text}`)
        .join('\n'),
    );
    reply([
      {
        type: 'tool_use',
        id: `edit-${String(turn)}`,
        name: 'Edit',
        input: {
          file_path: path,
          old_string: `return total${String(turn)};`,
          new_string: `return Math.round(total${String(turn)} * 100) / 100;`,
        },
      },
    ]);
    result(`edit-${String(turn)}`, `The file ${path} has been updated.`);
    reply([{ type: 'tool_use', id: `test-${String(turn)}`, name: 'Bash', input: { command: 'npm test' } }]);
    result(`test-${String(turn)}`, `Tests: ${String(turn)} passed, ${String(turn)} total`);
    reply([
      {
        type: 'text',
        text: `Module ${String(turn)} rounds to whole cents now; I decided to round once at the end, because rounding each line adds up errors.`,
      },
    ]);
  }
  return lines.map((value) => `${JSON.stringify(value)}\n`).join('');
}

/** The lines of a file of the session. */
export function sourceLines(turn: number): readonly string[] {
  const body = Array.from(
    { length: 40 },
    (_, at) => `  total${String(turn)} += lines[${String(at)}]?.amount ?? 0; // line ${String(at)} of the bill`,
  );
  return [
    `export function sum${String(turn)}(lines: readonly Line[]): number {`,
    `  let total${String(turn)} = 0;`,
    ...body,
    `  return total${String(turn)};`,
    '}',
  ];
}

afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
