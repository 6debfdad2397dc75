/** The loop: what a turn comes to, whatever the model does (S2). */
import { CONTEXT, definePlugin, defineTool, drive, PithError } from '../../core';
import type { AgentEvent, AgentOptions, LlmClient, LlmRequest, LlmStreamPart, Plugin, SessionRecord } from '../../core';
import { runTurn } from '../../core/agent/loop';
import { createScriptedModel, createTestAgent, createTestKernel, userMessage } from '../../core/testing';
import type { Script, TestAgent } from '../../core/testing';

const hosts: TestAgent[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host[Symbol.asyncDispose]();
});

const look = defineTool({ name: 'look', description: 'Looks.', input: {}, kind: 'read', run: () => 'Seen.' });

/** How a run ended by the log. */
const runOf = (records: Iterable<SessionRecord>): SessionRecord | undefined =>
  [...records].find(({ t }) => t === 'run');

async function turn(
  model: LlmClient,
  plugins: readonly Plugin[] = [],
  options: Pick<AgentOptions, 'maxOutputTokens'> = {},
) {
  const host = await createTestAgent({ model, plugins, tools: [look], ...options });
  hosts.push(host);
  const conversation = await host.agent.open();
  const run = conversation.send('Go.');
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  const said = [...conversation.session.items()].flatMap((item) =>
    item.kind === 'message' ? item.parts.map((part) => (part.type === 'text' ? part.text : '')) : [item.kind],
  );
  return { host, conversation, events, said, end: await run.outcome };
}

const scripted = (script: Script): LlmClient => createScriptedModel({ script });

interface Heard {
  readonly asked: LlmRequest[];
  ended: number;
}

/** A model that streams these parts, and nothing else; `asked` and `ended` hear of it. */
function streaming(...parts: readonly LlmStreamPart[]): LlmClient & Heard {
  const model = createScriptedModel({ script: [] });
  const heard: Heard = { asked: [], ended: 0 };
  return Object.assign(heard, {
    model: 'streaming',
    profile: model.profile,
    tokenizer: () => model.tokenizer(),
    limits: () => model.limits(),
    generate: () => Promise.reject(new Error('not asked for')),

    async *stream(request: LlmRequest) {
      heard.asked.push(request);
      try {
        yield* parts;
      } finally {
        heard.ended++;
      }
    },
  });
}

test.each([
  ['refusal', 'PITH_LLM_REFUSED', /^The model refused to answer; reword the prompt or ask another model\.$/],
  ['length', 'PITH_LLM_OUTPUT_LIMIT', /^The reply was cut off at the output limit\. .*; raise max_output_tokens, or/],
] as const)('a reply that ends by %s fails the run, and what it said is kept', async (stop, code, message) => {
  const { end, said, conversation } = await turn(scripted([{ text: 'I would', stop }]));
  expect(end).toMatchObject({ outcome: 'failed', text: 'I would', error: { code } });
  expect(said).toEqual(['Go.', 'I would']);
  expect(conversation.session.turnOpen).toBe(false);
  expect(end.error?.message).toMatch(message);
  expect(runOf(conversation.session.records())).toMatchObject({ outcome: 'failed', reason: end.error?.message });
});

test('a stream that ends without a reply is a fault of the transport', async () => {
  const { end, said } = await turn(streaming({ type: 'text', text: 'I was' }));
  expect(end).toMatchObject({
    outcome: 'failed',
    text: 'I was',
    error: { code: 'PITH_LLM_TRANSPORT', message: 'The stream of model "streaming" ended without a reply.' },
  });
  expect(said).toEqual(['Go.']);
});

test('what a model throws that nobody knows fails the run with its cause', async () => {
  const cause = new TypeError('undefined is not a function');
  const model = { ...streaming(), stream: () => fails(cause) };
  const { end } = await turn(model);
  expect(end.error).toMatchObject({
    code: 'PITH_RUN_FAILED',
    message: 'The run failed: undefined is not a function',
    cause,
  });
});

test('what came before a retry is void: it is told, and the text is that of the reply', async () => {
  const items = [{ kind: 'message', role: 'assistant', parts: [{ type: 'text', text: 'Whole.' }] }] as const;
  const { end, events, said } = await turn(
    streaming(
      { type: 'text', text: 'Hal' },
      { type: 'retry', attempt: 1, delayMs: 5, reason: 'reset' },
      { type: 'reasoning', text: 'Hm.' },
      { type: 'tool-call', callId: 'a', name: 'look' },
      { type: 'text', text: 'Whole.' },
      { type: 'reply', reply: { items, stop: 'end', usage: { inputTokens: 3 } } },
    ),
  );
  expect(end).toEqual({ outcome: 'finished', text: 'Whole.' });
  expect(said).toEqual(['Go.', 'Whole.']);
  expect(events.map(({ type }) => type)).toEqual([
    'turn',
    'request',
    'text',
    'retry',
    'reasoning',
    'text',
    'usage',
    'end',
  ]);
});

