/** A conversation from prompt to end, on the real kernel, with a scripted model. */
import { getEventListeners } from 'node:events';
import { CONTEXT, definePlugin, defineTool } from '../../core';
import type { AgentEvent, Plugin } from '../../core';
import { nextTurn, talk, texts } from './conversation-kit';

describe('a conversation', () => {
  it('takes a prompt, runs the tools the model calls, and ends with its answer', async () => {
    const one = await talk([
      { text: 'Let me look.', calls: [{ name: 'weather', arguments: { city: 'Rome' } }] },
      { text: 'It is sunny.' },
    ]);
    const run = one.conversation.send('How is Rome?');
    const events: AgentEvent[] = [];
    for await (const event of run) events.push(event);
    expect(await run.outcome).toEqual({ outcome: 'finished', text: 'It is sunny.' });
    expect(events.map(({ type }) => type).filter((type) => type !== 'text')).toEqual([
      'turn',
      'request',
      'usage',
      'tool-call',
      'tool-result',
      'request',
      'usage',
      'end',
    ]);
    expect(one.kinds()).toEqual([
      'session',
      'turn',
      'message',
      'settings',
      'message',
      'usage',
      'tool_call',
      'tool_result',
      'message',
      'usage',
      'run',
      'turn',
    ]);
    expect(one.model.requests).toHaveLength(2);
    expect(one.conversation.session.get(CONTEXT).view().occupancy().source).toBe('extrapolated');
  });

  it('keeps prompts that arrive meanwhile, and answers them one after another', async () => {
    const one = await talk([{ text: 'a' }, { text: 'b' }, { text: 'c' }]);
    const runs = ['1', '2', '3'].map((prompt) => one.conversation.send(prompt));
    await Promise.all(runs.map(({ accepted }) => accepted));
    expect(await Promise.all(runs.map(({ outcome }) => outcome))).toMatchObject([
      { text: 'a' },
      { text: 'b' },
      { text: 'c' },
    ]);
    expect(texts(one)).toEqual(['user: 1', 'assistant: a', 'user: 2', 'assistant: b', 'user: 3', 'assistant: c']);
    expect(one.conversation.session.queued()).toEqual([]);
  });

  it('has a prompt join the turn that runs at its next request', async () => {
    let sent: Promise<unknown> = Promise.resolve();
    const slow = defineTool({
      name: 'slow',
      description: '',
      input: {},
      kind: 'read',
      run: async () => {
        const run = one.conversation.send('also this', { whenBusy: 'steer' });
        sent = run.outcome;
        await run.accepted;
        return 'done';
      },
    });
    const one = await talk([{ calls: [{ name: 'slow' }] }, { text: 'both' }], { tools: [slow] });
    expect(await one.conversation.send('this').outcome).toMatchObject({ text: 'both' });
    expect(await sent).toMatchObject({ outcome: 'finished', text: 'both' });
    expect(one.kinds().filter((kind) => kind === 'turn')).toHaveLength(2);
    expect(texts(one)).toEqual(['user: this', 'user: also this', 'assistant: both']);
  });

  it('keeps what the user saw of an aborted reply, and goes on', async () => {
    const one = await talk([{ text: ['The first ', 'half'] }, { text: 'whole' }]);
    const run = one.conversation.send('tell me');
    for await (const event of run) if (event.type === 'text') run.abort('enough');
    expect(await run.outcome).toMatchObject({ outcome: 'aborted', reason: 'enough' });
    expect(texts(one)).toEqual(['user: tell me', 'assistant: The first ']);
    expect(await one.conversation.send('go on').outcome).toMatchObject({ text: 'whole' });
  });

  it('answers every call of an aborted turn, so that the next request is whole', async () => {
    const hangs = defineTool({
      name: 'hangs',
      description: '',
      input: {},
      kind: 'exec',
      run: () => new Promise<string>(() => undefined),
    });
    const one = await talk([{ calls: [{ name: 'hangs' }, { name: 'hangs' }] }, { text: 'fine' }], { tools: [hangs] });
    const run = one.conversation.send('go');
    for await (const event of run) if (event.type === 'tool-call') run.abort();
    expect(await run.outcome).toMatchObject({ outcome: 'aborted' });
    expect(one.kinds().filter((kind) => kind === 'tool_result')).toHaveLength(2);
    expect(await one.conversation.send('and now?').outcome).toMatchObject({ text: 'fine' });
  });

  it('drops a prompt that waits when its run is aborted', async () => {
    const one = await talk([{ text: 'a' }, { text: 'c' }]);
    const [first, second, third] = ['1', '2', '3'].map((prompt) => one.conversation.send(prompt));
    await third?.accepted;
    const fourth = one.conversation.send('4');
    await fourth.accepted;
    // What nobody was asked about yet does not wait, and takes nobody's place.
    one.conversation.send('5').abort();
    fourth.abort();
    expect(one.conversation.waiting).toEqual([second, third]);
    second?.abort();
    expect(await second?.outcome).toMatchObject({ outcome: 'aborted' });
    expect(await first?.outcome).toMatchObject({ text: 'a' });
    expect(await third?.outcome).toMatchObject({ text: 'c' });
    expect(texts(one)).toEqual(['user: 1', 'assistant: a', 'user: 3', 'assistant: c']);
  });

  it('revises arguments before the call is logged, run and sent, and names the plugin', async () => {
    const plugin = definePlugin({
      name: 'north',
      api: 1,
      setup: ({ hooks }) => hooks.on('pre_tool_call', () => ({ do: 'revise', to: { city: 'Oslo' } })),
    });
    const one = await talk([{ calls: [{ name: 'weather', arguments: { city: 'Rome' } }] }, { text: 'cold' }], {
      plugins: [plugin],
    });
    await one.conversation.send('?').outcome;
    const items = [...one.conversation.session.items()];
    expect(items.find(({ kind }) => kind === 'tool_call')).toMatchObject({ arguments: { city: 'Oslo' }, by: 'north' });
    expect(items.find(({ kind }) => kind === 'tool_result')).toMatchObject({ summary: 'Sunny in Oslo' });
  });
});

