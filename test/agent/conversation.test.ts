/** A conversation from prompt to end, on the real kernel, with a scripted model. */
import { CONTEXT, createKernel, createSession, definePlugin, defineTool, drive } from '../../core';
import type { AgentEvent, Conversation, Kernel, Plugin, SessionRecord, Tool } from '../../core';
import { converse } from '../../core/agent/live-conversation';
import { createScriptedModel } from '../../core/testing';
import type { ScriptedModel, ScriptedModelOptions } from '../../core/testing';

interface Talk {
  readonly kernel: Kernel;
  readonly model: ScriptedModel;
  readonly conversation: Conversation;
  readonly records: () => readonly SessionRecord[];
  readonly kinds: () => readonly string[];
}

const weather = defineTool({
  name: 'weather',
  description: 'Tells the weather.',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  kind: 'read',
  run: ({ city }: never) => `Sunny in ${String(city)}`,
});

async function talk(
  script: ScriptedModelOptions['script'],
  { plugins = [], tools = [weather] }: { readonly plugins?: readonly Plugin[]; readonly tools?: readonly Tool[] } = {},
): Promise<Talk> {
  const kernel = await createKernel({ plugins, log: { level: 'error', write: () => undefined } });
  const model = createScriptedModel({ script });
  const session = createSession({ id: 's', now: () => 0, services: (one) => kernel.scope(one) });
  const driver = drive(kernel, session, { system: 'You help.', tools, model: model.model });
  const conversation = converse({ kernel, driver, model });
  const records = (): readonly SessionRecord[] => [...session.records()];
  const kinds = (): readonly string[] => records().map((record) => (record.t === 'item' ? record.item.kind : record.t));
  return { kernel, model, conversation, records, kinds };
}

const texts = ({ conversation }: Talk): readonly string[] =>
  [...conversation.session.items()].flatMap((item) =>
    item.kind === 'message' ? item.parts.map((part) => (part.type === 'text' ? `${item.role}: ${part.text}` : '')) : [],
  );

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
