/** Prompts that wait: to join the turn that runs, or for a turn of their own, also across a restart (S5.5). */
import { definePlugin } from '../../core';
import type { AgentEvent, Run, SessionRecord } from '../../core';
import type { ScriptedReply } from '../../core/testing';
import { talk, texts } from './conversation-kit';
import type { Talk } from './conversation-kit';

describe('a prompt that is to join the turn', () => {
  /** A conversation whose model, at its first request, has a prompt sent that is to join, and then goes on as it is told. */
  async function steered(
    then: (sent: Run, one: Talk) => ScriptedReply | Promise<ScriptedReply>,
    ...more: readonly ScriptedReply[]
  ): Promise<{ readonly one: Talk; readonly first: Run; readonly sent: Run }> {
    let sent: Run | undefined;
    const one = await talk(async (_request, n) => {
      if (n > 0) return more[n - 1] ?? 'Nothing more.';
      sent = one.conversation.send('also this', { whenBusy: 'steer' });
      await sent.accepted;
      return then(sent, one);
    });
    const first = one.conversation.send('this');
    await first.outcome;
    await one.conversation.idle();
    if (sent === undefined) throw new Error('nothing was sent');
    return { one, first, sent };
  }

  it('is told to those who follow the turn, and its run hears the rest of it', async () => {
    const { one, first, sent } = await steered(() => ({ text: 'One.' }), { text: 'Both.' });
    expect(await first.outcome).toEqual({ outcome: 'finished', text: 'Both.' });
    expect(await sent.outcome).toEqual({ outcome: 'finished', text: 'Both.' });
    const [told, heard]: AgentEvent[][] = [[], []];
    for await (const event of first) told?.push(event);
    for await (const event of sent) heard?.push(event);
    const joined = told?.find(({ type }) => type === 'joined');
    expect(joined).toMatchObject({ items: [{ parts: [{ text: 'also this' }] }] });
    expect([...new Set(heard?.map(({ type }) => type))]).toEqual(['request', 'text', 'usage', 'end']);
    expect(texts(one)).toEqual(['user: this', 'assistant: One.', 'user: also this', 'assistant: Both.']);
    expect(one.conversation.session.queued()).toEqual([]);
  });

  it('may be taken back while it waits, and the turn goes on', async () => {
    const { one, first, sent } = await steered((run) => {
      run.abort('never mind');
      return { text: 'Only this.' };
    });
    expect(await sent.outcome).toEqual({ outcome: 'aborted', text: '', reason: 'never mind' });
    expect(await first.outcome).toEqual({ outcome: 'finished', text: 'Only this.' });
    expect(texts(one)).toEqual(['user: this', 'assistant: Only this.']);
    expect(one.records().filter(({ t }) => t === 'prompt')).toMatchObject([{ phase: 'queued' }, { phase: 'dropped' }]);
    expect(one.conversation.session.queued()).toEqual([]);
  });

  it('opens a turn of its own where that one failed, before what was sent later', async () => {
    let queued: Run | undefined;
    const { one, first, sent } = await steered(
      async (_run, { conversation }) => {
        queued = conversation.send('later');
        await queued.accepted;
        return { error: 'request' };
      },
      { text: 'As to this.' },
      { text: 'As to later.' },
    );
    expect((await first.outcome).outcome).toBe('failed');
    expect(await sent.outcome).toEqual({ outcome: 'finished', text: 'As to this.' });
    expect(await queued?.outcome).toEqual({ outcome: 'finished', text: 'As to later.' });
    expect(texts(one).filter((text) => text.startsWith('user'))).toEqual([
      'user: this',
      'user: also this',
      'user: later',
    ]);
    expect(one.conversation.session.turn).toBe(3);
  });

  it('aborts the turn once it is part of it', async () => {
    let sent: Run | undefined;
    const one = await talk(async (_request, n) => {
      if (n === 0) {
        sent = one.conversation.send('also this', { whenBusy: 'steer' });
        await sent.accepted;
        return { text: 'One.' };
      }
      sent?.abort('enough');
      return { text: 'Both.' };
    });
    const aborted = { outcome: 'aborted', text: '', reason: 'enough' };
    expect(await one.conversation.send('this').outcome).toEqual(aborted);
    expect(await sent?.outcome).toEqual(aborted);
    expect(texts(one)).toEqual(['user: this', 'assistant: One.', 'user: also this']);
  });

  it('opens one where none runs, which the plugins are told', async () => {
    const opens: boolean[] = [];
    const asked = definePlugin({
      name: 'asked',
      api: 1,
      setup: ({ hooks }) => hooks.on('prompt_submit', (event) => void opens.push(event.opens)),
    });
    const one = await talk([{ text: 'a' }, { text: 'b' }], { plugins: [asked] });
    for (const text of ['a', 'b']) {
      expect(await one.conversation.send('go', { whenBusy: 'steer' }).outcome).toMatchObject({ text });
      await one.conversation.idle();
    }
    expect(one.records().filter(({ t }) => t === 'prompt')).toEqual([]);
    expect(opens).toEqual([true, true]);
  });
});

