/** The calls of a reply, from what the plugins say of them to their results (S5.6). */
import { defineTool } from '../../core';
import { call, place, plugin, say } from './driver-kit';

describe('tool calls', () => {
  test('are in the log where the model made them, under ids of their own, and are handed out as they are there', async () => {
    const { session, driver } = await place();
    await driver.prompt('Look.');
    await driver.beforeRequest();
    const items = [say('I look.'), call('a'), say('And there.'), { ...call('b'), id: 'mine' }, call('c')];
    const calls = await driver.afterReply({ items });
    const logged = [...session.items()].slice(1);
    expect(logged).toMatchObject([
      { id: 'i1', parts: [{ text: 'I look.' }] },
      { id: 'i2', callId: 'a' },
      { id: 'i3', parts: [{ text: 'And there.' }] },
      { id: 'mine', callId: 'b' },
      { id: 'i5', callId: 'c' },
    ]);
    expect(calls.map((one) => one.call)).toEqual([logged[1], logged[3], logged[4]]);
  });

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

  test('run by the tools of the driver, or by what the host hands in instead', async () => {
    const look = defineTool({ name: 'look', description: '', input: {}, kind: 'read', run: () => 'seen by the tool' });
    const { session, driver } = await place([], { tools: [look] });
    await driver.prompt('Look.');
    await driver.beforeRequest();
    const [a, b] = await driver.afterReply({ items: [call('a'), call('b')] });
    if (a === undefined || b === undefined) throw new Error('two calls');
    await driver.toolCall(a);
    await driver.toolCall(b, (args, signal) => `seen by the host: ${JSON.stringify(args)} ${signal === driver.signal}`);
    expect([...session.items()].slice(-2)).toMatchObject([
      { callId: 'a', summary: 'seen by the tool' },
      { callId: 'b', summary: 'seen by the host: {} true' },
    ]);
  });

  test('that nobody runs say so', async () => {
    const { test, session, driver } = await place([], { role: 'guest' });
    await driver.prompt('Look.');
    await driver.beforeRequest();
    const [one] = await driver.afterReply({ items: [call('a')] });
    if (one !== undefined) await driver.toolCall(one);
    expect([...session.items()].at(-1)).toMatchObject({
      summary: 'Error: Nobody runs tool "look"; hand toolCall a function.',
      isError: true,
    });
    expect(test.hooks('pre_tool_call')).toMatchObject([{ role: 'guest', tool: { name: 'look', kind: 'exec' } }]);
  });

  test('are answered once, with all that their results hold', async () => {
    const { session, driver } = await place();
    await driver.prompt('Look.');
    await driver.beforeRequest();
    const [one] = await driver.afterReply({ items: [call('a')] });
    if (one === undefined) throw new Error('one call');
    await driver.toolCall(one, () => ({ summary: 'Seen.', content: 'All of it.', isError: true }));
    await driver.toolCall(one, () => 'Seen twice.');
    await driver.end('finished');
    const results = [...session.items()].filter(({ kind }) => kind === 'tool_result');
    expect(results).toEqual([
      expect.objectContaining({ summary: 'Seen.', content: [{ type: 'text', text: 'All of it.' }], isError: true }),
    ]);
    await driver.prompt('Again.');
    await driver.beforeRequest();
    const [two] = await driver.afterReply({ items: [call('b')] });
    if (two !== undefined) await driver.toolCall(two, () => ({ summary: 'Seen.' }));
    const last = [...session.items()].at(-1);
    expect(last).not.toHaveProperty('content');
    expect(last).not.toHaveProperty('isError');
  });

  test('that a plugin ends the run at are answered, and the plugin is named', async () => {
    const { session, driver } = await place([
      plugin('alarm', ({ hooks }) => hooks.on('post_tool_call', () => ({ do: 'abort', reason: 'fire' }))),
    ]);
    await driver.prompt('Look.');
    await driver.beforeRequest();
    const [one] = await driver.afterReply({ items: [call('a')] });
    if (one === undefined) throw new Error('one call');
    await expect(driver.toolCall(one, () => 'seen')).rejects.toMatchObject({ message: 'fire', plugin: 'alarm' });
    expect([...session.items()].at(-1)).toMatchObject({ callId: 'a', summary: 'seen' });
  });

  test('after an abort have a result each, and the run ends', async () => {
    const asked: string[] = [];
    const { session, driver } = await place([
      plugin('alarm', ({ hooks }) =>
        hooks.on('pre_tool_call', ({ call: { callId } }) => {
          asked.push(callId);
          return callId === 'b' ? { do: 'abort', reason: 'fire' } : undefined;
        }),
      ),
    ]);
    await driver.prompt('Look.');
    await driver.beforeRequest();
    await expect(driver.afterReply({ items: [call('a'), call('b'), call('c')] })).rejects.toMatchObject({
      code: 'PITH_RUN_ABORTED',
      message: 'fire',
    });
    const [a, b, c] = [...session.items()].slice(-3);
    const summary = 'Not run: fire';
    expect([a, b, c]).toMatchObject(['a', 'b', 'c'].map((callId) => ({ kind: 'tool_result', callId, summary })));
    expect(asked).toEqual(['a', 'b']);
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
