import { mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandFile, pith, ROOT } from './command';
import type { Ended } from './command';
import { fileWith, freshFolder, longSession } from './sessions';

const CHAT = JSON.stringify([
  { role: 'user', content: 'Hello' },
  { role: 'assistant', content: 'Hi.' },
]);

beforeAll(() => void commandFile(), 120_000);

/** One message on standard error that begins with the code, nothing on standard output. */
function expectFault({ code, stdout, stderr }: Ended, exit: number, name: string, words: string | RegExp): void {
  expect({ code, stdout }).toEqual({ code: exit, stdout: '' });
  expect(stderr.match(/^(?:error|warning)\b.*/gm)).toEqual([expect.stringMatching(new RegExp(`^error ${name}: `))]);
  expect(stderr).toMatch(words);
  expect(stderr).not.toMatch(/\n {4}at /);
}

describe.each(['compact', 'inspect'])('pith %s on input that is no session', (command) => {
  test('a file that is not there', async () => {
    expectFault(
      await pith([command, 'nowhere.jsonl']),
      1,
      'PITH_INPUT_UNREADABLE',
      /nowhere\.jsonl: there is no such file/,
    );
  });

  test('a folder', async () => {
    const folder = freshFolder();
    expectFault(await pith([command, folder]), 1, 'PITH_INPUT_UNREADABLE', `${folder} is a folder`);
  });

  test('an empty file, and empty standard input', async () => {
    expectFault(await pith([command, fileWith('empty.jsonl', '')]), 1, 'PITH_INPUT_EMPTY', /empty\.jsonl is empty/);
    expectFault(await pith([command, '-'], { input: '' }), 1, 'PITH_INPUT_EMPTY', /standard input is empty/);
  });

  test('binary', async () => {
    const bytes = Uint8Array.from({ length: 4096 }, (_, at) => (at * 37) % 256);
    expectFault(await pith([command, fileWith('photo.jpg', bytes)]), 1, 'PITH_FORMAT_UNKNOWN', /photo\.jpg is binary/);
  });

  test('a file of 2 GB, which is not even read', async () => {
    const file = fileWith('huge.jsonl', '{}\n');
    truncateSync(file, 2 * 1024 ** 3);
    expectFault(await pith([command, file]), 1, 'PITH_INPUT_TOO_LARGE', /huge\.jsonl has 2148 MB/);
  });

  test('nothing but half a line', async () => {
    const half = longSession(1).slice(0, 60);
    expectFault(
      await pith([command, fileWith('half.jsonl', half)]),
      1,
      'PITH_FORMAT_UNKNOWN',
      /half\.jsonl is in no known format/,
    );
  });

  test('text that is no session', async () => {
    expectFault(
      await pith([command, join(ROOT, 'LICENSE')]),
      1,
      'PITH_FORMAT_UNKNOWN',
      /LICENSE is in no known format: .*Known formats: pith, claude-code/,
    );
  });

  test('a format that the file is not in', async () => {
    const file = fileWith('chat.json', CHAT);
    expectFault(
      await pith([command, file, '--format', 'codex']),
      1,
      'PITH_FORMAT_MISMATCH',
      /chat\.json is not in the format codex .*openai-chat/,
    );
  });
});

