import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { aliasesOf, commandText, plainCommands } from '../../../plugins/permissions/plain-commands';

/** What a shell runs of a script whose programs all are `p`: the words of each call. */
function runBy(shell: string, script: string): readonly (readonly string[])[] {
  const traced = `p() { printf 'p'; for word; do printf '\\001%s' "$word"; done; printf '\\002'; }\n{ ${script}\n} 2>&1`;
  const { stdout } = spawnSync(shell, ['-c', traced], { encoding: 'utf8', env: { PATH: '/nowhere' }, cwd: '/' });
  return stdout
    .split('\u0002')
    .slice(0, -1)
    .map((call) => call.split('\u0001'));
}

/** Pieces of scripts, hostile ones included. */
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.stringMatching(/^[a-z0-9_./:@%+,-]{1,5}$/) },
  { weight: 2, arbitrary: fc.stringMatching(/^'[ -&(-~]{0,6}'$/) },
  { weight: 2, arbitrary: fc.stringMatching(/^"[ !#%-[\]-_a-~]{0,6}"$/) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ' ',
      '  ',
      '\t',
      ' p ',
      ' ; p ',
      ' && p ',
      '\np ',
      ';p ',
      '&&p ',
      ' =a',
      'a=b',
      'x~',
      '^',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(' >/dev/null', ' 2>&1', ' 2>/dev/null ', '</dev/null', '\\', '"', "'", '$', '`', '#'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '*',
      '?',
      '[a]',
      '{a,b}',
      '~',
      '!',
      '(',
      ')',
      '<',
      '>',
      '\r',
      '\u00a0',
      '\u2028',
      'é',
      '語',
      '|',
    ),
  },
);
const script = fc.array(piece, { maxLength: 12 }).map((pieces) => `p ${pieces.join('')}`);

describe('plain commands', () => {
  test.each(['/bin/sh', '/bin/bash'])('are what %s runs, word for word', (shell) => {
    let plain = 0;
    fc.assert(
      fc.property(script, (text) => {
        const commands = plainCommands(text);
        // what goes to nowhere, another program, or by chance is not seen
        if (
          commands === undefined ||
          /dev\/null|[|&]/.test(text.replaceAll('&&', '')) ||
          commands.some(([name]) => name !== 'p')
        )
          return;
        plain++;
        expect(runBy(shell, text)).toEqual(commands);
      }),
      { numRuns: 400 },
    );
    expect(plain).toBeGreaterThan(50);
  });

  test('are read back from their text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[^\u0000-\u001f'"\\]{0,8}$/), { minLength: 1, maxLength: 5 }),
        (words) => {
          fc.pre(!/^(?:if|for|do|in)$/.test(words[0] ?? ''));
          const read = plainCommands(commandText(words));
          expect(read === undefined || JSON.stringify(read) === JSON.stringify([words])).toBe(true);
        },
      ),
    );
  });

  test('take no longer for a script that is made to', () => {
    for (const part of ['2>&1 ', "''", '""', 'a=', 'a~', '0>/dev/null ', 'sudo ', '</dev/null '])
      expect(plainCommands(`${part.repeat(9000 / part.length)}$`)).toBeUndefined();
    expect(plainCommands('sudo '.repeat(1900))).toBeUndefined();
  });

  test('have no end without quotes, however many commands there are', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b c', "'d e'"), { minLength: 1, maxLength: 50 }), (commands) => {
        for (const operator of [';', '\n', ' && ', ' || ', '|', ' & '])
          expect(plainCommands(commands.join(operator))).toHaveLength(commands.length);
      }),
    );
  });
});

describe('aliases of a command', () => {
  test.each([
    [['/usr/bin/rm', '-rf', 'x'], 'rm -rf x'],
    [['A=1', 'rm', 'x'], 'rm x'],
    [['env', '-i', 'B=2', '/bin/rm', 'x'], 'rm x'],
    [['rm', 'a b'], 'rm a b'],
    [['rm', 'a b'], "rm 'a b'"],
  ])('of %j hold %j', (words, alias) => {
    expect(aliasesOf(words)).toContain(alias);
  });
});
