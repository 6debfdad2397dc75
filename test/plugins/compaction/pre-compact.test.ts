import { COMPACTION, CONTEXT, definePlugin } from '../../../core';
import type { Handler, NewItem, Plugin } from '../../../core';
import { assistant, call, prose, result, user } from '../../support/context';
import { compact, start, STOCK, view } from '../../support/kernel';
import { scriptedWorker, summaryOf, writing } from '../../support/worker';

const history: readonly NewItem[] = [
  user('please port it'),
  ...Array.from({ length: 30 }, (_, at) => [call(`c${at}`), result(`c${at}`, prose(1000))]).flat(),
  assistant('half done'),
  user('go on'),
];

const hearing = (name: string, handler: Handler<'pre_compact'>): Plugin =>
  definePlugin({ name, api: 1, setup: ({ hooks }) => hooks.on('pre_compact', handler) });

async function withPlugins(plugins: readonly Plugin[], config = {}) {
  const worker = scriptedWorker(writing(summaryOf('It was ported in part.')));
  const host = await start({ plugins: [...STOCK, worker.plugin, ...plugins], config: { compaction: config } });
  return { host, worker, session: host.open(history) };
}

describe('pre_compact (S3.5)', () => {
  test('is asked when a plan is made and nothing has run, with the plan and the focus', async () => {
    const { host, worker, session } = await withPlugins([]);
    await using _ = host;
    const plan = host.kernel.get(COMPACTION).plan(session);
    await compact(host, session, { focus: 'the parser' });
    const [asked, ...more] = host.hooks('pre_compact');
    expect(asked).toMatchObject({ role: 'main', trigger: 'manual', plan, focus: 'the parser' });
    expect([more, worker.jobs.length]).toEqual([[], 1]);
    const order = host.heard.map(({ name }) => name);
    expect(order.indexOf('hook:pre_compact')).toBeLessThan(order.indexOf('compaction.started'));
  });

  test('is not asked where there is nothing to do', async () => {
    const { host } = await withPlugins([]);
    await using _ = host;
    await compact(host, host.open([user('hi')]));
    expect(host.hooks('pre_compact')).toEqual([]);
  });

  test('a veto ends it without a start; nobody after it is asked', async () => {
    const { host, worker, session } = await withPlugins([
      hearing('lawyer', () => ({ do: 'cancel', reason: 'audit' })),
      hearing('clerk', () => {
        throw new Error('must not be asked');
      }),
    ]);
    await using _ = host;
    const { digest } = view(session);
    const report = await compact(host, session);
    expect(report).toMatchObject({
      outcome: 'cancelled',
      veto: { plugin: 'lawyer', reason: 'audit' },
      reason: 'Plugin "lawyer" said no: audit',
    });
    expect([worker.jobs.length, view(session).digest]).toEqual([0, digest]);
    expect(host.events('compaction.started')).toEqual([]);
    expect(host.events('compaction.skipped')).toMatchObject([{ outcome: 'cancelled', plan: report.plan }]);
    expect(host.events('plugin.error')).toEqual([]);
  });

  test('contributions of several plugins reach worker and context', async () => {
    const { host, worker, session } = await withPlugins(
      [
        hearing('a', () => ({ do: 'contribute', focus: 'mind the port', references: [{ path: 'a.md', note: 'why' }] })),
        hearing('b', () => ({ do: 'contribute', focus: 'and the host', pins: ['i0', { text: 'PINNED' }] })),
      ],
      { instructions: 'Be brief.' },
    );
    await using _ = host;
    const report = await compact(host, session, { focus: 'of the user' });
    expect(report.outcome).toBe('done');
    expect(worker.jobs[0]).toMatchObject({
      instructions: 'Be brief.\nmind the port\nand the host',
      focus: 'of the user',
    });
    expect(report.references).toContainEqual({ path: 'a.md', note: 'why' });
    const pins = view(session).system.filter(({ kind }) => kind === 'pin');
    expect(pins.map(({ text }) => text)).toEqual(['please port it', 'PINNED']);
    expect([...view(session).items()].map(({ id }) => id)).not.toContain('i0');
  });

  test('pins of a compaction that comes to nothing are not kept', async () => {
    const worker = scriptedWorker(() => Promise.reject(new Error('no luck')));
    await using host = await start({
      plugins: [...STOCK, worker.plugin, hearing('a', () => ({ do: 'contribute', pins: [{ text: 'PINNED' }] }))],
      config: { compaction: { fallback: 'none' } },
    });
    const session = host.open(history);
    expect((await compact(host, session)).outcome).toBe('worker-failed');
    expect(view(session).system).toEqual([]);
  });

  test('a result instead of a worker’s passes the desk, with its checks', async () => {
    const text = summaryOf('Brought along.');
    const { host, worker, session } = await withPlugins([
      hearing('cache', () => ({
        do: 'replace',
        result: { summary: text, references: [{ path: 'b.md' }], marks: [{ path: '.env' }] },
      })),
    ]);
    await using _ = host;
    const report = await compact(host, session);
    expect(report).toMatchObject({ outcome: 'done', worker: 'cache', summary: { text }, marks: [] });
    expect(worker.jobs).toEqual([]);
    expect(report.references).toContainEqual({ path: 'b.md' });
  });

  test('a bad result changes nothing', async () => {
    const { host, session } = await withPlugins([
      hearing('cache', () => ({ do: 'replace', result: { summary: ' ' } })),
    ]);
    await using _ = host;
    const { digest } = view(session);
    expect(await compact(host, session)).toMatchObject({ outcome: 'empty-summary', worker: 'cache' });
    expect(view(session).digest).toBe(digest);
  });

  test('is asked once for all plans of one compaction', async () => {
    const { host, session } = await withPlugins([], { retainedTokens: 24_000 });
    await using _ = host;
    await compact(host, session, { threshold: 26_000 });
    expect(host.hooks('pre_compact')).toHaveLength(1);
    expect(session.get(CONTEXT).checkpoint()).toBeDefined();
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
    ],
    ['returns what the hook does not know', () => ({ do: 'cancel' })],
    ['contributes what is no list', () => ({ do: 'contribute', pins: 'i0' })],
    ['replaces by nothing', () => ({ do: 'replace' })],
    ['replaces by what has no lists', () => ({ do: 'replace', result: { summary: 'x', marks: 'a.ts' } })],
  ])('a handler that %s is skipped and reported', async (_, handler) => {
    const { host, session } = await withPlugins([hearing('clumsy', handler as Handler<'pre_compact'>)]);
    await using _host = host;
    expect((await compact(host, session)).outcome).toBe('done');
    expect(host.events('plugin.error')).toMatchObject([{ plugin: 'clumsy', hook: 'pre_compact' }]);
  });

  test('a handler may ask that its failure counts as a veto', async () => {
    const strict = definePlugin({
      name: 'strict',
      api: 1,
      setup: ({ hooks }) =>
        hooks.on(
          'pre_compact',
          () => {
            throw new Error('boom');
          },
          { onError: 'abort' },
        ),
    });
    const { host, session } = await withPlugins([strict]);
    await using _ = host;
    expect(await compact(host, session)).toMatchObject({ outcome: 'cancelled', veto: { plugin: 'strict' } });
  });
});
