import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import type { CompactJob } from '../../../plugins/compaction';
import { portableJson } from '../../../plugins/compaction/portable-json';
import {
  compactAnswer,
  compactAsk,
  compactChannel,
  compactJob,
  compactProgress,
  compactReport,
} from '../../../plugins/compaction/protocol';
import { USED } from '../../support/worker';
import { errorOf, JOB } from './remote-kit';

const LONG = 'x'.repeat(1_000_001);
const LONE = 'a \ud800 b';

/** The value with one field, `a.0.b`, set to something else. */
function withField(value: unknown, path: string, field: unknown): unknown {
  const copy = structuredClone(value) as Record<string, unknown>;
  const steps = path.split('.');
  const last = steps.pop() as string;
  let inner = copy;
  for (const step of steps) inner = inner[step] as Record<string, unknown>;
  inner[last] = field;
  return copy;
}

describe('the messages of remote compaction', () => {
  const full: CompactJob = { ...JOB, focus: 'f', instructions: 'i', previousSummary: 'p' };
  const answer = { summary: 's', content: [{ type: 'text', text: 't' }], isError: true } as const;
  const image = { type: 'image', mediaType: 'image/png', data: 'AAAA', width: 3, height: 4 } as const;
  const messages = [
    ['a job', compactJob, full],
    ['a job without what may be left out', compactJob, JOB],
    ['an ask', compactAsk, { tool: 'read_file', args: { path: 'src/a.ts', offset: 3 } }],
    ['an answer', compactAnswer, answer],
    ['an answer with an image', compactAnswer, { summary: 's', content: [image] }],
    ['an answer with one text', compactAnswer, { summary: 's', content: 'c' }],
    ['progress', compactProgress, { phase: 'reading', tokens: 12.5, spent: { model: 'm', ...USED } }],
    ['a report', compactReport, USED],
  ] as const;

  test.each(messages)('%s is taken as it is', (_, schema, message) => {
    expect(schema.parse(JSON.parse(JSON.stringify(message)))).toEqual(message);
  });

  test.each(messages)('of %s what is unknown is left out, however deep', (_, schema, message) => {
    const free = new Set(['args', 'parameters']);
    const more = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(more);
      if (typeof value !== 'object' || value === null) return value;
      const fields = Object.entries(value).map(([key, inner]) => [key, free.has(key) ? inner : more(inner)]);
      return { ...(Object.fromEntries(fields) as object), toCome: 1 };
    };
    expect(schema.parse(more(message))).toEqual(message);
  });

  test.each([
    ['id', ''],
    ['id', 'x'.repeat(201)],
    ['sessionId', 'x'.repeat(1001)],
    ['sessionId', LONE],
    ['overview', LONG],
    ['overview', undefined],
    ['focus', null],
    ['range.from', -1],
    ['range.to', 0.5],
    ['defaultReferences', Array.from({ length: 1001 }, () => 'a')],
    ['defaultReferences.0', 'x'.repeat(4097)],
    ['tools', Array.from({ length: 101 }, () => JOB.tools[0])],
    ['tools.0.name', 'a b'],
    ['tools.0.parameters', { deep: LONG }],
    ['limits.maxInputTokens', Infinity],
    ['limits.timeoutMs', NaN],
    ['limits.autoReadBudget', -1],
    ['limits.summaryMaxTokens', 1e13],
    ['format', 'stock'],
  ])('a job is refused whose %s is out of bounds', (path, field) => {
    const { success, error } = compactJob.safeParse(withField(full, path, field));
    expect(success).toBe(false);
    expect(error?.issues[0]?.path.join('.')).toMatch(new RegExp(`^${path}`));
    expect(error?.message.length).toBeLessThan(1000);
  });

  test.each([
    ['a summary of 50 MB', compactAsk, { tool: 'write_summary', args: { text: 'x'.repeat(50_000_000) } }],
    ['a tool with an endless name', compactAsk, { tool: LONG, args: {} }],
    ['a text that is not well-formed', compactAsk, { tool: 'write_summary', args: { text: LONE } }],
    ['an answer that is too long', compactAnswer, { summary: 's', content: LONG }],
    [
      'an answer of a million parts',
      compactAnswer,
      { summary: 's', content: Array(1001).fill({ type: 'text', text: '' }) },
    ],
    ['an answer with a part of another kind', compactAnswer, { summary: 's', content: [{ type: 'audio' }] }],
    ['a cost that is no number', compactReport, withField(USED, 'usage.inputTokens', '12')],
    ['a cost below zero', compactReport, withField(USED, 'usage.outputTokens', -1)],
    ['a cost without end', compactProgress, { phase: 'p', tokens: Infinity }],
    ['half a request', compactReport, withField(USED, 'usage.requests', 0.5)],
    ['a report without a cost', compactReport, {}],
    ['a phase that is a novel', compactProgress, { phase: LONG, tokens: 0 }],
  ])('%s is refused', (_, schema, message) => {
    expect(schema.safeParse(message).success).toBe(false);
  });
});

