import fc from 'fast-check';
import { createSessionFiles } from '../../core/files/session-files';
import type { FileRead, Item, Json } from '../../core/index';

let calls = 0;
/** A call and its answer, as an importer gives them. */
function exchange(name: string, args: Json, answer: string | undefined, isError = false): readonly Item[] {
  const callId = `call-${String(++calls)}`;
  const call: Item = { kind: 'tool_call', id: callId, callId, name, arguments: args };
  if (answer === undefined) return [call];
  const content = answer === '' ? {} : { content: [{ type: 'text' as const, text: answer }] };
  return [
    call,
    { kind: 'tool_result', id: `${callId}-result`, callId, summary: `${name}, some output`, ...content, isError },
  ];
}

const listing = (text: string, from = 1, mark = '→'): string =>
  text
    .split('\n')
    .map((line, at) => `${String(at + from).padStart(6)}${mark}${line}`)
    .join('\n');

async function see(items: readonly (readonly Item[])[], path: string, root?: string): Promise<string> {
  const read = await createSessionFiles(items.flat(), root).read(path);
  if (!read.ok) return `<${read.reason}>`;
  const known = read.known?.map(({ fromLine, toLine }) => `${String(fromLine)}-${String(toLine)}`).join(',');
  return known === undefined ? read.text : `${known}|${read.text}`;
}

