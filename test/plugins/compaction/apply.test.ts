import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { CONTEXT, createDiskFiles, defaultService, definePlugin, LIMITS, modelLimits } from '../../../core';
import type { ItemId, ModelLimits, NewItem, Plugin, RecordDraft, Session } from '../../../core';
import { reasoning } from '../../../core/testing';
import { stateBlock } from '../../../plugins/compaction/blocks';
import { TRACKER } from '../../../plugins/tracker/token';
import { folderWith, put } from '../../files/folder';
import { assistant, call, prose, result, tokenizer, user } from '../../support/context';
import { compact, start, STOCK, view } from '../../support/kernel';
import type { Host } from '../../support/kernel';
import { scriptedWorker, summaryOf, writing } from '../../support/worker';
import type { Script } from '../../support/worker';

const SUMMARY = summaryOf('It was ported in part.');

const pairs = (count: number, tokens = 1000): readonly NewItem[] =>
  Array.from({ length: count }, (_, at) => [call(`c${at}`), result(`c${at}`, prose(tokens))]).flat();

interface Setting {
  readonly script?: Script;
  readonly items?: readonly NewItem[];
  readonly records?: readonly RecordDraft[];
  readonly stock?: readonly Plugin[];
  readonly plugins?: readonly Plugin[];
  readonly limits?: ModelLimits;
  /** Where the files lie. */
  readonly root?: string;
}

/** A session that is compacted by a script, in a kernel of the stock plugins and these. */
async function withSession(setting: Setting, use: (host: Host, session: Session) => Promise<void>): Promise<void> {
  const { script = writing(SUMMARY), items = [user('port it'), ...pairs(30)], records = [], limits, root } = setting;
  const { stock = STOCK, plugins = [] } = setting;
  await using host = await start({
    plugins: [...stock, scriptedWorker(script).plugin, ...plugins],
    services: limits === undefined ? [] : [defaultService(LIMITS, () => () => limits)],
    ...(root !== undefined && { files: createDiskFiles({ root }) }),
  });
  await use(host, host.open(items, ...records));
}

/** What was warned of while it was compacted. */
const warnings = ({ log }: Host) => log.filter(({ level, fields }) => level === 'warn' && 'compaction' in fields);
/** The texts of one kind of block that stand before the conversation. */
const blocks = (session: Session, kind: string): readonly string[] =>
  view(session).system.flatMap(({ block, text }) => (block?.kind === kind ? [text] : []));
const pinning = (...pins: readonly (ItemId | { readonly text: string })[]): Plugin =>
  definePlugin({
    name: 'pinning',
    api: 1,
    setup: ({ hooks }) => hooks.on('pre_compact', () => ({ do: 'contribute', pins })),
  });

describe('what a new context is held to (S9.10)', () => {
  test('without a threshold it is the window of the model; one that is only assumed asks nothing', async () => {
    const known = modelLimits('some-model', { contextWindow: 48_000, maxOutput: 8000 });
    const records: readonly RecordDraft[] = [{ t: 'settings', system: prose(30_000) }];
    for (const [limits, outcome] of [
      [known, 'over-target'],
      [{ ...known, source: 'default' }, 'done'],
    ] as const) {
      await withSession({ items: [user('port it'), ...pairs(20)], records, limits }, async (host, session) => {
        expect((await compact(host, session)).outcome).toBe(outcome);
      });
    }
  });

  test.each([
    ['a text', { text: prose(8000) }],
    ['a message', 'i0'],
  ])('%s that is pinned with it counts', async (_, pin) => {
    const items = [user(prose(8000)), user('go on'), ...pairs(40)];
    await withSession({ items, plugins: [pinning(pin)] }, async (host, session) => {
      const report = await compact(host, session, { threshold: 30_000, retainedTokens: 16_000 });
      expect([report.outcome, view(session).system.some(({ kind }) => kind === 'pin')]).toEqual(['done', true]);
      expect(view(session).occupancy().tokens).toBeGreaterThan(8000);
      expect(view(session).occupancy().tokens).toBeLessThanOrEqual(0.75 * 30_000);
    });
  });

  test('a pin that takes nothing cuts nothing down', async () => {
    for (const pin of ['i2', 'nowhere'] as const) {
      const items = [user('go'), ...pairs(40)];
      await withSession({ items, plugins: [pinning(pin)] }, async (host, session) => {
        const report = await compact(host, session, { threshold: 30_000, retainedTokens: 16_000 });
        expect(report.after?.tokens).toBeGreaterThan(15_000);
      });
    }
  });
});

