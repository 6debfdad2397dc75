/** How a request is prepared (S3.5, S9.2): what plugins append, keep and project, and what parks the run. */
import { CONTEXT, defineTool, drive, PithError } from '../../core';
import type { HookResult, Plugin } from '../../core';
import { userMessage } from '../../core/testing';
import { answering, place, plugin, say } from './driver-kit';

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

  test('an edit to be kept that has no place later is a fault of its plugin as well, and what else was asked is done', async () => {
    const late = { edit: 'insert' as const, before: 'end' as const, item: userMessage('For good.') };
    const { test, session, driver } = await place([
      answering({ do: 'project', keep: true, edits: [late] }),
      plugin('rules', ({ hooks }) =>
        hooks.on('pre_llm_request', () => ({ do: 'append', items: [userMessage('Mind the rules.')] })),
      ),
    ]);
    await driver.prompt('Go.');
    expect((await driver.beforeRequest()).context.length).toBe(2);
    expect([...session.records()].filter(({ t }) => t === 'edits')).toEqual([]);
    expect(test.events('plugin.error')).toMatchObject([
      {
        plugin: 'asks',
        hook: 'pre_llm_request',
        code: 'PITH_HOOK_FAILED',
        message: expect.stringMatching(/^What plugin "asks" asked of pre_llm_request was not done: ./) as string,
      },
    ]);
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

  test('of several plugins that offer tools the last one is heard, and who says nothing of tools leaves them', async () => {
    const tools = ['look', 'touch'].map((name) =>
      defineTool({ name, description: '', input: {}, kind: 'read', run: () => '' }),
    );
    const offering = (name: string, offer?: readonly string[]): Plugin =>
      plugin(name, ({ hooks }) =>
        hooks.on('pre_llm_request', () => ({ do: 'project', edits: [], ...(offer && { offer }) })),
      );
    const plugins = [offering('one', ['look']), offering('two', ['touch']), offering('three')];
    const { driver } = await place(plugins, { tools });
    await driver.prompt('Go.');
    const prepared = await driver.beforeRequest();
    expect(prepared.tools.map(({ name }) => name)).toEqual(['touch']);
    expect(prepared).toMatchObject({ projection: prepared.context.digest, stable: 1 });
  });

  test('who projects nothing leaves the request what it is', async () => {
    const { driver } = await place([answering({ do: 'project', edits: [] })]);
    await driver.prompt('Go.');
    const { context, projection, stable } = await driver.beforeRequest();
    expect([context.length, projection, stable]).toEqual([1, undefined, undefined]);
  });

  test('what the session itself refuses is no fault of a plugin, and ends the run', async () => {
    const { test, driver } = await place([
      plugin('closes', ({ hooks }) =>
        hooks.on('pre_llm_request', async ({ session }) => {
          await session.close();
          return { do: 'append', items: [userMessage('One more thing.')] };
        }),
      ),
    ]);
    await driver.prompt('Go.');
    await expect(driver.beforeRequest()).rejects.toMatchObject({ code: 'PITH_SESSION_CLOSED' });
    expect(test.events('plugin.error')).toEqual([]);
  });

  test('what is sent again as it is ends where the projections of this request begin', async () => {
    const edits = (item: string) => [{ edit: 'content' as const, item, text: 'Short.' }];
    const { driver } = await place([
      answering(undefined, { do: 'project', edits: edits('i0') }, { do: 'project', edits: edits('i2') }, undefined),
    ]);
    await driver.prompt('One.');
    await driver.beforeRequest();
    await driver.afterReply({ items: [say('Two.')] });
    await driver.end('finished');
    await driver.prompt('Three.');
    expect((await driver.beforeRequest()).stable).toBe(0);
    expect((await driver.beforeRequest()).stable).toBe(2);
    const plain = await driver.beforeRequest();
    expect([plain.stable, plain.projection]).toEqual([undefined, undefined]);
  });

  test('the yields of a request that was answered are not those of the next one, nor of the next turn', async () => {
    const park: HookResult<'pre_llm_request'> = { do: 'yield', reason: 'more', run: () => Promise.resolve() };
    const { test, driver } = await place([answering(park, park, undefined, park, park, undefined, park, undefined)]);
    await driver.prompt('Go.');
    await driver.beforeRequest();
    await driver.afterReply({ items: [say('Going.')] });
    await driver.beforeRequest();
    await driver.end('finished');
    await driver.prompt('And on.');
    await driver.beforeRequest();
    expect(test.hooks('pre_llm_request').map(({ yields }) => yields)).toEqual([0, 1, 2, 0, 1, 2, 0, 1]);
  });

  test('an overflow is told of until the context is another one; for ever parked, it is what ends the run', async () => {
    const overflow = new PithError('PITH_LLM_OVERFLOW', 'Too long.');
    const park = (run: () => void): HookResult<'pre_llm_request'> => ({
      do: 'yield',
      reason: 'shrink',
      run: () => Promise.resolve(run()),
    });
    const changes = (): void => session.get(CONTEXT).keep([{ edit: 'content', item: 'i0', text: 'Go' }], 'asks');
    const nothing = (): void => undefined;
    const { test, session, driver } = await place([
      answering(park(nothing), park(changes), undefined, park(nothing), park(nothing), park(nothing)),
    ]);
    await driver.prompt('Go.');
    expect((await driver.beforeRequest(overflow)).context.length).toBe(1);
    await driver.afterReply({ items: [say('Gone.')] });
    await expect(driver.beforeRequest(overflow)).rejects.toBe(overflow);
    expect(test.hooks('pre_llm_request').map((event) => event.overflow)).toEqual([
      overflow,
      overflow,
      undefined,
      overflow,
      overflow,
      overflow,
    ]);
  });

  test('a plugin that parks the run for ever ends it with a typed error that names it', async () => {
    const { test, session, driver } = await place([
      plugin('stubborn', ({ hooks }) =>
        hooks.on('pre_llm_request', () => ({ do: 'yield', reason: 'more', run: () => Promise.resolve() })),
      ),
    ]);
    await driver.prompt('Go.');
    await expect(driver.beforeRequest()).rejects.toMatchObject({
      code: 'PITH_UNRECOVERABLE_OVERFLOW',
      plugin: 'stubborn',
      hook: 'pre_llm_request',
      message: 'Plugin "stubborn" parks the run again and again for one request (more); the request is not sent.',
    });
    const parked = { session: session.id, role: 'main', plugin: 'stubborn', reason: 'more' };
    expect(test.events('run.parked')).toEqual([parked, parked]);
  });

  test('work that fails while the run is parked is a fault of its plugin, and the run goes on', async () => {
    const { test, driver } = await place([
      answering({ do: 'yield', reason: 'try', run: () => Promise.reject(new Error('no')) }),
    ]);
    await driver.prompt('Go.');
    await driver.beforeRequest();
    expect(test.events('plugin.error')).toMatchObject([
      {
        plugin: 'asks',
        hook: 'pre_llm_request',
        code: 'PITH_HOOK_FAILED',
        message: 'Plugin "asks" failed while the run was parked (try): no',
        error: { cause: expect.objectContaining({ message: 'no' }) as Error },
      },
    ]);
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
    await next.end('finished');
    const third = drive(test.kernel, session);
    await third.prompt('Three.');
    await third.beforeRequest();
    expect(test.hooks('pre_llm_request').map(({ rebuilt }) => rebuilt)).toEqual([false, true, false, false]);
  });
});
