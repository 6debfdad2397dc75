import { join } from 'node:path';
import fc from 'fast-check';
import * as v from 'valibot';
import { z } from 'zod';
import { configKeys, definePlugin, PithError } from '../../core/index';
import {
  loadManifest,
  starterManifest,
  type LoadedManifest,
  type LoadManifestOptions,
  type ManifestProblem,
} from '../../core/manifest';
import { startKernel } from '../../core/kernel/kernel';
import { stockPlugins } from '../../plugins';
import { folderWith } from '../files/folder';

const shrink = definePlugin({
  name: 'shrink',
  api: 1,
  section: 'compaction',
  config: configKeys(
    {
      retained_tokens: { type: 'integer', unit: 'tokens', default: 8000, doc: '' },
      compact_threshold: { type: 'amount', doc: '' },
      compact_request_threshold: { type: 'amount', doc: '' },
      mode: { type: 'choice', of: ['on', 'off'], default: 'on', env: 'PITH_COMPACTION', doc: '' },
      cache: { type: 'path', default: 'cache', doc: '' },
    },
    ({ compactThreshold, compactRequestThreshold }) =>
      compactThreshold === compactRequestThreshold && compactThreshold !== undefined
        ? [{ key: 'compact_threshold', message: 'is not below compact_request_threshold', severity: 'warning' }]
        : [],
  ),
  setup() {},
});
const budget = definePlugin({
  name: 'budget',
  api: 1,
  section: 'compaction',
  config: configKeys({ auto_read_budget: { type: 'integer', default: 8000, doc: '' } }),
  setup() {},
});
const memory = definePlugin({
  name: 'memory',
  api: 1,
  config: configKeys({ capacity: { type: 'integer', min: 1, default: 20, doc: '' } }),
  setup() {},
});
const foreign = definePlugin({
  name: 'foreign',
  api: 1,
  config: z.object({
    maxItems: z.number().default(3),
    'as-is': z.string().optional(),
    rules: z.object({ deepKey: z.boolean() }).optional(),
    tags: z.record(z.string(), z.string()).optional(),
  }),
  setup() {},
});
const valibot = definePlugin({ name: 'valibot', api: 1, config: v.object({ maxItems: v.number() }), setup() {} });
const bare = definePlugin({ name: 'bare', api: 1, setup() {} });
const plugins = { shrink, budget, memory, foreign, valibot, bare };
const stock = Object.fromEntries(
  Object.entries(plugins).map(([name, plugin]) => [name, () => Promise.resolve({ default: plugin })]),
);

function load(toml: string, options: Partial<LoadManifestOptions> = {}): Promise<LoadedManifest> {
  const cwd = folderWith({ 'pith.toml': toml });
  return loadManifest({ cwd, env: {}, stock, defaultUse: ['shrink', 'budget', 'memory'], ...options });
}

async function problemsOf(
  toml: string,
  options: Partial<LoadManifestOptions> = {},
): Promise<readonly ManifestProblem[]> {
  try {
    return (await load(toml, options)).warnings;
  } catch (thrown) {
    if (!PithError.is(thrown, 'PITH_MANIFEST_INVALID')) throw thrown;
    return thrown.details?.problems as readonly ManifestProblem[];
  }
}

const told = async (toml: string, options: Partial<LoadManifestOptions> = {}): Promise<string[]> =>
  (await problemsOf(toml, options)).map(
    ({ severity, line, key, message }) =>
      `${severity === 'error' ? '' : 'warning '}${String(line)} ${key ?? ''}: ${message}`,
  );

