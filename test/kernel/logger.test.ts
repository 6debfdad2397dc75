import fc from 'fast-check';
import { createLogger } from '../../core/kernel/logger';
import type { LogEntry, LogSink } from '../../core/kernel/logger';
import { createLogSink } from '../../core/kernel/log-sink';
import { plain } from '../../core/kernel/plain';

function lines(options: Parameters<typeof createLogSink>[0] = {}) {
  const written: string[] = [];
  const sink = createLogSink({
    now: () => Date.UTC(2030, 0, 2, 3, 4, 5, 6),
    ...options,
    write: (line) => written.push(line),
  });
  return { written, sink, log: createLogger(() => sink) };
}

const record = (level: LogSink['level'] = 'debug') => {
  const entries: LogEntry[] = [];
  return { entries, log: createLogger(() => ({ level, write: (entry) => entries.push(entry) })) };
};

describe('a logger', () => {
  it('writes what is at or above the level of its sink', () => {
    for (const [level, expected] of [
      ['debug', ['debug', 'info', 'warn', 'error']],
      ['warn', ['warn', 'error']],
      ['error', ['error']],
    ] as const) {
      const { log, entries } = record(level);
      log.debug('x');
      log.info('x');
      log.warn('x');
      log.error('x');
      expect(entries.map((entry) => entry.level)).toEqual(expected);
    }
  });

  it('binds fields, the newer ones over the older ones', () => {
    const { log, entries } = record();
    log.with({ a: 1, b: 1 }).with({ b: 2, c: 2 }).info('x', { c: 3 });
    log.info('y');
    expect(entries).toEqual([
      { level: 'info', message: 'x', fields: { a: 1, b: 2, c: 3 } },
      { level: 'info', message: 'y', fields: {} },
    ]);
  });

  it('does not fail with its sink', () => {
    const bad = createLogger(() => ({
      level: 'debug',
      write: () => {
        throw new Error('disk full');
      },
    }));
    expect(() => bad.error('x')).not.toThrow();
    expect(() =>
      createLogger(() => {
        throw new Error('no sink');
      }).error('x'),
    ).not.toThrow();
  });
});

describe('the stock sink', () => {
  it('writes warn and above by default, one JSON object per line where it is no terminal', () => {
    const { log, written } = lines();
    log.info('quiet');
    log.warn('loud', { plugin: 'p', n: 1, at: 'forged', level: 'forged' });
    expect(written).toHaveLength(1);
    expect(written[0]?.endsWith('\n')).toBe(true);
    expect(JSON.parse(written[0] as string)).toEqual({
      at: '2030-01-02T03:04:05.006Z',
      level: 'warn',
      message: 'loud',
      plugin: 'p',
      n: 1,
    });
  });

  it('writes for people where it is asked to', () => {
    const { log, written } = lines({ format: 'pretty', level: 'info' });
    log.info('started', { plugin: 'p', list: [1, 2], text: 'a b', nothing: undefined });
    expect(written).toEqual(['03:04:05.006 info  started plugin=p list=[1,2] text=a b\n']);
  });

  it('lets no text forge a line or steer a terminal', () => {
    const { log, written } = lines({ format: 'pretty' });
    log.error('one\ntwo\u001b[2J', { 'k\r': 'v\u009b\u2028' });
    expect(written).toEqual(['03:04:05.006 error one\\ntwo\\u001b[2J k\\u000d=v\\u009b\\u2028\n']);
  });

  it.each(['ndjson', 'pretty'] as const)('never fails on a field, however strange (%s)', (format) => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSet: true,
          withTypedArray: true,
          withSparseArray: true,
          withNullPrototype: true,
          withObjectString: true,
        }),
        (value) => {
          const written: string[] = [];
          createLogSink({ format, write: (line) => written.push(line) }).write({
            level: 'warn',
            message: 'x',
            fields: { value },
          });
          expect(written).toHaveLength(1);
          expect(written[0]?.indexOf('\n')).toBe((written[0] as string).length - 1);
        },
      ),
    );
  });
});

describe('any value as plain JSON', () => {
  it('says in words what JSON cannot say', () => {
    const loop: Record<string, unknown> = { n: 1 };
    loop['self'] = loop;
    const error = Object.assign(new TypeError('bad', { cause: 'deep' }), { code: 'E_BAD' });
    expect(plain(loop)).toEqual({ n: 1, self: '[circular]' });
    expect(plain([NaN, Infinity, 3n, Symbol('s'), function named() {}, undefined, null, true])).toEqual([
      'NaN',
      'Infinity',
      '3',
      'Symbol(s)',
      '[function named]',
      undefined,
      null,
      true,
    ]);
    expect(plain(error)).toMatchObject({
      name: 'TypeError',
      message: 'bad',
      code: 'E_BAD',
      cause: 'deep',
      stack: expect.stringContaining('TypeError: bad') as string,
    });
    expect(plain([new Date(0), new Date(NaN), new Map([[1, { a: 2 }]]), new Set(['x']), new Uint8Array(5)])).toEqual([
      '1970-01-01T00:00:00.000Z',
      'Invalid Date',
      { map: [[1, { a: 2 }]] },
      { set: ['x'] },
      '[5 bytes]',
    ]);
  });

  it('reads around what cannot be read', () => {
    const trap = {
      fine: 1,
      get bad() {
        throw new Error('no');
      },
    };
    expect(plain(trap)).toEqual({ fine: 1, bad: '[unreadable]' });
    expect(
      plain(
        new Proxy(
          {},
          {
            ownKeys: () => {
              throw new Error('no');
            },
          },
        ),
      ),
    ).toBe('[unreadable]');
  });

  it('is of bounded size and depth, and well-formed', () => {
    const deep = (levels: number): unknown => (levels === 0 ? 'end' : { in: deep(levels - 1) });
    expect(JSON.stringify(plain(deep(50)))).toContain('[…]');
    expect(plain(Array.from({ length: 103 }, (_, at) => at))).toHaveLength(101);
    expect((plain(Array.from({ length: 103 }, (_, at) => at)) as unknown[]).at(-1)).toBe('[3 more]');
    const wide = plain(Object.fromEntries(Array.from({ length: 102 }, (_, at) => [`k${String(at)}`, at]))) as object;
    expect(Object.keys(wide)).toHaveLength(101);
    expect(wide).toMatchObject({ '…': '2 more' });
    expect(plain('x'.repeat(5000))).toBe(`${'x'.repeat(4000)}… (5000 characters)`);
    expect(plain('\ud800')).toBe('\ufffd');
  });
});
