import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createSessionFiles, type NewItem } from '../../../core';
import { renderSummary, type Summary } from '../../../plugins/compaction/summary-format';
import { put } from '../../files/folder';
import { assistant, call, tokenizer, user } from '../../support/context';
import { openTestDesk } from './desk-kit';

const lines = (count: number): string =>
  `${Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n')}\n`;
const empty: Summary = { completed: [], active: [], decisions: [], directives: [], current: ['at work'] };
const answer = (callId: string, text: string): NewItem => ({
  kind: 'tool_result',
  callId,
  summary: 'done',
  content: [{ type: 'text', text }],
});

describe('read_file at the desk', () => {
  test('shows numbered lines and says what is left', async () => {
    const { call: ask } = await openTestDesk({ files: { 'a.txt': lines(10) } });
    expect((await ask('read_file', { path: 'a.txt', offset: 3, limit: 2 })).text).toBe(
      'a.txt, it has 10 lines:\n3\tline 3\n4\tline 4\n(6 more lines; go on with offset=5)',
    );
    expect((await ask('read_file', { path: 'a.txt', offset: 9 })).text).toBe(
      'a.txt, it has 10 lines:\n9\tline 9\n10\tline 10\n(this is the end)',
    );
  });

  test('is at most about 1500 tokens where no range is asked for, cut between lines', async () => {
    const { call: ask } = await openTestDesk({ files: { 'a.txt': lines(3000) } });
    const { text } = await ask('read_file', { path: 'a.txt' });
    expect(tokenizer.countText(text)).toBeLessThanOrEqual(1540);
    expect(text).toMatch(/\n(\d+)\tline \1\n\(\d+ more lines; go on with offset=\d+\)$/);
  });

  test('is at most 2000 lines, and bounded in characters, where a range is asked for', async () => {
    const files = { 'a.txt': lines(5000), 'minified.js': `${'x'.repeat(500_000)}\n${'y'.repeat(500_000)}` };
    const { call: ask } = await openTestDesk({ files });
    const { text } = await ask('read_file', { path: 'a.txt', offset: 1, limit: 4000 });
    expect(text).toContain('\n2000\tline 2000\n(3000 more lines; go on with offset=2001)');
    const minified = (await ask('read_file', { path: 'minified.js', offset: 1, limit: 2 })).text;
    expect(minified.length).toBeLessThan(5000);
    expect(minified).toContain('characters left out');
  });

  test('shows of a file that is known in part only what is known', async () => {
    const items = [
      call('a', 'Read', { file_path: '/r/a.ts', offset: 11, limit: 2 }),
      answer('a', '    11→const a = 1;\n    12→const b = 2;'),
    ];
    const { call: ask, desk } = await openTestDesk({ items, files: createSessionFiles(items as never, '/r') });
    const { text } = await ask('read_file', { path: 'a.ts' });
    expect(text).toBe(
      'a.ts, only lines 11-12 are known from the session:\n11\tconst a = 1;\n12\tconst b = 2;\n(this is the end)',
    );
    expect((await ask('mark_read_required', { path: 'a.ts', offset: 40 })).text).toContain(
      'a.ts has no such lines; only lines 11-12 are known from the session.',
    );
    await ask('mark_read_required', { path: 'a.ts' });
    expect(desk.marks).toMatchObject([{ path: 'a.ts', fromLine: 11, toLine: 12, source: 'session' }]);
  });

  test.each([
    ['nothing', {}, '"path" is missing'],
    ['an empty path', { path: '' }, 'the length of "path" must be at least 1'],
    ['line 0', { path: 'a.txt', offset: 0 }, '"offset" must be at least 1'],
    ['half a line', { path: 'a.txt', limit: 1.5 }, '"limit" must be integer'],
    ['an argument that there is not', { path: 'a.txt', lines: 3 }, '"lines" is not allowed'],
    ['a line behind the end', { path: 'a.txt', offset: 99 }, 'a.txt has no line 99; it has 3 lines.'],
    ['a folder', { path: 'folder' }, 'folder is not a regular file.'],
    ['a missing file', { path: 'none.txt' }, 'none.txt does not exist.'],
    ['a binary file', { path: 'b.bin' }, 'b.bin is binary.'],
    ['a file outside', { path: '../canary' }, '../canary lies outside of the root.'],
  ])('answers %s with one clear sentence', async (_, args, sentence) => {
    const { call: ask } = await openTestDesk({
      files: { 'a.txt': lines(3), 'folder/x': '', 'b.bin': new Uint8Array([0, 1, 2]) },
    });
    const { text, isError } = await ask('read_file', args);
    expect(isError).toBe(true);
    expect(text).toContain(sentence);
    expect(text.split('\n')).toHaveLength(1);
  });

  test('there are no other tools, whatever they are called', async () => {
    const { call: ask } = await openTestDesk();
    expect(await ask('bash', { command: 'ls' })).toEqual({
      isError: true,
      text: 'There is no tool bash; there are read_file, mark_read_required, unmark_read_required, add_reference, search_history, read_history, write_summary.',
    });
  });
});

