import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkRequest } from '../../core/testing';
import type { CompactJson } from '../../core/cli/compact-json';
import { commandFile, pith, ROOT } from './command';
import { faultsBySchema } from './schemas';
import { fileWith, freshFolder, longSession } from './sessions';

const FIXTURES = join(ROOT, 'test/fixtures/formats');

beforeAll(() => void commandFile(), 120_000);

describe('pith compact', () => {
  test('a long session becomes a smaller context, and the JSON says how', async () => {
    const file = fileWith('session.jsonl', longSession(40));
    const { code, stdout, stderr } = await pith(['compact', file, '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const json = JSON.parse(stdout) as CompactJson;
    expect(faultsBySchema('pith.compact-1', json)).toEqual([]);
    expect(json.source).toEqual({
      format: 'claude-code',
      path: file,
      sessionId: 'ledger-session',
      items: 360,
      turns: 40,
      requests: 160,
    });
    expect(json).toMatchObject({ outcome: 'done', worker: 'offline', usage: { requests: 0, inputTokens: 0 } });
    expect(json.after?.tokens).toBeLessThan(json.before.tokens);
    expect(json.plan?.retained.tokens).toBeLessThanOrEqual(8000);
    expect(json.plan?.cutItem).toBe(360 - (json.plan?.retained.items ?? 0));
    expect(json.summary?.text).toContain('## Completed Tasks');
    expect(json.summary?.text).toContain('keep the public names');
    expect(json.autoRead?.length).toBeGreaterThan(0);
    expect(new Set(json.autoRead?.map(({ source }) => source))).toEqual(new Set(['session']));
    expect(json.prune?.candidates).toBeGreaterThan(20);
  });

  test('the report for a person says the same in words', async () => {
    const file = fileWith('session.jsonl', longSession(40));
    const [report, json] = await Promise.all([pith(['compact', file]), pith(['compact', file, '--json'])]);
    const { summary, after, plan } = JSON.parse(json.stdout) as CompactJson;
    const shown = report.stdout;
    expect(report).toMatchObject({ code: 0, stderr: '' });
    expect(shown).toContain('claude-code, 360 items, 40 turns, 160 requests');
    expect(shown).toMatch(/^before +[░█]+ +\d\d,\d\d\d tokens {2}/m);
    expect(shown).toContain(`${String(Math.floor((after?.tokens ?? 0) / 1000))},`);
    expect(shown).toMatch(new RegExp(`^Kept +${String(plan?.retained.items)} items`, 'm'));
    expect(shown).toContain('contents of files as last seen in the session');
    expect(shown).toContain('no pith.toml');
    expect(shown).toContain('done by the offline worker');
    for (const line of summary?.text.split('\n').filter((text) => text !== '' && text.length < 70) ?? [])
      expect(shown).toContain(line);
    for (const line of shown.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  test.each(readdirSync(FIXTURES))('the JSON for %s fits its schema', async (name) => {
    const { code, stdout } = await pith(['compact', join(FIXTURES, name), '--retained-tokens', '0', '--json']);
    expect(code).toBe(0);
    const json = JSON.parse(stdout) as CompactJson;
    expect(faultsBySchema('pith.compact-1', json)).toEqual([]);
    if (json.outcome !== 'done') expect([json.autoRead, json.references, json.after]).toEqual([null, null, null]);
  });

  test('a session that is small already is left as it is, which is no failure', async () => {
    const file = fileWith('small.jsonl', longSession(2));
    const { code, stdout } = await pith(['compact', file, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'nothing-to-do',
      plan: null,
      worker: null,
      usage: null,
      summary: null,
      after: null,
    });
    expect((await pith(['compact', file])).stdout).toContain('nothing to do');
  });

  test.each(['openai-chat', 'anthropic', 'ai-sdk'] as const)(
    'the new context is written in the shape %s',
    async (shape) => {
      const out = join(freshFolder(), 'context.json');
      const { code } = await pith(['compact', fileWith('s.jsonl', longSession(40)), '--out', out, '--to', shape]);
      expect(code).toBe(0);
      const profile = { system: shape === 'anthropic' ? 'many' : 'one', firstUser: true } as const;
      expect(checkRequest(shape, JSON.parse(readFileSync(out, 'utf8')), profile)).toEqual([]);
    },
  );

  test('the new context as a session file can be compacted again', async () => {
    const folder = freshFolder();
    const first = join(folder, 'first.jsonl');
    const { stdout } = await pith(['compact', fileWith('s.jsonl', longSession(40)), '--out', first, '--json']);
    const { summary } = JSON.parse(stdout) as CompactJson;
    const again = await pith(['compact', first, '--retained-tokens', '500', '--json']);
    const json = JSON.parse(again.stdout) as CompactJson;
    expect(json).toMatchObject({ source: { format: 'pith' }, outcome: 'done' });
    expect(json.after?.tokens).toBeLessThan(json.before.tokens);
    expect(summary?.text).toContain('module 1');
    expect(json.summary?.text).toMatch(/[Mm]odule/);
  });

  test('contents come from disk where the root is named, even if the session ran elsewhere', async () => {
    const root = freshFolder();
    mkdirSync(join(root, 'src'));
    for (let turn = 1; turn <= 40; turn++)
      writeFileSync(join(root, `src/module${String(turn)}.ts`), `// today's module ${String(turn)}\n`);
    const { stdout } = await pith(['compact', fileWith('s.jsonl', longSession(40)), '--root', root, '--json']);
    const { autoRead } = JSON.parse(stdout) as CompactJson;
    expect(autoRead?.length).toBeGreaterThan(0);
    expect(autoRead).toEqual(
      expect.arrayContaining([expect.objectContaining({ source: 'disk', fromLine: 1, toLine: 1 })]),
    );
  });

  test('flags go before the manifest, which goes before the defaults', async () => {
    const folder = freshFolder();
    writeFileSync(join(folder, 'pith.toml'), '[compaction]\nretained_tokens = 3000\nauto_read_budget = 0\n');
    writeFileSync(join(folder, 's.jsonl'), longSession(40));
    const byManifest = JSON.parse(
      (await pith(['compact', 's.jsonl', '--json'], { cwd: folder })).stdout,
    ) as CompactJson;
    expect(byManifest.plan?.retained.tokens).toBeLessThanOrEqual(3000);
    expect(byManifest.autoRead).toEqual([]);
    const byFlag = JSON.parse(
      (
        await pith(['compact', 's.jsonl', '--json', '--retained-tokens', '6000', '--auto-read-budget', '4000'], {
          cwd: folder,
        })
      ).stdout,
    ) as CompactJson;
    expect(byFlag.plan?.retained.tokens).toBeGreaterThan(3000);
    expect(byFlag.autoRead?.length).toBeGreaterThan(0);
    expect((await pith(['compact', 's.jsonl'], { cwd: folder })).stdout).toContain('pith.toml');
  });

  test('a dash reads standard input', async () => {
    const { code, stdout } = await pith(['compact', '-', '--json'], { input: longSession(40) });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ source: { path: '-', sessionId: 'ledger-session' }, outcome: 'done' });
  });

  test('of several sessions in a file one is chosen by number or id, and which one is said', async () => {
    const chat = (id: string, words: string): object => ({
      id,
      messages: [
        { role: 'user', content: words },
        { role: 'assistant', content: 'Yes.' },
      ],
    });
    const file = fileWith('chats.json', JSON.stringify([chat('morning', 'Hello'), chat('evening', 'Good night')]));
    const first = await pith(['compact', file, '--json']);
    expect(JSON.parse(first.stdout)).toMatchObject({ source: { sessionId: 'morning' } });
    for (const wanted of ['2', 'evening']) {
      const { stdout } = await pith(['compact', file, '--session', wanted, '--json']);
      expect(JSON.parse(stdout)).toMatchObject({ source: { sessionId: 'evening' } });
    }
    expect((await pith(['compact', file])).stdout).toContain('session 1 of 2 in the file, morning');
  });
});
