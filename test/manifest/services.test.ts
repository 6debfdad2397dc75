/** What S3.3 says of services, for plugins that a manifest names. */
import { agentFromManifest, CLOCK, createAgent, createSessionToken, createToken, PithError } from '../../core/index';
import type { Agent } from '../../core/index';
import { loadManifest } from '../../core/manifest';
import { folderWith } from '../files/folder';

const WORD = createToken<string>('acme/word');
const VISITS = createSessionToken<{ readonly made: number }>('acme/visits');

/** Starts the agent of a manifest that uses these plugins, each the body of an object literal. */
async function start(plugins: Readonly<Record<string, string>>): Promise<Agent> {
  const use = Object.keys(plugins).map((name) => `./${name}.cjs`);
  const files = Object.entries(plugins).map(([name, body]) => [
    `${name}.cjs`,
    `const WORD = { name: 'acme/word', scope: 'kernel' }, OTHER = { name: 'acme/other', scope: 'kernel' };
     const VISITS = { name: 'acme/visits', scope: 'session' }, CLOCK = { name: 'pith/clock', scope: 'kernel' };
     module.exports = { name: '${name}', api: 1, setup() {}, ${body} };`,
  ]);
  const manifest = `[plugins]\nuse = ${JSON.stringify(use)}\n[session]\nstore = "memory"\n`;
  const cwd = folderWith({ ...(Object.fromEntries(files) as Record<string, string>), 'pith.toml': manifest });
  const options = await agentFromManifest(await loadManifest({ cwd, env: {}, stock: {} }));
  return createAgent({ ...options, log: { level: 'error', write: () => undefined } });
}

async function failure(plugins: Readonly<Record<string, string>>): Promise<PithError> {
  const thrown: unknown = await start(plugins).catch((error: unknown) => error);
  if (!PithError.is(thrown)) throw new Error(`not a Pith error: ${String(thrown)}`);
  return thrown;
}

describe('services of plugins that a manifest names', () => {
  test('come from who replaces before who provides, in whatever order they are listed', async () => {
    const plugins = {
      user: `needs: { word: WORD }, provides: [OTHER], setup({ needs, provide }) { provide(OTHER, () => needs.word + '!'); }`,
      loud: `replaces: [WORD], setup({ provide }) { provide(WORD, (word) => word.toUpperCase()); }`,
      server: `provides: [WORD], setup({ provide }) { provide(WORD, () => 'word'); }`,
    };
    await using agent = await start(plugins);
    expect(agent.kernel.get(WORD)).toBe('WORD');
    expect(agent.kernel.get(createToken<string>('acme/other'))).toBe('WORD!');
    expect(agent.kernel.describe().plugins.at(-1)?.name).toBe('user');
  });

  test('may wrap a default of the core', async () => {
    await using agent = await start({
      early: `replaces: [CLOCK], setup({ provide }) { provide(CLOCK, (clock) => ({ ...clock, now: () => -1, after: clock.after })); }`,
    });
    expect(agent.kernel.get(CLOCK).now()).toBe(-1);
  });

  test('of a session exist once in each, built on first use and disposed with it', async () => {
    await using agent = await start({
      visits: `provides: [VISITS], setup({ provide, bus }) {
        let made = 0;
        provide(VISITS, (session) => ({ made: ++made, [Symbol.dispose]: () => bus.publish('acme.gone', session.id) }));
      }`,
    });
    const gone: unknown[] = [];
    agent.kernel.bus.onAny((name, payload) => void (name === 'acme.gone' && gone.push(payload)));
    const [one, other] = [await agent.open('one'), await agent.open('other')];
    expect(other.session.get(VISITS).made).toBe(1);
    expect(one.session.get(VISITS).made).toBe(2);
    expect(one.session.get(VISITS)).toBe(one.session.get(VISITS));
    await one.close();
    expect(gone).toEqual(['one']);
  });

  test('that do not fit together are one error with all faults, each with plugin, token and what to do', async () => {
    const graph = await failure({
      needy: `needs: { moon: { name: 'acme/wrod', scope: 'kernel' } }`,
      one: `provides: [WORD]`,
      two: `provides: [WORD]`,
      old: `api: 7`,
      ring: `needs: { other: OTHER }, provides: [VISITS]`,
      gnir: `needs: { visits: VISITS }, provides: [OTHER]`,
    });
    expect(graph.code).toBe('PITH_PLUGIN_GRAPH');
    const faults = graph.details?.['faults'] as readonly { readonly kind: string; readonly hint: string }[];
    expect(faults.map(({ kind }) => kind).sort()).toEqual([
      'cycle',
      'incompatible-api',
      'missing-need',
      'two-providers',
    ]);
    expect(faults.every(({ hint }) => hint !== '')).toBe(true);
    for (const words of ['Did you mean "acme/word"', '"one" and "two"', 'interface 7', 'ring → gnir → ring'])
      expect(graph.message).toContain(words);
  });

  test('that are declared and not provided are a fault of the start', async () => {
    const error = await failure({ forgets: `provides: [WORD]` });
    expect(error).toMatchObject({ code: 'PITH_PLUGIN_GRAPH', plugin: 'forgets' });
    expect(error.message).toContain('"acme/word"');
  });

  test('cannot be registered after setup', async () => {
    await using agent = await start({
      late: `provides: [WORD], setup({ provide, hooks, bus }) {
        provide(WORD, () => 'word');
        bus.on('acme.now', () => {
          const codes = [() => provide(WORD, () => 'x'), () => hooks.on('post_run', () => {}), () => hooks.define({})].map((late) => {
            try { late(); return 'nothing'; } catch (error) { return error.code; }
          });
          bus.publish('acme.codes', codes);
        });
      }`,
    });
    const told: unknown[] = [];
    agent.kernel.bus.onAny((name, payload) => void (name === 'acme.codes' && told.push(payload)));
    agent.kernel.bus.publish('acme.now' as never, undefined as never);
    const [codes] = told as [readonly string[]];
    expect(codes).toEqual(['PITH_SETUP_OVER', 'PITH_SETUP_OVER', 'PITH_SETUP_OVER']);
  });

  test('wishes about plugins that are not in use are no fault', async () => {
    await using agent = await start({ one: `before: ['absent'], after: ['absent']` });
    expect(agent.kernel.describe().plugins.map(({ name }) => name)).toEqual(['one']);
  });
});
