import fc from 'fast-check';
import { fileCalls, pathsOfCall, type Json } from '../../core/index';

const told = (name: string, args: Json): string[] =>
  pathsOfCall(name, args).map(({ path, access, offset, limit }) =>
    [
      access,
      path,
      ...(offset === undefined ? [] : [`from ${String(offset)}`]),
      ...(limit === undefined ? [] : [`${String(limit)} lines`]),
    ].join(' '),
  );

describe('the files that a call touches', () => {
  test.each<[string, Json, string[]]>([
    ['Read', { file_path: '/a', offset: 5, limit: 2 }, ['read /a from 5 2 lines']],
    ['Edit', { file_path: '/a', old_string: 'x', new_string: 'y' }, ['edit /a']],
    ['Edit', { file_path: '/a', old_string: '', new_string: 'y' }, ['write /a']],
    ['MultiEdit', { file_path: '/a', edits: [] }, ['edit /a']],
    ['Write', { file_path: '/a', content: 'x' }, ['write /a']],
    ['NotebookEdit', { notebook_path: '/a.ipynb', new_source: 'x' }, ['edit /a.ipynb']],
    ['read', { path: 'a' }, ['read a']],
    ['edit', { filePath: 'a', oldString: 'x', newString: 'y' }, ['edit a']],
    ['read_file', { absolute_path: '/a', offset: 0, limit: 5 }, ['read /a from 1 5 lines']],
    ['read_file', { path: 'a', start_line: 3, end_line: 7 }, ['read a from 3 5 lines']],
    ['read_many_files', { paths: ['a', 'src/**/*.ts', 'b'] }, ['read a', 'read b']],
    ['read_files', { files: [{ path: 'a', start_line: 2, end_line: 2 }, 'b'] }, ['read a from 2 1 lines', 'read b']],
    ['replace', { file_path: 'a', old_string: 'x', new_string: 'y' }, ['edit a']],
    ['editor', { path: 'a', new_text: 'x' }, ['write a']],
    ['str_replace_editor', { command: 'view', path: 'a', view_range: [3, -1] }, ['read a from 3']],
    ['str_replace_based_edit_tool', { command: 'create', path: 'a', file_text: '' }, ['write a']],
    ['str_replace_editor', { command: 'undo_edit', path: 'a' }, ['edit a']],
    ['mcp__filesystem__read_text_file', { path: 'a' }, ['read a']],
    ['create', { filename: 'a.py' }, ['write a.py']],
    ['delete_file', { target_file: 'a' }, ['write a']],
    ['move_file', { source: 'a', destination: 'b' }, ['write a', 'write b']],
    [
      'apply_patch',
      '*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** Delete File: c\n*** Add File: d\n+x\n*** End Patch',
      ['edit a', 'write a', 'write b', 'write c', 'write d'],
    ],
    [
      'shell',
      { command: ['bash', '-lc', "sed -n '10,20p' src/a.ts"], workdir: '/repo' },
      ['read /repo/src/a.ts from 10 11 lines'],
    ],
    ['shell', { command: ['apply_patch', '*** Begin Patch\n*** Delete File: a\n*** End Patch'] }, ['write a']],
    ['exec_command', { cmd: 'cat a b', workdir: '/repo/' }, ['read /repo/a', 'read /repo/b']],
    ['Bash', { command: 'cd sub && nl -ba a.ts | sed -n "5,9p"' }, ['read sub/a.ts from 5 5 lines']],
    [
      'Bash',
      { command: 'head -n 3 a; tail -5 b; cat "my file.txt" | grep x' },
      ['read a 3 lines', 'read b', 'read my file.txt'],
    ],
    [
      'Bash',
      { command: "cat > a.txt <<'EOF'\ncat b\nEOF\nrm -rf c && mv d e" },
      ['write a.txt', 'write c', 'write d', 'write e'],
    ],
    ['Bash', { command: 'echo x >> log.txt 2>/dev/null; make > /dev/null 2>&1; ls' }, ['write log.txt']],
    [
      'Bash',
      { command: "sed -i '' -e 's/x/y/' a.ts b.ts; cat $FILE *.ts src/[id]/page.tsx" },
      ['edit a.ts', 'edit b.ts', 'read src/[id]/page.tsx'],
    ],
    ['shell_command', { command: 'Get-Content C:\\work\\a.ts -TotalCount 5' }, ['read C:\\work\\a.ts']],
    ['run_commands', { commands: ['cat a', 'cat b'] }, ['read a', 'read b']],
    ['Bash', { command: "python -c 'print(1) # cat a'" }, []],
    ['Bash', { command: 'grep -rn "cat a" src' }, []],
    ['Bash', { command: 'cat "unclosed' }, []],
    ['Read', { file_path: 'https://example.com/a' }, []],
    ['Read', { file_path: '' }, []],
    ['Read', 'not JSON', []],
    ['Read', '{"file_path":"a"}', ['read a']],
    ['Read', null, []],
    ['LS', { path: 'a' }, []],
    ['constructor', { path: 'a' }, []],
  ])('%s %j', (name, args, expected) => {
    expect(told(name, args)).toEqual(expected);
  });

  test('a read is mixed unless its output is the text of that file alone', () => {
    const mixed = (command: string): (boolean | undefined)[] =>
      fileCalls('Bash', { command }).map((call) => (call.op === 'read' ? call.mixed === true : undefined));
    expect(mixed('cat a')).toEqual([false]);
    expect(mixed('cd x && cat a')).toEqual([false]);
    expect(mixed('cat a | head -n 5')).toEqual([false]);
    expect(mixed('cat a | sort')).toEqual([true]);
    expect(mixed('cat a; echo done')).toEqual([true]);
    expect(mixed('cat a | head -5 | sort')).toEqual([true]);
    expect(mixed('cat a b')).toEqual([true, true]);
    expect(mixed('tail -n 5 a')).toEqual([true]);
    expect(mixed("sed 's/x/y/' a")).toEqual([true]);
    expect(mixed('cat a > b')).toEqual([undefined]);
  });

  test('are told without a throw, whatever the arguments are', () => {
    const name = fc.constantFrom(
      'Read',
      'Edit',
      'str_replace_editor',
      'read_files',
      'apply_patch',
      'Bash',
      'shell',
      'move_file',
      'editor',
      'run_commands',
      'other',
    );
    const key = fc.constantFrom(
      'file_path',
      'path',
      'files',
      'paths',
      'edits',
      'command',
      'commands',
      'diff',
      'view_range',
      'insert_line',
      'new_str',
      'input',
      'offset',
      'limit',
      'source',
      '__proto__',
    );
    const args = fc.oneof(fc.jsonValue(), fc.dictionary(key, fc.oneof(fc.jsonValue(), fc.string(), fc.integer())));
    fc.assert(
      fc.property(name, args, (tool, given) => {
        for (const { path } of pathsOfCall(tool, given as Json)) expect(path.length).toBeGreaterThan(0);
      }),
      { numRuns: 1000 },
    );
  });

  test('of shell scripts are told without a throw and in one pass', () => {
    const word = fc.constantFrom(
      'cat',
      'a',
      "'",
      '"',
      '\\',
      '|',
      '&&',
      ';',
      '\n',
      '<<EOF',
      "<<'EOF'",
      'EOF',
      '>',
      '>>',
      '2>&1',
      '$(',
      ')',
      '`',
      '#',
      'sed -n 1,2p',
      'cd x',
      ' ',
      '-i',
      'apply_patch',
    );
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 30 }).map((words) => words.join(' ')),
        (command) => {
          expect(Array.isArray(fileCalls('Bash', { command }))).toBe(true);
        },
      ),
      { numRuns: 1000 },
    );
    expect(pathsOfCall('Bash', { command: 'cat a '.repeat(40_000) })).toEqual([]);
    expect(pathsOfCall('Bash', { command: `cat a ${"'b' ".repeat(20_000)}` })).toHaveLength(20_001);
  });
});
