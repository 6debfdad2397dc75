/** The driver alone, as a host with a loop of its own calls it (S3.5, S9.2). */
import { CONTEXT, definePlugin, defineTool, drive, PithError } from '../../core';
import type { Driver, DriveOptions, HookResult, NewItem, Plugin, PluginContext, Session } from '../../core';
import { createTestKernel, userMessage } from '../../core/testing';
import type { TestKernel } from '../../core/testing';

interface Place {
  readonly test: TestKernel;
  readonly session: Session;
  readonly driver: Driver;
}

const open: Place[] = [];
afterEach(async () => {
  for (const { test } of open.splice(0)) await test[Symbol.asyncDispose]();
});

async function place(plugins: readonly Plugin[] = [], options: DriveOptions = {}): Promise<Place> {
  const test = await createTestKernel({ plugins });
  const session = await test.openSession();
  const one = { test, session, driver: drive(test.kernel, session, options) };
  open.push(one);
  return one;
}

const plugin = (name: string, setup: (ctx: PluginContext) => void): Plugin => definePlugin({ name, api: 1, setup });

const say = (text: string): NewItem => ({ kind: 'message', role: 'assistant', parts: [{ type: 'text', text }] });
const call = (callId: string, name = 'look'): NewItem => ({ kind: 'tool_call', callId, name, arguments: {} });

const kinds = (session: Session): readonly string[] =>
  [...session.records()].map((record) => (record.t === 'item' ? record.item.kind : record.t));

/** One handler of `pre_llm_request`, with what it is to answer each time. */
const answering = (...answers: (HookResult<'pre_llm_request'> | undefined)[]): Plugin =>
  plugin('asks', ({ hooks }) => hooks.on('pre_llm_request', () => answers.shift()));

test('a host runs its own loop: prompt, request, reply, calls, end', async () => {
  const { session, driver } = await place();
  await driver.prompt('Look around.');
  const { context } = await driver.beforeRequest();
  expect(context.length).toBe(1);
  const calls = await driver.afterReply({ items: [say('I look.'), call('a'), call('b')], usage: { inputTokens: 20 } });
  const outcomes = await Promise.all(calls.map((one) => driver.toolCall(one, () => `seen by ${one.call.callId}`)));
  expect(outcomes.map(({ result }) => result.summary)).toEqual(['seen by a', 'seen by b']);
  expect((await driver.beforeRequest()).context.length).toBe(6);
  expect(await driver.afterReply({ items: [say('All is well.')] })).toEqual([]);
  expect(await driver.end('finished')).toBe(false);
  expect(session.turnOpen).toBe(false);
});

test('what the host forgot to answer is answered when the run ends, so that the next request is whole', async () => {
  const { session, driver } = await place();
  await driver.prompt('Look.');
  await driver.beforeRequest();
  await driver.afterReply({ items: [call('a'), call('b')] });
  await driver.end('aborted', 'No time.');
  const results = [...session.items()].filter(({ kind }) => kind === 'tool_result');
  expect(results).toMatchObject([
    { callId: 'a', isError: true },
    { callId: 'b', isError: true },
  ]);
});

test('a call id that stands twice in one reply is told apart, and both are answered', async () => {
  const { session, driver } = await place();
  await driver.prompt('Look.');
  await driver.beforeRequest();
  const calls = await driver.afterReply({ items: [call('a'), call('a')] });
  await Promise.all(calls.map((one) => driver.toolCall(one, () => 'seen')));
  const ids = [...session.items()].flatMap((item) => (item.kind === 'tool_result' ? [item.callId] : []));
  expect(new Set(ids).size).toBe(2);
});

test('settings are recorded once, and again where they changed', async () => {
  const { test, session } = await place();
  for (const system of ['One.', 'One.', 'Two.']) {
    const driver = drive(test.kernel, session, { system, model: 'm' });
    await driver.prompt('Go.');
    await driver.beforeRequest();
    await driver.beforeRequest();
    await driver.end('finished');
  }
  const settings = [...session.records()].filter(({ t }) => t === 'settings');
  expect(settings).toMatchObject([{ system: 'One.', model: 'm' }, { system: 'Two.' }]);
  expect(session.get(CONTEXT).view().system[0]?.text).toBe('Two.');
});

