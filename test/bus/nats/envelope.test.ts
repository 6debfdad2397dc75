import fc from 'fast-check';
import { runInNewContext } from 'node:vm';
import { decode, encode } from '../../../core/bus/nats/envelope';
import { errorFrame } from '../../../core/bus/nats/frames';
import { PithError } from '../../../core/errors';

const text = (body: unknown): string => Buffer.from(encode(body, 'test.envelope')).toString('utf8');
const read = (bytes: string | Uint8Array): unknown => decode(Buffer.from(bytes as string), 'test.envelope');

function fault(run: () => unknown): PithError {
  try {
    run();
  } catch (thrown) {
    if (PithError.is(thrown, 'PITH_BUS_BAD_MESSAGE')) return thrown;
    throw thrown;
  }
  throw new Error('it was taken');
}

/** A list in a list, so many levels. */
function nested(levels: number): unknown {
  let list: unknown = [];
  for (let level = 1; level < levels; level++) list = [list];
  return list;
}

describe('a body that crosses', () => {
  it('is the same on the other side, whatever JSON it is', () => {
    const json = fc.jsonValue({ stringUnit: 'binary', noUnicodeString: false } as object);
    fc.assert(
      fc.property(json, (body) => {
        expect(read(encode(body, 'test.envelope'))).toEqual(JSON.parse(JSON.stringify(body)));
      }),
    );
  });

  it('keeps every character, also halves of pairs', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff })), (units) => {
        const body = { [String.fromCharCode(...units)]: String.fromCharCode(...units) };
        expect(read(encode(body, 'test.envelope'))).toEqual(body);
      }),
    );
    expect(read(encode(['ASCII', 'Zürich', '\ud83d', '🙂'], 'test.envelope'))).toEqual([
      'ASCII',
      'Zürich',
      '\ud83d',
      '🙂',
    ]);
  });

  it('leaves out fields that are undefined, as JSON does', () => {
    expect(text({ a: undefined, b: { c: undefined, d: null } })).toBe('{"b":{"d":null}}');
  });

  it('passes names that mean something elsewhere, harmlessly', () => {
    const body = JSON.parse('{"__proto__":{"polluted":1},"constructor":2,"err":3,"response":4,"toJSON":5}') as object;
    const crossed = read(encode(body, 'test.envelope')) as object;
    expect(text(crossed)).toBe(text(body));
    expect(Object.getPrototypeOf(crossed)).toBe(Object.prototype);
    expect(Object.keys(crossed)).toContain('__proto__');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('may come from another realm, and without a prototype', () => {
    expect(text(runInNewContext('({ a: [{ b: 1 }] })'))).toBe('{"a":[{"b":1}]}');
    expect(text(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}');
  });

  it('may be the same object twice, but not within itself', () => {
    const shared = { n: 1 };
    expect(text([shared, shared])).toBe('[{"n":1},{"n":1}]');
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    expect(fault(() => text(cycle)).message).toContain('in itself');
  });

  it('has at most 200 levels, on either side', () => {
    expect(read(encode(nested(200), 'test.envelope'))).toEqual(nested(200));
    expect(fault(() => text(nested(201))).message).toContain('nested too deeply');
    const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(read(deep(200))).toEqual(nested(200));
    for (const levels of [201, 10_000, 400_000]) fault(() => read(deep(levels)));
  });
});

describe('what JSON would lose', () => {
  class Person {
    name = 'x';
  }
  test.each([
    ['undefined', undefined, ' is undefined'],
    ['a function', () => 1, ' is a function'],
    ['a symbol', Symbol('x'), ' is a symbol'],
    ['a bigint', 1n, ' is a bigint'],
    ['NaN', NaN, ' is NaN'],
    ['Infinity', -Infinity, ' is -Infinity'],
    ['a date', new Date(0), ' is an instance of a class'],
    ['a map', new Map(), ' is an instance of a class'],
    ['bytes', new Uint8Array(2), ' is an instance of a class'],
    ['a buffer', Buffer.from('x'), ' is an instance of a class'],
    ['an error', new Error('x'), ' is an instance of a class'],
    ['a promise', Promise.resolve(), ' is an instance of a class'],
    ['an instance of a class', new Person(), ' is an instance of a class'],
  ])('%s is refused with its path', (_, value, why) => {
    expect(fault(() => text(value)).message).toContain(`body${why}`);
    const message = fault(() => text({ items: [0, 1, 2, { at: [value] }] })).message;
    expect(message).toContain(`body.items[3].at[0]${why}`);
  });

  it('is told in a path that stays short and readable, whatever the names', () => {
    expect(fault(() => text({ 'a b"': NaN })).message).toContain('body["a b\\""] is NaN');
    expect(fault(() => text({ ['x'.repeat(5000)]: NaN })).message.length).toBeLessThan(200);
  });

  it('is a hole in a list, a function that JSON would call, and what throws when it is read', () => {
    expect(fault(() => text(new Array(2))).message).toContain('body[0] is undefined');
    expect(fault(() => text({ toJSON: () => 1 })).message).toContain('body.toJSON is a function');
    const trap = {
      get at() {
        throw new Error('trapped');
      },
    };
    expect(fault(() => text(trap)).message).toContain('trapped');
  });
});

describe('what comes', () => {
  it('is JSON in UTF-8, or refused as a bad message, whatever bytes they are', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.string(),
          fc.json().map((json) => json.slice(1)),
        ),
        (bytes) => {
          let body: unknown;
          try {
            body = read(bytes);
          } catch (thrown) {
            expect(thrown).toMatchObject({ code: 'PITH_BUS_BAD_MESSAGE' });
            return;
          }
          expect(body).toEqual(JSON.parse(Buffer.from(bytes as string).toString('utf8')));
        },
      ),
    );
  });

  test.each([
    ['nothing', ''],
    ['a word', 'secret-word'],
    ['half an object', '{"password":"secret-word"'],
    ['bytes that are no text', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
    ['half a character', Buffer.from([0x22, 0xc3, 0x22])],
  ])('%s is refused, and not quoted', (_, bytes) => {
    const { message, details } = fault(() => read(bytes));
    expect(message).not.toContain('secret-word');
    expect(details).toEqual({ subject: 'test.envelope' });
  });
});