/** A plugin that notes which prompts it was asked about, and how often a session ended. */
function asking(): { readonly plugin: Plugin; readonly asked: readonly string[] } {
  const asked: string[] = [];
  const plugin = definePlugin({
    name: 'asking',
    api: 1,
    setup({ hooks }) {
      hooks.on('prompt_submit', ({ items: [item], opens }) => {
        const [part] = item?.kind === 'message' ? item.parts : [];
        asked.push(`${part?.type === 'text' ? part.text : ''}: ${opens ? 'opens' : 'joins'}`);
      });
      hooks.on('session_end', () => void asked.push('ended'));
    },
  });
  return { plugin, asked };
}

describe('a run', () => {
  it('can be followed from its first event on, also when it is over, and says that it is over', async () => {
    const one = await talk([{ text: 'Done.' }]);
    const run = one.conversation.send('go');
    await run.outcome;
    const types: string[] = [];
    for await (const { type } of run) types.push(type);
    expect([...new Set(types)]).toEqual(['turn', 'request', 'text', 'usage', 'end']);
    for await (const event of run) throw new Error(`there is nothing left to tell: ${event.type}`);
    run.abort('too late');
    expect([await run.outcome, one.conversation.busy]).toEqual([{ outcome: 'finished', text: 'Done.' }, false]);
  });

  it('that a plugin refuses is never in the log, and ends with its reason', async () => {
    const closed = definePlugin({
      name: 'closed',
      api: 1,
      setup: ({ hooks }) => hooks.on('prompt_submit', () => ({ do: 'abort', reason: 'after hours' })),
    });
    const one = await talk([], { plugins: [closed] });
    const run = one.conversation.send('go');
    await expect(run.accepted).rejects.toMatchObject({ code: 'PITH_RUN_ABORTED', message: 'after hours' });
    expect(await run.outcome).toEqual({ outcome: 'aborted', text: '', reason: 'after hours' });
    expect([one.kinds(), one.conversation.busy]).toEqual([['session'], false]);
  });

  it('is aborted by its signal, before it began or later; a run that is over listens no more', async () => {
    const { plugin, asked } = asking();
    const one = await talk([{ text: ['The first ', 'half'] }, { text: 'whole' }], { plugins: [plugin] });
    const late = one.conversation.send('go', { signal: AbortSignal.abort(new Error('too late')) });
    await expect(late.accepted).rejects.toMatchObject({ code: 'PITH_RUN_ABORTED', message: 'too late' });
    expect(await late.outcome).toEqual({ outcome: 'aborted', text: '', reason: 'too late' });
    const controller = new AbortController();
    const run = one.conversation.send('tell me', { signal: controller.signal });
    for await (const { type } of run) if (type === 'text') controller.abort(new Error('enough'));
    expect(await run.outcome).toMatchObject({ outcome: 'aborted', reason: 'enough' });
    const over = new AbortController();
    await one.conversation.send('go on', { signal: over.signal }).outcome;
    expect(getEventListeners(over.signal, 'abort')).toEqual([]);
    expect(asked).toEqual(['tell me: opens', 'go on: opens']);
    expect(texts(one)).toEqual(['user: tell me', 'assistant: The first ', 'user: go on', 'assistant: whole']);
  });

  it('that waits can be seen as long as it does', async () => {
    const one = await talk([{ text: 'a' }, { text: 'b' }]);
    const { conversation } = one;
    expect([conversation.busy, conversation.waiting]).toEqual([false, []]);
    const [first, second] = [conversation.send('1'), conversation.send('2')];
    await second.accepted;
    expect(conversation.busy).toBe(true);
    expect(conversation.waiting).toEqual([second]);
    await first.outcome;
    await conversation.idle();
    expect([conversation.busy, conversation.waiting]).toEqual([false, []]);
  });
});

