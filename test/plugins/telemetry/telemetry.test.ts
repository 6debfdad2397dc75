import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { createKernel, definePlugin, defineTool, drive, PithError } from '../../../core';
import type { Plugin } from '../../../core';
import { createScriptedModel, createTestAgent } from '../../../core/testing';
import type { Script, TestAgent } from '../../../core/testing';
import telemetry from '../../../plugins/telemetry';
import { assistant } from '../../support/context';
import { compact, start, STOCK } from '../../support/kernel';
import { scriptedWorker, summaryOf, writing } from '../../support/worker';
import { calls, HISTORY, mark, workplace, write } from '../compaction/llm-kit';
import { register, unregister } from './sdk';
import type { Sdk } from './sdk';

const SECRET = 'sk-this-is-the-secret-of-the-user';

let sdk: Sdk;
beforeEach(() => {
  sdk = register();
});
afterEach(unregister);

const add = defineTool({
  name: 'add',
  description: 'Adds.',
  kind: 'read',
  input: { type: 'object' },
  run: () => 'the sum is 3',
});
const fail = defineTool({
  name: 'fail',
  description: 'Fails.',
  kind: 'read',
  input: { type: 'object' },
  run: () => Promise.reject(new Error(SECRET)),
});

/** Has an agent answer one prompt, and closes it. */
async function turnOf(script: Script, ...plugins: readonly Plugin[]): Promise<void> {
  await using test: TestAgent = await createTestAgent({
    plugins: [telemetry, ...plugins],
    model: createScriptedModel({ script }),
    tools: [add, fail],
  });
  const conversation = await test.agent.open('s');
  await conversation.send(`Add 1 and 2, my key is ${SECRET}.`).outcome;
}

describe('a turn', () => {
  test('is a span of its own, with its requests, tools and what they used', async () => {
    await turnOf([calls({ name: 'add', arguments: { a: 1 } }), 'It is 3.']);
    const turn = sdk.span('invoke_agent');
    expect(turn.kind).toBe(SpanKind.INTERNAL);
    expect(turn.parentSpanContext).toBeUndefined();
    expect(turn.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.conversation.id': 's',
      'gen_ai.request.model': 'scripted',
      'pith.turn.number': 1,
      'pith.turn.outcome': 'finished',
    });
    expect(sdk.within('invoke_agent').filter((name) => !name.startsWith('pith.hook'))).toEqual([
      'chat scripted',
      'execute_tool add',
      'chat scripted',
    ]);
    const chats = sdk.spans.filter(({ name }) => name === 'chat scripted');
    const used = (key: string): number => chats.reduce((sum, one) => sum + Number(one.attributes[key]), 0);
    for (const key of ['gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens']) {
      expect(used(key)).toBeGreaterThan(0);
      expect(turn.attributes[key]).toBe(used(key));
    }
  });

  test('that fails says by which error, and so does its request', async () => {
    await turnOf([{ error: 'auth' }]);
    for (const name of ['invoke_agent', 'chat scripted']) {
      const { status, attributes } = sdk.span(name);
      expect(status).toEqual({ code: SpanStatusCode.ERROR });
      expect(attributes['error.type']).toMatch(/^PITH_LLM_/);
    }
  });

  test('that is aborted while the model is asked has no error', async () => {
    await using test = await createTestAgent({
      plugins: [telemetry],
      model: createScriptedModel({ script: ['Never heard.'] }),
    });
    const conversation = await test.agent.open('s');
    const run = conversation.send('Wait.');
    for await (const event of run) if (event.type === 'request') run.abort();
    const { status, attributes } = sdk.span('chat scripted');
    expect([status.code, attributes['pith.request.outcome']]).toEqual([SpanStatusCode.UNSET, 'aborted']);
    expect(sdk.span('invoke_agent').attributes['pith.turn.outcome']).toBe('aborted');
  });

  test('that goes on in a host of its own is told in the same way', async () => {
    await using host = await start({ plugins: [...STOCK, telemetry] });
    const driver = drive(host.kernel, host.open([]), { model: 'hosted', provider: 'google.generative-ai' });
    await driver.prompt('Hello.');
    await driver.beforeRequest();
    await driver.afterReply({ items: [assistant('Hello.')], usage: { inputTokens: 9, outputTokens: 2 } });
    await driver.end('finished');
    expect(sdk.span('chat hosted').attributes).toMatchObject({
      'gen_ai.provider.name': 'gcp.gemini',
      'gen_ai.request.model': 'hosted',
      'gen_ai.usage.input_tokens': 9,
      'gen_ai.usage.output_tokens': 2,
    });
  });

  test('that the provider finds too large has one span for each request that was sent', async () => {
    await using host = await start({ plugins: [...STOCK, telemetry] });
    const driver = drive(host.kernel, host.open([]), { model: 'small' });
    await driver.prompt('Hello.');
    await driver.beforeRequest();
    const overflow = new PithError('PITH_LLM_OVERFLOW', 'too large');
    await driver.beforeRequest(overflow).catch(() => undefined);
    await driver.end('failed', overflow.message, overflow.code);
    expect(sdk.span('chat small').attributes['error.type']).toBe('PITH_LLM_OVERFLOW');
    expect(sdk.span('invoke_agent').attributes['error.type']).toBe('PITH_LLM_OVERFLOW');
  });
});

