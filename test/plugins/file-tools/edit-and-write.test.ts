import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fileTools from '../../../plugins/file-tools';
import { createTurns } from '../../../plugins/file-tools/turns';
import { folderWith, put } from '../../files/folder';
import { workplace } from './workplace';

const bytesOf = (root: string, path: string): Buffer => readFileSync(join(root, path));

describe('read before edit', () => {
  test('reading, editing and editing again works, and so does writing what was written', async () => {
    const { root, call } = await workplace({ 'a.ts': 'const a = 1;\nconst b = 2;\n' });
    expect((await call('read_file', { path: 'a.ts' })).text).toBe('const a = 1;\nconst b = 2;\n');
    expect(await call('edit_file', { path: 'a.ts', old_text: 'a = 1', new_text: 'a = 10' })).toMatchObject({
      summary: 'Edited a.ts at line 1',
      isError: false,
    });
    expect((await call('edit_file', { path: './a.ts', old_text: '2', new_text: '20' })).summary).toBe(
      'Edited a.ts at line 2',
    );
    expect((await call('write_file', { path: 'a.ts', content: 'done\n' })).summary).toBe(
      'Overwrote a.ts: 1 line, 5 bytes',
    );
    expect((await call('edit_file', { path: 'a.ts', old_text: 'done', new_text: 'over' })).isError).toBe(false);
    expect(bytesOf(root, 'a.ts').toString()).toBe('over\n');
  });

  test('what was not read is neither edited nor overwritten; a new file needs no reading', async () => {
    const { root, call } = await workplace({ 'a.ts': 'old' });
    for (const [tool, args] of [
      ['edit_file', { path: 'a.ts', old_text: 'old', new_text: 'new' }],
      ['write_file', { path: 'a.ts', content: 'new' }],
    ] as const) {
      const answer = await call(tool, args);
      expect(answer).toMatchObject({
        isError: true,
        text: 'Error: a.ts has not been read yet. Read it with read_file first.',
      });
    }
    expect(bytesOf(root, 'a.ts').toString()).toBe('old');
    expect((await call('write_file', { path: 'new/deep/b.ts', content: 'x\n' })).summary).toBe(
      'Created new/deep/b.ts: 1 line, 2 bytes',
    );
    expect((await call('edit_file', { path: 'new/deep/b.ts', old_text: 'x', new_text: 'y' })).isError).toBe(false);
    expect(bytesOf(root, 'new/deep/b.ts').toString()).toBe('y\n');
  });

  test('a change from outside must be read before the next edit', async () => {
    const { root, call } = await workplace({ 'a.ts': 'one two' });
    await call('read_file', { path: 'a.ts' });
    put(root, 'a.ts', 'one TWO');
    const refused = await call('edit_file', { path: 'a.ts', old_text: 'one', new_text: '1' });
    expect(refused.text).toContain('is not as you last saw it');
    expect((await call('write_file', { path: 'a.ts', content: 'x' })).isError).toBe(true);
    expect(bytesOf(root, 'a.ts').toString()).toBe('one TWO');
    await call('read_file', { path: 'a.ts' });
    expect((await call('edit_file', { path: 'a.ts', old_text: 'one', new_text: '1' })).isError).toBe(false);
    expect(bytesOf(root, 'a.ts').toString()).toBe('1 TWO');
  });

  test('contents that left the context must be read again', async () => {
    const { call, tracker } = await workplace({ 'a.ts': 'a', 'b.ts': 'b' });
    await call('read_file', { path: 'a.ts' });
    await call('read_file', { path: 'b.ts' });
    tracker.forgetContents(['b.ts']);
    expect((await call('edit_file', { path: 'a.ts', old_text: 'a', new_text: 'x' })).text).toContain(
      'left the context',
    );
    expect((await call('edit_file', { path: 'b.ts', old_text: 'b', new_text: 'x' })).isError).toBe(false);
  });

  test('what one agent read counts for no other', async () => {
    const one = await workplace({ 'a.ts': 'a' });
    const other = one.colleague();
    await one.call('read_file', { path: 'a.ts' });
    expect((await other.call('edit_file', { path: 'a.ts', old_text: 'a', new_text: 'b' })).isError).toBe(true);
    await other.call('read_file', { path: 'a.ts' });
    await one.call('edit_file', { path: 'a.ts', old_text: 'a', new_text: 'b' });
    expect((await other.call('edit_file', { path: 'a.ts', old_text: 'b', new_text: 'c' })).isError).toBe(true);
  });

  test('a file that was read in part is edited, and overwritten only once the rest was read', async () => {
    const { root, call } = await workplace({ 'a.ts': 'one\ntwo\nthree\nfour\n' });
    const overwrite = () => call('write_file', { path: 'a.ts', content: 'x' });
    await call('read_file', { path: 'a.ts', offset: 1, limit: 2 });
    expect((await overwrite()).text).toContain('was read in part only');
    await call('read_file', { path: 'a.ts', offset: 4 });
    expect((await overwrite()).isError).toBe(true);
    expect((await call('edit_file', { path: 'a.ts', old_text: 'two', new_text: '2' })).isError).toBe(false);
    expect((await overwrite()).isError).toBe(true);
    await call('read_file', { path: 'a.ts', offset: 3 });
    expect((await overwrite()).isError).toBe(true);
    await call('read_file', { path: 'a.ts', offset: 1, limit: 2 });
    expect((await overwrite()).isError).toBe(false);
    expect(bytesOf(root, 'a.ts').toString()).toBe('x');
    expect((await overwrite()).isError).toBe(false);
  });

  test('without a tracker nothing is asked for', async () => {
    const { root, call } = await workplace({ 'a.ts': 'old' }, { plugins: [fileTools] });
    expect((await call('edit_file', { path: 'a.ts', old_text: 'old', new_text: 'new' })).isError).toBe(false);
    expect((await call('write_file', { path: 'a.ts', content: 'newer' })).isError).toBe(false);
    expect(bytesOf(root, 'a.ts').toString()).toBe('newer');
  });

  test('every file tool moves its file to the front of the recent files', async () => {
    const { root, call, tracker } = await workplace({ 'a.ts': 'a', 'b.ts': 'b' });
    await call('read_file', { path: 'a.ts' });
    await call('read_file', { path: 'b.ts' });
    await call('write_file', { path: 'c.ts', content: 'c' });
    await call('edit_file', { path: 'a.ts', old_text: 'a', new_text: 'A' });
    await call('read_file', { path: 'gone.ts' });
    await call('list_files', {});
    await call('search_files', { pattern: 'b' });
    expect(tracker.recentFiles(9)).toEqual(['a.ts', 'c.ts', 'b.ts'].map((path) => join(root, path)));
  });
});