describe('values that cross a process', () => {
  test('arrive as they were sent, where they have no fault', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, maxDepth: 4 }), (value) => {
        fc.pre(portableJson(value, 10_000) === undefined);
        const received = JSON.parse(JSON.stringify(value)) as unknown;
        expect(portableJson(received, 10_000)).toBeUndefined();
        expect(received).toEqual(JSON.parse(JSON.stringify(received)));
        expect(Object.keys((received ?? {}) as object)).toEqual(
          Object.entries((value ?? {}) as object).flatMap(([key, entry]) => (entry === undefined ? [] : [key])),
        );
      }),
    );
  });

  test('all JSON is taken', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = JSON.stringify(value);
        expect(portableJson(value, text.length + 1)).toBeUndefined();
      }),
    );
  });

  const cycle: Record<string, unknown> = {};
  cycle['inner'] = cycle;
  test.each([
    ['a bigint', { a: [1n] }, 'a.0', 'got bigint'],
    ['a function', { run: () => 1 }, 'run', 'got function'],
    ['a hole', [undefined], '0', 'got undefined'],
    ['a date', { at: new Date() }, 'at', 'plain object'],
    ['bytes', { a: { b: new Uint8Array(3) } }, 'a.b', 'plain object'],
    ['NaN', { n: NaN }, 'n', 'finite'],
    ['a lone surrogate', { t: LONE }, 't', 'well-formed'],
    ['a lone surrogate in a name', { [LONE]: 1 }, '', 'well-formed'],
    ['more characters than there may be', { a: 'xxxxxxxx', b: 'x'.repeat(1000) }, 'b', 'at most 100 characters'],
    ['more entries than there may be', Array.from({ length: 101 }, () => 0), '99', 'at most 100 characters'],
    ['what has no end', cycle, Array(17).fill('inner').join('.'), 'at most 100 characters'],
  ])('%s is refused, with the place where it is', (_, value, path, message) => {
    const fault = portableJson(value, 100);
    expect(fault?.path.join('.')).toBe(path);
    expect(fault?.message).toContain(message);
  });

  test('what is nested without end is refused and overflows nothing', () => {
    const deep = JSON.parse(`${'['.repeat(10_000)}${']'.repeat(10_000)}`) as unknown;
    expect(portableJson(deep, 1_000_000)?.message).toBe('expected at most 100 levels');
  });
});

describe('the channel of a pool', () => {
  test('has a subject of tenant and pool alone, one service, and the major of its messages', () => {
    expect(compactChannel({})).toMatchObject({ subject: 'job.default.default', service: 'pith-compact', major: 1 });
    expect(compactChannel({ tenant: 'acme-1', pool: 'gpu_2' }).subject).toBe('job.acme-1.gpu_2');
  });

  test.each(['a b', 'x.*', 'a.>', '..', '', '*', '>', 'é', 'x'.repeat(65), 'a\r\nPUB b', 7, null])(
    'X39: the name %j is refused at once, and the message says which it is and what it may be',
    async (name) => {
      for (const key of ['tenant', 'pool']) {
        const { code, message } = await errorOf(Promise.resolve().then(() => compactChannel({ [key]: name })));
        expect(code).toBe('PITH_BUS_SETTINGS');
        expect(message).toMatch(
          new RegExp(`^The ${key} .* is no part of a subject; use 1 to 64 letters, digits, _ and -`),
        );
      }
    },
  );
});

describe('zod', () => {
  test('is loaded neither by the core nor by the plugin, until jobs cross a process', () => {
    const script = `
      require('ts-node').register({ transpileOnly: true });
      const loaded = () => Object.keys(require.cache).some((path) => path.includes('/node_modules/zod/'));
      (async () => {
        const core = require('./core');
        const compaction = require('./plugins/compaction');
        const kernel = await core.createKernel({ plugins: [compaction] });
        const before = loaded();
        await kernel.stop();
        compaction.serveCompactWorker(core.createLocalBus(), compaction.offlineWorker);
        console.log(JSON.stringify([before, loaded()]));
      })();`;
    const told = execFileSync(process.execPath, ['-e', script], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    expect(JSON.parse(told)).toEqual([false, true]);
  });
});
