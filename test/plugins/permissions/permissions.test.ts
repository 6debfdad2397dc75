import { linkSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createDiskFiles, definePlugin, defineTool, PithError, restoreSession } from '../../../core';
import type { Tool, ToolKind } from '../../../core';
import { loadManifest } from '../../../core/manifest';
import { stockPlugins } from '../../../plugins';
import type { ApprovalAnswer } from '../../../plugins/permissions';
import { parsePattern, type Pattern } from '../../../plugins/permissions/patterns';
import { judge } from '../../../plugins/permissions/rules';
import { subjectsOf } from '../../../plugins/permissions/subjects';
import { folderWith } from '../../files/folder';
import { guarded } from './permissions-kit';

const always = (answer: ApprovalAnswer) => (): ApprovalAnswer => answer;

describe('without rules', () => {
  test('what reads and what keeps state runs, without a question', async () => {
    const { call, asked } = await guarded({ answer: always('no') });
    expect([await call('read_file', 'a.ts'), await call('todo', 'x'), await call('look_up', 'x')]).toEqual([
      'ran',
      'ran',
      'ran',
    ]);
    expect(asked).toEqual([]);
  });

  test('a human is asked about what writes and what runs commands', async () => {
    const { call, asked, session } = await guarded({ answer: always('once') });
    expect(await call('write_file', './src/../a.ts')).toBe('ran');
    expect(await call('run_command', 'npm  test')).toBe('ran');
    expect(await call('deploy', 'prod')).toBe('ran');
    expect(asked).toEqual([
      {
        session,
        tool: 'write_file',
        kind: 'write',
        arguments: { path: './src/../a.ts' },
        calls: ['write_file(a.ts)'],
        allows: ['write_file(**)'],
      },
      {
        session,
        tool: 'run_command',
        kind: 'exec',
        arguments: { command: 'npm  test' },
        calls: ['run_command(npm test)'],
        allows: ['run_command(npm test)'],
      },
      { session, tool: 'deploy', kind: 'exec', arguments: { target: 'prod' }, calls: ['deploy'], allows: ['deploy'] },
    ]);
  });

  test('what the human refuses does not run', async () => {
    const { call, ran } = await guarded({ answer: always('no') });
    expect(await call('write_file', 'a.ts')).toMatch(/^Error: the user refused write_file\(a\.ts\)\. /);
    expect(ran).toEqual([]);
  });

  test.each([
    ['write_file', 'a*.ts', 'allow = ["write_file(a\\\\*.ts)"]'],
    ['run_command', 'git commit -m "fix it"', `allow = ["run_command(git commit -m 'fix it')"]`],
    [
      'run_command',
      'echo $HOME',
      'would allow it, with every other command; plain commands can be allowed one by one: allow = ["run_command"]',
    ],
    ['deploy', 'prod', 'allow = ["deploy"]'],
  ])('where nobody can be asked, %s(%s) is denied with the line that would allow it', async (tool, argument, line) => {
    const { call, ran } = await guarded();
    const text = await call(tool, argument);
    expect(text).toMatch(/^Error: .* needs approval, and nobody can be asked here\. /);
    expect(text.endsWith(line)).toBe(true);
    expect(ran).toEqual([]);
    const allow = JSON.parse(/allow = (\[.*\])$/.exec(line)?.[1] ?? '') as string[];
    expect(await (await guarded({ allow })).call(tool, argument)).toBe('ran');
  });

  test('the tools of the compact worker are not affected', async () => {
    const { call } = await guarded({ deny: ['*'] });
    expect(await call('write_file', 'a.ts', { role: 'compact-worker' })).toBe('ran');
  });

  test('a call that will not run anyway is no question', async () => {
    const { call, asked } = await guarded({ answer: always('once') });
    await call('run_command', undefined);
    const { kernel } = await guarded({});
    expect(kernel).toBeDefined();
    expect(asked).toHaveLength(1);
  });
});