describe('marks and references at the desk', () => {
  const items = [
    call('a', 'Read', { file_path: 'old.ts' }),
    call('b', 'Edit', { file_path: 'new.ts', old_string: 'a', new_string: 'b' }),
    call('c', 'Edit', { file_path: 'new.ts', old_string: 'c', new_string: 'd' }),
    call('d', 'Read', { file_path: 'new.ts' }),
  ];
  const files = { 'old.ts': lines(3), 'new.ts': lines(3), 'empty.ts': '' };

  test('marks say why, and the files touched last come first', async () => {
    const { call: ask, desk } = await openTestDesk({ items, files });
    await ask('mark_read_required', { path: 'old.ts' });
    await ask('mark_read_required', { path: 'new.ts', offset: 2, limit: 1 });
    expect(desk.marks).toMatchObject([
      { path: 'new.ts', fromLine: 2, toLine: 2, source: 'disk', reason: 'edited 2 times, read once, just before' },
      { path: 'old.ts', fromLine: 1, toLine: 3, source: 'disk', reason: 'read once, last 3 calls ago' },
    ]);
  });

  test('the note that a worker gives to a file is why it is marked', async () => {
    const { call: ask, desk } = await openTestDesk({ items, files });
    await ask('add_reference', { path: './new.ts', note: 'named in the plan' });
    await ask('mark_read_required', { path: 'new.ts' });
    expect(desk.marks).toMatchObject([{ path: 'new.ts', reason: 'named in the plan' }]);
    expect(desk.references).toEqual([]);
  });

  test('an unmark takes all ranges of a file back, and says where there is none', async () => {
    const { call: ask, desk } = await openTestDesk({ files });
    await ask('mark_read_required', { path: 'old.ts', offset: 1, limit: 1 });
    await ask('mark_read_required', { path: './old.ts', offset: 3, limit: 1 });
    expect(desk.marks).toHaveLength(2);
    await ask('unmark_read_required', { path: 'old.ts' });
    expect(desk.marks).toEqual([]);
    expect(desk.markedTokens).toBe(0);
    expect((await ask('unmark_read_required', { path: 'old.ts' })).text).toContain('old.ts has no mark.');
  });

  test('an empty file can be marked', async () => {
    const { call: ask, desk } = await openTestDesk({ files });
    await ask('mark_read_required', { path: 'empty.ts' });
    expect(desk.marks).toMatchObject([{ path: 'empty.ts', fromLine: 1, toLine: 1 }]);
  });

  test('default references stay references until they are marked', async () => {
    const { call: ask, desk } = await openTestDesk({ items, files, defaultReferences: ['new.ts', 'old.ts'] });
    await ask('mark_read_required', { path: 'new.ts' });
    expect(desk.references).toEqual([{ path: 'old.ts', note: 'read once, last 3 calls ago' }]);
    await ask('unmark_read_required', { path: 'new.ts' });
    expect(desk.references.map(({ path }) => path)).toEqual(['new.ts', 'old.ts']);
  });

  test('a file is named once, by whatever spelling, with the newest note', async () => {
    const { call: ask, desk } = await openTestDesk({ items, files });
    await ask('add_reference', { path: './old.ts', note: 'first' });
    await ask('add_reference', { path: 'old.ts', note: 'the\nsecond' });
    await ask('add_reference', { path: 'gone/away.ts' });
    expect(desk.references).toEqual([{ path: 'old.ts', note: 'the second' }, { path: 'gone/away.ts' }]);
  });

  test('references stand in the order in which they were given last; one with an empty note has none', async () => {
    const { call: ask, desk } = await openTestDesk({ items, files, defaultReferences: ['new.ts', 'old.ts'] });
    await ask('add_reference', { path: 'other.ts', note: 'why' });
    await ask('add_reference', { path: 'new.ts', note: '' });
    expect(desk.references).toMatchObject([{ path: 'old.ts' }, { path: 'other.ts', note: 'why' }, { path: 'new.ts' }]);
    expect(desk.references[2]).not.toHaveProperty('note');
  });

  test('references are bounded', async () => {
    const { call: ask, desk } = await openTestDesk();
    for (let index = 0; index < 500; index++) await ask('add_reference', { path: `f${index}`, note: 'n'.repeat(5000) });
    expect((await ask('add_reference', { path: 'one-more' })).isError).toBe(true);
    expect(desk.references).toHaveLength(500);
    expect(desk.references[0]?.note).toHaveLength(200);
  });
});