test('a driver that is called out of order says so', async () => {
  const { driver } = await place();
  await expect(driver.beforeRequest()).rejects.toMatchObject({ code: 'PITH_TURN_ORDER' });
  expect(() => driver.reopen()).toThrow(expect.objectContaining({ code: 'PITH_TURN_ORDER' }) as Error);
});

describe('before a request', () => {
  test('what is appended is in the log; what is projected holds for this request alone, and its usage measures nothing else', async () => {
    const { session, driver } = await place([
      answering(
        { do: 'append', items: [userMessage('Mind the rules.')] },
        { do: 'project', edits: [{ edit: 'insert', before: 'end', item: userMessage('It is noon.') }] },
      ),
    ]);
    await driver.prompt('Go.');
    expect((await driver.beforeRequest()).context.length).toBe(2);
    await driver.afterReply({ items: [say('Going.')], usage: { inputTokens: 100 } });
    const second = await driver.beforeRequest();
    expect(second.context.length).toBe(4);
    expect(second.stable).toBe(3);
    await driver.afterReply({ items: [say('Gone.')], usage: { inputTokens: 1_000 } });
    expect(session.get(CONTEXT).view().length).toBe(4);
    const usage = [...session.records()].filter((record) => record.t === 'usage');
    expect(usage).toMatchObject([{ on: { entries: 2 } }, { on: { entries: 4, projection: second.projection } }]);
    expect(session.get(CONTEXT).view().occupancy().tokens).toBeLessThan(500);
  });

  test('what one plugin appends or projects is seen by those that are asked after it', async () => {
    const seen: number[] = [];
    const { test, session, driver } = await place([
      answering({ do: 'append', items: [userMessage('Mind the rules.'), userMessage('')] }, undefined),
      plugin('inserts', ({ hooks }) =>
        hooks.on('pre_llm_request', ({ context }) => {
          seen.push(context.length);
          return { do: 'project', edits: [{ edit: 'insert', before: 'end', item: userMessage('It is noon.') }] };
        }),
      ),
      plugin('looks', ({ hooks }) => hooks.on('pre_llm_request', ({ context }) => void seen.push(context.length))),
    ]);
    await driver.prompt('Go.');
    const { context } = await driver.beforeRequest();
    expect([seen, context.length, session.itemCount]).toEqual([[2, 3], 3, 3]);
    await driver.beforeRequest();
    expect(seen.slice(2)).toEqual([2, 3]);
    expect(test.events('plugin.error')).toEqual([]);
  });

  test('edits that are kept stay in force, and the log names who keeps them', async () => {
    const { session, driver } = await place([
      answering(undefined, {
        do: 'project',
        keep: true,
        edits: [{ edit: 'content', item: 'i0', text: 'Short.' }],
        reason: 'Too long.',
      }),
    ]);
    await driver.prompt('A very long prompt.');
    await driver.beforeRequest();
    await driver.afterReply({ items: [say('Yes?')] });
    await driver.beforeRequest();
    expect(session.get(CONTEXT).view().at(0)).toMatchObject({ parts: [{ text: 'Short.' }] });
    expect([...session.records()].find(({ t }) => t === 'edits')).toMatchObject({ by: 'asks', reason: 'Too long.' });
  });

  test('an edit that breaks the context is a fault of its plugin: it is reported, and the request goes out without it', async () => {
    const { test, driver } = await place([answering({ do: 'project', edits: [{ edit: 'drop', items: ['nobody'] }] })]);
    await driver.prompt('Go.');
    expect((await driver.beforeRequest()).context.length).toBe(1);
    expect(test.events('plugin.error')).toMatchObject([{ plugin: 'asks', hook: 'pre_llm_request' }]);
  });

  test('only the tools that a plugin names are offered, for this request', async () => {
    const tools = ['look', 'touch'].map((name) =>
      defineTool({ name, description: '', input: {}, kind: 'read', run: () => '' }),
    );
    const { driver } = await place([answering({ do: 'project', edits: [], offer: ['touch'] })], { tools });
    await driver.prompt('Go.');
    expect((await driver.beforeRequest()).tools.map(({ name }) => name)).toEqual(['touch']);
    await driver.afterReply({ items: [say('Yes.')] });
    expect((await driver.beforeRequest()).tools.map(({ name }) => name)).toEqual(['look', 'touch']);
  });

  test('a yield parks the run, is recorded, and the same request is prepared again', async () => {
    const ran: string[] = [];
    const park = (reason: string): HookResult<'pre_llm_request'> => ({
      do: 'yield',
      reason,
      run: () => Promise.resolve(void ran.push(reason)),
    });
    const { test, session, driver } = await place([answering(park('one'), park('two'))]);
    await driver.prompt('Go.');
    await driver.beforeRequest();
    expect(ran).toEqual(['one', 'two']);
    expect(test.hooks('pre_llm_request').map(({ yields }) => yields)).toEqual([0, 1, 2]);
    expect([...session.records()].filter(({ t }) => t === 'run')).toMatchObject([
      { outcome: 'yielded', reason: 'one' },
      { outcome: 'yielded', reason: 'two' },
    ]);
    expect(test.events('run.parked')).toHaveLength(2);
  });

  test('a plugin that parks the run for ever ends it with a typed error that names it', async () => {
    const { driver } = await place([
      plugin('stubborn', ({ hooks }) =>
        hooks.on('pre_llm_request', () => ({ do: 'yield', reason: 'more', run: () => Promise.resolve() })),
      ),
    ]);
    await driver.prompt('Go.');
    await expect(driver.beforeRequest()).rejects.toMatchObject({
      code: 'PITH_UNRECOVERABLE_OVERFLOW',
      plugin: 'stubborn',
    });
  });

  test('work that fails while the run is parked is a fault of its plugin, and the run goes on', async () => {
    const { test, driver } = await place([
      answering({ do: 'yield', reason: 'try', run: () => Promise.reject(new Error('no')) }),
    ]);
    await driver.prompt('Go.');
    await driver.beforeRequest();
    expect(test.events('plugin.error')).toMatchObject([{ plugin: 'asks' }]);
  });

  test('an abort ends the run: with the plugin and its reason, or with the error that it brings', async () => {
    const error = new PithError('PITH_UNRECOVERABLE_OVERFLOW', 'It does not fit.');
    const { driver } = await place([
      answering({ do: 'abort', reason: 'closed' }, { do: 'abort', reason: 'does not fit', error }),
    ]);
    await driver.prompt('Go.');
    await expect(driver.beforeRequest()).rejects.toMatchObject({
      code: 'PITH_RUN_ABORTED',
      message: 'closed',
      plugin: 'asks',
    });
    await expect(driver.beforeRequest()).rejects.toBe(error);
  });

  test('an overflow surfaces as it is where nobody parks the run, or where that changed nothing', async () => {
    const overflow = new PithError('PITH_LLM_OVERFLOW', 'Too long.');
    const { test, driver } = await place([
      answering(undefined, undefined, { do: 'yield', reason: 'try', run: () => Promise.resolve() }),
    ]);
    await driver.prompt('Go.');
    await driver.beforeRequest();
    await expect(driver.beforeRequest(overflow)).rejects.toBe(overflow);
    await expect(driver.beforeRequest(overflow)).rejects.toBe(overflow);
    expect(test.hooks('pre_llm_request').map((event) => event.overflow)).toEqual([
      undefined,
      overflow,
      overflow,
      overflow,
    ]);
  });

  test('it says whether the context was rebuilt since the last request, also across a restart', async () => {
    const { test, session, driver } = await place();
    const compacted = (cut: number): void =>
      session.record({
        t: 'checkpoint',
        compaction: 'c',
        blocks: [{ kind: 'summary', text: 'Before.' }],
        cut,
        edits: [],
        before: 2,
        after: 1,
      });
    await driver.prompt('One.');
    await driver.beforeRequest();
    await driver.afterReply({ items: [say('Yes.')], usage: { inputTokens: 10 } });
    await driver.end('finished');
    compacted(2);
    const next = drive(test.kernel, session);
    await next.prompt('Two.');
    await next.beforeRequest();
    await next.afterReply({ items: [say('Yes.')], usage: { inputTokens: 10 } });
    await next.beforeRequest();
    expect(test.hooks('pre_llm_request').map(({ rebuilt }) => rebuilt)).toEqual([false, true, false]);
  });
});

