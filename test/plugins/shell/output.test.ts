import fc from 'fast-check';
import { CappedOutput } from '../../../plugins/shell/capped-output';
import { commandEnvironment } from '../../../plugins/shell/environment';
import { PlainOutput } from '../../../plugins/shell/plain-output';
import { anyText } from '../../arbitraries/history';
import { tokenizer } from '../../support/context';

/** A text in pieces, as a pipe delivers it. */
const pieces = (text: fc.Arbitrary<string>): fc.Arbitrary<readonly string[]> =>
  fc.tuple(text, fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 20 })).map(([all, sizes]) => {
    const list: string[] = [];
    for (let at = 0, turn = 0; at < all.length; turn++) {
      const size = sizes[turn % sizes.length] ?? 1;
      list.push(all.slice(at, at + size));
      at += size;
    }
    return list;
  });

const output = fc.oneof(
  fc.array(fc.lorem({ maxCount: 8 }), { maxLength: 400 }).map((lines) => lines.join('\n')),
  fc.array(anyText, { maxLength: 30 }).map((lines) => lines.join('\n')),
  fc.integer({ min: 0, max: 6000 }).map((size) => 'x'.repeat(size)),
  fc.integer({ min: 0, max: 6000 }).map((size) => '\n'.repeat(size)),
);

function collected(list: readonly string[], maxTokens: number): CappedOutput {
  const capped = new CappedOutput(maxTokens);
  for (const piece of list) capped.add(piece);
  return capped;
}

describe('capped output', () => {
  test('is head and tail of what came, within the bound, and counts what is between', () => {
    fc.assert(
      fc.property(pieces(output), fc.integer({ min: 20, max: 400 }), (list, maxTokens) => {
        const all = list.join('');
        const { head, tail, leftOut } = collected(list, maxTokens).shown(tokenizer);
        if (leftOut === undefined) {
          expect([head, tail]).toEqual([all, '']);
          return;
        }
        expect(all.toWellFormed().startsWith(head.replace(/\ufffd$/, ''))).toBe(true);
        expect(all.toWellFormed().endsWith(tail.replace(/^\ufffd/, ''))).toBe(true);
        expect(head.length + tail.length + leftOut.characters).toBe(all.length);
        const breaks = (text: string): number => text.split('\n').length - 1;
        expect(breaks(head) + breaks(tail) + leftOut.lines).toBe(breaks(all));
        expect(tokenizer.countText(head) + tokenizer.countText(tail)).toBeLessThanOrEqual(maxTokens + 2);
      }),
    );
  });

  test('is the same however it comes', () => {
    fc.assert(
      fc.property(pieces(output), (list) => {
        const whole = collected([list.join('')], 100);
        const parts = collected(list, 100);
        expect(parts.shown(tokenizer)).toEqual(whole.shown(tokenizer));
        expect([parts.lines, parts.characters, parts.lastLine]).toEqual([
          whole.lines,
          whole.characters,
          whole.lastLine,
        ]);
        expect(parts.kept.pieces.join('')).toBe(list.join(''));
      }),
    );
  });

  test('keeps 10 MB beside, without a hole', () => {
    const capped = new CappedOutput(100);
    const piece = `${'0123456789'.repeat(6553)}\n`;
    for (let count = 0; count < 200; count++) capped.add(piece);
    capped.add('end');
    const { pieces: kept, isAll } = capped.kept;
    expect(isAll).toBe(false);
    expect(kept.every((one) => one === piece)).toBe(true);
    expect(kept.length).toBe(160);
    expect(collected(['a', 'b'], 100).kept).toEqual({ pieces: ['a', 'b'], isAll: true });
  });

  test.each([
    ['a\nb\n', 'b', 2],
    ['a\nb', 'b', 2],
    ['a\n\n  \n', 'a', 3],
    ['', '', 0],
    ['\n', '', 1],
  ])('of %j the last line is %j, of %i', (text, lastLine, lines) => {
    const capped = collected([...text], 100);
    expect([capped.lastLine, capped.lines]).toEqual([lastLine, lines]);
  });
});

describe('plain output', () => {
  const decoded = (chunks: readonly Buffer[]): string => {
    const plain = new PlainOutput();
    return chunks.map((chunk) => plain.write(chunk)).join('') + plain.end();
  };
  const bytewise = (bytes: Buffer): readonly Buffer[] => Array.from(bytes, (byte) => Buffer.from([byte]));

  test('is the same wherever it is cut', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '\u001b[31m',
        '\u001b[0;1;38;5;12m',
        '\r\n',
        '\r',
        '\u001b]0;title\u0007',
        '\u001b]8;;http://x\u001b\\',
      ),
      fc.constantFrom(
        '\u001bP1$r\u001b\\',
        '\u001b(B',
        '\u001b7',
        '\u001b',
        '\u001b[',
        '\u009b1m',
        '\u0000',
        '\u0007',
        '\t',
      ),
      fc.string({ unit: 'grapheme', maxLength: 10 }),
    );
    const bytes = fc.oneof(
      fc.array(piece, { maxLength: 12 }).map((list) => Buffer.from(list.join(''))),
      fc.uint8Array({ maxLength: 60 }).map((list) => Buffer.from(list)),
    );
    fc.assert(
      fc.property(bytes, (given) => {
        expect(decoded(bytewise(given))).toBe(decoded([given]));
        expect(decoded([given])).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
        expect(decoded([given]).isWellFormed()).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('is text as it stands', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\n\t -~€語]*$/), (text) => {
        expect(decoded([Buffer.from(text)])).toBe(text);
      }),
    );
  });

  test('holds back no more than a command to a terminal can be', () => {
    const plain = new PlainOutput();
    const endless = `\u001b]0;${'x'.repeat(10_000)}`;
    expect((plain.write(Buffer.from(endless)) + plain.write(Buffer.from('y'))).length).toBeGreaterThan(9000);
  });
});

describe('the variables of a command', () => {
  test.each([
    ...['OPENAI_API_KEY', 'GITHUB_TOKEN', 'TOKEN', 'AWS_SECRET_ACCESS_KEY', 'AWS_ACCESS_KEY_ID', 'AWS_SESSION_TOKEN'],
    ...[
      'DB_PASSWORD',
      'PGPASSWORD',
      'MYSQL_PASSWD',
      'GOOGLE_APPLICATION_CREDENTIALS',
      'npm_config__auth',
      'GH_PAT',
      'SENTRY_DSN',
    ],
    ...['NATS_NKEY', 'NATS_CREDS', 'STRIPE_SECRET', 'SIGNING_KEY_BASE64', 'SESSION_COOKIE', 'smtp_pass', 'HF_TOKEN_2'],
  ])('are without %s', (name) => {
    expect(commandEnvironment({ [name]: 'x' }, { allow: [], deny: [] })).toEqual({});
  });

  test.each([
    'PATH',
    'HOME',
    'PWD',
    'SSH_AUTH_SOCK',
    'TOKENIZERS_PARALLELISM',
    'KEYBOARD',
    'LANG',
    'NODE_OPTIONS',
    'BYPASS',
  ])('are with %s', (name) => {
    expect(commandEnvironment({ [name]: 'x' }, { allow: [], deny: [] })).toEqual({ [name]: 'x' });
  });

  test('a URL with a password in it is a secret by its value', () => {
    const env = { DB: 'postgres://me:secret@host/db', PROXY: 'http://host:8080/a@b', REPO: 'git@host:me/x' };
    expect(Object.keys(commandEnvironment(env, { allow: [], deny: [] }))).toEqual(['PROXY', 'REPO']);
  });
});
