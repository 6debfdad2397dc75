import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCompact } from '../../core/cli/compact-run';
import type { InspectJson } from '../../core/cli/inspect';
import { commandFile, pith, ROOT } from './command';
import { faultsBySchema } from './schemas';
import { fileWith, freshFolder, longSession } from './sessions';

const FIXTURES = join(ROOT, 'test/fixtures/formats');

beforeAll(() => void commandFile(), 120_000);

describe('pith inspect', () => {
  test('composition, occupancy, turns and files of a session as JSON', async () => {
    const file = fileWith('session.jsonl', longSession(5));
    const { code, stdout, stderr } = await pith(['inspect', file, '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const json = JSON.parse(stdout) as InspectJson;
    expect(faultsBySchema('pith.inspect-1', json)).toEqual([]);
    expect(json.source).toMatchObject({ format: 'claude-code', items: 45, turns: 5, requests: 20 });
    expect(Object.keys(json.tokens.byTool).sort()).toEqual(['Bash', 'Edit', 'Read']);
    const byKind = Object.values(json.tokens.byKind).reduce((sum, tokens) => sum + tokens, 0);
    expect(Math.abs(byKind - json.tokens.total)).toBeLessThan(10);
    expect(json.occupancy).toHaveLength(20);
    expect(json.occupancy[0]).toEqual({ request: 1, item: 1, tokens: 12_500, source: 'measured' });
    expect(json.turns.map(({ turn, fromItem, requests }) => [turn, fromItem, requests])).toEqual(
      [1, 2, 3, 4, 5].map((turn) => [turn, (turn - 1) * 9, 4]),
    );
    expect(json.files[0]).toEqual({ path: 'src/module5.ts', reads: 1, writes: 1, lastItem: 40 });
    expect(json.files).toHaveLength(5);
    expect(json.integrity).toEqual({ orphanResults: 0, unansweredCalls: 0 });
    expect(json).not.toHaveProperty('compaction');
  });

  test.each(readdirSync(FIXTURES))('the JSON for %s fits its schema', async (name) => {
    const { code, stdout } = await pith(['inspect', join(FIXTURES, name), '--json']);
    expect(code).toBe(0);
    const json = JSON.parse(stdout) as InspectJson;
    expect(faultsBySchema('pith.inspect-1', json)).toEqual([]);
    expect(json.occupancy).toHaveLength(json.source.requests);
    expect(json.turns).toHaveLength(json.source.turns);
  });

  test('requests without figures of the provider are estimated, and it is said so', async () => {
    const messages = [
      { role: 'user', content: 'Where is the harbour?' },
      { role: 'assistant', content: 'At the end of the street.' },
      { role: 'user', content: 'And the lighthouse?' },
      { role: 'assistant', content: 'Behind it.' },
    ];
    const { stdout } = await pith(['inspect', fileWith('chat.json', JSON.stringify(messages)), '--json']);
    const { occupancy } = JSON.parse(stdout) as InspectJson;
    expect(occupancy.map(({ item, source }) => [item, source])).toEqual([
      [1, 'counted'],
      [3, 'counted'],
    ]);
    expect(occupancy[1]?.tokens).toBeGreaterThan(occupancy[0]?.tokens ?? Infinity);
  });

  test('the report for a person shows what is there and what could be done', async () => {
    const { code, stdout, stderr } = await pith(['inspect', fileWith('session.jsonl', longSession(40))]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const words of [
      /^Context of \d+,\d{3} tokens/m,
      /^By tool/m,
      /^ {2}Read +\d/m,
      /^Occupancy over 160 requests, at most 92,000 tokens at request 160/m,
      /^Turns: 40/m,
      /^ +40 +351 +4 .*Please fix/m,
      /and 20 earlier turns/,
      /^Files touched: 40/m,
      /Pruning would save/,
      /A compaction would cut before item/,
      /Every call has its result/,
    ])
      expect(stdout).toMatch(words);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(110);
  });

  test('a compaction of a session of its own shows input, calls, summary and refusals', async () => {
    const silent = { progress: () => undefined, warn: () => undefined };
    const run = await runCompact({ file: fileWith('session.jsonl', longSession(40)) }, silent as never);
    const log = join(freshFolder(), 'log.jsonl');
    writeFileSync(log, [...run.opened.session.records()].map((record) => `${JSON.stringify(record)}\n`).join(''));

    const { code, stdout } = await pith(['inspect', log, '--compaction', '1', '--json']);
    const json = JSON.parse(stdout) as InspectJson;
    expect(code).toBe(0);
    expect(faultsBySchema('pith.inspect-1', json)).toEqual([]);
    expect(json.compaction).toMatchObject({
      compaction: 1,
      outcome: 'done',
      trigger: 'manual',
      worker: 'offline',
      cutItem: run.report.plan?.cutItem,
    });
    expect(json.compaction?.input).toContain('Please fix the rounding');
    expect(json.compaction?.calls?.map(({ tool }) => tool)).toEqual(
      expect.arrayContaining(['mark_read_required', 'write_summary']),
    );
    expect(json.compaction?.summary).toContain('## Completed Tasks');

    const shown = await pith(['inspect', log, '--compaction', '1']);
    expect(shown.stdout).toMatch(/^Input of the worker$/m);
    expect(shown.stdout).toMatch(/^ {2}mark_read_required \{"path"/m);
    expect(shown.stdout).toMatch(/^Summary$/m);
  });

  test('a compaction of another agent shows its summary, and says what the session does not hold', async () => {
    const file = join(FIXTURES, 'claude-code-resumed.jsonl');
    const held = JSON.parse((await pith(['inspect', file, '--json', '--compaction', '1'])).stdout) as InspectJson;
    expect(held.compaction).toMatchObject({ outcome: 'done', input: null, calls: null, refusals: null });
    expect(readFileSync(file, 'utf8')).toContain((held.compaction?.summary ?? '?').split('\n')[0]);
    const shown = await pith(['inspect', file, '--compaction', '1']);
    expect(shown.stdout).toContain('the session does not hold it');
  });

  test('a compaction that is not there is a fault of the call', async () => {
    const file = fileWith('session.jsonl', longSession(2));
    const { code, stdout, stderr } = await pith(['inspect', file, '--compaction', '3']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(`error PITH_USAGE: ${file} has no compaction 3; its session went through 0 compactions\n`);
  });
});