test('calls of one reply are all told, run and answered before the next request', async () => {
  const model = createScriptedModel({
    script: [{ calls: [{ name: 'look' }, { name: 'look' }, { name: 'nothing' }] }, 'Done.'],
  });
  const { end, events, said } = await turn(model);
  expect(end.text).toBe('Done.');
  expect(said.filter((kind) => kind === 'tool_result')).toHaveLength(3);
  expect(events.filter(({ type }) => type === 'tool-call')).toHaveLength(3);
  expect(events.filter(({ type }) => type === 'tool-result')).toHaveLength(3);
  expect(model.requests).toHaveLength(2);
});

test('a plugin that ends the run while a tool runs has it aborted, with every call answered', async () => {
  let calls = 0;
  const alarm = definePlugin({
    name: 'alarm',
    api: 1,
    setup: ({ hooks }) =>
      hooks.on('post_tool_call', () => (++calls === 2 ? { do: 'abort', reason: 'fire' } : undefined)),
  });
  const { conversation, end, said } = await turn(scripted([{ calls: [{ name: 'look' }, { name: 'look' }] }]), [alarm]);
  expect(end).toEqual({ outcome: 'aborted', text: '', reason: 'fire' });
  expect(said.filter((kind) => kind === 'tool_result')).toHaveLength(2);
  expect(runOf(conversation.session.records())).toMatchObject({ outcome: 'aborted', reason: 'fire' });
});

test('a plugin that is not content has the model asked again in the same turn', async () => {
  let asked = 0;
  const strict = definePlugin({
    name: 'strict',
    api: 1,
    setup: ({ hooks }) =>
      hooks.on('post_run', () => (asked++ < 2 ? { do: 'again', items: [userMessage('Really?')] } : undefined)),
  });
  const { end, said, host } = await turn(scripted(['One.', 'Two.', 'Three.']), [strict]);
  expect(end).toEqual({ outcome: 'finished', text: 'Three.' });
  expect(said).toEqual(['Go.', 'One.', 'Really?', 'Two.', 'Really?', 'Three.']);
  expect(host.events('turn.ended')).toHaveLength(1);
});

test('an overflow is prepared once more, with the error told to the plugins, and then surfaces', async () => {
  const overflow = new PithError('PITH_LLM_OVERFLOW', 'Too long.');
  const { end, host } = await turn(scripted(() => ({ error: overflow })));
  expect(end.error).toBe(overflow);
  expect(host.hooks('pre_llm_request').map((event) => event.overflow)).toEqual([undefined, overflow]);
});

test('an overflow that a plugin makes room for is sent once more, and answered', async () => {
  const overflow = new PithError('PITH_LLM_OVERFLOW', 'Too long.');
  const shrinks = definePlugin({
    name: 'shrinks',
    api: 1,
    setup: ({ hooks }) =>
      hooks.on('pre_llm_request', ({ session, overflow: refused }) =>
        refused === undefined
          ? undefined
          : {
              do: 'yield',
              reason: 'shrink',
              run: () =>
                Promise.resolve(session.get(CONTEXT).keep([{ edit: 'content', item: 'i0', text: 'Go' }], 'shrinks')),
            },
      ),
  });
  const model = createScriptedModel({ script: (_request, n) => (n === 0 ? { error: overflow } : 'Gone.') });
  const { end } = await turn(model, [shrinks]);
  expect(end).toEqual({ outcome: 'finished', text: 'Gone.' });
  expect(model.requests.map(({ last }) => last)).toEqual(['Go.', 'Go']);
});

test('a model is asked with all that was prepared, and let go of when it has replied', async () => {
  const noon = definePlugin({
    name: 'noon',
    api: 1,
    setup: ({ hooks }) =>
      hooks.on('pre_llm_request', () => ({
        do: 'project',
        edits: [{ edit: 'insert', before: 'end', item: userMessage('It is noon.') }],
      })),
  });
  const items = [{ kind: 'message', role: 'assistant', parts: [{ type: 'text', text: 'Yes.' }] }] as const;
  const reply = { type: 'reply', reply: { items, stop: 'end' } } as const;
  const model = streaming(reply, { type: 'text', text: 'what comes later' });
  const { end, events } = await turn(model, [noon], { maxOutputTokens: 77 });
  expect(end).toEqual({ outcome: 'finished', text: 'Yes.' });
  const [request] = model.asked;
  expect(request).toMatchObject({ context: { length: 2 }, stable: 1, maxOutputTokens: 77 });
  expect(request?.tools?.map(({ name }) => name)).toEqual(['look']);
  expect(request?.signal).toBeInstanceOf(AbortSignal);
  expect(model.ended).toBe(1);
  // Nothing is told of usage that nobody reported.
  expect(events.map(({ type }) => type)).toEqual(['turn', 'request', 'end']);
  const plain = streaming(reply);
  await turn(plain);
  expect(Object.keys(plain.asked[0] ?? {}).sort()).toEqual(['context', 'signal', 'tools']);
});