describe('a valid manifest', () => {
  test('gives plugins their sections in code names, with defaults', async () => {
    const {
      config,
      plugins: used,
      warnings,
      foundBy,
    } = await load('[compaction]\nretained_tokens = 0\ncompact_threshold = "75%"\n[memory]\ncapacity = 7\n');
    expect(used).toEqual([shrink, budget, memory]);
    expect(config).toMatchObject({
      compaction: { retainedTokens: 0, compactThreshold: '75%', mode: 'on', autoReadBudget: 8000 },
      memory: { capacity: 7 },
    });
    expect([warnings, foundBy]).toEqual([[], 'search']);
  });

  test('works without a file, too', async () => {
    const { path, foundBy, core, config } = await loadManifest({
      cwd: folderWith(),
      env: {},
      stock,
      defaultUse: ['memory'],
    });
    expect([path, foundBy]).toEqual([undefined, 'none']);
    expect(core.model).toBeUndefined();
    expect(core.log.level).toBe('warn');
    expect(config).toEqual({ memory: { capacity: 20 } });
  });

  test('flag goes before environment, environment before file, file before default', async () => {
    const toml = '[compaction]\nmode = "on"\nretained_tokens = 1\n';
    const env = { PITH_COMPACTION: 'off' };
    const flags = { 'compaction.retained_tokens': 3, 'compaction.auto_read_budget': undefined };
    const { config, settings } = await load(toml, { env, flags });
    expect(config.compaction).toMatchObject({ mode: 'off', retainedTokens: 3, autoReadBudget: 8000 });
    const origins = Object.fromEntries(settings.map(({ section, key, origin }) => [`${section}.${key}`, origin]));
    expect(origins['compaction.mode']).toEqual({ from: 'environment', at: 'PITH_COMPACTION' });
    expect(origins['compaction.retained_tokens']).toEqual({ from: 'flag', at: '--retained-tokens' });
    expect(origins['compaction.auto_read_budget']).toEqual({ from: 'default' });
    const plain = (await load(toml, { env: { PITH_COMPACTION: '' } })).settings.find(({ key }) => key === 'mode');
    expect(plain).toEqual({
      section: 'compaction',
      key: 'mode',
      value: 'on',
      origin: { from: 'manifest', at: 'pith.toml:2' },
    });
  });

  test('paths start from where they are written', async () => {
    const root = folderWith({
      '.git/HEAD': '',
      'pith.toml': '[agent]\nroot = "src"\n[session]\ndir = "~/x"\n',
      'deep/er/a': '',
    });
    const cwd = join(root, 'deep/er');
    const { core, config, path } = await loadManifest({
      cwd,
      env: { HOME: '/nowhere' },
      stock,
      defaultUse: ['shrink'],
      flags: { 'compaction.cache': 'mine' },
    });
    expect(path).toBe(join(root, 'pith.toml'));
    expect(core.agent.root).toBe(join(root, 'src'));
    expect(core.session.dir).toMatch(/^\/.*\/x$/);
    expect(config.compaction?.cache).toBe(join(cwd, 'mine'));
    expect((await loadManifest({ cwd: root, env: {}, stock, defaultUse: ['shrink'] })).config.compaction?.cache).toBe(
      join(root, 'cache'),
    );
  });

  test('flags reach inner tables and sections within others, each by the option that gives it', async () => {
    const flags = {
      'transport.tls.ca_file': 'ca.pem',
      'transport.creds_file': 'me.creds',
      'transport.tls.cert_file': undefined,
      'compaction.model.model': 'small',
    };
    const { core, config, settings } = await load('[compaction.model]\nprovider = "p"\nmodel = "large"\n', { flags });
    expect(core.transport.tls.caFile).toMatch(/^\/.*\/ca\.pem$/);
    expect(core['compaction.model']).toMatchObject({ provider: 'p', model: 'small' });
    expect(config.compaction).not.toHaveProperty('model');
    const given = settings.filter(({ origin }) => origin.from === 'flag').map(({ key, origin }) => [key, origin.at]);
    expect(given.sort()).toEqual([
      ['creds_file', '--creds'],
      ['model', '--model'],
      ['tls.ca_file', '--tls-ca'],
    ]);
  });

  test('of a manifest that is shared with other processes only the core sections must be known', async () => {
    const toml = '[memory]\ncapacity = 5\n[unheard-of]\nx = 1\n[compaction]\nretained_tokens = 5\nunheard_of = 2\n';
    expect((await problemsOf(toml)).length).toBeGreaterThan(0);
    const { config, warnings } = await load(toml, { isShared: true });
    expect([config.compaction?.retainedTokens, warnings]).toEqual([5, []]);
    const problems = await problemsOf(`${toml}[log]\nlevle = "info"\n`, { isShared: true });
    expect(problems.map(({ key, nearest }) => [key, nearest])).toEqual([['log.levle', 'level']]);
  });

  test('core sections have their checked types', async () => {
    const { core } = await load(
      '[model]\nprovider = "anthropic"\nmodel = "m"\n[model.headers]\nX-Team = "a"\n[compaction.model]\nprovider = "openai"\nmodel = "n"\n[transport]\nkind = "nats"\n',
      { env: { NATS_URL: 'a:1, b:2', NATS_CA: 'ca.pem' } },
    );
    expect(core.model?.headers).toEqual({ 'X-Team': 'a' });
    expect(core['compaction.model']?.promptCache).toBe(true);
    expect(core.transport).toMatchObject({ kind: 'nats', servers: ['a:1', 'b:2'], namespace: 'pith' });
    expect(core.transport.tls.caFile).toMatch(/^\/.*\/ca\.pem$/);
  });

  test('sections of other schemas get their keys in code names, maps theirs as they are', async () => {
    const { config } = await load(
      '[foreign]\nmax_items = 4\nas-is = "x"\n[foreign.rules]\ndeep_key = true\n[foreign.tags]\nmy_tag = "x"\n[valibot]\nmax_items = 1\n',
      { defaultUse: ['foreign', 'valibot'] },
    );
    expect(config.foreign).toEqual({ maxItems: 4, 'as-is': 'x', rules: { deepKey: true }, tags: { my_tag: 'x' } });
    expect(config.valibot).toEqual({ maxItems: 1 });
  });

  test('starts a kernel as it is', async () => {
    const { plugins: used, config } = await load(
      '[plugins]\nuse = ["foreign", "shrink", "budget"]\n[foreign]\nmax_items = 4\n',
    );
    const kernel = await startKernel({ plugins: used, config });
    await kernel.stop();
  });

  test('any values that fit give that very configuration', async () => {
    const values = fc.record(
      {
        retained_tokens: fc.nat(),
        compact_threshold: fc.oneof(
          fc.integer({ min: 1, max: 1e9 }),
          fc.integer({ min: 1, max: 100 }).map((share) => `${String(share)}%`),
        ),
        auto_read_budget: fc.nat(),
        mode: fc.constantFrom('on', 'off'),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(values, fc.boolean(), async (given, dotted) => {
        const lines = Object.entries(given).map(
          ([key, value]) => `${dotted ? 'compaction.' : ''}${key} = ${JSON.stringify(value)}`,
        );
        const { config } = await load(`${dotted ? '' : '[compaction]\n'}${lines.join('\n')}`);
        const {
          retained_tokens: retainedTokens = 8000,
          auto_read_budget: autoReadBudget = 8000,
          mode = 'on',
          compact_threshold: compactThreshold,
        } = given;
        expect(config.compaction).toMatchObject({
          retainedTokens,
          autoReadBudget,
          mode,
          ...(compactThreshold !== undefined && { compactThreshold }),
        });
      }),
      { numRuns: 60 },
    );
  });

  test('that `pith init` writes is valid with the stock plugins, and so are the lines it comments out', async () => {
    const cwd = folderWith({ 'pith.toml': starterManifest() });
    const { warnings, config } = await loadManifest({ cwd, env: {}, stock: stockPlugins });
    expect(warnings).toEqual([]);
    expect(config.compaction).toMatchObject({ compactThreshold: '75%', compactRequestThreshold: '90%' });
    const all = starterManifest().replace(/^# (?=\[|\w+ = )/gm, '');
    const loaded = await loadManifest({ cwd: folderWith({ 'pith.toml': all }), env: {}, stock: stockPlugins });
    expect(loaded.warnings).toEqual([]);
    expect(loaded.config).toEqual(config);
  });
});

describe('a manifest with faults', () => {
  test('has all of them in one report, in the order of the file, with line, key, what was expected and the nearest key', async () => {
    const toml = `[agent]
system_promt = "x"
[compaction]
retained_token = 1
retained_tokens = -5
auto_read_budget = nan
mode = "On"
capacity = 3
[memry]
[model]
model = 3
[log]
level = inf
colour
[plugins]
use = ["shrink", "budgt", "memory"]
on_error = "stop"
`;
    const error: unknown = await load(toml).catch((thrown: unknown) => thrown);
    if (!PithError.is(error)) throw new Error('no error');
    expect(error.code).toBe('PITH_MANIFEST_INVALID');
    expect(error.message).toBe(`pith.toml has 11 faults:
  pith.toml:2:1 agent.system_promt: unknown key; did you mean system_prompt?
  pith.toml:4:1 compaction.retained_token: unknown key; did you mean retained_tokens?
  pith.toml:5:1 compaction.retained_tokens: expected a whole number of tokens of at least 0, got -5
  pith.toml:6:1 warning: compaction.auto_read_budget: belongs to plugin "budget", which is not in use; add it to [plugins] use, or remove this
  pith.toml:7:1 compaction.mode: expected one of "on", "off", got "On"
  pith.toml:8:1 compaction.capacity: unknown key; it belongs in [memory]
  pith.toml:9:1 memry: unknown section; did you mean [memory]?
  pith.toml:10:1 model.provider: is missing; expected a non-empty text
  pith.toml:11:1 model.model: expected a non-empty text, got 3
  pith.toml:13:1 log.level: expected one of "debug", "info", "warn", "error", got Infinity
  pith.toml:14:1 incomplete key-value: cannot find end of key
  pith.toml:16:18 plugins.use: plugin "budgt" was not found; it is no stock plugin (${Object.keys(stock).join(', ')}) and no package is installed under that name; did you mean "budget"?`);
    const problems = error.details?.problems as readonly ManifestProblem[];
    expect(problems.find(({ key }) => key === 'compaction.mode')).toEqual({
      severity: 'error',
      source: 'pith.toml',
      line: 7,
      column: 1,
      key: 'compaction.mode',
      message: 'expected one of "on", "off", got "On"',
      expected: 'one of "on", "off"',
    });
    expect(problems.find(({ key }) => key === 'compaction.retained_token')?.nearest).toBe('retained_tokens');
  });

  test.each([
    [
      '[compaction]\nretained_tokens = 1.5',
      '2 compaction.retained_tokens: expected a whole number of tokens of at least 0, got 1.5',
    ],
    [
      '[compaction]\nretained_tokens = "8k"',
      '2 compaction.retained_tokens: expected a whole number of tokens of at least 0, got "8k"',
    ],
    [
      '[compaction]\nretained_tokens = 1979-05-27',
      '2 compaction.retained_tokens: expected a whole number of tokens of at least 0, got a date',
    ],
    [
      '[compaction]\ncompact_threshold = "750%"',
      '2 compaction.compact_threshold: expected a whole number of at least 1 or a share such as "75%", got "750%"',
    ],
    ['[compaction]\nmode = ["on"]', '2 compaction.mode: expected one of "on", "off", got a list'],
    ['compaction = 3', '1 compaction: expected a table; write [compaction] and its keys below'],
    ['[[compaction]]\nretained_tokens = 3', '1 compaction: expected a table; write [compaction] and its keys below'],
    ['retained_tokens = 3', '1 retained_tokens: stands outside of any section; it belongs in [compaction]'],
    ['stray = 3', '1 stray: stands outside of any section'],
    [
      '[model]\nprovider = "openai-compatible"\nmodel = "m"',
      '1 model.base_url: is missing; provider "openai-compatible" needs it',
    ],
    [
      '[agent]\nsystem_prompt = "x"\nsystem_prompt_file = "y"',
      '3 agent.system_prompt_file: goes not together with system_prompt; give one of them',
    ],
    [
      '[model]\nprovider = "p"\nmodel = "m"\napi_key_env = "sk-ant-canary"',
      '4 model.api_key_env: expected the name of an environment variable, got a text',
    ],
    [
      '[transport]\nkind = "nats"',
      '1 transport.servers: is missing; kind "nats" needs it, or NATS_URL, or --servers where a command has it',
    ],
    ['[transport.tls]\ncert_file = "x"', '1 transport.tls: needs both cert_file and key_file, or neither'],
    [
      '[transport.tls]\ncertfile = "x"',
      '2 transport.tls.certfile: unknown key; there are ca_file, cert_file, key_file',
    ],
    [
      '[transport]\ntenant = "a.b"',
      '2 transport.tenant: is a part of a subject; expected 1 to 64 letters, digits, _ and -',
    ],
    ['[plugins]\nuse = ["memory", "memory"]', '2 plugins.use: plugin "memory" is named twice'],
    ['[plugins]\nuse = ["bare"]\n[bare]\nx = 1', '4 bare.x: unknown key; the section has none'],
    ['[compaction.modl]\nprovider = "x"', '1 compaction.modl: unknown key; did you mean model?'],
  ])('%j', async (toml, expected) => {
    expect(await told(toml)).toEqual([expected]);
  });

  test('names a word that needs a setting of another section, wherever either comes from', async () => {
    const load = (toml: string, options: Partial<LoadManifestOptions> = {}): Promise<string[]> =>
      told(toml, { stock: stockPlugins, defaultUse: ['compaction'], ...options });
    const nats = '[transport]\nkind = "nats"\nservers = ["a"]\n';
    const fault = 'compaction.worker: "remote" needs kind = "nats" in [transport]';
    expect(await load('[compaction]\nworker = "remote"')).toEqual([`2 ${fault}`]);
    expect(await load('[transport]\nkind = "local"\n[compaction]\nworker = "remote"')).toEqual([`4 ${fault}`]);
    expect(await load('', { flags: { 'compaction.worker': 'remote' } })).toEqual([expect.stringContaining(fault)]);
    expect(await load(`${nats}[compaction]\nworker = "remote"`)).toEqual([]);
    expect(await load(nats, { flags: { 'compaction.worker': 'remote' } })).toEqual([]);
    expect(await load('[compaction]\nworker = "offline"')).toEqual([]);
  });

  test('warns where it is odd and yet usable', async () => {
    const odd =
      '[compaction]\ncompact_threshold = 5\ncompact_request_threshold = 5\n[memory]\ncapacity = 1\n[plugins]\nuse = ["shrink"]\n';
    expect(await told(odd)).toEqual([
      'warning 2 compaction.compact_threshold: is not below compact_request_threshold',
      'warning 4 memory: belongs to plugin "memory", which is not in use; add it to [plugins] use, or remove this',
    ]);
    expect(await told('[memory]\ncapacity = 1', { without: ['memory'] })).toHaveLength(1);
  });

  test('names the variable or the flag that is at fault', async () => {
    const problems = await problemsOf('[compaction]\nmode = "on"\n', {
      env: { PITH_COMPACTION: 'maybe' },
      flags: { 'compaction.retained_tokens': -1 },
    });
    expect(problems.map(({ source, line, key }) => [source, line, key])).toEqual([
      ['--retained-tokens', undefined, 'compaction.retained_tokens'],
      ['PITH_COMPACTION', undefined, 'compaction.mode'],
    ]);
  });

  test('never repeats a secret', async () => {
    const toml = `[model]
provider = "p"
model = "m"
api_key = "canary-1"
base_url = "https://me:canary-2@host"
headers = { Authorization = "Bearer canary-3" }
[transport]
password = "canary-4"
servers = ["nats://u:canary-5@h"]
[compaction]
my_token = "canary-6"
mode = "canary-7 that is quite a bit longer"
retained_tokens = "canary-8 that is quite a bit longer"
[memory]
capacity = "canary-9
`;
    const error: unknown = await load(toml).catch((thrown: unknown) => thrown);
    expect(JSON.stringify([String(error), error])).not.toContain('canary');
    const keys = (PithError.is(error) ? (error.details?.problems as readonly ManifestProblem[]) : []).map(
      ({ key, line }) => key ?? line,
    );
    expect(keys).toEqual(
      expect.arrayContaining([
        'model.api_key',
        'model.base_url',
        'model.headers',
        'transport.password',
        'transport.servers',
        'compaction.my_token',
        15,
      ]),
    );
  });

  test('of another schema are told with their line, too', async () => {
    expect(
      await told('[foreign]\nmax_items = "x"\nmax_itms = 1\n[foreign.rules]\ndeep_key = 1\ndepp = 2\n', {
        defaultUse: ['foreign'],
      }),
    ).toEqual([
      '6 foreign.rules.depp: unknown key; there are deep_key',
      expect.stringMatching(/^2 foreign\.max_items: /),
      expect.stringMatching(/^5 foreign\.rules\.deep_key: /),
      '3 foreign.max_itms: unknown key; did you mean max_items?',
    ]);
  });

  test('a schema that throws is a fault of its section', async () => {
    const broken = definePlugin({
      name: 'broken',
      api: 1,
      config: {
        '~standard': {
          version: 1,
          vendor: 'x',
          validate: () => {
            throw new Error('broken schema');
          },
        },
      },
      setup() {},
    });
    expect(
      await told('[broken]\nx = 1', { stock: { broken: () => Promise.resolve(broken) }, defaultUse: ['broken'] }),
    ).toEqual(['1 broken: broken schema']);
  });
});

describe('the plugins of a manifest', () => {
  const names = ({ plugins: used }: LoadedManifest): string[] => used.map(({ name }) => name);

  test('are those of `use`, without and only', async () => {
    const toml = '[plugins]\nuse = ["memory", "shrink"]\n';
    expect(names(await load(toml))).toEqual(['memory', 'shrink']);
    expect(names(await load(toml, { without: ['memory'] }))).toEqual(['shrink']);
    expect(names(await load(toml, { only: ['shrink', 'budget'] }))).toEqual(['shrink', 'budget']);
    expect(names(await load('[plugins]\nuse = []'))).toEqual([]);
  });

  test('that cannot be loaded are left out with a warning if it says so', async () => {
    const loaded = await load('[plugins]\nuse = ["memory", "./gone.js"]\non_error = "skip"\n');
    expect(names(loaded)).toEqual(['memory']);
    expect(loaded.warnings).toMatchObject([{ severity: 'warning', line: 2, column: 18, key: 'plugins.use' }]);
  });
});
