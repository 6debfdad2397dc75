/** A compaction that a person asks for in the middle of a conversation, and its undoing (S9.1, S5.5). */
import { COMPACTION, CONTEXT, definePlugin } from '../../core';
import type { Compaction, CompactionReport, CompactOptions, Plugin, Run, Session } from '../../core';
import { nextTurn, talk } from './conversation-kit';

describe('a compaction that is asked for', () => {
  /** A service that notes what it is asked, and compacts when it is let go. */
  function compacting(): { readonly plugin: Plugin; readonly asked: CompactOptions[]; go(error?: Error): void } {
    const asked: CompactOptions[] = [];
    const ends: ((error?: Error) => void)[] = [];
    const service = {
      compact: (_session: Session, options: CompactOptions) =>
        new Promise<CompactionReport>((resolve, reject) => {
          asked.push(options);
          const end = (error?: Error): void =>
            error === undefined ? resolve({ outcome: 'done' } as CompactionReport) : reject(error);
          ends.push(end);
          options.signal?.addEventListener('abort', () => reject(options.signal?.reason as Error));
        }),
    };
    const plugin = definePlugin({
      name: 'compaction',
      api: 1,
      provides: [COMPACTION],
      setup: ({ provide }) => provide(COMPACTION, () => service as unknown as Compaction),
    });
    return { plugin, asked, go: (error) => ends.shift()?.(error) };
  }

  it('runs at once where nothing does; prompts wait for it, and its failure is theirs who asked', async () => {
    const { plugin, asked, go } = compacting();
    const one = await talk([{ text: 'a' }], { plugins: [plugin] });
    const { conversation } = one;
    const compaction = conversation.compact({ focus: 'the parser' });
    expect(asked).toMatchObject([{ trigger: 'manual', focus: 'the parser' }]);
    const run = conversation.send('1');
    await run.accepted;
    expect([conversation.busy, conversation.waiting, one.model.requests]).toEqual([true, [run], []]);
    go();
    expect(await compaction).toMatchObject({ outcome: 'done' });
    expect(await run.outcome).toMatchObject({ text: 'a' });
    await conversation.idle();
    const failing = conversation.compact();
    go(new Error('no luck'));
    await expect(failing).rejects.toThrow('no luck');
    await conversation.idle();
    expect([conversation.busy, one.errors]).toEqual([false, []]);
  });

  it('waits for the turn that runs, and is cancelled by its signal or by the end of the conversation', async () => {
    const { plugin, asked } = compacting();
    let compaction: Promise<unknown> = Promise.resolve();
    const controller = new AbortController();
    const one = await talk(
      () => {
        compaction = one.conversation.compact({ signal: controller.signal });
        expect([asked, one.conversation.waiting]).toEqual([[], []]);
        return { text: 'a' };
      },
      { plugins: [plugin] },
    );
    await one.conversation.send('1').outcome;
    const cancelled = expect(compaction).rejects.toThrow('enough');
    while (asked.length < 1) await nextTurn();
    controller.abort(new Error('enough'));
    await cancelled;
    const [second, third] = [one.conversation.compact(), one.conversation.compact()];
    const ends = [second, third].map((end) => expect(end).rejects.toMatchObject({ code: 'PITH_SESSION_CLOSED' }));
    while (asked.length < 2) await nextTurn();
    await one.conversation.close();
    await Promise.all(ends);
    expect(asked).toHaveLength(2);
    await expect(one.conversation.compact()).rejects.toMatchObject({ code: 'PITH_SESSION_CLOSED' });
  });

  it('is waited for by a prompt that was to join a turn, and is too late for it', async () => {
    const { plugin, asked, go } = compacting();
    let answer: () => void = () => undefined;
    const thinking = new Promise<undefined>((resolve) => (answer = () => resolve(undefined)));
    let submitted = 0;
    const slow = definePlugin({
      name: 'slow',
      api: 1,
      setup: ({ hooks }) => hooks.on('prompt_submit', () => (++submitted === 2 ? thinking : undefined)),
    });
    let late: Run | undefined;
    const one = await talk(
      (_request, n) => {
        if (n === 0) late = one.conversation.send('also this', { whenBusy: 'steer' });
        return { text: `${n}` };
      },
      { plugins: [plugin, slow] },
    );
    await one.conversation.send('this').outcome;
    const compaction = one.conversation.compact();
    while (asked.length < 1) await nextTurn();
    answer();
    await late?.accepted;
    expect([one.model.requests.length, one.conversation.waiting]).toEqual([1, [late]]);
    go();
    await compaction;
    expect(await late?.outcome).toEqual({ outcome: 'finished', text: '1' });
  });

  it('needs the plugin that does it', async () => {
    const one = await talk([]);
    await expect(one.conversation.compact()).rejects.toMatchObject({ code: 'PITH_SERVICE_MISSING' });
    expect(one.conversation.busy).toBe(false);
  });

  it('can be undone between turns, not in the middle of one', async () => {
    let thrown: unknown;
    const one = await talk(() => {
      try {
        one.conversation.undoCompaction();
      } catch (error) {
        thrown = error;
      }
      return { text: 'a' };
    });
    const { session } = one.conversation;
    expect(one.conversation.undoCompaction()).toBe(false);
    await one.conversation.send('1').outcome;
    await one.conversation.idle();
    expect(thrown).toMatchObject({
      code: 'PITH_CONVERSATION_BUSY',
      message: 'Session "s" is in the middle of a turn; abort it or wait for its end, then undo.',
    });
    const { digest } = session.get(CONTEXT).view();
    const blocks = [{ kind: 'summary', text: 'One was said.' }] as const;
    session.record({ t: 'checkpoint', compaction: 'c', blocks, cut: 1, edits: [], before: 2, after: 1 });
    expect(one.conversation.undoCompaction()).toBe(true);
    expect(session.get(CONTEXT).view().digest).toBe(digest);
  });
});
