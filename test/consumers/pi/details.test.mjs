// What single messages and runs of pi come to: messages of an application's own, ids of providers, aborts, loops without an agent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runAgentLoop } from '@mariozechner/pi-agent-core';
import {
  createAssistantMessageEventStream,
  fauxAssistantMessage,
  fauxToolCall,
  getModel,
  registerFauxProvider,
  streamSimple,
} from '@mariozechner/pi-ai';
import { definePlugin } from 'pith';
import { createPith } from 'pith/pi';
import { CONFIG, createAgent, LIMITS, listen, PROMPT, runAll, strays, textOf } from './long-session.mjs';

const QUIET = { level: 'error', write: () => undefined };
const pinned = definePlugin({
  name: 'pinned',
  api: 1,
  setup({ hooks }) {
    hooks.on('session_start', ({ session }) => void session.record({ t: 'pin', text: 'The build is red.' }));
  },
});

/** pi's own scripted provider: so many steps with a call for each prompt, then an end. */
function startFaux(t, steps = 0) {
  const faux = registerFauxProvider();
  t.after(() => faux.unregister());
  const reply = ({ messages }) => {
    const last = messages.findLastIndex(({ role }) => role === 'user');
    if (messages.slice(last).filter(({ role }) => role === 'toolResult').length >= steps)
      return fauxAssistantMessage('Done.');
    return fauxAssistantMessage(fauxToolCall('read_file', { path: `src/${messages.length}.ts` }), {
      stopReason: 'toolUse',
    });
  };
  faux.setResponses(Array.from({ length: 200 }, () => reply));
  return faux.getModel();
}

async function start(t, options) {
  const pith = await createPith({ limits: LIMITS, config: CONFIG, log: QUIET, ...options });
  t.after(() => pith.close());
  return pith;
}

test('system content stands behind the system prompt of the agent, and its messages are sent as they are', async (t) => {
  const { agent, sent } = createAgent({ model: startFaux(t) });
  const pith = await start(t, { plugins: [pinned] });
  const detach = pith.attach(agent, { sessionId: 'pins' });
  await runAll(agent, { tasks: 2 });
  assert.deepEqual(
    sent.map(({ systemPrompt }) => systemPrompt),
    [`${PROMPT}\n\nThe build is red.`, `${PROMPT}\n\nThe build is red.`],
  );
  assert.deepEqual(sent[1].messages, agent.state.messages.slice(0, -1));

  detach();
  await agent.prompt('Again.');
  assert.equal(sent[2].systemPrompt, PROMPT);
  assert.equal(agent.transformContext, undefined);
});

test('messages of the application count as what convertToLlm makes of them, and stay what they are', async (t) => {
  const convertToLlm = (messages) =>
    messages.flatMap((message) => {
      if (message.role === 'notification') return [];
      if (message.role !== 'bashExecution') return [message];
      const content = [{ type: 'text', text: `Ran ${message.command}: ${message.output}` }];
      return [{ role: 'user', content, timestamp: message.timestamp }];
    });
  const { agent, sent } = createAgent({ model: startFaux(t, 3), convertToLlm });
  const pith = await start(t);
  const told = listen(pith, sent);
  const prompts = [];
  pith.kernel.bus.on('hook:prompt_submit', ({ items }) =>
    prompts.push(...items.map(({ parts }) => parts.map(({ text }) => text).join(''))),
  );
  pith.attach(agent, { sessionId: 'own' });
  const bash = Object.freeze({ role: 'bashExecution', command: 'make', output: 'ok', exitCode: 0, timestamp: 7 });
  const notification = Object.freeze({ role: 'notification', text: 'Saved.', timestamp: 8 });
  await agent.prompt([notification, bash]);
  await runAll(agent, { tasks: 10, between: () => pith.idle() });

  assert.deepEqual(told.host, []);
  assert.equal(prompts[0], 'Ran make: ok');
  assert.ok(prompts.every((text) => !text.includes('Saved')));
  assert.equal(agent.state.messages[0], notification);
  assert.equal(agent.state.messages[1], bash);
  assert.ok(told.done.length > 0);
  assert.deepEqual(strays(sent, told.changes), []);
});