describe('rules', () => {
  test('deny beats ask beats allow', async () => {
    const { call, asked } = await guarded({
      allow: ['write_file(src/**)'],
      ask: ['write_file(src/db/**)'],
      deny: ['write_file(src/db/keys/*)'],
      answer: always('once'),
    });
    expect(await call('write_file', 'src/a.ts')).toBe('ran');
    expect(asked).toEqual([]);
    expect(await call('write_file', 'src/db/a.ts')).toBe('ran');
    expect(asked.map(({ calls, allows }) => [calls, allows])).toEqual([
      [['write_file(src/db/a.ts)'], ['write_file(src/db/a.ts)']],
    ]);
    expect(await call('write_file', 'src/db/keys/a')).toBe(
      'Error: write_file(src/db/keys/a) is denied by "write_file(src/db/keys/*)" of [permissions]. Do not try to reach the same in another way.',
    );
  });

  test('* is every tool; a tool alone is each of its calls', async () => {
    const open = await guarded({ allow: ['*'] });
    expect([
      await open.call('write_file', 'a'),
      await open.call('run_command', 'rm $x'),
      await open.call('deploy'),
    ]).toEqual(['ran', 'ran', 'ran']);
    const closed = await guarded({ allow: ['*'], deny: ['run_command', 'write_*', '*(secret/**)'] });
    expect(await closed.call('run_command', 'true')).toContain('is denied by "run_command"');
    expect(await closed.call('write_file', 'a')).toContain('is denied by "write_*"');
    expect(await closed.call('read_file', 'secret/a')).toContain('is denied by "*(secret/**)"');
    expect(await closed.call('edit_file', 'a')).toBe('ran');
  });

  test('a rule that asks cannot be overruled by allow; where nobody can be asked, the text names it', async () => {
    const { call } = await guarded({ allow: ['*'], ask: ['write_file(a*)'] });
    expect(await call('write_file', 'ab')).toContain('it is to be asked about by "write_file(a*)"');
    expect(await call('write_file', 'b')).toBe('ran');
  });

  test('a pattern of paths in any tool says nothing about commands', async () => {
    const { call } = await guarded({ allow: ['*(**)'] });
    expect(await call('write_file', 'a')).toBe('ran');
    expect(await call('run_command', 'true')).toContain('needs approval');
  });
});

describe('paths', () => {
  const files = { 'src/a.ts': 'x', 'secret/key': 'x', 'src/deep/b.ts': 'x' };
  const rules = { files, allow: ['write_file(src/**)'], deny: ['read_file(secret/**)', 'write_file(secret/**)'] };

  test.each(['src/a.ts', './src/a.ts', 'secret/../src/a.ts', 'src//deep/./b.ts', 'src/new/c.ts'])(
    '%s is allowed as a file of src',
    async (path) => {
      const { call } = await guarded(rules);
      expect(await call('write_file', path)).toBe('ran');
    },
  );

  test.each(['src/../secret/key', 'secret/new', './/secret//key', 'src/deep/../../secret/key'])(
    '%s is denied',
    async (path) => {
      const { call, ran } = await guarded(rules);
      expect(await call('write_file', path)).toContain('is denied by "write_file(secret/**)"');
      expect(await call('read_file', path)).toContain('is denied by "read_file(secret/**)"');
      expect(ran).toEqual([]);
    },
  );

  test('an absolute path is the file that it leads to', async () => {
    const { call, root } = await guarded(rules);
    expect(await call('write_file', join(root, 'src/a.ts'))).toBe('ran');
    expect(await call('write_file', join(root, 'secret/key'))).toContain('is denied');
    expect(await call('write_file', '/etc/passwd')).toContain('allow = ["write_file(/etc/passwd)"]');
    expect(await call('write_file', '../src/a.ts')).toContain('needs approval');
  });

  test('links of files and folders lead nowhere that the rules close', async () => {
    const { call, root } = await guarded(rules);
    symlinkSync('../secret', join(root, 'src/open'));
    symlinkSync('../secret/key', join(root, 'src/file'));
    symlinkSync('/etc', join(root, 'src/etc'));
    mkdirSync(join(root, 'other'));
    symlinkSync('../src', join(root, 'other/in'));
    expect(await call('write_file', 'src/open/key')).toContain('is denied');
    expect(await call('write_file', 'src/open/new')).toContain('is denied');
    expect(await call('write_file', 'src/file')).toContain('is denied');
    expect(await call('write_file', 'src/etc/passwd')).toContain('write_file(/etc/passwd)');
    expect(await call('write_file', 'other/in/a.ts')).toBe('ran');
  });

  test('a second name of a file opens nothing that its own name closes', async () => {
    const { call, root } = await guarded(rules);
    linkSync(join(root, 'secret/key'), join(root, 'src/name'));
    expect(await call('read_file', 'src/name')).toBe('ran');
    expect(await call('read_file', 'secret/key')).toContain('is denied');
    expect(await call('write_file', 'secret/key')).toContain('is denied');
  });
});