describe('write_summary at the desk', () => {
  test('takes the last summary that is handed in', async () => {
    const { call: ask, desk } = await openTestDesk();
    const first = renderSummary(empty);
    expect((await ask('write_summary', { text: first })).text).toMatch(/^Summary taken, \d+ tokens\.$/);
    const second = renderSummary({ ...empty, decisions: ['b — c'] });
    await ask('write_summary', { text: second });
    expect(desk.summary).toBe(second);
  });

  test('does not take an empty one, and keeps what it has', async () => {
    const { call: ask, desk } = await openTestDesk();
    await ask('write_summary', { text: renderSummary(empty) });
    expect(await ask('write_summary', { text: '## Current Work\n' })).toEqual({
      isError: true,
      text: 'The summary says nothing: its sections are empty.',
    });
    expect(desk.summary).toBe(renderSummary(empty));
  });

  test('takes one with faults, and says each of them', async () => {
    const { call: ask, desk } = await openTestDesk({ items: [user('Use tabs.')], summaryMaxTokens: 60 });
    const text = renderSummary({
      ...empty,
      directives: ['"Use tabs."', '"Use spaces."'],
      current: ['word '.repeat(60)],
    }).replace('## Key Decisions', '## Decisions');
    const { text: said, isError } = await ask('write_summary', { text });
    expect(isError).toBe(true);
    expect(said).toMatch(/^Summary taken, \d+ tokens\. Call write_summary again with this corrected:\n- /);
    expect(said).toContain('at most 60 are allowed');
    expect(said).toContain('"## Key Decisions" is missing');
    expect(said).toContain('- "Use spaces."');
    expect(said).not.toContain('- "Use tabs."');
    expect(desk.summary).toBe(text);
  });

  test('finds quotations in any message of the user, also before the part to summarise and in the tail, and in no other', async () => {
    const items = [user('Always  use\ntabs.'), assistant('I like spaces.'), user('Never push.')];
    const { call: ask, desk } = await openTestDesk({ items, from: 1, to: 2 });
    const quoted = async (quotation: string): Promise<boolean> => {
      await ask('write_summary', { text: renderSummary({ ...empty, directives: [`"${quotation}"`] }) });
      return desk.problems.length === 0;
    };
    expect(await quoted('use tabs.')).toBe(true);
    expect(await quoted('Never push.')).toBe(true);
    expect(await quoted('I like spaces.')).toBe(false);
    expect(await quoted('tabs. Never')).toBe(false);
  });
});