describe('a call that pith does not understand', () => {
  const file = (): string => fileWith('chat.json', CHAT);

  test.each([
    [['compact'], /missing required argument 'FILE'/],
    [['compact', 'a', 'b'], /too many arguments/],
    [['compcat', 'a'], /unknown command 'compcat'\. Did you mean "compact"\?/],
    [['walk'], /unknown command 'walk'/],
    [['help', 'inspct'], /unknown command 'inspct'\. Did you mean "inspect"\?/],
    [
      ['compact', 'a', '--retaind-tokens', '5'],
      /unknown option '--retaind-tokens'\. Did you mean "--retained-tokens"\?/,
    ],
    [['compact', 'a', '--retained-tokens', '-5'], /whole number of tokens/],
    [['compact', 'a', '--retained-tokens', '1e3'], /whole number of tokens/],
    [['compact', 'a', '--retained-tokens'], /argument missing/],
    [['compact', 'a', '--to', 'xml'], /Allowed choices are pith, openai-chat, anthropic, ai-sdk/],
    [['compact', 'a', '--to', 'anthropic'], /--to needs --out/],
    [['compact', 'a', '--worker', 'me'], /Allowed choices are offline, llm, remote/],
    [['compact', 'a', '--root', '/nowhere/at/all'], /no such folder/],
    [['inspect', 'a', '--compaction', '0'], /number from 1/],
    [['plugins', '--only', ''], /names parted by commas/],
  ] as const)('%j', async (args, words) => {
    expectFault(await pith(args), 2, 'PITH_USAGE', words);
  });

  test('--worker llm is not part of this version', async () => {
    expectFault(
      await pith(['compact', file(), '--worker', 'llm']),
      2,
      'PITH_NOT_AVAILABLE',
      /--worker llm is not part of this version/,
    );
  });

  test.each([
    [['--servers', 'nats://localhost'], 'PITH_USAGE', /--servers needs --worker remote/],
    [['--worker', 'offline', '--servers', 'nats://localhost'], 'PITH_USAGE', /--servers needs --worker remote/],
    [
      ['--worker', 'remote'],
      'PITH_MANIFEST_INVALID',
      /transport.servers: is missing; kind "nats" needs it, or NATS_URL/,
    ],
    [['--worker', 'remote', '--servers', 'no url'], 'PITH_BUS_SETTINGS', /"no url"/],
  ] as const)('a worker that cannot be reached: %j', async (args, code, words) => {
    expectFault(await pith(['compact', file(), ...args]), 2, code, words);
  });

  test('a format that does not exist names the nearest', async () => {
    expectFault(
      await pith(['compact', file(), '--format', 'claud-code']),
      2,
      'PITH_USAGE',
      /Did you mean "claude-code"\?/,
    );
  });

  test('a session that the file does not hold names those that it holds', async () => {
    const chats = fileWith('chats.json', `[{"id":"one","messages":${CHAT}},{"id":"two","messages":${CHAT}}]`);
    for (const wanted of ['0', '3', 'three']) {
      expectFault(
        await pith(['inspect', chats, '--session', wanted]),
        2,
        'PITH_USAGE',
        /it holds 2 sessions: 1 \(one\), 2 \(two\)/,
      );
    }
  });

  test('no plugin that compacts', async () => {
    expectFault(
      await pith(['compact', file(), '--without', 'compaction,auto-read-budget']),
      2,
      'PITH_USAGE',
      /no plugin in use compacts/,
    );
  });

  test('a manifest with faults is said before the session is read', async () => {
    const folder = freshFolder();
    writeFileSync(join(folder, 'pith.toml'), '[compaction]\nretained_tokens = "all"\n');
    expectFault(
      await pith(['compact', 'nowhere.jsonl'], { cwd: folder }),
      2,
      'PITH_MANIFEST_INVALID',
      /pith\.toml:2:1 compaction\.retained_tokens/,
    );
  });
});

describe('an output that cannot be written', () => {
  test('is said before any work is done', async () => {
    const folder = freshFolder();
    mkdirSync(join(folder, 'taken'));
    for (const [out, words] of [
      [join(folder, 'no/such/folder/out.json'), /folder does not exist/],
      [join(folder, 'taken'), /it is a folder/],
      ['/dev/null', /not a regular file/],
    ] as const) {
      expectFault(await pith(['compact', 'nowhere.jsonl', '--out', out]), 1, 'PITH_OUTPUT_UNWRITABLE', words);
    }
    expect(readdirSync(folder)).toEqual(['taken']);
  });

  test('is never the session itself, not even by another name', async () => {
    const session = fileWith('session.jsonl', longSession(2));
    const link = join(freshFolder(), 'link.jsonl');
    symlinkSync(session, link);
    for (const out of [session, link]) {
      expectFault(await pith(['compact', session, '--out', out]), 2, 'PITH_USAGE', /the session itself/);
    }
    expect(readFileSync(session, 'utf8')).toBe(longSession(2));
  });

  test('stays what it was where the work fails', async () => {
    const folder = freshFolder();
    const out = join(folder, 'context.json');
    writeFileSync(out, 'earlier');
    expectFault(await pith(['compact', join(ROOT, 'LICENSE'), '--out', out]), 1, 'PITH_FORMAT_UNKNOWN', /LICENSE/);
    expect(readFileSync(out, 'utf8')).toBe('earlier');
    expect(readdirSync(folder)).toEqual(['context.json']);
  });
});