describe('a conversation that is restored', () => {
  const header = { seq: 0, at: 0, t: 'session', schema: 'pith.session/1', id: 's' } as const;
  const message = (id: string, text: string) =>
    ({ kind: 'message', id, role: 'user', parts: [{ type: 'text', text }] }) as const;
  const queued = (seq: number, id: string, text: string): SessionRecord => ({
    seq,
    at: 0,
    t: 'prompt',
    phase: 'queued',
    items: [message(id, text)],
    joins: false,
  });
  const opened: readonly SessionRecord[] = [
    { seq: 1, at: 0, t: 'turn', phase: 'start', turn: 1 },
    { seq: 2, at: 0, t: 'item', item: message('i0', 'one') },
  ];

  it('goes on with the turn that was interrupted, then with what waited, and then there is nothing', async () => {
    const log = [header, ...opened, queued(3, 'p3.0', 'two')];
    const one = await talk([{ text: 'a' }, { text: 'b' }], { log });
    const { conversation } = one;
    expect([conversation.busy, conversation.waiting.length]).toEqual([true, 1]);
    const run = conversation.resume();
    expect(conversation.resume()).toBeUndefined();
    expect(conversation.waiting).toHaveLength(1);
    await run?.accepted;
    expect(await run?.outcome).toEqual({ outcome: 'finished', text: 'a' });
    await conversation.idle();
    expect(texts(one)).toEqual(['user: one', 'assistant: a', 'user: two', 'assistant: b']);
    expect(one.errors).toEqual([]);
    expect(one.records().flatMap((record) => (record.t === 'turn' ? [record.turn] : []))).toEqual([1, 1, 2, 2]);
    expect(conversation.resume()).toBeUndefined();
  });

  it('takes what waited before the next prompt, whoever begins', async () => {
    for (const resumes of [true, false]) {
      const log = [header, queued(1, 'p1.0', 'one'), queued(2, 'p2.0', 'two')];
      const one = await talk([{ text: 'a' }, { text: 'b' }, { text: 'c' }], { log });
      const { conversation } = one;
      const [first] = conversation.waiting;
      if (resumes) expect(conversation.resume()).toBe(first);
      await conversation.send('three').outcome;
      await first?.accepted;
      expect(texts(one).filter((text) => text.startsWith('user'))).toEqual(['user: one', 'user: two', 'user: three']);
      expect(conversation.session.queued()).toEqual([]);
    }
  });

  it('may have dropped what waited', async () => {
    const one = await talk([{ text: 'b' }], { log: [header, queued(1, 'p1.0', 'one'), queued(2, 'p2.0', 'two')] });
    const [first] = one.conversation.waiting;
    first?.abort();
    await expect(first?.accepted).rejects.toMatchObject({ code: 'PITH_RUN_ABORTED', message: 'It was cancelled.' });
    expect(one.records().at(-1)).toMatchObject({ t: 'prompt', phase: 'dropped', item: 'p1.0' });
    one.conversation.resume();
    await one.conversation.idle();
    expect(texts(one)).toEqual(['user: two', 'assistant: b']);
  });

  it('keeps all of it for later where there is no model, and says so', async () => {
    const log = [header, ...opened, queued(3, 'p3.0', 'two')];
    const one = await talk([], { log, hasModel: false });
    const { conversation } = one;
    const [waiting] = conversation.waiting;
    const run = conversation.resume();
    for (const ended of [run, waiting])
      expect(await ended?.outcome).toMatchObject({ outcome: 'failed', error: { code: 'PITH_MODEL_MISSING' } });
    await conversation.idle();
    expect(one.records()).toEqual(log);
    expect([conversation.busy, conversation.session.queued().length]).toEqual([false, 1]);
  });

  it('says so where the session takes no more', async () => {
    const one = await talk([], { log: [header, queued(1, 'p1.0', 'one')] });
    await one.conversation.session.close();
    const run = one.conversation.resume();
    expect(await run?.outcome).toMatchObject({ outcome: 'failed', error: { code: 'PITH_SESSION_CLOSED' } });
    await one.conversation.idle();
    expect(one.errors).toEqual(['A turn failed: Session "s" is closed; open it again to go on.']);
    const next = one.conversation.send('two');
    await expect(next.accepted).rejects.toMatchObject({ code: 'PITH_SESSION_CLOSED' });
    expect(one.conversation.busy).toBe(false);
  });
});