describe('the end of a conversation', () => {
  it('aborts the turn, keeps what waits in the log, and takes nothing more', async () => {
    let begun: () => void = () => undefined;
    const requested = new Promise<void>((resolve) => (begun = resolve));
    const { plugin, asked } = asking();
    const one = await talk(
      () => {
        begun();
        return new Promise(() => undefined);
      },
      { plugins: [plugin] },
    );
    const { conversation } = one;
    const [first, second] = [conversation.send('1'), conversation.send('2')];
    await Promise.all([requested, second.accepted]);
    await conversation.close();
    await conversation.close();
    const closed = 'Session "s" is closed; open it again to go on.';
    expect(await first.outcome).toEqual({ outcome: 'aborted', text: '', reason: 'The session is being closed.' });
    expect(await second.outcome).toEqual({ outcome: 'aborted', text: '', reason: closed });
    expect(conversation.session.queued()).toMatchObject([{ items: [{ parts: [{ text: '2' }] }] }]);
    const late = conversation.send('3');
    await expect(late.accepted).rejects.toMatchObject({ code: 'PITH_SESSION_CLOSED', message: closed });
    expect(await late.outcome).toMatchObject({ outcome: 'failed', text: '', error: { message: closed } });
    expect(conversation.resume()).toBeUndefined();
    expect(asked).toEqual(['1: opens', '2: opens', 'ended']);
    const again = await talk([{ text: 'b' }], { log: one.records() });
    expect(await again.conversation.resume()?.outcome).toEqual({ outcome: 'finished', text: 'b' });
  });

  it('refuses a prompt that the plugins still think about', async () => {
    let answer: () => void = () => undefined;
    const thinking = new Promise<undefined>((resolve) => (answer = () => resolve(undefined)));
    const slow = definePlugin({
      name: 'slow',
      api: 1,
      setup: ({ hooks }) => hooks.on('prompt_submit', () => thinking),
    });
    const one = await talk([], { plugins: [slow] });
    const [run, aborted] = [one.conversation.send('1'), one.conversation.send('2')];
    aborted.abort('never mind');
    await one.conversation.close();
    answer();
    await expect(run.accepted).rejects.toMatchObject({ code: 'PITH_SESSION_CLOSED' });
    expect(await aborted.outcome).toEqual({ outcome: 'aborted', text: '', reason: 'never mind' });
    expect(one.kinds()).toEqual(['session']);
  });

  it('comes with the end of its scope', async () => {
    const one = await talk([]);
    {
      await using conversation = one.conversation;
      expect(conversation.busy).toBe(false);
    }
    await expect(one.conversation.send('1').accepted).rejects.toMatchObject({ code: 'PITH_SESSION_CLOSED' });
  });
});

it('a run that is aborted while the plugins think about its prompt is never in the log', async () => {
  const slow = definePlugin({
    name: 'slow',
    api: 1,
    setup: ({ hooks }) => hooks.on('prompt_submit', () => nextTurn().then(() => undefined)),
  });
  const one = await talk([], { plugins: [slow] });
  const run = one.conversation.send('1');
  await Promise.resolve().then(() => Promise.resolve());
  run.abort('never mind');
  expect(await run.outcome).toEqual({ outcome: 'aborted', text: '', reason: 'never mind' });
  await one.conversation.idle();
  expect(one.kinds()).toEqual(['session']);
});

it('nobody is idle while work of a plugin goes on, nor while it leads to another turn', async () => {
  const done: string[] = [];
  const busy = definePlugin({
    name: 'busy',
    api: 1,
    setup: ({ hooks }) =>
      hooks.on('post_run', () => ({
        do: 'background',
        reason: 'tidy up',
        run: async () => {
          await nextTurn();
          if (done.length === 0) void one.conversation.send('2');
          done.push('tidied');
        },
      })),
  });
  const one = await talk([{ text: 'a' }, { text: 'b' }], { plugins: [busy] });
  one.conversation.send('1');
  await one.conversation.idle();
  expect([done, texts(one).at(-1)]).toEqual([['tidied', 'tidied'], 'assistant: b']);
});