describe('files of a session, as they were last seen', () => {
  test.each<[string, readonly Item[], string]>([
    [
      'a numbered listing',
      exchange('Read', { file_path: 'a' }, `${listing('one\n\ttwo\n')}\n\n<system-reminder>\nmind\n</system-reminder>`),
      'one\n\ttwo\n',
    ],
    [
      'a numbered listing without a newline at the end',
      exchange('Read', { file_path: 'a' }, listing('one\ntwo')),
      'one\ntwo',
    ],
    ['a listing with tabs', exchange('Read', { file_path: 'a' }, '1\tone\n2\ttwo'), 'one\ntwo'],
    [
      'a part of a listing',
      exchange('Read', { file_path: 'a', offset: 5, limit: 2 }, listing('five\nsix', 5)),
      '5-6|\n\n\n\nfive\nsix',
    ],
    ['plain text', exchange('read', { path: 'a' }, 'one\ntwo\n'), 'one\ntwo\n'],
    ['plain text that looks like a table', exchange('read', { path: 'a' }, '1\tAda\n2\tBob\n'), '1\tAda\n2\tBob\n'],
    [
      'plain text with a note',
      exchange(
        'read',
        { path: 'a', limit: 2 },
        'one\ntwo\n\n... (7 more lines not shown. Use offset=3 to continue reading)',
      ),
      '1-2|one\ntwo',
    ],
    [
      'plain text from an offset',
      exchange('read', { path: 'a', offset: 3, limit: 2 }, 'three\nfour'),
      '3-4|\n\nthree\nfour',
    ],
    ['a whole text by read_file', exchange('read_file', { absolute_path: '/a' }, 'one\ntwo\n'), 'one\ntwo\n'],
    [
      'an offset that counts from zero',
      exchange('read_file', { file_path: '/a', offset: 1, limit: 1 }, 'two'),
      '2-2|\ntwo',
    ],
    [
      'a part under a header',
      exchange(
        'read_file',
        { file_path: '/a' },
        'IMPORTANT: The file content has been truncated.\nStatus: Showing lines 2-3 of 9 total lines.\nAction: use offset.\n\n--- FILE CONTENT (truncated) ---\ntwo\nthree',
      ),
      '2-3|\ntwo\nthree',
    ],
    [
      'a listing in tags',
      exchange('read', { filePath: '/a' }, '<file>\n00001| one\n00002| two\n\n(End of file - total 2 lines)\n</file>'),
      'one\ntwo\n',
    ],
    [
      'a listing in newer tags',
      exchange(
        'read',
        { filePath: '/a' },
        "<path>/a</path>\n<type>file</type>\n<content>\n3: three\n\n(File has more lines. Use 'offset' parameter to read beyond line 3)\n</content>",
      ),
      '3-3|\n\nthree',
    ],
    [
      'cat -n of an editor',
      exchange(
        'str_replace_editor',
        { command: 'view', path: '/a', view_range: [2, 3] },
        `Here's the result of running \`cat -n\` on /a:\n${listing('two\nthree', 2, '\t')}\n`,
      ),
      '2-3|\ntwo\nthree',
    ],
    [
      'a clipped view',
      exchange(
        'str_replace_editor',
        { command: 'view', path: '/a' },
        `Here's the result of running \`cat -n\` on /a:\n${listing('one\ntwo', 1, '\t')}\n<response clipped><NOTE>only part</NOTE>`,
      ),
      '1-2|one\ntwo',
    ],
    [
      'a list of results',
      exchange(
        'read_files',
        { files: [{ path: '/b' }, { path: '/a', start_line: 9, end_line: 10 }] },
        JSON.stringify([
          { query: '/b', result: '1 | b', success: true },
          { query: '/a:9-10', result: ' 9 | nine\n10 | ten', success: true },
        ]),
      ),
      '9-10|\n\n\n\n\n\n\n\nnine\nten',
    ],
    [
      'cat',
      exchange('shell', { command: ['bash', '-lc', 'cat a'] }, '{"output":"one\\ntwo\\n","metadata":{"exit_code":0}}'),
      'one\ntwo\n',
    ],
    ['cat below a folder', exchange('Bash', { command: 'cd x && cat ../a' }, 'one\ntwo'), 'one\ntwo\n'],
    ['sed', exchange('shell', { command: "sed -n '2,3p' a", workdir: '.' }, 'two\nthree\n'), '2-3|\ntwo\nthree'],
    [
      'sed beyond the end',
      exchange(
        'shell_command',
        { command: "sed -n '1,200p' a" },
        'Exit code: 0\nWall time: 1 seconds\nOutput:\none\ntwo\n',
      ),
      'one\ntwo\n',
    ],
    ['output that was trimmed', exchange('Bash', { command: "sed -n '1,3p' a" }, 'one\ntwo'), '1-2|one\ntwo'],
    [
      'output with a hole',
      exchange('bash', { command: 'cat a' }, 'one\ntwo\nthr\n[... omitted 288 of 544 lines ...]\nlast\n'),
      '1-3|one\ntwo\nthr',
    ],
    [
      'Get-Content',
      exchange('shell_command', { command: 'Get-Content .\\a' }, 'Exit code: 0\nOutput:\none\r\ntwo\r\n'),
      'one\ntwo\n',
    ],
    ['a here-document', exchange('bash', { command: "cat > a <<'EOF'\none $HOME\nEOF" }, ''), 'one $HOME\n'],
    ['a write', exchange('Write', { file_path: 'a', content: 'one' }, 'File created successfully at: a'), 'one'],
    [
      'a file that was created',
      exchange('str_replace_editor', { command: 'create', path: '/a', file_text: 'one\n' }, 'File created'),
      'one\n',
    ],
    [
      'a file that a patch adds',
      exchange('apply_patch', '*** Begin Patch\n*** Add File: a\n+one\n+\n*** End Patch\n', 'Success'),
      'one\n\n',
    ],
  ])('know the text of %s', async (_, items, expected) => {
    expect(
      await see(
        [items],
        'a',
        items[0]?.kind === 'tool_call' && JSON.stringify(items[0].arguments).includes('/a') ? '/' : undefined,
      ),
    ).toBe(expected);
  });

  test.each<[string, readonly Item[]]>([
    ['a read that failed', exchange('Read', { file_path: 'a' }, 'File does not exist.', true)],
    [
      'a failure that is not marked',
      exchange('Read', { file_path: 'a' }, '<tool_use_error>File does not exist.</tool_use_error>'),
    ],
    ['a call without a result', exchange('Read', { file_path: 'a' }, undefined)],
    ['a result without content', exchange('read', { path: 'a' }, '')],
    [
      'a note that it is empty',
      exchange(
        'Read',
        { file_path: 'a' },
        '<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>',
      ),
    ],
    ['the output of two commands', exchange('Bash', { command: 'cat a && git status' }, 'one')],
    ['the output of a pipe', exchange('Bash', { command: 'cat a | grep x' }, 'one')],
    ['two files in one', exchange('Bash', { command: 'cat a b' }, 'one')],
    [
      'a command that failed',
      exchange('shell', { command: ['cat', 'a'] }, '{"output":"cat: a: No such file\\n","metadata":{"exit_code":1}}'),
    ],
    ['the end of a file', exchange('Bash', { command: 'tail -5 a' }, 'last')],
    ['text that a shell expands', exchange('Bash', { command: 'cat > a <<EOF\n$HOME\nEOF' }, '')],
    [
      'a file that was removed',
      [...exchange('Write', { file_path: 'a', content: 'x' }, 'ok'), ...exchange('Bash', { command: 'rm -f a' }, '')],
    ],
    [
      'a file that a tool changed in ways not told',
      [
        ...exchange('Write', { file_path: 'a', content: 'x' }, 'ok'),
        ...exchange('Bash', { command: "sed -i '' 's/x/y/' a" }, ''),
      ],
    ],
    [
      'an edit that does not fit',
      [
        ...exchange('read', { path: 'a' }, 'one\ntwo\n'),
        ...exchange('edit', { path: 'a', oldText: 'absent', newText: 'x' }, 'ok'),
      ],
    ],
  ])('know nothing after %s', async (_, items) => {
    expect(await see([items], 'a')).toBe('<not-found>');
  });

  const page = exchange('read', { path: 'a' }, 'one\ntwo\nthree\n');
  test.each<[string, readonly Item[], string]>([
    [
      'an edit',
      exchange('Edit', { file_path: 'a', old_string: 'two', new_string: 'two\n2½' }, 'updated'),
      'one\ntwo\n2½\nthree\n',
    ],
    [
      'an edit with dollar signs',
      exchange('edit', { path: 'a', oldText: 'two', newText: "$&$1$'" }, 'ok'),
      "one\n$&$1$'\nthree\n",
    ],
    [
      'several edits',
      exchange(
        'MultiEdit',
        {
          file_path: 'a',
          edits: [
            { old_string: 'one', new_string: '1' },
            { old_string: '1\ntwo', new_string: '2' },
          ],
        },
        'ok',
      ),
      '2\nthree\n',
    ],
    [
      'an edit of all places',
      exchange('Edit', { file_path: 'a', old_string: 'e', new_string: 'E', replace_all: true }, 'ok'),
      'onE\ntwo\nthrEE\n',
    ],
    [
      'an edit that failed',
      exchange(
        'Edit',
        { file_path: 'a', old_string: 'two', new_string: 'x' },
        'Found 2 matches of the string to replace',
      ),
      'one\ntwo\nthree\n',
    ],
    [
      'an insertion',
      exchange('str_replace_editor', { command: 'insert', path: 'a', insert_line: 1, new_str: 'in\n' }, 'ok'),
      'one\nin\ntwo\nthree\n',
    ],
    [
      'blocks to search and replace',
      exchange('replace_in_file', { path: 'a', diff: '------- SEARCH\ntwo\n=======\n2\n+++++++ REPLACE' }, 'ok'),
      'one\n2\nthree\n',
    ],
    [
      'a patch',
      exchange(
        'shell',
        {
          command:
            "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a\n@@ one\n-two\n+2\n three\n*** End of File\n*** End Patch\nEOF",
        },
        'Success',
      ),
      'one\n2\nthree\n',
    ],
    [
      'a patch that moves the file',
      exchange(
        'apply_patch',
        { input: '*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-one\n+1\n*** End Patch' },
        'Success',
      ),
      '<not-found>',
    ],
    ['a move', exchange('bash', { command: 'git mv a b && mv b a' }, ''), 'one\ntwo\nthree\n'],
    [
      'a snippet of the change',
      exchange(
        'Edit',
        { file_path: 'a', old_string: 'two', new_string: '2' },
        `The file a has been updated. Here's the result of running \`cat -n\` on a snippet of the edited file:\n${listing('one\n2\nthree\n')}`,
      ),
      'one\n2\nthree\n',
    ],
    [
      'a snippet that shows another file than was known',
      exchange(
        'Edit',
        { file_path: 'a', old_string: 'two', new_string: '2' },
        `Here's the result of running \`cat -n\` on a snippet:\n${listing('other\n2', 1)}`,
      ),
      '1-2|other\n2',
    ],
  ])('keep up with %s', async (_, change, expected) => {
    expect(await see([page, change], 'a')).toBe(expected);
  });

  test('put parts together, and forget all where a later look shows another file', async () => {
    const part = (offset: number, text: string) =>
      exchange('Read', { file_path: 'a', offset, limit: 2 }, listing(text, offset));
    expect(await see([part(1, 'a\nb'), part(4, 'd\ne')], 'a')).toBe('1-2,4-5|a\nb\n\nd\ne');
    expect(await see([part(1, 'a\nb'), part(3, 'c\nd'), part(5, 'e')], 'a')).toBe('a\nb\nc\nd\ne');
    expect(await see([part(1, 'a\nb'), part(4, 'd\ne'), part(2, 'X\nc')], 'a')).toBe('2-3|\nX\nc');
  });

  test('follow the window of an editor that keeps a file open', async () => {
    const window = (text: string, path: string, total: number, from = 1) =>
      `[File: ${path} (${String(total)} lines total)]\r\n${from > 1 ? `(${String(from - 1)} more lines above)\r\n` : ''}${text
        .split('\n')
        .map((line, at) => `${String(from + at)}:${line}`)
        .join('\r\n')}\r\n(Open file: /repo/a.py)\n(Current directory: /repo)\nbash-$`;
    const opened = exchange('open', { path: 'a.py', line_number: 2 }, window('b\nc', 'a.py', 9, 2));
    expect(await see([opened], 'a.py')).toBe('2-3|\nb\nc');
    const edited = exchange('edit', { search: 'b', replace: 'B' }, window('a\nB', '/repo/a.py', 2));
    expect(await see([opened, edited], 'a.py')).toBe('a\nB\n');
    expect(createSessionFiles([opened, edited].flat(), '/repo').display('a.py')).toBe('a.py');
  });

  test('lines that an agent shows cut are not known', async () => {
    const long = 'x'.repeat(2000);
    expect(await see([exchange('Read', { file_path: 'a' }, listing(`one\n${long}\nthree`))], 'a')).toBe(
      '1-1,3-3|one\n\nthree',
    );
  });

  test('are named by one spelling, below the root', async () => {
    const items = exchange('Read', { file_path: 'C:\\repo\\src\\App.ts' }, listing('x'));
    const files = createSessionFiles(items, 'c:\\repo');
    for (const path of ['src/App.ts', 'src\\App.ts', './src/../src/App.ts', 'c:/repo/src/App.ts']) {
      expect(files.canonical(path)).toBe('C:/repo/src/App.ts');
      expect(files.display(path)).toBe('src/App.ts');
      expect((await files.read(path)).ok).toBe(true);
    }
    expect(files.display('D:\\x')).toBe('D:/x');
    expect(createSessionFiles([]).display('./a/../b')).toBe('b');
  });

  test('hold no line that the file did not have, whatever was read and changed', async () => {
    const word = fc.constantFrom('a', 'b', 'c', '}', '', 'end', '  x');
    const text = fc.array(word, { minLength: 1, maxLength: 12 }).map((lines) => `${lines.join('\n')}\n`);
    const act = fc.oneof(
      fc.record({ act: fc.constant('whole' as const), plain: fc.boolean() }),
      fc.record({ act: fc.constant('part' as const), from: fc.nat(14), lines: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ act: fc.constant('sed' as const), from: fc.nat(14), lines: fc.integer({ min: 1, max: 5 }) }),
      fc.record({
        act: fc.constant('edit' as const),
        at: fc.nat(),
        length: fc.integer({ min: 1, max: 12 }),
        by: fc.array(word).map((lines) => lines.join('\n')),
      }),
      fc.record({
        act: fc.constant('all' as const),
        old: fc.constantFrom('a', '}\n', '\n', 'x'),
        by: fc.constantFrom('', 'y', '\n', 'y\ny'),
      }),
      fc.record({ act: fc.constant('insert' as const), after: fc.nat(14), text: word }),
      fc.record({ act: fc.constant('patch' as const), at: fc.nat(14), by: fc.array(word, { maxLength: 3 }) }),
      fc.record({ act: fc.constant('write' as const), text }),
    );
    await fc.assert(
      fc.asyncProperty(text, fc.array(act, { maxLength: 12 }), async (start, acts) => {
        let truth = start;
        const items: Item[] = [];
        for (const step of acts) {
          const lines = truth.slice(0, -1).split('\n');
          switch (step.act) {
            case 'whole':
              items.push(
                ...(step.plain
                  ? exchange('read', { path: 'a' }, truth)
                  : exchange('Read', { file_path: 'a' }, listing(truth))),
              );
              break;
            case 'part':
            case 'sed': {
              const all = step.act === 'part' ? truth.split('\n') : lines;
              const shown = all.slice(step.from, step.from + step.lines);
              if (shown.length === 0 || (step.act === 'sed' && shown[0] === '' && step.from === 0)) break;
              const [from, to] = [step.from + 1, step.from + step.lines];
              if (step.act === 'sed')
                items.push(
                  ...exchange(
                    'bash',
                    { command: `sed -n ${String(from)},${String(to)}p a` },
                    shown.join('\n').replace(/^\n+|\n+$/g, ''),
                  ),
                );
              else
                items.push(
                  ...exchange(
                    'Read',
                    { file_path: 'a', offset: from, limit: step.lines },
                    listing(shown.join('\n'), from),
                  ),
                );
              break;
            }
            case 'edit': {
              const old = truth.slice(step.at % truth.length).slice(0, step.length);
              const changed = truth.replace(old, () => step.by);
              if (truth.split(old).length !== 2 || !changed.endsWith('\n')) break;
              items.push(...exchange('edit', { path: 'a', oldText: old, newText: step.by }, 'ok'));
              truth = changed;
              break;
            }
            case 'all': {
              const changed = truth.replaceAll(step.old, step.by);
              if (changed === truth || !changed.endsWith('\n')) break;
              items.push(
                ...exchange(
                  'Edit',
                  { file_path: 'a', old_string: step.old, new_string: step.by, replace_all: true },
                  'ok',
                ),
              );
              truth = changed;
              break;
            }
            case 'insert':
              if (step.after > lines.length) break;
              items.push(
                ...exchange(
                  'str_replace_editor',
                  { command: 'insert', path: 'a', insert_line: step.after, new_str: step.text },
                  'ok',
                ),
              );
              truth = `${lines.toSpliced(step.after, 0, step.text).join('\n')}\n`;
              break;
            case 'patch': {
              // The whole file as context, so that the place is certain.
              const at = step.at % lines.length;
              const hunk = lines.map((line, index) =>
                index === at ? [`-${line}`, ...step.by.map((fresh) => `+${fresh}`)] : [` ${line}`],
              );
              const changed = lines.toSpliced(at, 1, ...step.by);
              if (changed.length === 0) break;
              items.push(
                ...exchange(
                  'apply_patch',
                  ['*** Begin Patch', '*** Update File: a', '@@', ...hunk.flat(), '*** End Patch'].join('\n'),
                  'ok',
                ),
              );
              truth = `${changed.join('\n')}\n`;
              break;
            }
            case 'write':
              items.push(...exchange('write', { path: 'a', content: step.text }, 'ok'));
              truth = step.text;
              break;
          }
          expectTrue(await createSessionFiles(items).read('a'), truth);
        }
      }),
      { numRuns: 400 },
    );
  });
});

function expectTrue(read: FileRead, truth: string): void {
  if (!read.ok) return;
  if (read.known === undefined) {
    expect(read.text).toBe(truth);
    return;
  }
  const seen = read.text.split('\n');
  const real = truth.split('\n');
  for (const { fromLine, toLine } of read.known) {
    expect(seen.slice(fromLine - 1, toLine)).toEqual(real.slice(fromLine - 1, toLine));
  }
}
