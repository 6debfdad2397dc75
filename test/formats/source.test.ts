import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSource, MAX_INPUT_BYTES, readSource } from '../../core/formats';

const folder = mkdtempSync(join(tmpdir(), 'pith-source-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function* chunks(...parts: readonly string[]): AsyncIterable<Uint8Array> {
  for (const part of parts) yield await Promise.resolve(Buffer.from(part));
}

describe('a source', () => {
  test('is read from a file without its byte-order mark', async () => {
    const source = await readSource(file('bom.jsonl', '\uFEFF{"a":1}\n{"b":2}\n'));
    expect(source.lines).toEqual({ values: [{ a: 1 }, { b: 2 }], malformed: 0 });
  });

  test('is read from standard input where the path is a dash, also when a character is split between chunks', async () => {
    const bytes = Buffer.from('{"word":"grün"}');
    const split = (async function* () {
      yield await Promise.resolve(bytes.subarray(0, 12));
      yield bytes.subarray(12);
    })();
    expect((await readSource('-', split)).json).toEqual({ word: 'grün' });
    expect((await readSource('-', chunks('{}'))).path).toBe('standard input');
  });

  test('skips comments and blank lines and counts what is malformed', () => {
    const { lines, json } = createSource('x', '// note\n\n{"a":1}\n{"torn\nplain text\n[1]\n');
    expect(json).toBeUndefined();
    expect(lines).toEqual({ values: [{ a: 1 }, [1]], malformed: 2 });
  });

  test('that is one JSON value has it as its only line, however many lines it is printed on', () => {
    expect(createSource('x', '{\n "a": [\n  1\n ]\n}').lines).toEqual({ values: [{ a: [1] }], malformed: 0 });
  });

  test.each([
    ['a folder', () => folder, 'PITH_INPUT_UNREADABLE', 'is a folder'],
    ['a missing file', () => join(folder, 'none'), 'PITH_INPUT_UNREADABLE', 'no such file'],
    ['an empty file', () => file('empty', ''), 'PITH_INPUT_EMPTY', 'is empty'],
    ['white space alone', () => file('blank', ' \n\t\n'), 'PITH_INPUT_EMPTY', 'is empty'],
    ['a binary file', () => file('binary', Uint8Array.of(0x7f, 0x45, 0, 1)), 'PITH_FORMAT_UNKNOWN', 'binary'],
  ])('of %s is refused by name', async (_, path, code, words) => {
    const refusal = readSource(path());
    await expect(refusal).rejects.toMatchObject({ code, message: expect.stringContaining(words) as string });
    await expect(refusal).rejects.toMatchObject({ message: expect.stringContaining(folder) as string });
  });

  test('that is too large is refused before it is read, with the limit', async () => {
    const path = file('large', '');
    truncateSync(path, MAX_INPUT_BYTES + 1);
    await expect(readSource(path)).rejects.toMatchObject({
      code: 'PITH_INPUT_TOO_LARGE',
      message: expect.stringContaining('at most 512 MB') as string,
    });
  });
});
