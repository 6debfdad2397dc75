import { createDiskFiles, createSessionFiles, type FileSource, type Item, type Json } from '../../../core';
import { folderWith } from '../../files/folder';
import { workplace } from './workplace';

describe('read_file', () => {
  test('says which lines it shows, and what is left', async () => {
    const { call } = await workplace({ 'a.ts': 'one\ntwo\nthree\n' });
    expect(await call('read_file', { path: './a.ts' })).toEqual({
      summary: 'Read a.ts: all 3 lines',
      text: 'one\ntwo\nthree\n',
      isError: false,
    });
    expect(await call('read_file', { path: 'a.ts', offset: 2, limit: 1 })).toEqual({
      summary: 'Read a.ts: lines 2-2 of 3',
      text: 'two\n[Lines 2-2 of 3. 1 more line; go on with offset=3]',
      isError: false,
    });
    expect((await call('read_file', { path: 'a.ts', offset: 3, limit: 5 })).text).toBe('three\n');
    expect((await call('read_file', { path: 'a.ts', offset: 4 })).text).toBe(
      'Error: a.ts has 3 lines; nothing is there from line 4 on.',
    );
    expect((await call('read_file', { path: 'a.ts', offset: 0 })).isError).toBe(true);
  });

  test('shows the same text as the file source, or says why not (X31)', async () => {
    const source = 'const s = "é";\nconst t = 1;\n';
    const root = folderWith({
      'bom-crlf': `\uFEFF${source.replaceAll('\n', '\r\n')}`,
      mixed: 'a\r\nb\nc\r\n',
      'lone-cr': 'a\rb\r',
      utf16le: Buffer.from(`\uFEFF${source}`, 'utf16le'),
      gbk: Uint8Array.of(0xc4, 0xe3, 0xba, 0xc3, 0x0a),
      latin1: Buffer.from(source, 'latin1'),
    });
    const files = createDiskFiles({ root });
    const { call } = await workplace({}, { root, files });
    for (const path of ['bom-crlf', 'mixed', 'lone-cr', 'utf16le', 'gbk', 'latin1']) {
      const read = await files.read(path);
      const expected = read.ok ? read.text : `Error: ${path} is not UTF-8 text.`;
      expect((await call('read_file', { path })).text).toBe(expected);
    }
  });

  test('reads what git ignores where it is named', async () => {
    const { call } = await workplace({ '.gitignore': 'node_modules', 'node_modules/x/index.d.ts': 'export {};\n' });
    expect((await call('read_file', { path: 'node_modules/x/index.d.ts' })).text).toBe('export {};\n');
  });

  test('is the only tool of a source that can only be read', async () => {
    const tickets: FileSource = {
      canonical: (path) => path,
      display: (path) => path,
      read: (path) =>
        Promise.resolve(
          path === 'T-1'
            ? { ok: true, path, text: 'It does not start.\n', source: 'tickets' }
            : { ok: false, path, reason: 'not-found' },
        ),
    };
    const { call } = await workplace({}, { files: tickets });
    expect((await call('read_file', { path: 'T-1' })).text).toBe('It does not start.\n');
    expect((await call('read_file', { path: 'T-2' })).text).toBe('Error: T-2 does not exist.');
    expect((await call('write_file', { path: 'T-1', content: 'x' })).text).toContain('there is no tool "write_file"');
  });

  test('shows of a file that is known in part only what is known', async () => {
    const part: FileSource = {
      canonical: (path) => path,
      display: (path) => path,
      read: (path) =>
        Promise.resolve({
          ok: true,
          path,
          text: '\n\nthree\nfour\n\nsix\n',
          source: 'session',
          known: [
            { fromLine: 3, toLine: 4 },
            { fromLine: 6, toLine: 6 },
          ],
        }),
    };
    const { call } = await workplace({}, { files: part });
    const text = async (args: object): Promise<string> => (await call('read_file', { path: 'a', ...args })).text;
    expect(await text({})).toBe('three\nfour\n[Lines 3-4 of 6. 2 more lines; go on with offset=5]');
    expect(await text({ offset: 5 })).toBe('six\n');
    expect(await text({ offset: 7 })).toContain('nothing is there from line 7 on');
  });

  test('what it showed is known when the session is looked at without its files', async () => {
    const lines = Array.from({ length: 60 }, (_, at) => `line ${String(at + 1)}\n`);
    const { call } = await workplace({ 'a.txt': lines.join(''), 'b.txt': 'all of it\n', 'empty.txt': '' });
    const reads: Json[] = [
      { path: 'a.txt', offset: 11, limit: 10 },
      { path: 'a.txt', offset: 41 },
      { path: 'b.txt' },
      { path: 'empty.txt' },
    ];
    const log: Item[] = [];
    for (const [at, args] of reads.entries()) {
      const callId = String(at);
      const { summary, text } = await call('read_file', args);
      log.push({ kind: 'tool_call', id: `c${callId}`, callId, name: 'read_file', arguments: args });
      log.push({ kind: 'tool_result', id: `r${callId}`, callId, summary, content: [{ type: 'text', text }] });
    }
    const seen = createSessionFiles(log);
    const known = await seen.read('a.txt');
    expect(known.ok && known.known).toEqual([
      { fromLine: 11, toLine: 20 },
      { fromLine: 41, toLine: 60 },
    ]);
    expect(known.ok && known.text.split('\n').slice(40)).toEqual(
      lines
        .slice(40)
        .map((line) => line.trim())
        .concat(''),
    );
    expect(await seen.read('b.txt')).toMatchObject({ ok: true, text: 'all of it\n' });
    expect((await seen.read('empty.txt')).ok).toBe(false);
  });
});
