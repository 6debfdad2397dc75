/** The driver alone, as a host with a loop of its own calls it (S3.5, S9.2). */
import { CONTEXT, defineTool, drive } from '../../core';
import { userMessage } from '../../core/testing';
import { answering, call, kinds, place, plugin, say } from './driver-kit';
import type { Place } from './driver-kit';

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
  const summary = 'Interrupted before it was done.';
  expect(results).toMatchObject([
    { callId: 'a', summary, isError: true },
    { callId: 'b', summary, isError: true },
  ]);
  expect([...session.records()].find(({ t }) => t === 'run')).toMatchObject({ outcome: 'aborted', reason: 'No time.' });
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

test('a driver that says nothing of prompt and model leaves them as they are', async () => {
  const { test, session } = await place();
  for (const options of [{ system: 'One.', model: 'm' }, {}]) {
    const driver = drive(test.kernel, session, options);
    await driver.prompt('Go.');
    await driver.beforeRequest();
    await driver.end('finished');
  }
  expect([...session.records()].filter(({ t }) => t === 'settings')).toHaveLength(1);
});

test('settings name the tools of the role, and are recorded again where those are others', async () => {
  const { test, session } = await place();
  const tools = ['look', 'touch'].map((name) =>
    defineTool({
      name,
      description: `To ${name}.`,
      input: {},
      kind: 'read',
      roles: name === 'look' ? ['main', 'guest'] : ['main'],
      run: () => '',
    }),
  );
  for (const role of ['main', 'main', 'guest']) {
    const driver = drive(test.kernel, session, { role, tools });
    await driver.prompt('Go.');
    expect((await driver.beforeRequest()).tools).toHaveLength(role === 'main' ? 2 : 1);
    await driver.end('finished');
  }
  const [look, touch] = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  const settings = [...session.records()].filter(({ t }) => t === 'settings');
  expect(settings).toEqual([
    expect.objectContaining({ tools: [look, touch] }),
    expect.objectContaining({ tools: [look] }),
  ]);
  expect(settings[0]).not.toHaveProperty('model');
  expect(settings[0]).not.toHaveProperty('system');
});

test('a driver that is called out of order says so', async () => {
  const { driver } = await place();
  await expect(driver.beforeRequest()).rejects.toMatchObject({
    code: 'PITH_TURN_ORDER',
    message: `Session "${driver.session.id}" has no open turn; prompt it first.`,
  });
  expect(() => driver.reopen()).toThrow(
    expect.objectContaining({
      code: 'PITH_TURN_ORDER',
      message: `Session "${driver.session.id}" has no turn to go on with; prompt it.`,
    }) as Error,
  );
});

describe('a turn that was interrupted', () => {
  const interrupted = async (): Promise<Place> => {
    const one = await place();
    one.session.record({ t: 'turn', phase: 'start', turn: 1 });
    return one;
  };

  test('is ended by the prompt that opens the next one', async () => {
    const { test, session, driver } = await interrupted();
    await driver.prompt('Go on.');
    const at = { session: session.id, role: 'main' };
    expect([...session.records()].filter(({ t }) => t === 'turn' || t === 'run')).toMatchObject([
      { t: 'turn', phase: 'start', turn: 1 },
      { t: 'run', outcome: 'aborted', reason: 'It was interrupted.' },
      { t: 'turn', phase: 'end', turn: 1 },
      { t: 'turn', phase: 'start', turn: 2 },
    ]);
    expect(test.events('turn.ended')).toEqual([{ ...at, turn: 1, outcome: 'aborted', reason: 'It was interrupted.' }]);
    expect(test.events('turn.started')).toEqual([{ ...at, turn: 2 }]);
  });

  test('may be gone on with instead', async () => {
    const { test, session, driver } = await interrupted();
    driver.reopen();
    await driver.beforeRequest();
    await driver.afterReply({ items: [say('Where was I?')] });
    await driver.end('finished');
    const at = { session: session.id, role: 'main', turn: 1 };
    expect(test.events('turn.started')).toEqual([at]);
    expect(test.events('turn.ended')).toStrictEqual([{ ...at, outcome: 'finished' }]);
    expect([...session.records()].find(({ t }) => t === 'run')).not.toHaveProperty('reason');
    expect(kinds(session)).toEqual(['session', 'turn', 'message', 'run', 'turn']);
  });
});