describe('an error that crosses', () => {
  const bodyOf = (error: PithError): unknown => JSON.parse(Buffer.from(errorFrame(error).data).toString());
  const rejected = (cause: unknown) => new PithError('PITH_BUS_REJECTED', 'wrapped', { cause });

  it('has code, message and details of what was thrown, neither stack nor cause', () => {
    const cause = new PithError('PITH_USAGE', 'no room', {
      details: { ms: 7 },
      cause: new Error('inner'),
      plugin: 'p',
    });
    expect(bodyOf(rejected(cause))).toEqual({ code: 'PITH_USAGE', message: 'no room', details: { ms: 7 } });
    expect(bodyOf(rejected(new Error('plain')))).toEqual({ code: 'PITH_BUS_REJECTED', message: 'plain' });
  });

  it('loses those details that are no JSON, one by one', () => {
    const details = {
      kept: [1, { two: undefined }],
      none: undefined,
      date: new Date(0),
      deep: { n: 1n },
      get trap() {
        throw new Error('trapped');
      },
    };
    expect(bodyOf(new PithError('PITH_USAGE', 'x', { details }))).toEqual({
      code: 'PITH_USAGE',
      message: 'x',
      details: { kept: [1, {}] },
    });
  });

  it('is small, whatever it says, and one line in its header', () => {
    const error = new PithError('PITH_USAGE', `two\r\nlines ${'x'.repeat(1e6)}`, {
      details: { much: 'y'.repeat(1e6) },
    });
    const { data, headers } = errorFrame(error);
    expect(data.length).toBeLessThan(20_000);
    expect(headers?.[2]?.[1]).toMatch(/^two lines x+$/);
    expect(headers?.[2]?.[1].length).toBeLessThanOrEqual(200);
  });

  test.each([[undefined], [null], [Object.create(null)], [Symbol('x')], [Object.assign(new Error(), { message: 5 })]])(
    'may be anything that was thrown',
    (thrown) => {
      expect(bodyOf(rejected(thrown))).toMatchObject({ message: expect.any(String) as string });
    },
  );
});
