import fc from 'fast-check';
import { readdirSync } from 'node:fs';
import { createSource, FORMATS } from '../../core/formats';
import { fixture, FIXTURES } from './reading';

/** A JSON value in which one randomly chosen place was replaced, renamed, removed or doubled. */
function mutate(value: unknown, path: readonly number[], change: Change): unknown {
  const [step, ...rest] = path;
  if (typeof value !== 'object' || value === null || step === undefined)
    return change.kind === 'replace' ? change.value : value;
  const entries = Object.entries(value);
  if (entries.length === 0) return change.kind === 'replace' ? change.value : value;
  const at = step % entries.length;
  const [name, inner] = entries[at] as [string, unknown];
  const isLast = rest.length === 0 || typeof inner !== 'object' || inner === null;
  if (isLast && change.kind === 'remove') entries.splice(at, 1);
  else if (isLast && change.kind === 'double') entries.splice(at, 0, [name, inner]);
  else if (isLast && change.kind === 'rename') entries[at] = [change.name, inner];
  else entries[at] = [name, mutate(inner, rest, change)];
  if (Array.isArray(value)) return entries.map(([, element]) => element);
  // As JSON text, so that `__proto__` becomes a field and not a prototype.
  return JSON.parse(
    `{${entries.map(([key, element]) => `${JSON.stringify(key)}:${JSON.stringify(element ?? null)}`).join(',')}}`,
  );
}

type Change =
  | { readonly kind: 'replace'; readonly value: unknown }
  | { readonly kind: 'rename'; readonly name: string }
  | { readonly kind: 'remove' | 'double' };

const odd = fc.oneof(
  fc.constantFrom<unknown>(null, true, -1, 1e308, '', 'x'.repeat(10_000), [], {}, [[[]]], '\ud800', '__proto__', {
    __proto__: 1,
  }),
  fc.jsonValue({ maxDepth: 4 }),
);
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: odd.map((value) => ({ kind: 'replace' as const, value })) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('__proto__', 'constructor', 'toString', 'type', 'content')
      .map((name) => ({ kind: 'rename' as const, name })),
  },
  { weight: 1, arbitrary: fc.constantFrom('remove' as const, 'double' as const).map((kind) => ({ kind })) },
);
const changes = fc.array(fc.tuple(fc.nat(), fc.array(fc.nat(), { minLength: 1, maxLength: 7 }), change), {
  minLength: 1,
  maxLength: 6,
});

/** Pith's own log is not foreign: what is wrong with it is an error (S5.5). */
const FOREIGN = FORMATS.filter((format) => format.name !== 'pith');

function readAll(path: string, text: string): void {
  const source = createSource(path, text);
  for (const format of FOREIGN) {
    const sureness = format.detect(source);
    expect(sureness >= 0 && sureness <= 1).toBe(true);
    for (const session of format.read(source)) {
      expect(JSON.parse(JSON.stringify(session))).toMatchObject({ format: format.name });
      let items = 0;
      for (const record of session.records) {
        if (record.t === 'item') items++;
        if (record.t === 'checkpoint') expect(record.cut).toBeLessThanOrEqual(items);
        if (record.t === 'usage') expect(record.usage.inputTokens).toBeGreaterThan(0);
      }
    }
  }
  expect(Object.keys(Object.prototype)).toEqual([]);
}

describe('foreign content of any shape', () => {
  test.each(readdirSync(FIXTURES))(
    'in %s is read by every format without a throw and pollutes no prototype',
    (name) => {
      const source = fixture(name);
      const isLines = name.endsWith('.jsonl');
      const whole: unknown = isLines ? source.lines.values : source.json;
      fc.assert(
        fc.property(changes, (steps) => {
          const mutated = steps.reduce((value, [first, path, what]) => mutate(value, [first, ...path], what), whole);
          const text =
            isLines && Array.isArray(mutated)
              ? mutated.map((line) => JSON.stringify(line)).join('\n')
              : JSON.stringify(mutated);
          readAll(name, text);
        }),
        { numRuns: 40 },
      );
    },
  );

  test.each(readdirSync(FIXTURES))('in %s may be cut off anywhere', (name) => {
    const { text } = fixture(name);
    fc.assert(
      fc.property(fc.nat(text.length), (end) => readAll(name, text.slice(0, end))),
      { numRuns: 30 },
    );
  });

  test('may be nested deeper than the stack reaches', () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    for (const [name, old] of [
      ['claude-code.jsonl', '{"command":"npm test"}'],
      ['pi-v1.jsonl', '{"path":"site.json"}'],
      ['codex.jsonl', '"Add a test."'],
      ['gemini-cli.json', '"a.txt"'],
      ['opencode.json', '"b\\na\\n"'],
    ] as const) {
      const { text } = fixture(name);
      expect(text).toContain(old);
      readAll(name, text.replace(old, deep));
    }
  });

  test('of many megabytes in one string is read in linear time', () => {
    for (const filler of ['a', ' ', '\\n', '{', 'Output:\\n', '<']) {
      const huge = filler.repeat(4_000_000 / filler.length);
      const { text } = fixture('codex.jsonl');
      readAll('codex.jsonl', text.replace('Exit code: 1', huge));
    }
  });
});