describe('what a file keeps', () => {
  test('CRLF and byte-order mark, whatever the model sends', async () => {
    const { root, call } = await workplace({ 'a.cs': '\uFEFFone\r\ntwo\r\n' });
    expect((await call('read_file', { path: 'a.cs' })).text).toBe('one\r\ntwo\r\n');
    await call('edit_file', { path: 'a.cs', old_text: 'one\ntwo', new_text: 'one\nhalf\ntwo' });
    expect(bytesOf(root, 'a.cs')).toEqual(Buffer.from('\uFEFFone\r\nhalf\r\ntwo\r\n'));
    await call('write_file', { path: 'a.cs', content: 'x\ny\n' });
    expect(bytesOf(root, 'a.cs')).toEqual(Buffer.from('\uFEFFx\r\ny\r\n'));
    await call('write_file', { path: 'a.cs', content: 'x\ny\r\n' });
    expect(bytesOf(root, 'a.cs')).toEqual(Buffer.from('\uFEFFx\ny\r\n'));
  });

  test('its mode', async () => {
    const { root, call } = await workplace({ 'run.sh': '#!/bin/sh\n' });
    chmodSync(join(root, 'run.sh'), 0o751);
    await call('read_file', { path: 'run.sh' });
    await call('edit_file', { path: 'run.sh', old_text: '/bin/sh', new_text: '/bin/bash' });
    expect(statSync(join(root, 'run.sh')).mode & 0o777).toBe(0o751);
    await call('write_file', { path: 'run.sh', content: '#!/bin/sh\n' });
    expect(statSync(join(root, 'run.sh')).mode & 0o777).toBe(0o751);
  });

  test('no last line feed where it had none, and none is added to an empty file', async () => {
    const { root, call } = await workplace({ 'a.txt': 'a\nb', 'empty.txt': '' });
    await call('read_file', { path: 'a.txt' });
    await call('edit_file', { path: 'a.txt', old_text: 'a\n', new_text: 'A\n' });
    expect(bytesOf(root, 'a.txt').toString()).toBe('A\nb');
    expect((await call('read_file', { path: 'empty.txt' })).text).toBe('[empty.txt is empty]');
    expect((await call('edit_file', { path: 'empty.txt', old_text: 'a', new_text: 'b' })).text).toContain('not found');
    expect((await call('write_file', { path: 'empty.txt', content: '' })).isError).toBe(false);
    expect((await call('write_file', { path: 'empty.txt', content: 'x' })).isError).toBe(false);
    expect(bytesOf(root, 'empty.txt').toString()).toBe('x');
  });

  test('its other hard links keep what they had', async () => {
    const outside = folderWith({ 'store.ts': 'shared' });
    const { root, call } = await workplace();
    linkSync(join(outside, 'store.ts'), join(root, 'linked.ts'));
    await call('read_file', { path: 'linked.ts' });
    await call('edit_file', { path: 'linked.ts', old_text: 'shared', new_text: 'own' });
    expect(bytesOf(root, 'linked.ts').toString()).toBe('own');
    expect(bytesOf(outside, 'store.ts').toString()).toBe('shared');
  });

  test('of two hard links the one that was named is changed', async () => {
    const { root, call } = await workplace({ 'a.ts': 'shared' });
    linkSync(join(root, 'a.ts'), join(root, 'b.ts'));
    await call('read_file', { path: 'a.ts' });
    expect((await call('edit_file', { path: 'b.ts', old_text: 'shared', new_text: 'b' })).isError).toBe(false);
    expect(bytesOf(root, 'a.ts').toString()).toBe('shared');
    expect(bytesOf(root, 'b.ts').toString()).toBe('b');
    expect((await call('edit_file', { path: 'b.ts', old_text: 'b', new_text: 'B' })).isError).toBe(false);
    expect((await call('edit_file', { path: 'a.ts', old_text: 'shared', new_text: 'a' })).isError).toBe(false);
  });
});