test('ids of the Responses API go with the reasoning that they are bound to', async (t) => {
  const model = { ...getModel('openai', 'gpt-5'), baseUrl: 'http://127.0.0.1:9' };
  const inputs = [];
  let made = 0;
  // What pi would send is taken where it is whole, and answered here.
  const streamFn = async (given, context) => {
    const stop = new Error('seen');
    const onPayload = ({ input }) => {
      inputs.push(structuredClone(input));
      throw stop;
    };
    await streamSimple(given, context, { apiKey: 'key', onPayload }).result();
    const n = ++made;
    const results = context.messages.slice(context.messages.findLastIndex(({ role }) => role === 'user'));
    const isLast = results.filter(({ role }) => role === 'toolResult').length >= 6;
    const reasoning = { type: 'reasoning', id: `rs_${n}`, summary: [], encrypted_content: 'x'.repeat(900) };
    const said = isLast
      ? { type: 'text', text: 'Done.', textSignature: JSON.stringify({ v: 1, id: `msg_r${n}` }) }
      : { type: 'toolCall', id: `call_${n}|fc_${n}`, name: 'read_file', arguments: { path: `src/${n}.ts` } };
    const message = {
      ...fauxAssistantMessage([{ type: 'thinking', thinking: '', thinkingSignature: JSON.stringify(reasoning) }, said]),
      ...{ api: given.api, provider: given.provider, model: given.id, stopReason: isLast ? 'stop' : 'toolUse' },
    };
    const stream = createAssistantMessageEventStream();
    stream.push({ type: 'done', reason: message.stopReason, message });
    stream.end(message);
    return stream;
  };
  const { agent } = createAgent({ model, streamFn });
  const pith = await start(t);
  const told = listen(pith, inputs);
  pith.attach(agent, { sessionId: 'ids' });
  await runAll(agent, { tasks: 8, between: () => pith.idle() });

  assert.ok(told.done.length >= 2, JSON.stringify(told));
  assert.deepEqual(told.host, []);
  let unbound = 0;
  for (const input of inputs) {
    const calls = new Set(input.map(({ type, call_id }) => type === 'function_call' && call_id));
    for (const [at, item] of input.entries()) {
      if (item.type === 'function_call_output') assert.ok(calls.has(item.call_id));
      const bound = /^(?:fc_|msg_r)(\d+)$/.exec(item.id ?? '');
      if (bound !== null) assert.equal(input[at - 1].id, `rs_${bound[1]}`);
      else if (item.type === 'function_call') unbound++;
    }
  }
  assert.ok(unbound > 0);
});

test('a run that is aborted ends as such, and the next one goes on', async (t) => {
  const { agent, sent } = createAgent({ model: startFaux(t, 2) });
  const pith = await start(t);
  const told = listen(pith, sent);
  const ends = [];
  pith.kernel.bus.on('turn.ended', ({ outcome }) => ends.push(outcome));
  pith.attach(agent, { sessionId: 'aborted' });
  const unsubscribe = agent.subscribe(({ type }) => {
    if (type === 'tool_execution_end') agent.abort();
  });
  await agent.prompt('One.');
  unsubscribe();
  await agent.prompt('Two.');

  assert.deepEqual(ends, ['aborted', 'finished']);
  assert.deepEqual(told.host, []);
  assert.equal(textOf(agent.state.messages.at(-1)), 'Done.');
});

test('messages that are steered in or follow up are part of the run', async (t) => {
  const { agent, sent } = createAgent({ model: startFaux(t, 2) });
  const pith = await start(t);
  const told = listen(pith, sent);
  pith.attach(agent, { sessionId: 'steered' });
  const user = (content) => ({ role: 'user', content, timestamp: 1 });
  agent.steer(user('Also look at the tests.'));
  agent.followUp(user('And sum it up.'));
  await agent.prompt('One.');

  assert.deepEqual(told.host, []);
  assert.deepEqual(strays(sent, told.changes), []);
  assert.equal(agent.state.messages.filter(({ role }) => role === 'user').length, 3);
});

test('a loop without an agent has the transform and the listener; system content is a message of the user', async (t) => {
  const model = startFaux(t, 3);
  const { agent } = createAgent({ model });
  const pith = await start(t, { plugins: [pinned] });
  const ends = [];
  pith.kernel.bus.on('turn.ended', ({ outcome }) => ends.push(outcome));
  const sent = [];
  const told = listen(pith, sent);
  const convertToLlm = (messages) => messages;
  const context = { systemPrompt: PROMPT, messages: [], tools: agent.state.tools };
  const listener = pith.listener({ sessionId: 'loop' });
  const transformContext = pith.transformContext({ sessionId: 'loop', loop: { state: { ...context, model } } });
  const streamFn = (given, request, options) => {
    sent.push(structuredClone(request.messages));
    return streamSimple(given, request, options);
  };
  for (const text of ['One.', 'Two.']) {
    const prompt = { role: 'user', content: text, timestamp: 1 };
    const config = { model, convertToLlm, transformContext };
    context.messages.push(...(await runAgentLoop([prompt], context, config, listener, undefined, streamFn)));
  }

  assert.deepEqual(ends, ['finished', 'finished']);
  assert.deepEqual(told.host, []);
  assert.deepEqual(
    sent.map(([first]) => textOf(first)),
    sent.map(() => 'The build is red.'),
  );
  assert.ok(context.messages.every((message) => textOf(message) !== 'The build is red.'));
});

test('where Pith fails, the agent sends what it has', async (t) => {
  const { agent, sent } = createAgent({ model: startFaux(t, 2) });
  const store = {
    open: () => Promise.reject(new Error('The disk is gone.')),
    list: () => Promise.reject(new Error('The disk is gone.')),
  };
  const pith = await start(t, { store });
  const told = listen(pith, sent);
  pith.attach(agent, { sessionId: 'failing' });
  await agent.prompt('One.');

  assert.equal(textOf(agent.state.messages.at(-1)), 'Done.');
  assert.ok(told.host.length > 0);
  assert.deepEqual(sent.at(-1).messages, agent.state.messages.slice(0, -1));
  await pith.close();
  await agent.prompt('Two.');
  assert.equal(textOf(agent.state.messages.at(-1)), 'Done.');
});