describe('an abort', () => {
  test('ends the turn that runs, with its reason, and not the next one', async () => {
    const { driver } = await place();
    await driver.prompt('Go.');
    const { signal } = driver;
    driver.abort();
    expect(signal.aborted).toBe(true);
    await expect(driver.beforeRequest()).rejects.toMatchObject({
      code: 'PITH_CANCELLED',
      message: 'It was cancelled.',
    });
    await driver.end('aborted');
    await driver.prompt('Go on.');
    expect(driver.signal.aborted).toBe(false);
    await driver.beforeRequest();
    driver.abort('Enough.');
    await expect(driver.beforeRequest()).rejects.toMatchObject({ message: 'Enough.' });
  });

  test('is heard by the work for which the run is parked, and is no fault of its plugin', async () => {
    const { test, driver } = await place([
      answering({
        do: 'yield',
        reason: 'wait',
        run: (signal) =>
          new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('I stop.')))),
      }),
    ]);
    await driver.prompt('Go.');
    const prepared = driver.beforeRequest();
    setImmediate(() => driver.abort('Enough.'));
    await expect(prepared).rejects.toMatchObject({ code: 'PITH_CANCELLED', message: 'Enough.' });
    expect(test.events('plugin.error')).toEqual([]);
  });

  test('counts also where that work does not care', async () => {
    const { driver } = await place([
      answering({ do: 'yield', reason: 'wait', run: () => Promise.resolve(driver.abort('Enough.')) }),
    ]);
    await driver.prompt('Go.');
    await expect(driver.beforeRequest()).rejects.toMatchObject({ message: 'Enough.' });
  });
});

describe('a reply', () => {
  test('is taken without what says nothing, as the items of one reply, whose calls are told apart', async () => {
    const { session, driver } = await place();
    await driver.prompt('Go.');
    await driver.beforeRequest();
    const named = { ...say('Mine.'), reply: 'own' };
    const other = { ...call('x'), reply: 'own' };
    await driver.afterReply({ items: [say('I look.'), say(' '), named, call('a'), call('a'), call("a'"), other] });
    const items = [...session.items()].slice(1, 7);
    const [first] = items;
    const reply = first !== undefined && 'reply' in first ? first.reply : undefined;
    expect(reply).toEqual(expect.any(String));
    expect(items).toMatchObject([
      { parts: [{ text: 'I look.' }], reply },
      { parts: [{ text: 'Mine.' }], reply: 'own' },
      { callId: 'a', reply },
      { callId: "a'", reply },
      { callId: "a''", reply },
      { callId: 'x', reply: 'own' },
    ]);
    await driver.end('finished');
    await driver.prompt('Again.');
    await driver.beforeRequest();
    await driver.afterReply({ items: [say('I look again.')] });
    expect([...session.items()].at(-1)).not.toMatchObject({ reply });
  });

  test('that a host brings without a request is measured by the context as it was', async () => {
    const { test, session, driver } = await place();
    await driver.prompt('Go.');
    await driver.afterReply({ items: [say('Gone.')], usage: { inputTokens: 12 } });
    expect([...session.records()].find(({ t }) => t === 'usage')).toMatchObject({
      usage: { inputTokens: 12 },
      on: { entries: 1 },
    });
    expect(test.hooks('post_llm_response')).toMatchObject([{ role: 'main', session, usage: { inputTokens: 12 } }]);
  });

  test('after an abort comes to nothing but what was in it', async () => {
    const { session, driver } = await place([
      plugin('slow', ({ hooks }) => hooks.on('post_llm_response', () => new Promise(() => undefined))),
    ]);
    await driver.prompt('Go.');
    await driver.beforeRequest();
    const taken = driver.afterReply({ items: [say('Gone.'), call('a')] });
    setImmediate(() => driver.abort('Enough.'));
    await expect(taken).rejects.toMatchObject({ code: 'PITH_CANCELLED' });
    await driver.end('aborted');
    expect(kinds(session)).toEqual(['session', 'turn', 'message', 'message', 'run', 'turn']);
  });
});

