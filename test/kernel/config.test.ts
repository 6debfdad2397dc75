import * as v from 'valibot';
import { z } from 'zod';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { checkConfig, sectionOf } from '../../core/kernel/config';
import type { RawConfig } from '../../core/kernel/config';
import { configKeys } from '../../core/kernel/config-keys';
import { plugin } from './kernels';

function withConfig(name: string, config: unknown, section?: string) {
  return plugin(name, undefined, { config: config as StandardSchemaV1, ...(section !== undefined && { section }) });
}

async function configOf(schema: unknown, raw: RawConfig): Promise<unknown> {
  const { configs, faults } = await checkConfig([withConfig('p', schema)], raw);
  expect(faults).toEqual([]);
  return configs.get('p');
}

describe('a section', () => {
  it('is that of the plugin, named by itself or by its section', async () => {
    expect(sectionOf(plugin('p'))).toBe('p');
    expect(sectionOf(plugin('p', undefined, { section: 's' }))).toBe('s');
    const schema = z.object({ n: z.number() });
    const { configs } = await checkConfig([withConfig('p', schema), withConfig('q', schema, 's')], {
      p: { n: 1 },
      s: { n: 2 },
    });
    expect(configs).toEqual(
      new Map([
        ['p', { n: 1 }],
        ['q', { n: 2 }],
      ]),
    );
  });

  it('is validated by any Standard Schema, its defaults filled in, also where it is absent', async () => {
    const keys = configKeys({ max_items: { type: 'integer', default: 3, doc: 'x' } });
    expect(await configOf(keys, {})).toEqual({ maxItems: 3 });
    expect(await configOf(keys, { p: { maxItems: 5 } })).toEqual({ maxItems: 5 });
    expect(await configOf(z.object({ n: z.number().default(7) }), {})).toEqual({ n: 7 });
    expect(await configOf(v.object({ n: v.optional(v.number(), 8) }), { p: {} })).toEqual({ n: 8 });
    expect(await configOf(z.object({ n: z.number().default(7) }), { p: null })).toEqual({ n: 7 });
  });

  it('may be validated asynchronously', async () => {
    const schema = z.object({ n: z.number().refine(async (n) => n > 1, 'too small') });
    expect(await configOf(schema, { p: { n: 2 } })).toEqual({ n: 2 });
    const { faults } = await checkConfig([withConfig('p', schema)], { p: { n: 1 } });
    expect(faults).toMatchObject([{ about: 'p.n', message: expect.stringContaining('too small') as string }]);
  });

  it('is undefined for a plugin without schema', async () => {
    expect(await configOf(undefined, { p: { n: 1 } })).toBeUndefined();
  });

  it('shows every issue with its place, of all plugins at once', async () => {
    const schema = z.object({ limits: z.object({ most: z.number() }), words: z.array(z.string()) });
    const { configs, faults } = await checkConfig(
      [withConfig('p', schema, 's'), withConfig('q', z.object({ n: z.number() })), withConfig('r', z.object({}))],
      { s: { limits: { most: 'x' }, words: ['a', 1] }, q: [] },
    );
    expect(faults.map(({ kind, plugin: of, about }) => [kind, of, about])).toEqual([
      ['config', 'p', 's.limits.most'],
      ['config', 'p', 's.words.1'],
      ['config', 'q', 'q'],
    ]);
    expect(faults[0]?.message).toContain('The configuration of plugin "p" is invalid: s.limits.most:');
    expect(faults[0]?.hint).toBe('Change it in section "s".');
    expect([...configs.keys()]).toEqual(['r']);
  });

  it('that its schema throws at is a fault, too', async () => {
    const schema = {
      '~standard': {
        version: 1,
        vendor: 'x',
        validate: () => {
          throw new Error('broken schema');
        },
      },
    };
    const { faults } = await checkConfig([withConfig('p', schema)], {});
    expect(faults[0]?.message).toContain('broken schema');
  });

  it('may be shared, each plugin seeing its own keys, even where its schema is strict', async () => {
    const plugins = [
      withConfig('a', configKeys({ auto: { type: 'integer', default: 1, doc: 'x' } }), 's'),
      withConfig('b', z.strictObject({ b: z.number() }), 's'),
      withConfig('c', v.strictObject({ c: v.number() }), 's'),
      withConfig('d', { '~standard': { version: 1, vendor: 'x', validate: (value: unknown) => ({ value }) } }, 's'),
    ];
    const { configs, faults } = await checkConfig(plugins, { s: { auto: 9, b: 2, c: 3 } });
    expect(faults).toEqual([]);
    expect(configs).toEqual(
      new Map<string, unknown>([
        ['a', { auto: 9 }],
        ['b', { b: 2 }],
        ['c', { c: 3 }],
        ['d', { auto: 9, b: 2, c: 3 }],
      ]),
    );
  });

  it('of one plugin alone is seen as it is', async () => {
    const { faults } = await checkConfig([withConfig('p', z.strictObject({ n: z.number() }))], {
      p: { n: 1, other: 2 },
    });
    expect(faults).toHaveLength(1);
  });
});