describe('a tool', () => {
  test('has a span that names the call, and an error where the result is one', async () => {
    await turnOf([calls({ name: 'add', arguments: {} }, { name: 'fail', arguments: {} }), 'Done.']);
    expect(sdk.span('execute_tool add').attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'add',
      'gen_ai.tool.type': 'function',
      'pith.tool.outcome': 'done',
    });
    const { status, attributes } = sdk.span('execute_tool fail');
    expect([status.code, attributes['error.type']]).toEqual([SpanStatusCode.ERROR, '_OTHER']);
  });

  test('that is denied has none', async () => {
    const deny = definePlugin({
      name: 'deny',
      api: 1,
      setup: ({ hooks }) => hooks.on('pre_tool_call', () => ({ do: 'deny', text: 'No.' })),
    });
    await turnOf([calls({ name: 'add', arguments: {} }), 'Then not.'], deny);
    expect(sdk.spans.map(({ name }) => name)).not.toContain('execute_tool add');
    expect(sdk.span('pith.hook pre_tool_call').attributes).toMatchObject({
      'pith.plugin.name': 'deny',
      'pith.hook.result': 'deny',
    });
  });
});

describe('a hook', () => {
  test('is measured always, and has a span where a handler failed, within its turn', async () => {
    const broken = definePlugin({
      name: 'broken',
      api: 1,
      setup: ({ hooks }) =>
        hooks.on('post_llm_response', () => {
          throw new Error(SECRET);
        }),
    });
    await turnOf(['Hello.'], broken);
    expect(sdk.within('invoke_agent')).toContain('pith.hook post_llm_response');
    const { status, attributes } = sdk.span('pith.hook post_llm_response');
    expect([status.code, attributes['pith.hook.failed']]).toEqual([SpanStatusCode.ERROR, ['broken']]);
    const measured = await sdk.measured('pith.hook.duration');
    const names = measured.map(({ attributes: { 'pith.hook.name': name } }) => name);
    expect(names).toEqual(expect.arrayContaining(['prompt_submit', 'pre_llm_request', 'post_run', 'session_end']));
    expect(measured.find(({ attributes: { 'error.type': type } }) => type !== undefined)?.count).toBe(1);
  });

  test('that takes a while has a span', async () => {
    const slow = definePlugin({
      name: 'slow',
      api: 1,
      setup: ({ hooks }) =>
        hooks.on('post_llm_response', () => {
          const until = performance.now() + 2;
          while (performance.now() < until);
        }),
    });
    await turnOf(['Hello.'], slow);
    expect(sdk.within('invoke_agent')).toContain('pith.hook post_llm_response');
  });
});

describe('the metrics', () => {
  test('are those of the conventions, in seconds and tokens', async () => {
    await turnOf([calls({ name: 'add', arguments: {} }), 'It is 3.']);
    const tokens = await sdk.measured('gen_ai.client.token.usage');
    expect(tokens.map(({ attributes, unit, count }) => [attributes['gen_ai.token.type'], unit, count])).toEqual([
      ['input', '{token}', 2],
      ['output', '{token}', 2],
    ]);
    const turn = sdk.span('invoke_agent').attributes;
    expect(tokens.map(({ sum }) => sum)).toEqual([
      turn['gen_ai.usage.input_tokens'],
      turn['gen_ai.usage.output_tokens'],
    ]);
    for (const [name, count] of [
      ['gen_ai.client.operation.duration', 2],
      ['gen_ai.invoke_agent.duration', 1],
      ['gen_ai.execute_tool.duration', 1],
    ] as const) {
      expect(await sdk.measured(name)).toMatchObject([{ unit: 's', count }]);
    }
  });
});

