import fc from 'fast-check';
import { camelCase, configKeys, expectation, isConfigKeys, snakeCase, type ConfigOf } from '../../core/index';

const schema = configKeys(
  {
    retained_tokens: { type: 'integer', unit: 'tokens', default: 8000, doc: 'Kept.' },
    compact_threshold: { type: 'amount', unit: 'tokens', doc: 'Above it.' },
    ratio: { type: 'number', min: 0.5, max: 2, default: 1, doc: 'A ratio.' },
    mode: { type: 'choice', of: ['on', 'observe', 'off'], default: 'on', doc: 'Whether.' },
    background: { type: 'boolean', default: true, doc: 'Whether nobody waits.' },
    protected_tools: { type: 'strings', default: [], doc: 'Never emptied.' },
    headers: { type: 'map', doc: 'Sent along.' },
    model: { type: 'string', required: true, doc: 'Which.' },
    api_key_env: { type: 'variable', doc: 'Where the key is.' },
    tls: { type: 'table', doc: 'Certificates.', keys: { ca_file: { type: 'path', doc: 'Who signs.' } } },
  },
  ({ retainedTokens, mode }) => [
    ...(mode === 'off' && retainedTokens === 1 ? [{ key: 'mode', message: 'is off', severity: 'error' as const }] : []),
    ...(retainedTokens > 100_000 ? [{ key: 'retained_tokens', message: 'is much', severity: 'warning' as const }] : []),
  ],
);
type Config = ConfigOf<typeof schema.keys>;

function validate(value: unknown) {
  const result = schema['~standard'].validate(value);
  if (result instanceof Promise) throw new Error('validation is synchronous');
  return result;
}
const issuesOf = (value: unknown): string[] =>
  (validate(value).issues ?? []).map(({ path, message }) => `${(path ?? []).join('.')}: ${message}`);
const valueOf = (value: unknown): Config => {
  const result = validate(value);
  if (result.issues) throw new Error(JSON.stringify(result.issues));
  return result.value;
};

describe('config keys', () => {
  test('fill in defaults and leave optional keys undefined', () => {
    const config = valueOf({ model: 'm' });
    expect(config).toEqual({
      retainedTokens: 8000,
      ratio: 1,
      mode: 'on',
      background: true,
      protectedTools: [],
      model: 'm',
      tls: {},
    });
    const threshold: number | `${number}%` | undefined = config.compactThreshold;
    expect(threshold).toBeUndefined();
  });

  test('infer the types of a configuration from the table', () => {
    const config = valueOf({ model: 'm' });
    const mode: 'on' | 'observe' | 'off' = config.mode;
    const ca: string | undefined = config.tls.caFile;
    expect([mode, ca]).toEqual(['on', undefined]);
    // @ts-expect-error -- manifest names are not code names
    expect(config.retained_tokens).toBeUndefined();
    // @ts-expect-error -- a configuration is read-only, by type and in fact
    expect(() => (config.retainedTokens = 1)).toThrow(TypeError);
  });

  test('zero is a legal number of tokens', () => {
    expect(valueOf({ model: 'm', retainedTokens: 0 }).retainedTokens).toBe(0);
  });

  test('name every fault at once, by its code key', () => {
    expect(
      issuesOf({
        retainedTokens: -1,
        compactThreshold: '175%',
        ratio: Number.NaN,
        mode: 'On',
        background: 'yes',
        protectedTools: ['a', ' '],
        headers: { a: 1 },
        apiKeyEnv: 'sk-a-key-itself',
        tls: { caFile: '' },
      }),
    ).toEqual([
      'retainedTokens: expected a whole number of tokens of at least 0',
      'compactThreshold: expected a whole number of tokens of at least 1 or a share such as "75%"',
      'ratio: expected a number from 0.5 to 2',
      'mode: expected one of "on", "observe", "off"',
      'background: expected true or false',
      'protectedTools: expected a list of non-empty texts',
      'headers: expected a table of texts',
      'model: is missing; expected a non-empty text',
      'apiKeyEnv: expected the name of an environment variable',
      'tls.caFile: expected a path',
    ]);
  });

  test.each([[[]], ['text'], [3], [null]])('take no %p for a section', (value) => {
    const faults = issuesOf(value);
    expect(faults).toEqual(value === null ? ['model: is missing; expected a non-empty text'] : [': expected a table']);
  });

  test.each([1, 80_000, '1%', '75%', '99.5%', '100%'])('%p is an amount', (amount) => {
    expect(valueOf({ model: 'm', compactThreshold: amount }).compactThreshold).toBe(amount);
  });

  test.each([0, -1, 1.5, Number.NaN, Infinity, 2 ** 60, '0%', '101%', '75', '75 %', '%', '-5%', '1e1%', true])(
    '%p is no amount',
    (amount) => {
      expect(issuesOf({ model: 'm', compactThreshold: amount })).toHaveLength(1);
    },
  );

  test('leave keys of other owners alone, and never look at inherited ones', () => {
    const hostile = JSON.parse('{"model":"m","other":1,"__proto__":{"retainedTokens":1}}') as unknown;
    expect(valueOf(hostile)).toEqual(valueOf({ model: 'm' }));
    expect(valueOf(Object.assign(Object.create({ retainedTokens: 1 }), { model: 'm' })).retainedTokens).toBe(8000);
  });

  test('conflicts that are errors are issues, warnings are not', () => {
    expect(issuesOf({ model: 'm', mode: 'off', retainedTokens: 1 })).toEqual(['mode: is off']);
    const big = valueOf({ model: 'm', retainedTokens: 200_000 });
    expect(schema.conflicts(big)).toEqual([{ key: 'retained_tokens', message: 'is much', severity: 'warning' }]);
  });

  test('are told from other schemas', () => {
    expect(isConfigKeys(schema)).toBe(true);
    expect(isConfigKeys(undefined)).toBe(false);
    expect(isConfigKeys({ '~standard': { version: 1, vendor: 'zod', validate: (value) => ({ value }) } })).toBe(false);
  });

  test('say what they expect in words', () => {
    expect(
      expectation({ type: 'table', doc: '', keys: { a: { type: 'string', doc: '' }, b: { type: 'string', doc: '' } } }),
    ).toBe('a table with the keys a, b');
  });

  test('a validated configuration validates to itself', () => {
    const input = fc.record(
      {
        model: fc.constant('m'),
        retainedTokens: fc.nat(),
        compactThreshold: fc.oneof(
          fc.integer({ min: 1 }),
          fc.integer({ min: 1, max: 100 }).map((share) => `${share}%`),
        ),
        ratio: fc.double({ min: 0.5, max: 2, noNaN: true }),
        protectedTools: fc.array(fc.stringMatching(/^[a-z]+$/)),
        tls: fc.record({ caFile: fc.stringMatching(/^[a-z]+$/) }, { requiredKeys: [] }),
      },
      { requiredKeys: ['model'] },
    );
    fc.assert(
      fc.property(input, (value) => {
        const once = valueOf(value);
        expect(valueOf(once)).toEqual(once);
        expect(once).toMatchObject(value);
      }),
    );
  });

  test('names go both ways', () => {
    expect(camelCase('compact_worker_max_input_tokens')).toBe('compactWorkerMaxInputTokens');
    fc.assert(fc.property(fc.stringMatching(/^[a-z]+(_[a-z]+)*$/), (key) => snakeCase(camelCase(key)) === key));
  });
});