describe('a change that is refused', () => {
  test('leaves the file and its folder as they were', async () => {
    const { root, call } = await workplace({
      'a.ts': 'text text\n',
      'bin.dat': Uint8Array.of(1, 0, 2),
      'latin.txt': Uint8Array.of(0x63, 0xe9),
      'wide.txt': Uint8Array.of(0xff, 0xfe, 0x61, 0),
    });
    mkdirSync(join(root, 'folder'));
    await call('read_file', { path: 'a.ts' });
    const before = readdirSync(root).sort();
    const edits: [string, string, string, string][] = [
      ['a.ts', 'text', 'x', 'occurs 2 times in it, at lines 1, 1.'],
      ['a.ts', '', 'x', 'old_text is empty'],
      ['a.ts', 'text\n', 'text\n', 'the same'],
      ['a.ts', 'TEXT', 'x', 'not found'],
      ['a.ts', 'text\n', 'a\ud800b', 'half of a surrogate pair'],
      ['a.ts', 'text\n', 'a\0b', 'NUL'],
      ['missing.ts', 'a', 'b', 'missing.ts does not exist. Use write_file to create it.'],
      ['bin.dat', 'a', 'b', 'bin.dat is binary.'],
      ['latin.txt', 'c', 'b', 'latin.txt is not UTF-8 text.'],
      ['wide.txt', 'a', 'b', 'wide.txt is not UTF-8 text.'],
      ['folder', 'a', 'b', 'folder is not a regular file.'],
      ['.', 'a', 'b', 'is not a regular file.'],
    ];
    for (const [path, old_text, new_text, why] of edits) {
      const answer = await call('edit_file', { path, old_text, new_text });
      expect([path, answer.isError, answer.text.includes(why) ? why : answer.text]).toEqual([path, true, why]);
    }
    const writes: [string, string, string][] = [
      ['a.ts', '\udc00', 'half of a surrogate pair'],
      ['a.ts', 'x\0', 'NUL'],
      ['folder', 'x', 'folder is not a regular file.'],
      ['folder/', 'x', 'names a folder'],
      ['a.ts/below.ts', 'x', 'is not a regular file.'],
      ['nul\0.ts', 'x', 'does not exist.'],
      ['bin.dat', 'x', 'has not been read yet'],
      ['n'.repeat(300), 'x', 'ENAMETOOLONG'],
    ];
    for (const [path, content, why] of writes) {
      const answer = await call('write_file', { path, content });
      expect([path, answer.isError, answer.text.includes(why) ? why : answer.text]).toEqual([path, true, why]);
    }
    expect(readdirSync(root).sort()).toEqual(before);
    expect(bytesOf(root, 'a.ts').toString()).toBe('text text\n');
  });

  test('a write-protected file is left alone, also by root', async () => {
    const { root, call } = await workplace({ 'a.ts': 'old' });
    chmodSync(join(root, 'a.ts'), 0o444);
    await call('read_file', { path: 'a.ts' });
    expect((await call('edit_file', { path: 'a.ts', old_text: 'old', new_text: 'new' })).text).toBe(
      'Error: a.ts is write-protected.',
    );
    expect((await call('write_file', { path: 'a.ts', content: 'new' })).isError).toBe(true);
    expect(bytesOf(root, 'a.ts').toString()).toBe('old');
  });

  test('a text above 10 MB is neither read nor written; one of 10 MB is both', async () => {
    const ten = Buffer.alloc(10 * 1024 * 1024, 'line of text\n');
    const { root, call } = await workplace({ 'ten.txt': ten, 'more.txt': Buffer.concat([ten, Buffer.from('x')]) });
    expect((await call('read_file', { path: 'more.txt' })).text).toBe('Error: more.txt is too large for this tool.');
    expect((await call('read_file', { path: 'ten.txt', offset: 800_000, limit: 1 })).text).toBe(
      'line of text\n[Lines 800000-800000 of 806597. 6597 more lines; go on with offset=800001]',
    );
    const edit = await call('edit_file', {
      path: 'ten.txt',
      old_text: 'line of text\n',
      new_text: 'row of text\n',
      replace_all: true,
    });
    expect(edit.summary).toBe('Edited ten.txt: 806596 places, the first at line 1');
    expect((await call('write_file', { path: 'big.txt', content: 'x'.repeat(ten.length + 1) })).isError).toBe(true);
    expect(existsSync(join(root, 'big.txt'))).toBe(false);
  });

  test('a run that was cancelled writes nothing', async () => {
    const { root, call } = await workplace({ 'a.ts': 'old' });
    const controller = new AbortController();
    controller.abort(new Error('stop'));
    await call('write_file', { path: 'b.ts', content: 'x' }, controller.signal);
    expect(readdirSync(root)).toEqual(['a.ts']);
  });
});

