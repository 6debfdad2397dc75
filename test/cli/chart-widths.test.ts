/** What `inspect` and `compact` draw, on terminals of several widths and of several abilities. */
import { widthOf } from '../../core/cli/display-width';
import { runCompact } from '../../core/cli/compact-run';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandFile, pith } from './command';
import { hasScript, onTerminal } from './pseudo-terminal';
import { fileWith, freshFolder, longSession } from './sessions';

const COLOUR = /\u001B\[[0-9;]*[A-Za-z]/g;
const MANIFEST = '[compaction]\ncompact_threshold = 60000\ncompact_request_threshold = 80000\nretained_tokens = 2000\n';

let folder: string;

beforeAll(async () => {
  commandFile();
  folder = freshFolder();
  writeFileSync(join(folder, 'pith.toml'), MANIFEST);
  // What stands in names must not make a line too broad either.
  writeFileSync(
    join(folder, 's.jsonl'),
    longSession(40).replaceAll('module7.ts', 'módulo-模块-七-🚀-with-a-very-long-name.ts'),
  );
  const silent = { progress: () => undefined, warn: () => undefined };
  const run = await runCompact({ file: join(folder, 's.jsonl') }, silent as never);
  const records = [...run.opened.session.records()].map((record) => `${JSON.stringify(record)}\n`);
  writeFileSync(join(folder, 'compacted.jsonl'), records.join(''));
}, 120_000);

(hasScript ? describe : describe.skip)('on a terminal', () => {
  test.each([40, 60, 80, 120, 200])('of %d columns no line is broken', async (columns) => {
    const commands = [
      ['inspect', 'compacted.jsonl'],
      ['inspect', 'compacted.jsonl', '--compaction', '1'],
      ['compact', 's.jsonl'],
    ];
    const screens = commands.map((args) => onTerminal(args, { cwd: folder, columns }));
    for (const { screen, code } of screens) {
      expect(await code).toBe(0);
      const lines = screen.raw.replace(COLOUR, '').split(/\r?\n|\r/);
      expect(lines.filter((line) => widthOf(line) > columns)).toEqual([]);
    }
  });

  test('the chart takes the room that there is; a narrow one has the table', async () => {
    const drawn = async (columns: number): Promise<string> => {
      const { screen, code } = onTerminal(['inspect', 's.jsonl'], { cwd: folder, columns });
      await code;
      return screen.text;
    };
    const [narrow, broad, broadest] = await Promise.all([drawn(40), drawn(80), drawn(200)]);
    expect(narrow).toMatch(/^ +request +item +tokens +source$/m);
    expect(narrow).not.toContain('└');
    expect(broad).toMatch(/^ +0 └[─┬]{67,}$/m);
    expect(broadest).toMatch(/^ +0 └[─┬]{187,}$/m);
    expect(broad).toContain('each column the fullest of 2 or 3 requests');
    for (const shown of [broad, broadest]) {
      expect(shown).toContain('╌ compaction between turns 60,000');
      expect(shown).toContain('╌ compaction between requests 80,000 ╌');
      expect(shown).not.toContain(' item  tokens  source');
    }
  });
});

describe('without a terminal', () => {
  test('there are no colours, unless they are asked for; what is told is the same', async () => {
    const file = fileWith('s.jsonl', longSession(40));
    const [plain, forced, refused] = await Promise.all([
      pith(['inspect', file]),
      pith(['inspect', file], { env: { FORCE_COLOR: '1' } }),
      pith(['inspect', file], { env: { FORCE_COLOR: '1', NO_COLOR: '1' } }),
    ]);
    expect(plain.stdout).not.toContain('\u001B');
    expect(refused.stdout).toBe(plain.stdout);
    expect(forced.stdout).toMatch(COLOUR);
    expect(forced.stdout.replace(COLOUR, '')).toBe(plain.stdout);
  });

  test.each([{ TERM: 'dumb' }, { LANG: 'C' }])('all that is drawn is ASCII where %j', async (env) => {
    for (const command of ['inspect', 'compact']) {
      const args = [command, 's.jsonl'];
      const [drawn, ascii] = await Promise.all([pith(args, { cwd: folder }), pith(args, { cwd: folder, env })]);
      expect(drawn.stdout).toMatch(/[█░]/);
      // What the session says is left as it is.
      expect([...new Set(ascii.stdout.replace(/[\n -~\p{Letter}🚀]/gu, ''))]).toEqual([]);
      expect(ascii.stdout.split('\n')).toHaveLength(drawn.stdout.split('\n').length);
    }
  });
});

describe('what is drawn', () => {
  test('a compaction is marked in the chart of the session that went through it, and its map is of what was left', async () => {
    const { stdout } = await pith(['inspect', 'compacted.jsonl'], { cwd: folder });
    expect(stdout).toMatch(/▼ 1 compaction before request \d+/);
    expect(stdout).toMatch(/^ {2}·+[▒░]*┃?█+$/m);
  });

  test('the map of a compaction is cut where the plan said', async () => {
    const { stdout } = await pith(['compact', 's.jsonl'], { cwd: folder });
    const [, cut] = /all before item (\d+)/.exec(stdout) ?? [];
    expect(stdout).toMatch(/^session [·░▒]+┃[█▪·]+$/m);
    expect(stdout).toContain(`┃ cut before item ${cut ?? '?'}`);
    expect(stdout).toContain('▴ read again');
  });
});