describe('prompts', () => {
  test('are what the plugins make of them, and carry the name of who revised', async () => {
    const { session, driver } = await place([
      plugin('polite', ({ hooks }) =>
        hooks.on('prompt_submit', ({ items }) => ({ do: 'revise', to: [...items, userMessage('Please.')] })),
      ),
      plugin('clock', ({ hooks }) =>
        hooks.on('prompt_submit', () => ({ do: 'append', items: [userMessage('It is noon.')] })),
      ),
    ]);
    await driver.prompt('Go.');
    expect([...session.items()]).toMatchObject([
      { parts: [{ text: 'Go.' }], by: 'polite' },
      { parts: [{ text: 'Please.' }], by: 'polite' },
      { parts: [{ text: 'It is noon.' }], by: 'clock' },
    ]);
  });

  test('that a plugin refuses open no turn', async () => {
    const { session, driver } = await place([
      plugin('closed', ({ hooks }) => hooks.on('prompt_submit', () => ({ do: 'abort', reason: 'after hours' }))),
    ]);
    await expect(driver.prompt('Go.')).rejects.toMatchObject({ code: 'PITH_RUN_ABORTED', message: 'after hours' });
    expect(kinds(session)).toEqual(['session']);
  });

  test('that join while calls run come behind their results', async () => {
    const { session, driver } = await place();
    await driver.prompt('Look.');
    await driver.beforeRequest();
    const [one] = await driver.afterReply({ items: [call('a')] });
    await driver.prompt('And hurry.');
    expect(driver.joining).toBe(true);
    if (one !== undefined) await driver.toolCall(one, () => 'seen');
    await driver.beforeRequest();
    expect(driver.joining).toBe(false);
    expect(kinds(session).slice(-3)).toEqual(['tool_call', 'tool_result', 'message']);
  });

  test('that can be taken back as long as they wait', async () => {
    const { session, driver } = await place();
    await driver.prompt('Look.');
    const leave = driver.join([userMessage('No, stop.')]);
    leave();
    await driver.beforeRequest();
    expect(session.itemCount).toBe(1);
  });
});