describe('commands', () => {
  const rules = { allow: ['run_command(npm test*)', 'run_command(git diff *)', 'run_command(ls *)'] };

  test.each([
    'npm test',
    'npm test -- --watch=false src/a.test.ts',
    '  npm   test  ',
    'npm "test"',
    `'npm' test 'a b'`,
    'npm test && git diff HEAD~1',
    'npm test; git diff\nls -la | ls',
    'npm test 2>&1 >/dev/null',
    'npm test &',
    'ls größe',
  ])('%j is allowed', async (command) => {
    const { call } = await guarded(rules);
    expect(await call('run_command', command)).toBe('ran');
  });

  test.each([
    'npm test; rm -rf /',
    'npm test && rm -rf /',
    'npm test || rm -rf /',
    'npm test | sh',
    'npm test & rm -rf /',
    'npm test\nrm -rf /',
    'npm test\r\nrm -rf /',
    'npm test $(rm -rf /)',
    'npm test `rm -rf /`',
    'npm test "$(rm -rf /)"',
    'npm test "`rm -rf /`"',
    'npm test <(rm -rf /)',
    'npm test > ~/.bashrc',
    'npm test > src/a.ts',
    'npm test 2> src/a.ts',
    'npm test >| x',
    'npm test &> x',
    'npm test >& x',
    'npm test <> x',
    'npm test > /dev/null/../sda',
    'npm test > /dev/nullx',
    'npm test >/dev/null2>x',
    'npm test < /etc/passwd',
    'npm test <<< x',
    'npm test <<END\n$(rm -rf /)\nEND',
    'npm test #\nrm -rf /',
    'npm test\\\n; rm -rf /',
    'npm test \\; rm',
    'npm test {a,b}',
    'npm test *',
    'npm test $HOME',
    'npm test ${x:=y}',
    'npm test ~root',
    "npm test $'\\x3b' rm",
    'npm test "a\\"; rm -rf /; \\"b"',
    `npm test 'it`,
    'npm test "it',
    '(npm test)',
    '{ npm test; }',
    '! npm test',
    'if npm test; then npm test; fi',
    'npm test() { rm -rf /; }',
    'PATH=/tmp/evil npm test',
    'NODE_OPTIONS=--require=./evil.js npm test',
    'env npm test',
    './npm test',
    '/tmp/npm test',
    'npm\u00a0test',
    'npm\u2028rm',
    'npm test\u0000',
    'npm test\u0007',
    'npmtest',
    'npm  run test',
    "npm 'test; rm -rf /'",
    "'npm test'",
    'alias npm=rm; npm test',
    'cd /tmp/evil && npm test',
    'export PATH=/tmp/evil; npm test',
    'eval npm test',
    'sh -c "npm test"',
    '',
    ' ; ',
    `npm test ${'x'.repeat(20_000)}`,
    'npm test 2>&1 '.repeat(60) + '$',
    'ls =rm',
  ])('%j is not allowed', async (command) => {
    const { call, ran } = await guarded(rules);
    expect(await call('run_command', command)).toContain('needs approval');
    expect(ran).toEqual([]);
  });

  const closed = { allow: ['run_command'], deny: ['run_command(rm *)', 'run_command(git push*)'] };

  test.each([
    'rm -rf /',
    'rm',
    'true && rm x',
    'true; rm x',
    'true\nrm x',
    '"rm" x',
    `r'm' x`,
    '/bin/rm x',
    '../../bin/rm x',
    'A=1 B=2 rm x',
    'sudo rm x',
    'sudo -u root env A=1 /bin/rm x',
    'ls | xargs rm',
    "find . -exec rm x ';'",
    'git   push',
    'git "push" --force',
    'nohup git push &',
  ])('%j is denied', async (command) => {
    const { call, ran } = await guarded(closed);
    expect(await call('run_command', command)).toContain('is denied by "run_command(');
    expect(ran).toEqual([]);
  });

  test.each([
    'r\\m x',
    'r$@m x',
    '$(echo rm) x',
    '`echo rm` x',
    'r?m x',
    '/bin/r[m] x',
    'eval "rm x"',
    'bash -c "rm x"',
    'bash -lc "rm x"',
    'sudo sh -c "rm x"',
    'echo rm x | sh',
    'echo rm x | bash -s',
    'x=rm; $x y',
    'if true; then rm x; fi',
    '{ rm x; }',
    '(rm x)',
    'cat <<END | sh\nrm x\nEND',
    'true #\nrm x',
    'coproc rm x',
    `rm${'\u00a0'}x`,
  ])('%j cannot be told from what is denied, and a human has to say', async (command) => {
    const { call, ran } = await guarded(closed);
    const text = await call('run_command', command);
    expect(text).toMatch(/needs approval.*it cannot be told whether it is meant by "run_command\(rm \*\)"|is denied/);
    expect(ran).toEqual([]);
    const asked = await guarded({ ...closed, answer: always('once') });
    expect(await asked.call('run_command', command)).toBe('ran');
  });

  test.each(['git status', 'echo rm', 'git rm x', 'npm run rm', 'ls | grep rm', 'cat rm.txt'])(
    '%j is not denied by a rule about another command',
    async (command) => {
      const { call } = await guarded(closed);
      expect(await call('run_command', command)).toBe('ran');
    },
  );

  test('a rule that ends with a star is also of the command alone, and not of another that begins like it', async () => {
    const { call } = await guarded({ allow: ['run_command(npm test *)'] });
    expect(await call('run_command', 'npm test')).toBe('ran');
    expect(await call('run_command', 'npm test x')).toBe('ran');
    expect(await call('run_command', 'npm testevil')).toContain('needs approval');
  });
});