describe('calls at the same time', () => {
  test('work on one file goes on after work that failed, and other files do not wait', async () => {
    const inTurn = createTurns();
    const order: string[] = [];
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const first = inTurn('a', async () => {
      await held;
      order.push('first');
      throw new Error('failed');
    });
    const second = inTurn('a', () => Promise.resolve(order.push('second')));
    await inTurn('b', () => Promise.resolve(order.push('other')));
    release();
    await expect(first).rejects.toThrow('failed');
    await second;
    expect(order).toEqual(['other', 'first', 'second']);
  });

  test('an edit that waits when its run is cancelled is not made', async () => {
    const { root, call } = await workplace({ 'a.ts': 'one two' });
    await call('read_file', { path: 'a.ts' });
    const controller = new AbortController();
    const first = call('edit_file', { path: 'a.ts', old_text: 'one', new_text: '1' });
    const second = call('edit_file', { path: 'a.ts', old_text: 'two', new_text: '2' }, controller.signal);
    const third = call('edit_file', { path: 'a.ts', old_text: 'one', new_text: '3' });
    controller.abort(new Error('stop'));
    await Promise.all([first, second, third]);
    expect(bytesOf(root, 'a.ts').toString()).toBe('1 two');
  });

  test('edits of one file are made one after another, each on what the last one left', async () => {
    const lines = Array.from({ length: 30 }, (_, at) => `line ${String(at)};`);
    const { root, call } = await workplace({ 'a.ts': lines.join('\n') });
    await call('read_file', { path: 'a.ts' });
    const answers = await Promise.all(
      lines.map((line, at) =>
        call('edit_file', { path: at % 2 ? 'a.ts' : './a.ts', old_text: line, new_text: `${line} // done` }),
      ),
    );
    expect(answers.filter(({ isError }) => isError)).toEqual([]);
    expect(bytesOf(root, 'a.ts').toString()).toBe(lines.map((line) => `${line} // done`).join('\n'));
    expect(readdirSync(root)).toEqual(['a.ts']);
  });

  test('reads, writes and edits in any mixture leave one whole text', async () => {
    const { root, call } = await workplace({ 'a.ts': 'start' });
    await call('read_file', { path: 'a.ts' });
    const texts = Array.from({ length: 20 }, (_, at) => String(at).repeat(5000));
    await Promise.all([
      ...texts.map((content) => call('write_file', { path: 'a.ts', content })),
      ...texts.map(async () => {
        const { text } = await call('read_file', { path: 'a.ts' });
        expect(['start', ...texts].some((one) => text.startsWith(one.slice(0, 2000)))).toBe(true);
      }),
    ]);
    expect(texts).toContain(bytesOf(root, 'a.ts').toString());
  });

  test('a file that vanished between reading and writing is written anew', async () => {
    const { root, call } = await workplace({ 'a.ts': 'old' });
    await call('read_file', { path: 'a.ts' });
    rmSync(join(root, 'a.ts'));
    expect((await call('edit_file', { path: 'a.ts', old_text: 'old', new_text: 'new' })).text).toContain(
      'does not exist',
    );
    expect((await call('write_file', { path: 'a.ts', content: 'new' })).summary).toContain('Created a.ts');
    writeFileSync(join(root, 'a.ts'), 'outside');
    expect((await call('write_file', { path: 'a.ts', content: 'x' })).isError).toBe(true);
  });
});
