import Ajv from 'ajv';
import fc from 'fast-check';
import { schemaProblems } from '../../core/agent/json-schema';
import type { Json } from '../../core/session/items';

describe('arguments against JSON Schema', () => {
  it.each([
    [{ type: 'string' }, 3, ['the arguments must be string, not number']],
    [{ type: ['string', 'null'] }, true, ['the arguments must be string or null, not boolean']],
    [{ type: ['string', 'null'] }, null, []],
    [{ type: 'integer' }, 1.5, ['the arguments must be integer, not number']],
    [{ type: 'number' }, 1, []],
    [{ type: 'array', items: { type: 'string' } }, ['a', 1], ['"[1]" must be string, not number']],
    [
      { type: 'array', prefixItems: [{ type: 'number' }], items: { type: 'string' } },
      [1, 'a', 2],
      ['"[2]" must be string, not number'],
    ],
    [
      { properties: { a: { properties: { b: { type: 'null' } } } } },
      { a: { b: 1 } },
      ['"a.b" must be null, not number'],
    ],
    [{ required: ['a', 'b'] }, { b: 1 }, ['"a" is missing']],
    [{ required: ['toString'] }, {}, ['"toString" is missing']],
    [{ properties: { a: {} }, additionalProperties: false }, { a: 1, c: 2 }, ['"c" is not allowed']],
    [{ additionalProperties: { type: 'number' } }, { c: 'x' }, ['"c" must be number, not string']],
    [{ patternProperties: { '^c': {} }, additionalProperties: false }, { c: 'x' }, []],
    [{ enum: ['a', { b: 1 }] }, 'c', ['the arguments must be one of "a", {"b":1}']],
    [{ enum: ['a', { b: 1 }] }, { b: 1 }, []],
    [{ const: 2 }, 3, ['the arguments must be 2']],
    [{ minimum: 2, maximum: 3 }, 1, ['the arguments must be at least 2 (is 1)']],
    [{ minimum: 2, maximum: 3 }, 4, ['the arguments must be at most 3 (is 4)']],
    [{ exclusiveMinimum: 2 }, 2, ['the arguments must be above 2 (is 2)']],
    [{ exclusiveMaximum: 2 }, 2, ['the arguments must be below 2 (is 2)']],
    [{ minLength: 2 }, '\u{1f600}', ['the length of the arguments must be at least 2 (is 1)']],
    [{ maxLength: 1 }, '\u{1f600}', []],
    [{ minItems: 1 }, [], ['the length of the arguments must be at least 1 (is 0)']],
    [{ maxItems: 1 }, [1, 2], ['the length of the arguments must be at most 1 (is 2)']],
    [{ allOf: [{ type: 'string' }, { minLength: 2 }] }, 'a', ['the length of the arguments must be at least 2 (is 1)']],
    [
      { anyOf: [{ type: 'string' }, { type: 'object', required: ['a', 'b'] }] },
      {},
      ['the arguments must be string, not object'],
    ],
    [{ oneOf: [{ type: 'string' }, { type: 'number' }] }, 1, []],
    [{ $ref: '#/$defs/a~1b', $defs: { 'a/b': { type: 'string' } } }, 1, ['the arguments must be string, not number']],
    [{ $ref: '#/$defs/none' }, 1, []],
    [{ $ref: 'https://elsewhere/schema' }, 1, []],
    [{ $ref: '#' }, 1, []],
    [false, 1, ['the arguments is not allowed']],
    [true, 1, []],
    [{ unheard: 'of' }, 1, []],
  ] as readonly (readonly [Json, Json, readonly string[]])[])('%j and %j', (schema, value, problems) => {
    expect(schemaProblems(schema, value)).toEqual(problems);
  });

  it('end for schemas that refer to themselves without end', () => {
    const schema = { anyOf: [{ $ref: '#' }, { $ref: '#' }, { allOf: [{ $ref: '#' }, { $ref: '#' }] }] };
    expect(schemaProblems(schema, 1)).toEqual([]);
  });

  it('follow schemas that refer to themselves with the value', () => {
    const tree = {
      type: 'object',
      properties: { kids: { type: 'array', items: { $ref: '#' } }, n: { type: 'number' } },
    } as const;
    expect(schemaProblems(tree, { kids: [{ kids: [{ n: 'x' }] }] })).toEqual([
      '"kids[0].kids[0].n" must be number, not string',
    ]);
  });

  it('are judged as a full validator judges them, for the keywords that are known', () => {
    const leaf = fc.oneof(
      fc.constant({}),
      fc.record({ type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object') }),
      fc.record({ minimum: fc.integer({ min: -3, max: 3 }), maxItems: fc.nat(2), minLength: fc.nat(2) }),
      fc.record({ enum: fc.uniqueArray(fc.oneof(fc.nat(2), fc.constantFrom('a', 'b', null, true)), { minLength: 1 }) }),
    );
    const { schema } = fc.letrec<{ schema: object }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.record({
          properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema')),
          required: fc.uniqueArray(fc.constantFrom('a', 'b', 'c')),
        }),
        fc.record({
          properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema')),
          additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
        }),
        fc.record({ items: tie('schema') }),
        fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
        fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
      ),
    }));
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.oneof(
          fc.constantFrom('a', 'b', 'abc', '', null, true, false),
          fc.integer({ min: -4, max: 4 }),
          fc.constantFrom(0.5, 1.5),
        ),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value')),
      ) as fc.Arbitrary<Json>,
    }));
    const ajv = new Ajv({ strict: false });
    fc.assert(
      fc.property(schema, value, (given, json) => {
        expect(schemaProblems(given as Json, json).length === 0).toBe(ajv.compile(given)(json));
      }),
      { numRuns: 300 },
    );
  });
});
