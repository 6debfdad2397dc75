/** The benchmark of continuity as a whole, on sessions that were made up; docs/continuity.md has it on real ones. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startStrictProvider } from '../../core/testing';
import { newest, pathsOnly, recencyWeighted, recentFiles } from '../bench/continuity/baselines';
import { corpusOf } from '../bench/continuity/corpus';
import { main } from '../bench/continuity/main';
import { MEASURES } from '../bench/continuity/measures';
import { oracle } from '../bench/continuity/oracle';
import { replay } from '../bench/continuity/replay';
import type { Row } from '../bench/continuity/replay';
import { pithWith } from '../bench/continuity/settings';
import { bySession, meanOf } from '../bench/continuity/statistics';
import { summaryOf } from '../support/worker';
import { madeUpSessions } from './made-up-sessions';

/** Tokens of a context: enough for what is worked on, and too few for it. */
const TOKENS = 6000;
const FEW = 4000;
const EVERY = 3000;

const POLICIES = new Map([
  ['pith', pithWith({}, TOKENS)],
  ['newest-N', newest],
  ['recency-5', recentFiles],
  ['paths-only', pathsOnly],
  ['recency', recencyWeighted],
  ['oracle', oracle],
]);

const folder = madeUpSessions();
let rows: readonly Row[] = [];

beforeAll(async () => {
  const found: Row[] = [];
  for (const session of await corpusOf(folder))
    found.push(
      ...(await replay(session, { budgets: [TOKENS, FEW], horizons: [25], every: EVERY, policies: () => POLICIES })),
    );
  rows = found;
});

const of = (policy: string, budget = TOKENS): readonly Row[] =>
  rows.filter((row) => row.policy === policy && row.budget === budget);

/** What the command prints. */
async function printed(...args: readonly string[]): Promise<string> {
  const texts: string[] = [];
  const log = jest.spyOn(console, 'log').mockImplementation((text: string) => void texts.push(text));
  try {
    expect(await main(['--sessions', folder, '--tokens', String(TOKENS), '--every', '6000', ...args])).toBe(0);
  } finally {
    log.mockRestore();
  }
  return texts.join('\n');
}

describe('what an agent needs next after a compaction by the offline worker', () => {
  test.each([
    [TOKENS, { files: 0.9, lines: 0.87, names: 0.84, directives: 0.99, reads: 0.7, named: 1 }],
    [FEW, { files: 0.82, lines: 0.72, names: 0.84, directives: 0.99, reads: 0.45, named: 1 }],
  ])('stands in the context of %d tokens, as far as these shares', (budget, least) => {
    const means = Object.keys(least).map((name) => [
      name,
      meanOf([...bySession(of('pith', budget), ({ measured }) => measured[name as keyof typeof least]).values()]),
    ]);
    const low = means.filter(([name, mean]) => !(Number(mean) >= least[name as keyof typeof least]));
    expect(Object.fromEntries(low)).toEqual({});
  });

  test('stands there rather than in the newest tokens, with or without a list of paths, on every session', () => {
    const sessions = [...new Set(rows.map(({ session }) => session))];
    expect(sessions).toHaveLength(3);
    for (const other of ['newest-N', 'paths-only'])
      for (const measure of ['files', 'lines', 'directives'] as const) {
        const theirs = bySession(of(other), (row) => row.measured[measure]);
        for (const [session, ours] of bySession(of('pith'), (row) => row.measured[measure]))
          expect(ours).toBeGreaterThanOrEqual((theirs.get(session) ?? 0) - 0.05);
      }
  });
});

describe('the policies', () => {
  test('stay within the tokens that they are given', () => {
    for (const { measured, given } of rows) expect(measured.tokens).toBeLessThanOrEqual(given);
  });

  test('use them: the baselines leave less than a twentieth', () => {
    for (const policy of ['newest-N', 'recency-5', 'paths-only', 'recency'])
      for (const { measured, given } of of(policy)) expect(measured.tokens).toBeGreaterThan(given * 0.95);
  });

  test('are bounded by the oracle in every measure at every cut', () => {
    for (const { policy, cut, session, given, measured } of rows) {
      const bound = of('oracle', given).find((row) => row.session === session && row.cut === cut)?.measured;
      for (const measure of MEASURES)
        if (measure !== 'tokens' && policy !== 'oracle')
          expect(bound?.[measure] ?? 1).toBeGreaterThanOrEqual(measured[measure] ?? 0);
    }
  });

  test('are asked at cuts with enough file operations on both sides, and each session has some', () => {
    expect(new Set(rows.map(({ session, cut }) => `${session} ${String(cut)}`)).size).toBeGreaterThanOrEqual(10);
  });
});

describe('the command', () => {
  test('says the same to the byte each time', async () => {
    const args = ['--policies', 'pith,newest-N,oracle', '--misses', '5', '--horizon', '10,25', '--json'] as const;
    const first = await printed(...args);
    expect(await printed(...args)).toBe(first);
    expect(JSON.parse(first)).toMatchObject({ summaries: [{ horizon: 10 }, { horizon: 25 }] });
  });

  test('prints tables that fit a terminal of 80 columns', async () => {
    const text = await printed('--tokens', `${String(TOKENS)},defaults`, '--policies', 'pith,newest-N');
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('measures a worker with the model that a manifest names in the same way', async () => {
    await using provider = await startStrictProvider({
      shape: 'openai-chat',
      script: ({ last }, n) =>
        JSON.stringify(last).includes('Marked')
          ? 'Done.'
          : {
              calls: [
                { name: 'mark_read_required', arguments: { path: 'src/invoice.ts', offset: 3, limit: 40 } },
                { name: 'write_summary', arguments: { text: summaryOf(`Rounding totals, ${String(n)}.`) } },
              ],
            },
    });
    const manifest = join(folder, 'pith.toml');
    writeFileSync(
      manifest,
      `[compaction]\nworker = "llm"\nfallback = "none"\n[compaction.model]\nprovider = "openai-compatible"\nmodel = "local"\nbase_url = "${provider.url}"\ncontext_window = 128000\nmax_output_tokens = 8000\n`,
    );
    const found = JSON.parse(await printed('--policies', 'manifest,pith', '--manifest', manifest, '--json')) as {
      readonly rows: readonly Row[];
    };
    const ours = found.rows.filter(({ policy }) => policy === 'manifest');
    expect(provider.requests.length).toBeGreaterThan(ours.length);
    expect(ours.map(({ outcome }) => outcome)).toEqual(ours.map(() => 'done'));
    const other = found.rows.filter(({ policy }) => policy === 'pith');
    expect(ours.map(({ session, cut, needed }) => ({ session, cut, needed }))).toEqual(
      other.map(({ session, cut, needed }) => ({ session, cut, needed })),
    );
    expect(ours).not.toEqual(other.map((row) => ({ ...row, policy: 'manifest' })));
  });
});