describe('the tail of a new context', () => {
  test('begins with the prompt of its turn, its middle left out where that is long', async () => {
    await withSession({ items: [user(`START ${prose(4000)} END`), ...pairs(30)] }, async (host, session) => {
      await compact(host, session);
      expect(JSON.stringify(view(session).at(0))).toMatch(/START .* characters left out here .* END/s);
    });
  });

  test('holds what was said meanwhile, without reasoning that is bound to what went', async () => {
    let session: Session | undefined;
    const script: Script = async (...given) => {
      session?.append([reasoning('bound', 'c2ln'), reasoning('free'), assistant('meanwhile')]);
      await writing(SUMMARY)(...given);
    };
    await withSession({ script }, async (host, opened) => {
      session = opened;
      expect((await compact(host, session)).outcome).toBe('done');
      const newest = [...view(session).items()].slice(-2);
      expect(newest).toMatchObject([{ kind: 'reasoning', text: 'free' }, { parts: [{ text: 'meanwhile' }] }]);
      expect(JSON.stringify([...view(session).items()])).not.toContain('bound');
    });
  });
});

describe('the open list of a state tool (S3.8)', () => {
  const listing = (callId: string, content: string): readonly NewItem[] => [
    call(callId, 'TodoWrite', { todos: [{ content, status: 'pending' }] }),
    result(callId, 'Todos were updated'),
  ];
  const history = (content: string): readonly NewItem[] => [user('go'), ...listing('todo', content), ...pairs(20)];
  const carried = (content: string): string => stateBlock('TodoWrite', `- [pending] ${content}`).text;

  test('is not carried over where a newer one came meanwhile; any other call changes nothing', async () => {
    for (const [items, expected] of [
      [listing('newer', 'test it'), []],
      [[call('other', 'Bash'), result('other', 'ok')], [carried('write it')]],
      [[user('go on')], [carried('write it')]],
    ] as const) {
      let session: Session | undefined;
      const script: Script = async (...given) => {
        session?.append(items);
        await writing(SUMMARY)(...given);
      };
      await withSession({ script, items: history('write it') }, async (host, opened) => {
        session = opened;
        expect((await compact(host, session)).outcome).toBe('done');
        expect(blocks(session, 'state')).toEqual(expected);
      });
    }
  });

  test('is carried over up to 1000 tokens, not one more', async () => {
    const longest = 1000 - tokenizer.countText(carried('word')) + 1;
    for (const [words, isCarried] of [
      [longest, true],
      [longest + 1, false],
    ] as const) {
      const text = carried(prose(words));
      expect(tokenizer.countText(text)).toBe(isCarried ? 1000 : 1001);
      await withSession({ items: history(prose(words)) }, async (host, session) => {
        await compact(host, session);
        expect(blocks(session, 'state')).toEqual(isCarried ? [text] : []);
      });
    }
  });

  test('holds no secret; without a guard it is as it was', async () => {
    const secret = 'use token=CANARY0123456789abcdef';
    for (const [stock, shown] of [
      [STOCK, 'use token=[masked]'],
      [STOCK.filter(({ name }) => name !== 'guard'), secret],
    ] as const) {
      await withSession({ stock, items: history(secret) }, async (host, session) => {
        await compact(host, session);
        expect(blocks(session, 'state')).toEqual([carried(shown)]);
      });
    }
  });
});