describe('tool calls', () => {
  test('are refused by a plugin before they are in the log as what they will be; the others run', async () => {
    const { session, driver } = await place([
      plugin('careful', ({ hooks }) =>
        hooks.on('pre_tool_call', ({ call: { callId } }) =>
          callId === 'b' ? { do: 'deny', text: 'Not that one.' } : undefined,
        ),
      ),
    ]);
    await driver.prompt('Look.');
    await driver.beforeRequest();
    const calls = await driver.afterReply({ items: [call('a'), call('b')] });
    for (const one of calls) await driver.toolCall(one, () => 'seen');
    expect([...session.items()].slice(-2)).toMatchObject([
      { callId: 'a', summary: 'seen' },
      { callId: 'b', summary: 'Not that one.', isError: true },
    ]);
  });

  test('after an abort have a result each, and the run ends', async () => {
    const { session, driver } = await place([
      plugin('alarm', ({ hooks }) =>
        hooks.on('pre_tool_call', ({ call: { callId } }) =>
          callId === 'b' ? { do: 'abort', reason: 'fire' } : undefined,
        ),
      ),
    ]);
    await driver.prompt('Look.');
    await driver.beforeRequest();
    await expect(driver.afterReply({ items: [call('a'), call('b'), call('c')] })).rejects.toMatchObject({
      code: 'PITH_RUN_ABORTED',
      message: 'fire',
    });
    expect(kinds(session).filter((kind) => kind === 'tool_result')).toHaveLength(3);
  });

  test('have their results revised, reminded of, and then recorded with the plugin', async () => {
    const { session, driver } = await place([
      plugin('mask', ({ hooks }) => hooks.on('post_tool_call', () => ({ do: 'revise', to: { summary: '***' } }))),
      plugin('mind', ({ hooks }) => hooks.on('post_tool_call', () => ({ do: 'remind', text: 'Mind the gap.' }))),
    ]);
    await driver.prompt('Look.');
    await driver.beforeRequest();
    for (const one of await driver.afterReply({ items: [call('a')] })) await driver.toolCall(one, () => 'a secret');
    const result = [...session.items()].at(-1);
    expect(result).toMatchObject({ summary: '***', by: 'mask' });
    expect(JSON.stringify(result)).toContain('Mind the gap.');
    expect(JSON.stringify([...session.records()])).not.toContain('a secret');
  });
});