describe('prompts', () => {
  test('are what the plugins make of them, and carry the name of who revised', async () => {
    const { test, session, driver } = await place([
      plugin('polite', ({ hooks }) =>
        hooks.on('prompt_submit', ({ items }) => ({ do: 'revise', to: [...items, userMessage('Please.')] })),
      ),
      plugin('clock', ({ hooks }) =>
        hooks.on('prompt_submit', () => ({ do: 'append', items: [userMessage('It is noon.')] })),
      ),
    ]);
    await driver.prompt(userMessage('Go.'));
    expect(test.hooks('prompt_submit')).toMatchObject([{ role: 'main', opens: true, items: [userMessage('Go.')] }]);
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
    await expect(driver.prompt('Go.')).rejects.toMatchObject({
      code: 'PITH_RUN_ABORTED',
      message: 'after hours',
      plugin: 'closed',
    });
    expect(kinds(session)).toEqual(['session']);
  });

  test('that join while calls run come behind their results', async () => {
    const { test, session, driver } = await place();
    await driver.prompt('Look.');
    await driver.beforeRequest();
    const [one] = await driver.afterReply({ items: [call('a')] });
    expect(driver.joining).toBe(false);
    await driver.prompt('And hurry.');
    expect(driver.joining).toBe(true);
    expect(test.hooks('prompt_submit').map(({ opens }) => opens)).toEqual([true, false]);
    if (one !== undefined) await driver.toolCall(one, () => 'seen');
    await driver.beforeRequest();
    expect(driver.joining).toBe(false);
    expect(kinds(session).slice(-3)).toEqual(['tool_call', 'tool_result', 'message']);
  });

  test('that can be taken back as long as they wait', async () => {
    const { session, driver } = await place();
    await driver.prompt('Look.');
    const joined: string[] = [];
    const leave = driver.join([userMessage('No, stop.')], () => joined.push('stop'));
    driver.join([userMessage('Yes, go on.')], () => joined.push('go on'));
    leave();
    await driver.beforeRequest();
    leave();
    await driver.beforeRequest();
    expect([...session.items()]).toMatchObject([{ parts: [{ text: 'Look.' }] }, { parts: [{ text: 'Yes, go on.' }] }]);
    expect(joined).toEqual(['go on']);
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

  test('is not put off where the run was aborted or failed', async () => {
    const { test, session, driver } = await place([
      plugin('once more', ({ hooks }) =>
        hooks.on('post_run', () => ({ do: 'again', items: [userMessage('Are you sure?')] })),
      ),
    ]);
    for (const outcome of ['aborted', 'failed'] as const) {
      await driver.prompt('Look.');
      expect(await driver.end(outcome, 'No luck.')).toBe(false);
      expect(session.turnOpen).toBe(false);
    }
    expect(session.itemCount).toBe(2);
    expect(test.events('turn.ended')).toMatchObject([
      { turn: 1, outcome: 'aborted', reason: 'No luck.' },
      { turn: 2, outcome: 'failed', reason: 'No luck.' },
    ]);
    expect(test.hooks('post_run')).toMatchObject([
      { role: 'main', outcome: 'aborted', context: { length: 1 } },
      { role: 'main', outcome: 'failed', context: { length: 2 } },
    ]);
  });

  test('may be asked for by one plugin, while another has work in the background begin', async () => {
    const { test, session, driver } = await place([
      plugin('busy', ({ hooks }) =>
        hooks.on('post_run', () => ({ do: 'background', reason: 'tidy up', run: () => Promise.resolve() })),
      ),
      plugin('once more', ({ hooks }) =>
        hooks.on('post_run', () => ({ do: 'again', items: [userMessage('Are you sure?')] })),
      ),
    ]);
    await driver.prompt('Look.');
    expect(await driver.end('finished')).toBe(true);
    await driver.idle();
    expect([...session.items()].at(-1)).toMatchObject({ parts: [{ text: 'Are you sure?' }], by: 'once more' });
    expect(test.events('plugin.error')).toEqual([]);
  });
});

test('what a plugin appends when the session starts is in the log, in its name', async () => {
  const { test, session, driver } = await place([
    plugin('greeter', ({ hooks }) =>
      hooks.on('session_start', ({ restored }) =>
        restored ? undefined : { do: 'append', items: [userMessage('Welcome.')] },
      ),
    ),
  ]);
  await driver.start(true);
  expect(session.itemCount).toBe(0);
  await driver.start(false);
  expect(test.hooks('session_start')).toMatchObject([
    { role: 'main', session, restored: true },
    { role: 'main', session, restored: false },
  ]);
  expect([...session.items()]).toMatchObject([{ parts: [{ text: 'Welcome.' }], by: 'greeter' }]);
});