describe('what the desk never shows', () => {
  const secret = ['sk', 'ant', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4'].join('-');

  test('X52: environment, key and ignored files are at most named', async () => {
    const files = {
      '.env': 'CANARY=1',
      id_rsa: 'CANARY',
      'cert.pem': 'CANARY',
      'ignored.log': 'CANARY',
      '.gitignore': '*.log\n',
      '.git/HEAD': 'ref: refs/heads/main\n',
      'normal.ts': 'export {};\n',
    };
    const { call: ask, desk } = await openTestDesk({ files, guarded: true });
    for (const path of ['.env', 'id_rsa', 'cert.pem', 'ignored.log']) {
      for (const tool of ['read_file', 'mark_read_required']) {
        const { text, isError } = await ask(tool, { path });
        expect(isError).toBe(true);
        expect(text).not.toContain('CANARY');
      }
      expect((await ask('add_reference', { path })).isError).toBe(false);
    }
    await ask('mark_read_required', { path: 'normal.ts' });
    expect(desk.marks.map(({ path }) => path)).toEqual(['normal.ts']);
    expect(desk.references.map(({ path }) => path)).toEqual(['.env', 'id_rsa', 'cert.pem', 'ignored.log']);
  });

  test('C45: nothing outside of the root, by dots, absolute paths or links; inner links work', async () => {
    const { call: ask, root, desk } = await openTestDesk({ files: { 'root/inside.ts': 'inside\n', canary: 'CANARY' } });
    const inner = await openTestDesk({ files: { 'inside.ts': 'inside\n' } });
    symlinkSync(join(root, 'canary'), join(inner.root, 'link'));
    symlinkSync(root, join(inner.root, 'dirlink'));
    symlinkSync('nowhere', join(inner.root, 'dangling'));
    symlinkSync('loop', join(inner.root, 'loop'));
    symlinkSync('inside.ts', join(inner.root, 'alias.ts'));
    for (const path of ['../canary', join(root, 'canary'), 'link', 'dirlink/canary', 'dangling', 'loop']) {
      for (const tool of ['read_file', 'mark_read_required']) {
        const { text, isError } = await inner.call(tool, { path });
        expect(isError).toBe(true);
        expect(text).not.toContain('CANARY');
      }
    }
    await inner.call('mark_read_required', { path: 'alias.ts' });
    await inner.call('mark_read_required', { path: 'inside.ts' });
    expect(inner.desk.marks).toHaveLength(1);
    expect(desk.marks).toEqual([]);
    expect((await ask('read_file', { path: 'root/inside.ts' })).text).toContain('inside');
  });

  test('C59: secrets are masked in history, files, references and summary; what stands around them stays', async () => {
    const items = [
      user(`My key is ${secret}, use it.`),
      call('a', 'Bash', { command: `curl -H "x-api-key: ${secret}" https://api.example.com` }),
      answer('a', `API_KEY=${secret}\nok`),
      call('b', 'Edit', { file_path: 'config.ts', old_string: 'none', new_string: `const apiKey = '${secret}';` }),
    ];
    const { call: ask, desk } = await openTestDesk({
      items,
      files: { 'config.ts': `const apiKey = '${secret}';\n` },
      guarded: true,
      previousSummary: `The key is ${secret}.`,
      from: 0,
    });
    const seen = [
      await ask('read_history', { from: 0, detail: 'full' }),
      await ask('read_history', { from: 0 }),
      await ask('search_history', { query: 'key' }),
      await ask('read_file', { path: 'config.ts' }),
      await ask('write_summary', {
        text: renderSummary({ ...empty, current: [`key ${secret}`], directives: [`"My key is ${secret}, use it."`] }),
      }),
      await ask('add_reference', { path: 'config.ts', note: `holds ${secret}` }),
    ];
    await ask('mark_read_required', { path: 'config.ts' });
    expect(JSON.stringify([seen, desk.summary, desk.references, desk.marks])).not.toContain(secret.slice(12, 24));
    expect(seen[0]?.text).toContain('My key is');
    expect(seen[0]?.text).toContain('API_KEY=');
    expect(desk.summary).toContain('"My key is');
    expect(seen[4]?.isError).toBe(false);
  });

  test('a file that holds a secret of several lines is not shown, since its lines would no longer be its lines', async () => {
    const pem = ['-----BEGIN', 'PRIVATE KEY-----'].join(' ');
    const { call: ask } = await openTestDesk({
      files: {
        'key.ts': `const a = \`${pem}\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nabc\n${pem.replace('BEGIN', 'END')}\`;\n`,
      },
      guarded: true,
    });
    expect((await ask('read_file', { path: 'key.ts' })).text).toBe('key.ts holds a secret of several lines.');
  });
});

describe('files that change under the desk', () => {
  test('are read as they are when they are asked for', async () => {
    const {
      call: ask,
      root,
      desk,
    } = await openTestDesk({ files: { 'a.ts': 'old\n', 'gone.ts': 'x\n', 'locked.ts': 'x\n', 'dir.ts': 'x\n' } });
    put(root, 'a.ts', 'new\nlines\n');
    rmSync(join(root, 'gone.ts'));
    rmSync(join(root, 'dir.ts'));
    mkdirSync(join(root, 'dir.ts'));
    chmodSync(join(root, 'locked.ts'), 0);
    expect((await ask('read_file', { path: 'a.ts' })).text).toContain('1\tnew\n2\tlines');
    expect((await ask('mark_read_required', { path: 'gone.ts' })).text).toContain(
      'gone.ts does not exist; it cannot be marked.',
    );
    expect((await ask('mark_read_required', { path: 'dir.ts' })).text).toContain(
      'dir.ts is not a regular file; it cannot be marked.',
    );
    if (process.getuid?.() !== 0) expect((await ask('mark_read_required', { path: 'locked.ts' })).isError).toBe(true);
    expect(desk.marks).toEqual([]);
  });

  test('one call comes after another, and an aborted one runs nothing', async () => {
    const { desk } = await openTestDesk({ files: { 'a.ts': 'x\n' } });
    const aborted = AbortSignal.abort(new Error('enough'));
    await expect(desk.call('mark_read_required', { path: 'a.ts' }, aborted)).rejects.toThrow('enough');
    expect(desk.marks).toEqual([]);
    const { signal } = new AbortController();
    await Promise.all([
      desk.call('mark_read_required', { path: 'a.ts' }, signal),
      desk.call('unmark_read_required', { path: 'a.ts' }, signal),
    ]);
    expect(desk.marks).toEqual([]);
  });
});