describe('tools of others', () => {
  const tool = (kind: ToolKind, paths?: () => readonly string[]): Tool =>
    defineTool({
      name: 'theirs',
      kind,
      description: '',
      input: { type: 'object' },
      ...(paths && { paths }),
      run: () => 'ran',
    });
  const verdict = (one: Tool, args: object, rules: Partial<Record<'allow' | 'deny', readonly string[]>>): string => {
    const patterns = (list: readonly string[] = []): readonly Pattern[] => list.map(parsePattern) as readonly Pattern[];
    const all = { allow: patterns(rules.allow), ask: [], deny: patterns(rules.deny) };
    const files = createDiskFiles({ root: folderWith({}) });
    return subjectsOf(one, args, files)
      .map((subject) => judge(all, one, subject).do)
      .join();
  };

  test.each([
    [{ command: 'npm test', script: 'rm -rf /' }, 'allow,ask'],
    [{ command: ['npm', 'test'] }, 'ask'],
    [{ command: { npm: 'test' }, path: 'src/a' }, 'ask'],
    [{ commands: ['npm test'] }, 'ask'],
    [{ cmd: 'npm test' }, 'allow'],
    [{ path: 'src/a' }, 'allow'],
    [{ target: 'npm test' }, 'ask'],
    [{}, 'ask'],
    [{ command: null }, 'ask'],
  ])('that run commands are judged by all that could be one: %j', (args, expected) => {
    expect(verdict(tool('exec'), args, { allow: ['theirs(npm test)', 'theirs(src/**)'] })).toBe(expected);
  });

  test('that read without telling what are asked about where a rule denies them something', () => {
    expect(verdict(tool('read'), { url: 'x' }, { deny: ['theirs(secret/**)'] })).toBe('ask');
    expect(verdict(tool('read'), { url: 'x' }, { deny: ['*(secret/**)', 'other(x)'] })).toBe('allow');
    expect(verdict(tool('read'), { folder: 'secret' }, { deny: ['*(secret/**)'] })).toBe('deny');
  });

  test('that take several files are judged by each', () => {
    const several = tool('write', () => ['src/a', 'secret/b', 'c']);
    expect(verdict(several, {}, { allow: ['theirs(src/**)'], deny: ['*(secret/**)'] })).toBe('allow,deny,ask');
  });
});