describe('a compaction', () => {
  test('has a span with what came of it, its outcome measured', async () => {
    const worker = scriptedWorker(writing(summaryOf('Ported.')));
    await using host = await start({ plugins: [...STOCK, worker.plugin, telemetry] });
    const report = await compact(host, host.open(HISTORY));
    const { attributes } = sdk.span('pith.compaction');
    expect(attributes).toMatchObject({
      'pith.compaction.id': report.id,
      'pith.compaction.trigger': 'manual',
      'pith.compaction.outcome': 'done',
      'pith.compaction.worker': 'scripted',
      'pith.compaction.tokens.before': report.before.tokens,
      'pith.compaction.tokens.after': report.after?.tokens,
    });
    const [freed] = await sdk.measured('pith.compaction.freed');
    expect(freed?.sum).toBe(report.before.tokens - (report.after?.tokens ?? 0));
    expect(await sdk.measured('pith.compaction.duration')).toMatchObject([{ unit: 's', count: 1 }]);
    expect(sdk.within('pith.compaction')).toContain('execute_tool write_summary');
  });

  test('that fails is an error with its outcome', async () => {
    const worker = scriptedWorker(() => Promise.reject(new Error(SECRET)));
    await using host = await start({
      plugins: [...STOCK, worker.plugin, telemetry],
      config: { compaction: { fallback: 'none' } },
    });
    await compact(host, host.open(HISTORY));
    const { status, attributes } = sdk.span('pith.compaction');
    expect([status.code, attributes['error.type']]).toEqual([SpanStatusCode.ERROR, 'worker-failed']);
  });

  test('has the turns of its worker within, whose tools are told once', async () => {
    const place = await workplace([calls(mark()), calls(write()), 'Done.'], { plugins: [...STOCK, telemetry] });
    await place.compact();
    await place[Symbol.asyncDispose]();
    const within = sdk.within('pith.compaction').filter((name) => !name.startsWith('pith.hook'));
    expect(within.sort()).toEqual([
      'execute_tool mark_read_required',
      'execute_tool write_summary',
      'invoke_agent compact-worker',
    ]);
    const worker = sdk.span('invoke_agent compact-worker');
    expect(worker.attributes['gen_ai.agent.name']).toBe('compact-worker');
    expect(worker.spanContext().traceId).toBe(sdk.span('pith.compaction').spanContext().traceId);
    expect(sdk.within('invoke_agent compact-worker').filter((name) => name.startsWith('chat'))).toHaveLength(3);
    expect(sdk.spans.filter(({ name }) => name === 'execute_tool write_summary')).toHaveLength(1);
  });

  test('in the background is linked to the turn that led to it', async () => {
    const worker = scriptedWorker(writing(summaryOf('Ported.')));
    await using host = await start({
      plugins: [...STOCK, worker.plugin, telemetry],
      config: { compaction: { compactThreshold: 1000 } },
    });
    const driver = drive(host.kernel, host.open(HISTORY));
    await driver.prompt('Go on.');
    await driver.beforeRequest();
    await driver.afterReply({ items: [assistant('Gone on.')] });
    await driver.end('finished');
    await driver.idle();
    const { links } = sdk.span('pith.compaction');
    expect(links.map(({ context }) => context.spanId)).toEqual([sdk.span('invoke_agent').spanContext().spanId]);
  });
});

describe('what is told', () => {
  test('holds nothing of what was said, given to tools or put out by them, nor of error messages', async () => {
    const broken = definePlugin({
      name: 'broken',
      api: 1,
      setup: ({ hooks }) => hooks.on('post_run', () => Promise.reject(new Error(SECRET))),
    });
    await turnOf([calls({ name: 'fail', arguments: { key: SECRET } }), `I saw ${SECRET}.`], broken);
    const told = sdk.spans.map(({ name, attributes, events, status }) => [name, attributes, events, status]);
    const measured = await Promise.all(['pith.hook.duration', 'gen_ai.execute_tool.duration'].map(sdk.measured));
    expect(told.length).toBeGreaterThan(3);
    expect(JSON.stringify([told, measured])).not.toContain(SECRET);
    expect(JSON.stringify([told, measured])).not.toContain('sum is');
  });

  test('is ended when the kernel stops, whatever is still open', async () => {
    const host = await start({ plugins: [...STOCK, telemetry] });
    const driver = drive(host.kernel, host.open([]), { model: 'slow' });
    await driver.prompt('Hello.');
    await driver.beforeRequest();
    await host[Symbol.asyncDispose]();
    expect(sdk.spans.map(({ name }) => name)).toEqual(expect.arrayContaining(['chat slow', 'invoke_agent']));
  });
});

describe('without an SDK', () => {
  test('and without the API, the start fails where `required` says so, and tells what to install', async () => {
    await unregister();
    const absent = Object.assign(new Error('absent'), { code: 'MODULE_NOT_FOUND' });
    let message = '';
    await jest.isolateModulesAsync(async () => {
      jest.doMock('@opentelemetry/api', () => {
        throw absent;
      });
      const { default: plugin } = jest.requireActual<{ readonly default: Plugin }>('../../../plugins/telemetry');
      await using kernel = await createKernel({ plugins: [plugin] });
      expect(kernel.bus.hears('turn.started')).toBe(false);
      const asked = createKernel({ plugins: [plugin], config: { telemetry: { required: true } } });
      message = await asked.then(String, String);
    });
    jest.dontMock('@opentelemetry/api');
    expect(message).toMatch(/the package @opentelemetry\/api is not installed; npm install it with an SDK/);
  });

  test('nothing is heard, measured or said', async () => {
    await unregister();
    const said: string[] = [];
    await using kernel = await createKernel({
      plugins: [telemetry],
      log: { level: 'debug', write: ({ message }) => said.push(message) },
    });
    const names = ['turn.started', 'hook.ended', 'tool.started'] as const;
    expect(names.filter((name) => kernel.bus.hears(name as never))).toEqual([]);
  });

  test('the start fails where `required` says so, with what to do', async () => {
    await unregister();
    const started = start({ plugins: [telemetry], config: { telemetry: { required: true } } });
    await expect(started).rejects.toMatchObject({
      code: 'PITH_PLUGIN_SETUP',
      message: expect.stringMatching(/no OpenTelemetry SDK is registered; register one before/) as string,
    });
  });
});