describe('the end of a run', () => {
  test('is put off by a plugin that asks for another request of the same turn', async () => {
    let asked = 0;
    const { test, session, driver } = await place([
      plugin('once more', ({ hooks }) =>
        hooks.on('post_run', () =>
          asked++ === 0 ? { do: 'again', items: [userMessage('Are you sure?')] } : undefined,
        ),
      ),
    ]);
    await driver.prompt('Look.');
    await driver.beforeRequest();
    await driver.afterReply({ items: [say('Done.')] });
    expect(await driver.end('finished')).toBe(true);
    expect(session.turnOpen).toBe(true);
    await driver.beforeRequest();
    await driver.afterReply({ items: [say('Sure.')] });
    expect(await driver.end('finished')).toBe(false);
    expect(test.events('turn.started')).toHaveLength(1);
    expect(test.events('turn.ended')).toMatchObject([{ outcome: 'finished' }]);
  });

  test('starts the work that plugins do in the background, and closing waits for it', async () => {
    const done: string[] = [];
    const { test, driver } = await place([
      plugin('busy', ({ hooks }) =>
        hooks.on('post_run', ({ session }) => ({
          do: 'background',
          reason: 'tidy up',
          run: (signal) =>
            new Promise((resolve) => {
              done.push(session.turnOpen ? 'in the turn' : 'after the turn');
              signal.addEventListener('abort', () => {
                done.push('cancelled');
                resolve();
              });
            }),
        })),
      ),
    ]);
    await driver.prompt('Look.');
    await driver.beforeRequest();
    await driver.end('finished');
    await driver.close();
    expect(done).toEqual(['after the turn', 'cancelled']);
    expect(test.hooks('session_end')).toHaveLength(1);
  });

  test('reports work in the background that fails, and harms nobody', async () => {
    const { test, driver } = await place([
      plugin('broken', ({ hooks }) =>
        hooks.on('post_run', () => ({
          do: 'background',
          reason: 'tidy up',
          run: () => Promise.reject(new Error('no broom')),
        })),
      ),
    ]);
    await driver.prompt('Look.');
    await driver.beforeRequest();
    await driver.end('finished');
    await driver.idle();
    expect(test.events('plugin.error')).toMatchObject([{ plugin: 'broken', hook: 'post_run' }]);
  });
});

test('what a plugin appends when the session starts is in the log, in its name', async () => {
  const { session, driver } = await place([
    plugin('greeter', ({ hooks }) =>
      hooks.on('session_start', ({ restored }) =>
        restored ? undefined : { do: 'append', items: [userMessage('Welcome.')] },
      ),
    ),
  ]);
  await driver.start(false);
  expect([...session.items()]).toMatchObject([{ parts: [{ text: 'Welcome.' }], by: 'greeter' }]);
});