describe('approvals for the session', () => {
  test('of a command hold for this command', async () => {
    const { call, asked } = await guarded({ answer: always('session') });
    await call('run_command', 'npm test');
    await call('run_command', 'npm  "test"');
    expect(asked).toHaveLength(1);
    await call('run_command', 'npm test x');
    await call('run_command', 'npm test && npm test x');
    expect(asked).toHaveLength(2);
    await call('run_command', 'npm test && npm run build');
    expect(asked.at(-1)?.calls).toEqual(['run_command(npm run build)']);
  });

  test('of a script hold for its very text', async () => {
    const { call, asked } = await guarded({ answer: always('session') });
    for (const command of ['echo $HOME', 'echo $HOME', 'echo $HOME ']) await call('run_command', command);
    expect(asked).toHaveLength(2);
  });

  test('of a file hold for the tool and all files inside of the root, but none outside', async () => {
    const { call, asked } = await guarded({ answer: always('session') });
    for (const path of ['a.ts', 'src/b.ts']) await call('write_file', path);
    expect(asked).toHaveLength(1);
    await call('write_file', '/tmp/x');
    await call('write_file', '/tmp/y');
    await call('edit_file', 'a.ts');
    expect(asked.map(({ allows }) => allows)).toEqual([
      ['write_file(**)'],
      ['write_file(/tmp/x)'],
      ['write_file(/tmp/y)'],
      ['edit_file(**)'],
    ]);
  });

  test('of a file named ** or with stars hold for this file', async () => {
    const { call, asked } = await guarded({ ask: ['write_file'], answer: always('session') });
    await call('write_file', '**');
    await call('write_file', 'a.ts');
    expect(asked.map(({ allows }) => allows)).toEqual([['write_file(\\*\\*)'], ['write_file(a.ts)']]);
  });

  test('of what a rule asks about hold for this file only, and never against a rule that denies', async () => {
    const { call, asked } = await guarded({
      ask: ['write_file(db/**)'],
      deny: ['edit_file(db/x)'],
      answer: always('session'),
    });
    for (const path of ['db/a', 'db/a', 'db/b', 'c', 'd', 'db/c']) await call('write_file', path);
    expect(asked.map(({ calls }) => calls)).toEqual([
      ['write_file(db/a)'],
      ['write_file(db/b)'],
      ['write_file(c)'],
      ['write_file(db/c)'],
    ]);
    await call('edit_file', 'db/y');
    expect(await call('edit_file', 'db/x')).toContain('is denied');
  });

  test('an answer for once does not hold', async () => {
    const { call, asked } = await guarded({ answer: always('once') });
    await call('run_command', 'npm test');
    await call('run_command', 'npm test');
    expect(asked).toHaveLength(2);
  });

  test('are part of the log: they follow a restore, also one to before they were given, and belong to one session', async () => {
    const { call, asked, session, kernel } = await guarded({ answer: always('session') });
    const before = session.position;
    await call('run_command', 'npm test');
    const services = (one: object) => kernel.scope(one as never);
    const restored = restoreSession([...session.records()], { services });
    await call('run_command', 'npm test', { session: restored });
    expect(asked).toHaveLength(1);
    const earlier = restoreSession([...session.records(0, before + 1)], { services });
    await call('run_command', 'npm test', { session: earlier });
    expect(asked).toHaveLength(2);
  });
});