describe('a validated configuration', () => {
  it('cannot be changed at any depth, nor by changing what it was made from', async () => {
    const schema = { '~standard': { version: 1, vendor: 'x', validate: (value: unknown) => ({ value }) } };
    const raw = { p: { list: [{ n: 1 }], table: { n: 1 } } };
    const config = (await configOf(schema, raw)) as typeof raw.p;
    raw.p.list[0]!.n = 2;
    raw.p.table.n = 2;
    expect(config).toEqual({ list: [{ n: 1 }], table: { n: 1 } });
    for (const part of [config, config.list, config.list[0], config.table]) expect(Object.isFrozen(part)).toBe(true);
  });

  it('keeps what is no plain data as it is', async () => {
    const schema = { '~standard': { version: 1, vendor: 'x', validate: (value: unknown) => ({ value }) } };
    const at = new Date(0);
    const call = (): number => 1;
    const config = (await configOf(schema, {
      p: { at, call, bare: Object.assign(Object.create(null), { n: 1 }) },
    })) as Record<string, unknown>;
    expect(config['at']).toBe(at);
    expect(config['call']).toBe(call);
    expect(Object.isFrozen(at)).toBe(false);
    expect(config['bare']).toEqual({ n: 1 });
  });
});

describe('keys that reach a prototype', () => {
  it.each([
    ['{"p":{"__proto__":{"polluted":1}}}', 'p.__proto__'],
    ['{"p":{"deep":{"constructor":{"prototype":{"polluted":1}}}}}', 'p.deep.constructor'],
    ['{"p":{"list":[{"prototype":{}}]}}', 'p.list.0.prototype'],
  ])('are refused: %s', async (raw, about) => {
    const { faults } = await checkConfig([withConfig('p', z.looseObject({}))], JSON.parse(raw) as RawConfig);
    expect(faults).toMatchObject([
      { kind: 'config', plugin: 'p', about, message: expect.stringContaining('not allowed') as string },
    ]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('are not sections', async () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const { configs, faults } = await checkConfig([withConfig(name, z.object({ n: z.number().default(1) }))], {});
      expect(faults).toEqual([]);
      expect(configs.get(name)).toEqual({ n: 1 });
    }
  });

  it('do not matter to other sections', async () => {
    const raw = JSON.parse('{"other":{"__proto__":{}},"p":{}}') as RawConfig;
    expect((await checkConfig([withConfig('p', z.object({}))], raw)).faults).toEqual([]);
  });
});

describe('a section that contains itself', () => {
  it('is refused', async () => {
    const loop: Record<string, unknown> = {};
    loop['again'] = [loop];
    const { faults } = await checkConfig([withConfig('p', z.looseObject({}))], { p: loop });
    expect(faults).toMatchObject([
      { about: 'p.again.0', message: expect.stringContaining('contains itself') as string },
    ]);
  });
});
