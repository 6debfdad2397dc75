import { CLOCK, CONTEXT, defaultService, definePlugin, defineTool, IDS, LLM, TOKENIZER } from '../../core';
import type { Plugin, Tokenizer } from '../../core';
import {
  agentHistory,
  assistantMessage,
  createScriptedModel,
  createTestAgent,
  createTestKernel,
  createVirtualClock,
  extendsPrevious,
  parallelCalls,
  userMessage,
} from '../../core/testing';

declare module '../../core' {
  interface EventMap {
    'test.greeted': { readonly name: string };
  }
}

const greeter: Plugin = definePlugin({
  name: 'greeter',
  api: 1,
  setup(ctx) {
    ctx.log.debug('set up');
    ctx.hooks.on('session_start', () => ctx.bus.publish('test.greeted', { name: 'you' }));
  },
});

test('everything that is logged, published and dispatched is kept in order', async () => {
  await using test = await createTestKernel({ plugins: [greeter] });
  const session = await test.openSession();
  await test.kernel.dispatch('session_start', { role: 'main', session, restored: false });
  expect(test.log).toMatchObject([{ level: 'debug', message: 'set up' }]);
  expect(test.events('test.greeted')).toEqual([{ name: 'you' }]);
  expect(test.hooks('session_start')).toEqual([{ role: 'main', session, restored: false }]);
  expect(test.heard.map(({ name }) => name)).toEqual(['hook:session_start', 'test.greeted']);
  expect(test.events('plugin.error')).toEqual([]);
});

test('time stands still and ids are counted, so that two runs are the same to the byte', async () => {
  const run = async (): Promise<string> => {
    await using test = await createTestKernel();
    const session = await test.openSession(agentHistory({ turns: 2 }), { t: 'turn', phase: 'end', turn: 2 });
    await test.clock.advance(1000);
    session.append([userMessage('later')]);
    expect(session.id).toBe('session-1');
    expect(test.kernel.get(CLOCK)).toBe(test.clock);
    expect(test.kernel.get(IDS).next('job')).toBe('job-1');
    return JSON.stringify([...session.records()]);
  };
  expect(await run()).toBe(await run());
});

test('a session of the store opens again with all it held', async () => {
  await using test = await createTestKernel();
  const session = await test.openSession([userMessage('a'), ...parallelCalls('p', {}, { isError: true })]);
  const digest = session.get(CONTEXT).view().digest;
  await session.close();
  const again = await test.reopenSession(session.id);
  expect([...again.items()]).toEqual([...session.items()]);
  expect(again.get(CONTEXT).view().digest).toBe(digest);
  again.append([assistantMessage('b')]);
  await again.close();
  expect((await test.reopenSession(session.id)).itemCount).toBe(6);
  await expect(test.reopenSession('nobody')).rejects.toMatchObject({ code: 'PITH_SESSION_NOT_FOUND' });
});

test('services come before those of the core', async () => {
  const tokenizer = { id: 'none' } as Tokenizer;
  await using test = await createTestKernel({ services: [defaultService(TOKENIZER, () => tokenizer)] });
  expect(test.kernel.get(TOKENIZER)).toBe(tokenizer);
});

test('an agent answers from a script, and all of it is seen', async () => {
  const model = createScriptedModel({ script: [{ calls: [{ name: 'greet' }] }, 'Done.'] });
  const greet = defineTool({
    name: 'greet',
    description: 'Greets.',
    input: { type: 'object' },
    kind: 'read',
    run: () => 'hello',
  });
  await using test = await createTestAgent({ model, tools: [greet], system: 'P' });
  const conversation = await test.agent.open();
  expect(await conversation.send('go').outcome).toMatchObject({ outcome: 'finished', text: 'Done.' });
  expect(model.requests.map(({ last }) => last)).toEqual(['go', 'hello']);
  expect(test.hooks('post_tool_call')).toMatchObject([{ result: { summary: expect.any(String) } }]);
  expect(extendsPrevious(model.requests)).toEqual([]);
  expect(test.log.filter(({ level }) => level === 'error')).toEqual([]);
});

test('a model whose replies take time shares the clock of its agent', async () => {
  const clock = createVirtualClock();
  const model = createScriptedModel({ script: [{ text: 'Late.', delayMs: 90_000 }], clock });
  await using test = await createTestAgent({ model, clock });
  const conversation = await test.agent.open();
  const run = conversation.send('go');
  await clock.advance(89_999);
  expect(conversation.busy).toBe(true);
  await clock.advance(1);
  expect(await run.outcome).toMatchObject({ outcome: 'finished', text: 'Late.' });
});

test('a start that fails says so', async () => {
  const broken = definePlugin({ name: 'broken', api: 1, needs: { model: LLM }, setup: () => undefined });
  await expect(createTestKernel({ plugins: [broken] })).rejects.toMatchObject({ code: 'PITH_PLUGIN_GRAPH' });
});