describe('questions', () => {
  test('are asked one after another, and not again what an answer has covered', async () => {
    let open = 0;
    let most = 0;
    const answers: ApprovalAnswer[] = ['no', 'session'];
    const { call, asked, ran } = await guarded({
      answer: async () => {
        most = Math.max(most, ++open);
        await new Promise((resolve) => setImmediate(resolve));
        open--;
        return answers.shift() ?? 'no';
      },
    });
    await Promise.all(['a', 'b', 'c', 'd'].map((path) => call('write_file', path)));
    expect(most).toBe(1);
    expect(asked.map(({ calls }) => calls)).toEqual([['write_file(a)'], ['write_file(b)']]);
    expect(ran).toEqual(['write_file(b)', 'write_file(c)', 'write_file(d)']);
  });

  test('of a cancelled call hold up no other, and one that waited is never asked', async () => {
    const controller = new AbortController();
    const seen: AbortSignal[] = [];
    const { call, asked, ran } = await guarded({
      answer: ({ calls: [first] }, signal) => {
        seen.push(signal);
        return first === 'write_file(a)' ? new Promise(() => undefined) : 'once';
      },
    });
    const first = call('write_file', 'a', { signal: controller.signal });
    const second = call('write_file', 'b', { signal: controller.signal });
    const third = call('write_file', 'c');
    while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort(new Error('stop'));
    await Promise.all([first, second, third]);
    expect(seen[0]?.aborted).toBe(true);
    expect(asked.map(({ calls }) => calls)).toEqual([['write_file(a)'], ['write_file(c)']]);
    expect(ran).toEqual(['write_file(c)']);
  });

  test.each([
    ['throws', () => Promise.reject(new Error('terminal is gone'))],
    ['answers anything else', () => 'yes' as ApprovalAnswer],
    ['answers nothing', () => undefined as never],
  ])('a human who %s has not allowed anything', async (_, answer) => {
    const { call, ran } = await guarded({ answer });
    expect(await call('write_file', 'a')).not.toBe('ran');
    expect(await call('write_file', 'b')).not.toBe('ran');
    expect(ran).toEqual([]);
  });

  test('hide nothing: control characters and what turns text around are shown', async () => {
    const { call, asked } = await guarded({ answer: always('once') });
    await call('run_command', 'ls \u001b[2K\u202e\nrm x');
    expect(asked[0]?.calls).toEqual(['run_command(ls \\u{1b}[2K\\u{202e}\\nrm x)']);
  });

  test('are asked again where another plugin revises the call', async () => {
    const revising = definePlugin({
      name: 'revising',
      api: 1,
      setup({ hooks }) {
        hooks.on('pre_tool_call', () => ({ do: 'revise' as const, to: { command: 'rm -rf /' } }));
      },
    });
    const { call, asked, ran } = await guarded({ plugins: [revising], answer: always('once') });
    await call('run_command', 'npm test');
    expect(asked.map(({ calls }) => calls)).toEqual([['run_command(npm test)'], ['run_command(rm -rf /)']]);
    expect(ran).toEqual(['run_command(rm -rf /)']);
    const denying = await guarded({
      plugins: [revising],
      allow: ['run_command'],
      deny: ['run_command(rm *)'],
    });
    expect(await denying.call('run_command', 'npm test')).toContain('is denied');
  });
});

describe('faults in the patterns', () => {
  test.each([
    ['write file', 'is no pattern'],
    ['run_command(npm test', 'is no pattern'],
    ['run_command npm test)', 'is no pattern'],
    ['(src/**)', 'is no pattern'],
    ['run_command()', 'has nothing in its brackets'],
    ['run_command( )', 'has nothing in its brackets'],
  ])('%j stops the start', async (pattern, problem) => {
    const failed = await guarded({ deny: [pattern] }).catch((thrown: unknown) => thrown);
    expect(PithError.is(failed, 'PITH_PLUGIN_GRAPH')).toBe(true);
    expect(String(failed)).toContain(`permissions.deny: ${JSON.stringify(pattern)} ${problem}`);
  });

  test('are reported with file and line, all at once', async () => {
    const cwd = folderWith({
      'pith.toml': '[plugins]\nuse = ["permissions"]\n[permissions]\nallow = ["a b"]\nask = ["x("]\ndeny = [")"]\n',
    });
    const failed = await loadManifest({ cwd, env: {}, stock: stockPlugins }).catch((thrown: unknown) => thrown);
    expect(PithError.is(failed, 'PITH_MANIFEST_INVALID')).toBe(true);
    expect(String(failed)).toMatch(/pith\.toml:4[^]*"a b"[^]*pith\.toml:5[^]*"x\("[^]*pith\.toml:6[^]*"\)"/);
  });
});
