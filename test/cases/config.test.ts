/** Faults of configuration that users of similar tools reported, by the ids of `cases.json`. */
import { PithError } from '../../core';
import { loadManifest, type LoadedManifest, type ManifestProblem } from '../../core/manifest';
import { createKernel, definePlugin } from '../../core';
import { stockPlugins } from '../../plugins';
import { folderWith } from '../files/folder';

const load = (toml: string): Promise<LoadedManifest> =>
  loadManifest({
    cwd: folderWith({ 'pith.toml': toml }),
    env: {},
    stock: stockPlugins,
    defaultUse: Object.keys(stockPlugins),
  });

async function problemsOf(toml: string): Promise<readonly ManifestProblem[]> {
  const error: unknown = await load(toml).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return PithError.is(error, 'PITH_MANIFEST_INVALID') ? (error.details?.problems as readonly ManifestProblem[]) : [];
}

describe('C57: a misspelt or mis-nested key', () => {
  const valid = '[compaction]\ncompact_threshold = "70%"\nretained_tokens = 5000\n[prune]\nmin_savings = 10\n';

  test('is told with its full path, its line and what was meant', async () => {
    const problems = await problemsOf(
      `${valid}[tracker]\ncompact_treshold = "75%"\nretained_token = 1\nauto_read_budget = 3\nflavour = "x"\n`,
    );
    expect(problems.map(({ key, line, nearest }) => [key, line, nearest])).toEqual([
      ['tracker.compact_treshold', 7, 'compaction.compact_threshold'],
      ['tracker.retained_token', 8, 'compaction.retained_tokens'],
      ['tracker.auto_read_budget', 9, 'compaction.auto_read_budget'],
      ['tracker.flavour', 10, undefined],
    ]);
    const nested = await problemsOf(`${valid}worker_timeout = 3\n[compaction.prune]\nprotected_tokens = 3\n`);
    expect(nested.map(({ key }) => key)).toEqual(expect.arrayContaining(['prune.worker_timeout', 'compaction.prune']));
    const misspelt = await problemsOf('[compaction]\ncompact_treshold = "75%"\nretained_token = 1\n');
    expect(misspelt.map(({ key, nearest }) => [key, nearest])).toEqual([
      ['compaction.compact_treshold', 'compact_threshold'],
      ['compaction.retained_token', 'retained_tokens'],
    ]);
  });

  test('valid keys keep their values, and one key set leaves the other defaults as they are', async () => {
    const { config } = await load(valid);
    expect(config.compaction).toMatchObject({
      compactThreshold: '70%',
      retainedTokens: 5000,
      autoReadBudget: 8000,
      summaryMaxTokens: 4000,
    });
    expect(config.prune).toEqual({ protectedTokens: 8000, minSavings: 10, protectedTools: [] });
  });
});

describe('X50: keys that reach for the prototype of objects', () => {
  const polluted = (): unknown => (({}) as { polluted?: unknown }).polluted;

  test.each([
    '[__proto__]\npolluted = 1',
    'constructor.prototype.polluted = 1',
    '[constructor.prototype]\npolluted = 1',
    '[compaction.__proto__]\npolluted = 1',
    '[model]\nprovider = "p"\nmodel = "m"\n[model.headers]\n__proto__ = "x"',
    '[compaction]\n"__proto__" = { polluted = 1 }',
    '[[__proto__]]\npolluted = 1',
    '[plugins]\nuse = ["__proto__", "constructor"]',
  ])('%j is refused and changes nothing', async (toml) => {
    expect((await problemsOf(toml)).filter(({ severity }) => severity === 'error')).not.toEqual([]);
    expect(polluted()).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  test('nor does a configuration in code, merged with defaults', async () => {
    const plugin = definePlugin({ name: 'any', api: 1, setup() {} });
    const config = JSON.parse('{ "any": { "__proto__": { "polluted": 1 } } }') as Record<string, unknown>;
    await expect(createKernel({ plugins: [plugin], config })).rejects.toMatchObject({ code: 'PITH_PLUGIN_GRAPH' });
    expect(polluted()).toBeUndefined();
  });
});