describe('the files of a new context', () => {
  const marking =
    (paths: readonly string[], then: () => void = () => undefined): Script =>
    async (desk, job, signal) => {
      for (const path of paths) await desk.call('mark_read_required', { path }, signal);
      then();
      await writing(SUMMARY)(desk, job, signal);
    };

  test('are read when it is made: one that is gone by then is named, and has no mark', async () => {
    const root = folderWith({ 'kept.ts': 'old\n', 'gone.ts': 'gone\n' });
    const script = marking(['kept.ts', 'gone.ts'], () => {
      put(root, 'kept.ts', 'new\n');
      rmSync(join(root, 'gone.ts'));
    });
    await withSession({ root, script }, async (host, session) => {
      const report = await compact(host, session);
      expect(report.marks.map(({ path }) => path)).toEqual(['kept.ts']);
      expect(report.references).toEqual([{ path: 'gone.ts', note: 'does not exist' }]);
      expect(blocks(session, 'auto-read')).toEqual(['[Auto-read file: kept.ts]\nnew']);
      expect(blocks(session, 'references').join()).toContain('- gone.ts (does not exist)');
    });
  });

  test('that do not fit any more are named instead, the last one first', async () => {
    const root = folderWith({ 'a.ts': prose(3000), 'b.ts': prose(3000) });
    await withSession({ root, script: marking(['a.ts', 'b.ts']) }, async (host, session) => {
      const report = await compact(host, session, { threshold: 18_000 });
      expect(report.marks.map(({ path }) => path)).toEqual(['a.ts']);
      expect(report.references).toMatchObject([{ path: 'b.ts', note: expect.stringContaining('left out') as string }]);
      expect([blocks(session, 'auto-read').length, report.after?.tokens]).toEqual([
        1,
        view(session).occupancy().tokens,
      ]);
    });
  });
});

describe('what is told of a new context', () => {
  test('the summary as it stands there, with its tokens', async () => {
    await withSession({}, async (host, session) => {
      const { summary } = await compact(host, session);
      expect(summary).toEqual({ text: SUMMARY, tokens: tokenizer.countText(SUMMARY) });
    });
  });

  test('how many lines of the summary were dropped, where some were', async () => {
    const invented = SUMMARY.replace('## User Directives\n(none)', '## User Directives\n- "use tabs"\n- "use spaces"');
    for (const [text, dropped] of [
      [invented, 2],
      [SUMMARY, 0],
    ] as const) {
      await withSession({ script: writing(text) }, async (host, session) => {
        const { id } = await compact(host, session);
        const told = { session: session.id, compaction: id, trigger: 'manual', dropped };
        const message = 'Lines of a summary were dropped: they quote what no message says.';
        expect(warnings(host)).toMatchObject(dropped === 0 ? [] : [{ message, fields: told }]);
      });
    }
  });
});

describe('once a checkpoint is recorded, it is done', () => {
  test('a pin that cannot be is left out with a warning; the others are kept', async () => {
    await withSession({ plugins: [pinning('nowhere', { text: 'PINNED' })] }, async (host, session) => {
      expect((await compact(host, session)).outcome).toBe('done');
      const message = 'A pin of pre_compact was left out: Item "nowhere" cannot be pinned: it is not in the log.';
      expect(warnings(host)).toMatchObject([{ message }]);
      expect(view(session).system[0]).toMatchObject({ kind: 'pin', text: 'PINNED' });
    });
  });

  test('a tracker that fails takes nothing back', async () => {
    const clumsy = definePlugin({
      name: 'tracker',
      api: 1,
      provides: [TRACKER],
      setup: ({ provide }) =>
        provide(TRACKER, () => ({
          record: () => undefined,
          recentFiles: () => [],
          observed: () => undefined,
          changedSince: () => true,
          forgetContents() {
            throw new Error('no memory');
          },
        })),
    });
    const stock = [clumsy, ...STOCK.filter(({ name }) => name !== 'tracker')];
    await withSession({ stock }, async (host, session) => {
      expect((await compact(host, session)).outcome).toBe('done');
      const message = 'The tracker was not told that contents left the context: no memory';
      expect(warnings(host)).toMatchObject([{ message }]);
      expect(session.get(CONTEXT).checkpoint()).toBeDefined();
    });
  });
});