test('the text of a run is that of its last reply, without what is no text and no message', async () => {
  const items = [
    { kind: 'reasoning', text: 'Hm.' },
    {
      kind: 'message',
      role: 'assistant',
      parts: [
        { type: 'text', text: 'One, ' },
        { type: 'image', mediaType: 'image/png', data: 'AA==' },
      ],
    },
    { kind: 'message', role: 'assistant', parts: [{ type: 'text', text: 'two.' }] },
  ] as const;
  const { end } = await turn(streaming({ type: 'reply', reply: { items, stop: 'end' } }));
  expect(end).toEqual({ outcome: 'finished', text: 'One, two.' });
});

test('an abort ends a turn whose model does not answer, and leaves nothing behind where nothing was said', async () => {
  for (const said of ['', ' \n']) {
    const parts = said === '' ? [] : [{ type: 'text', text: said } as const];
    const hanging = { ...streaming(), stream: () => hangs(...parts) };
    const host = await createTestAgent({ model: hanging });
    hosts.push(host);
    const conversation = await host.agent.open();
    const run = conversation.send('Go.');
    for await (const { type } of run) if (type === (said === '' ? 'request' : 'text')) run.abort('Enough.');
    expect(await run.outcome).toEqual({ outcome: 'aborted', text: said, reason: 'Enough.' });
    expect(conversation.session.itemCount).toBe(1);
    expect(runOf(conversation.session.records())).toMatchObject({ outcome: 'aborted', reason: 'Enough.' });
  }
});

test('an abort keeps what was said since the last retry, and no thoughts', async () => {
  const parts = [
    { type: 'text', text: 'Hal' },
    { type: 'retry', attempt: 1, delayMs: 5, reason: 'reset' },
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'Who' },
  ] as const;
  for (const [streamed, kept] of [
    [parts, ['Go.', 'Who']],
    [parts.slice(0, 3), ['Go.']],
  ] as const) {
    const host = await createTestAgent({ model: { ...streaming(), stream: () => hangs(...streamed) } });
    hosts.push(host);
    const conversation = await host.agent.open();
    const run = conversation.send('Go.');
    let heard = 0;
    for await (const { type } of run)
      if (['text', 'retry', 'reasoning'].includes(type) && ++heard === streamed.length) run.abort('Enough.');
    expect((await run.outcome).text).toBe(kept[1] ?? '');
    const said = [...conversation.session.items()].map((item) => JSON.stringify(item));
    expect(said).toHaveLength(kept.length);
    kept.forEach((text, at) => expect(said[at]).toContain(`"text":"${text}"`));
  }
});

test('a model whose stream cannot be let go of is read to its reply all the same', async () => {
  const reply = { items: [], stop: 'end' } as const;
  const next = (): Promise<IteratorResult<LlmStreamPart>> =>
    Promise.resolve({ done: false, value: { type: 'reply', reply } });
  const { end } = await turn({ ...streaming(), stream: () => ({ [Symbol.asyncIterator]: () => ({ next }) }) });
  expect(end).toEqual({ outcome: 'finished', text: '' });
});

test('an abort while a tool runs keeps what was said once', async () => {
  const slow = defineTool({
    name: 'slow',
    description: 'Never ends.',
    input: {},
    kind: 'read',
    run: () => new Promise<string>(() => undefined),
  });
  const host = await createTestAgent({
    model: scripted([{ text: 'I look.', calls: [{ name: 'slow' }] }]),
    tools: [slow],
  });
  hosts.push(host);
  const conversation = await host.agent.open();
  const run = conversation.send('Go.');
  for await (const { type } of run) if (type === 'tool-call') run.abort('Enough.');
  expect(await run.outcome).toEqual({ outcome: 'aborted', text: 'I look.', reason: 'Enough.' });
  const kinds = [...conversation.session.items()].map(({ kind }) => kind);
  expect(kinds).toEqual(['message', 'message', 'tool_call', 'tool_result']);
});

test('a turn runs whether or not anybody listens', async () => {
  const test = await createTestKernel();
  const session = await test.openSession();
  const driver = drive(test.kernel, session, { tools: [look] });
  await driver.prompt('Go.');
  const model = scripted([{ calls: [{ name: 'look' }] }, 'Done.']);
  expect(await runTurn({ driver, model })).toEqual({ outcome: 'finished', text: 'Done.' });
  expect(session.turnOpen).toBe(false);
  await test[Symbol.asyncDispose]();
});

test('an agent without a model says so', async () => {
  const host = await createTestAgent({});
  hosts.push(host);
  const run = (await host.agent.open()).send('Go.');
  await expect(run.accepted).rejects.toMatchObject({
    code: 'PITH_MODEL_MISSING',
    message: 'The agent has no model. Give [model] in the manifest, or a model to createAgent.',
  });
  expect(await run.outcome).toMatchObject({ outcome: 'failed', error: { code: 'PITH_MODEL_MISSING' } });
});

async function* fails(error: Error): AsyncGenerator<LlmStreamPart> {
  throw error;
}

/** Streams these parts, and then no more. */
async function* hangs(...parts: readonly LlmStreamPart[]): AsyncGenerator<LlmStreamPart> {
  yield* parts;
  await new Promise(() => undefined);
}
