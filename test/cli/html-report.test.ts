import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CompactJson } from '../../core/cli/compact-json';
import type { InspectJson } from '../../core/cli/inspect';
import type { Report } from '../../core/report';
import { commandFile, pith, ROOT } from './command';
import { faultsBySchema } from './schemas';
import { fileWith, freshFolder, longSession } from './sessions';

beforeAll(() => void commandFile(), 120_000);

/** The report that a page holds. */
function reportIn(page: string): Report {
  const html = readFileSync(page, 'utf8');
  expect(html.startsWith('<!doctype html>\n')).toBe(true);
  return JSON.parse(/<script type="application\/json" id="data">(.*)<\/script>/.exec(html)?.[1] ?? '') as Report;
}

describe('pith inspect --html', () => {
  test('writes a page that says what --json says, and where it went', async () => {
    const file = fileWith('ledger.jsonl', longSession(5));
    const folder = freshFolder();
    const page = join(folder, 'report.html');
    const { code, stdout, stderr } = await pith(['inspect', file, '--json', '--html', page]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: `wrote ${page} (report)\n` });
    const { source, tokens, occupancy, turns, files, integrity } = JSON.parse(stdout) as InspectJson;
    const report = reportIn(page);
    expect(report).toMatchObject({ title: 'ledger.jsonl', source, tokens, occupancy, files, integrity });
    expect(report.turns).toMatchObject(turns);
    expect(report.map).toHaveLength(source.items);
    expect(report.turns[0]?.prompt).toContain('module');
    expect(readdirSync(folder)).toEqual(['report.html']);
  });

  test('writes it beside the report for a person, which stays as it is', async () => {
    const file = fileWith('ledger.jsonl', longSession(5));
    const page = join(freshFolder(), 'report.html');
    const plain = await pith(['inspect', file]);
    const both = await pith(['inspect', file, '--html', page]);
    expect(both).toEqual({ ...plain, stderr: `${plain.stderr}wrote ${page} (report)\n` });
    expect(reportIn(page).source.items).toBe(45);
  });

  test('the thresholds of the manifest are lines of the chart', async () => {
    const folder = freshFolder();
    writeFileSync(
      join(folder, 'pith.toml'),
      '[compaction]\ncompact_threshold = 60000\ncompact_request_threshold = 90000\n',
    );
    const page = join(folder, 'report.html');
    const file = fileWith('ledger.jsonl', longSession(5));
    await pith(['inspect', file, '--html', page], { cwd: folder });
    expect(reportIn(page).thresholds).toEqual([
      { name: 'compaction between turns', tokens: 60_000 },
      { name: 'compaction between requests', tokens: 90_000 },
    ]);
    expect(reportIn(page).outlook.plan).toMatchObject({ cutItem: 9, retained: { items: 36, tokens: 8000 } });
  });

  test('a session from standard input has the name of the session', async () => {
    const page = join(freshFolder(), 'report.html');
    const { code } = await pith(['inspect', '-', '--html', page], { input: longSession(2) });
    expect(code).toBe(0);
    expect(reportIn(page)).toMatchObject({ title: 'ledger-session', source: { path: '-' } });
  });
});

describe('pith compact --html', () => {
  test('writes what became of the session, with both sides, the summary and the reasons', async () => {
    const file = fileWith('ledger.jsonl', longSession(40));
    const page = join(freshFolder(), 'report.html');
    const out = join(freshFolder(), 'context.jsonl');
    const { code, stdout, stderr } = await pith(['compact', file, '--json', '--out', out, '--html', page]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: `wrote ${out} (pith)\nwrote ${page} (report)\n` });
    const json = JSON.parse(stdout) as CompactJson;
    expect(faultsBySchema('pith.compact-1', json)).toEqual([]);
    const { compaction, events, map, files } = reportIn(page);
    expect(compaction).toMatchObject({
      number: 1,
      outcome: 'done',
      plan: { cutItem: json.plan?.cutItem },
      summary: { text: json.summary?.text },
      before: { tokens: json.before.tokens },
      after: { tokens: json.after?.tokens },
      autoReadBudget: 8000,
    });
    expect(events).toMatchObject([{ kind: 'compaction', outcome: 'done', request: 161, item: 360 }]);
    expect(map.filter(({ fate }) => fate === 'summarised').length).toBeGreaterThanOrEqual(
      (json.plan?.cutItem ?? 0) - 1,
    );
    const read = files.flatMap(({ path, ranges }) => ranges.map((range) => ({ path, ...range })));
    expect(read.map(({ path, reason }) => [path, reason]).sort()).toEqual(
      (json.autoRead ?? []).map(({ path, reason }) => [path, reason]).sort(),
    );

    // What it left in the log is enough for a later look.
    const later = join(freshFolder(), 'later.html');
    await pith(['inspect', out, '--compaction', '1', '--html', later]);
    expect(reportIn(later).compaction).toMatchObject({ number: 1, summary: { text: json.summary?.text } });
  });

  test('also of a session that is left as it is', async () => {
    const file = fileWith('ledger.jsonl', longSession(2));
    const page = join(freshFolder(), 'report.html');
    const { code } = await pith(['compact', file, '--html', page]);
    expect(code).toBe(0);
    expect(reportIn(page).compaction).toMatchObject({
      outcome: 'nothing-to-do',
      before: { tokens: expect.any(Number) },
    });
  });
});

describe.each(['compact', 'inspect'])('pith %s --html FILE that cannot be', (command) => {
  test('is said before the session is read', async () => {
    const folder = freshFolder();
    const { code, stdout, stderr } = await pith([
      command,
      join(folder, 'none.jsonl'),
      '--html',
      join(folder, 'a/b.html'),
    ]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('PITH_OUTPUT_UNWRITABLE');
    expect(stderr).toContain('its folder does not exist');
  });

  test('a folder', async () => {
    const folder = freshFolder();
    mkdirSync(join(folder, 'report.html'));
    const file = fileWith('ledger.jsonl', longSession(1));
    const { code, stderr } = await pith([command, file, '--html', join(folder, 'report.html')]);
    expect(code).toBe(1);
    expect(stderr).toContain('it is a folder');
  });

  test('the session itself', async () => {
    const text = longSession(1);
    const file = fileWith('ledger.jsonl', text);
    const { code, stderr } = await pith([command, file, '--html', file]);
    expect(code).toBe(2);
    expect(stderr).toContain('--html');
    expect(stderr).toContain('is the session itself');
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});

test('--out and --html need a file each', async () => {
  const folder = freshFolder();
  const file = fileWith('ledger.jsonl', longSession(1));
  const target = join(folder, 'one');
  const { code, stderr } = await pith(['compact', file, '--out', target, '--html', target]);
  expect(code).toBe(2);
  expect(stderr).toContain('--out and --html name the same file');
  expect(readdirSync(folder)).toEqual([]);
});

test('the page of a session takes the place of an older one', async () => {
  const page = fileWith('report.html', 'old');
  const { code } = await pith(['inspect', join(ROOT, 'examples/sessions/csv-import.jsonl'), '--html', page]);
  expect(code).toBe(0);
  expect(reportIn(page).map.length).toBeGreaterThan(10);
});
