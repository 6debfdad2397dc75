/** The loop: what a turn comes to, whatever the model does (S2). */
import { definePlugin, defineTool, PithError } from '../../core';
import type { AgentEvent, LlmClient, LlmStreamPart, Plugin } from '../../core';
import { createScriptedModel, createTestAgent, userMessage } from '../../core/testing';
import type { Script, TestAgent } from '../../core/testing';

const hosts: TestAgent[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host[Symbol.asyncDispose]();
});

const look = defineTool({ name: 'look', description: 'Looks.', input: {}, kind: 'read', run: () => 'Seen.' });

async function turn(model: LlmClient, plugins: readonly Plugin[] = []) {
  const host = await createTestAgent({ model, plugins, tools: [look] });
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

/** A model that streams these parts, and nothing else. */
function streaming(...parts: readonly LlmStreamPart[]): LlmClient {
  const model = createScriptedModel({ script: [] });
  return {
    model: 'streaming',
    profile: model.profile,
    tokenizer: () => model.tokenizer(),
    limits: () => model.limits(),
    generate: () => Promise.reject(new Error('not asked for')),

    async *stream() {
      yield* parts;
    },
  };
}

test.each([
  ['refusal', 'PITH_LLM_REFUSED'],
  ['length', 'PITH_LLM_OUTPUT_LIMIT'],
] as const)('a reply that ends by %s fails the run, and what it said is kept', async (stop, code) => {
  const { end, said, conversation } = await turn(scripted([{ text: 'I would', stop }]));
  expect(end).toMatchObject({ outcome: 'failed', text: 'I would', error: { code } });
  expect(said).toEqual(['Go.', 'I would']);
  expect(conversation.session.turnOpen).toBe(false);
});

test('a stream that ends without a reply is a fault of the transport', async () => {
  const { end, said } = await turn(streaming({ type: 'text', text: 'I was' }));
  expect(end).toMatchObject({ outcome: 'failed', error: { code: 'PITH_LLM_TRANSPORT' } });
  expect(said).toEqual(['Go.']);
});

test('what a model throws that nobody knows fails the run with its cause', async () => {
  const cause = new TypeError('undefined is not a function');
  const model = { ...streaming(), stream: () => fails(cause) };
  const { end } = await turn(model);
  expect(end.error).toMatchObject({ code: 'PITH_RUN_FAILED', cause });
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
  const alarm = definePlugin({
    name: 'alarm',
    api: 1,
    setup: ({ hooks }) => hooks.on('post_tool_call', () => ({ do: 'abort', reason: 'fire' })),
  });
  const { end, said } = await turn(scripted([{ calls: [{ name: 'look' }, { name: 'look' }] }]), [alarm]);
  expect(end).toMatchObject({ outcome: 'aborted', reason: 'fire' });
  expect(said.filter((kind) => kind === 'tool_result')).toHaveLength(2);
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

test('an agent without a model says so', async () => {
  const host = await createTestAgent({});
  hosts.push(host);
  const run = (await host.agent.open()).send('Go.');
  await expect(run.accepted).rejects.toMatchObject({ code: 'PITH_MODEL_MISSING' });
  expect(await run.outcome).toMatchObject({ outcome: 'failed', error: { code: 'PITH_MODEL_MISSING' } });
});

async function* fails(error: Error): AsyncGenerator<LlmStreamPart> {
  throw error;
}
