import { z } from 'zod';
import { defineTool } from '../../core/agent/tools';
import type { ToolOutput, ToolRun } from '../../core/agent/tools';
import type { PostToolCallEvent, PreToolCallEvent } from '../../core/agent/hooks';
import { agent, plugin } from './agents';

const ran: unknown[] = [];
beforeEach(() => void ran.splice(0));

function tool(
  name: string,
  run: (args: { readonly path: string }, context: ToolRun) => ToolOutput | Promise<ToolOutput> = ({ path }) =>
    `contents of ${path}`,
) {
  return defineTool({
    name,
    description: 'for tests',
    kind: 'read',
    input: z.object({ path: z.string() }),
    run(args, context) {
      ran.push(args);
      return run(args, context);
    },
  });
}

describe('a tool call', () => {
  it('runs the tool with validated arguments and gives its result', async () => {
    const { call, session } = await agent([
      defineTool({
        name: 'add',
        description: 'adds',
        kind: 'read',
        input: z.object({ a: z.coerce.number(), b: z.number().default(1) }),
        run: ({ a, b }, { role, callId, session: own }) => ({
          summary: `${String(a + b)} for ${role} ${callId} ${own.id}`,
        }),
      }),
    ]);
    expect(await call('add', { a: '41' })).toEqual({
      call: { kind: 'tool_call', id: 'i0', callId: 'c0', name: 'add', arguments: { a: '41' } },
      result: { summary: `42 for main c0 ${session.id}` },
      by: undefined,
      abort: undefined,
    });
  });

  it('is seen by hooks before and after, with the paths it touches', async () => {
    const events: unknown[] = [];
    const watch = plugin('watch', ({ hooks }) => {
      hooks.on(
        'pre_tool_call',
        ({ tool: { name }, arguments: args, role }: PreToolCallEvent) => void events.push([name, args, role]),
      );
      hooks.on(
        'post_tool_call',
        ({ paths, result, call }: PostToolCallEvent) => void events.push([paths, result.summary, call.callId]),
      );
    });
    const declared = defineTool({
      name: 'look',
      description: '',
      kind: 'read',
      input: z.object({ at: z.string() }),
      paths: ({ at }) => [at, 'also.ts'],
      run: () => 'seen',
    });
    const { call } = await agent([tool('read_file'), declared], watch);
    await call('read_file', { path: 'src/a.ts' });
    await call('look', { at: 'b.ts' });
    expect(events).toEqual([
      ['read_file', { path: 'src/a.ts' }, 'main'],
      [['src/a.ts'], 'contents of src/a.ts', 'c0'],
      ['look', { at: 'b.ts' }, 'main'],
      [['b.ts', 'also.ts'], 'seen', 'c1'],
    ]);
  });

  it('touches nothing where the tool cannot tell its paths', async () => {
    const touched: unknown[] = [];
    const watch = plugin('watch', ({ hooks }) => hooks.on('post_tool_call', ({ paths }) => void touched.push(paths)));
    const broken = defineTool({
      name: 'x',
      description: '',
      kind: 'read',
      input: {},
      paths: () => {
        throw new Error('no');
      },
      run: () => 'fine',
    });
    const { call } = await agent([broken], watch);
    expect((await call('x', {})).result.summary).toBe('fine');
    expect(touched).toEqual([[]]);
  });

  it('publishes the progress of the tool', async () => {
    const { call, bus } = await agent([
      tool('read_file', (_, { progress }) => {
        progress('half');
        return 'x';
      }),
    ]);
    const heard: unknown[] = [];
    bus.on('tool.progress', (event) => heard.push(event));
    await call('read_file', { path: 'a' });
    expect(heard).toEqual([{ sessionId: 'session', role: 'main', callId: 'c0', tool: 'read_file', text: 'half' }]);
  });
});

describe('a call that goes wrong', () => {
  it('of an unknown tool is an error result with the nearest name, and no hook hears of it', async () => {
    const events: string[] = [];
    const watch = plugin('watch', ({ hooks }) => hooks.on('pre_tool_call', () => void events.push('pre')));
    const { call } = await agent([tool('read_file')], watch);
    expect((await call('read_fil', {})).result).toEqual({
      summary: 'Error: there is no tool "read_fil". Did you mean "read_file"?',
      isError: true,
    });
    expect((await call('something', {})).result.summary).toContain('Tools: read_file.');
    expect(events).toEqual([]);
    const none = await agent([]);
    expect((await none.call('x', {})).result.summary).toContain('There are no tools.');
  });

  it('of a tool that the role does not have is one of an unknown tool', async () => {
    const { call } = await agent([
      defineTool({
        name: 'mark',
        description: '',
        kind: 'state',
        input: {},
        roles: ['compact-worker'],
        run: () => 'marked',
      }),
    ]);
    expect((await call('mark', {})).result.isError).toBe(true);
    expect((await call('mark', {}, { role: 'compact-worker' })).result).toEqual({ summary: 'marked' });
  });

  it('with arguments that do not fit is an error result that says why, and the tool does not run', async () => {
    const { call } = await agent([tool('read_file')]);
    for (const args of [{ path: 3 }, {}, 'not json', null]) {
      const { result, abort } = await call('read_file', args);
      expect(result.isError).toBe(true);
      expect(result.summary + String(result.content)).toContain('the arguments of read_file do not fit its schema');
      expect(abort).toBeUndefined();
    }
    expect((await call('read_file', { path: 3 })).result.summary).toContain('path:');
    expect(ran).toEqual([]);
  });

  it('with a schema that throws is an error result, too', async () => {
    const broken = { ...tool('x'), parse: () => Promise.reject(new Error('schema broke')) };
    const { call } = await agent([broken]);
    expect((await call('x', {})).result.summary).toContain('schema broke');
  });

  it('in a tool that throws or rejects is an error result, and later hooks see it', async () => {
    const seen: unknown[] = [];
    const watch = plugin('watch', ({ hooks }) =>
      hooks.on('post_tool_call', ({ result }) => void seen.push(result.isError)),
    );
    const { call } = await agent(
      [
        tool('throws', () => {
          throw new Error('no such file');
        }),
        tool('rejects', () => Promise.reject(new Error('timed out'))),
        tool('strange', () => 3n as never),
      ],
      watch,
    );
    expect((await call('throws', { path: 'a' })).result).toEqual({ summary: 'Error: no such file', isError: true });
    expect((await call('rejects', { path: 'a' })).result).toEqual({ summary: 'Error: timed out', isError: true });
    expect((await call('strange', { path: 'a' })).result.isError).toBe(true);
    expect(seen).toEqual([true, true, true]);
  });
});

describe('hooks of a call', () => {
  it('may revise the arguments, which are then validated, run, logged and named', async () => {
    const revise = plugin('revise', ({ hooks }) =>
      hooks.on('pre_tool_call', ({ arguments: args }) => ({
        do: 'revise',
        to: { ...(args as object), path: 'safe.ts' },
      })),
    );
    const again = plugin('again', ({ hooks }) =>
      hooks.on('pre_tool_call', ({ arguments: args }) => ({
        do: 'revise',
        to: { path: `${(args as { path: string }).path}!` },
      })),
    );
    const { call } = await agent([tool('read_file')], revise, again);
    const { call: made, result } = await call('read_file', { path: '../secret' });
    expect(ran).toEqual([{ path: 'safe.ts!' }]);
    expect(made).toMatchObject({ callId: 'c0', arguments: { path: 'safe.ts!' }, by: 'again' });
    expect(result.summary).toBe('contents of safe.ts!');
  });

  it('may revise the arguments to what does not fit', async () => {
    const revise = plugin('revise', ({ hooks }) => hooks.on('pre_tool_call', () => ({ do: 'revise', to: 7 })));
    const { call } = await agent([tool('read_file')], revise);
    expect((await call('read_file', { path: 'a' })).result.isError).toBe(true);
    expect(ran).toEqual([]);
  });

  it('may deny it: an error result for that call, the run goes on', async () => {
    const deny = plugin('deny', ({ hooks }) =>
      hooks.on('pre_tool_call', () => ({ do: 'deny', text: 'Error: budget exhausted.' })),
    );
    const later = plugin('later', ({ hooks }) => hooks.on('pre_tool_call', () => void ran.push('later')));
    const { call } = await agent([tool('read_file')], deny, later);
    expect(await call('read_file', { path: 'a' })).toMatchObject({
      result: { summary: 'Error: budget exhausted.', isError: true },
      abort: undefined,
    });
    expect(ran).toEqual([]);
  });

  it('deny it when they fail before it runs: a guard that breaks lets nothing through', async () => {
    const guard = plugin('guard', ({ hooks }) =>
      hooks.on('pre_tool_call', () => {
        throw new Error('rules not loaded');
      }),
    );
    const { call, errors } = await agent([tool('read_file')], guard);
    const { result } = await call('read_file', { path: 'a' });
    expect(result).toEqual({
      summary: 'Plugin "guard" failed in hook "pre_tool_call": rules not loaded',
      isError: true,
    });
    expect(ran).toEqual([]);
    expect(errors).toMatchObject([{ plugin: 'guard', hook: 'pre_tool_call' }]);
  });

  it('may abort the run before it: the call still has a result', async () => {
    const abort = plugin('abort', ({ hooks }) =>
      hooks.on('pre_tool_call', () => ({ do: 'abort', reason: 'the user left' })),
    );
    const { call } = await agent([tool('read_file')], abort);
    expect(await call('read_file', { path: 'a' })).toMatchObject({
      result: { summary: 'Not run: the user left', isError: true },
      abort: { reason: 'the user left', plugin: 'abort' },
    });
    expect(ran).toEqual([]);
  });

  it('may abort the run after it: the result is kept', async () => {
    const abort = plugin('abort', ({ hooks }) => hooks.on('post_tool_call', () => ({ do: 'abort', reason: 'enough' })));
    const { call } = await agent([tool('read_file')], abort);
    expect(await call('read_file', { path: 'a' })).toMatchObject({
      result: { summary: 'contents of a' },
      abort: { reason: 'enough', plugin: 'abort' },
    });
  });

  it('that fail after it, and end the run for that, keep its result from the log', async () => {
    const fail = (): never => {
      throw new Error('no pattern');
    };
    const mask = plugin('mask', ({ hooks }) => hooks.on('post_tool_call', fail, { onError: 'abort' }));
    const { call } = await agent([tool('read_file')], mask);
    const { result, abort } = await call('read_file', { path: 'a' });
    expect(JSON.stringify(result)).not.toContain('contents of a');
    expect(result).toMatchObject({
      summary: 'Error: it ran, and its result is withheld, as "mask" failed while looking at it.',
      isError: true,
    });
    expect(abort?.plugin).toBe('mask');
  });

  it('may revise the result and append to it, one after another', async () => {
    const revise = plugin('revise', ({ hooks }) =>
      hooks.on('post_tool_call', () => ({ do: 'revise', to: { summary: 'short', content: 'masked' } })),
    );
    const remind = plugin('remind', ({ hooks }) =>
      hooks.on('post_tool_call', ({ result }) => ({ do: 'remind', text: `(${String(result.content)})` })),
    );
    const { call } = await agent([tool('read_file')], revise, remind);
    expect(await call('read_file', { path: 'a' })).toMatchObject({
      result: { summary: 'short', content: 'masked\n(masked)' },
      by: 'revise',
    });
  });

  it('append to what is sent, be it a summary, a text or parts', async () => {
    const remind = plugin('remind', ({ hooks }) =>
      hooks.on('post_tool_call', () => ({ do: 'remind', text: 'Budget: 3/4' })),
    );
    const parts = [{ type: 'text', text: 'x' }] as const;
    const { call } = await agent(
      [
        tool('short', () => 'Marked.'),
        tool('long', () => ({ summary: 's', content: 'one\ntwo' })),
        tool('parts', () => ({ summary: 's', content: parts })),
      ],
      remind,
    );
    expect((await call('short', { path: 'a' })).result).toEqual({
      summary: 'Marked.',
      content: 'Marked.\nBudget: 3/4',
    });
    expect((await call('long', { path: 'a' })).result.content).toBe('one\ntwo\nBudget: 3/4');
    expect((await call('parts', { path: 'a' })).result.content).toEqual([
      ...parts,
      { type: 'text', text: 'Budget: 3/4' },
    ]);
  });

  it('hear the roles they ask for', async () => {
    const heard: string[] = [];
    const main = plugin('main', ({ hooks }) => hooks.on('pre_tool_call', () => void heard.push('main')));
    const worker = plugin('worker', ({ hooks }) =>
      hooks.on('post_tool_call', ({ role }) => void heard.push(role), { roles: ['compact-worker'] }),
    );
    const both = defineTool({
      name: 'x',
      description: '',
      kind: 'read',
      input: {},
      roles: ['main', 'compact-worker'],
      run: () => 'x',
    });
    const { call } = await agent([both], main, worker);
    await call('x', {});
    await call('x', {}, { role: 'compact-worker' });
    expect(heard).toEqual(['main', 'compact-worker']);
  });
});

describe('a call that is cancelled', () => {
  it('has an error result and says why, also where the tool does not listen', async () => {
    const controller = new AbortController();
    const deaf = tool('deaf', () => {
      controller.abort(new Error('Ctrl-C'));
      return new Promise<never>(() => undefined);
    });
    const { call } = await agent([deaf]);
    expect(await call('deaf', { path: 'a' }, { signal: controller.signal })).toMatchObject({
      result: { summary: 'Interrupted before it was done.', isError: true },
      abort: { reason: 'Ctrl-C', plugin: undefined },
    });
  });

  it('gives the tool the signal', async () => {
    const controller = new AbortController();
    let signal: AbortSignal | undefined;
    const polite = tool('polite', (_, context) => {
      signal = context.signal;
      return new Promise((_resolve, reject) =>
        context.signal.addEventListener('abort', () => reject(new Error('stopped'))),
      );
    });
    const { call } = await agent([polite]);
    const outcome = call('polite', { path: 'a' }, { signal: controller.signal });
    await new Promise(setImmediate);
    controller.abort('gone');
    expect((await outcome).abort?.reason).toBe('gone');
    expect(signal).toBe(controller.signal);
  });

  it('does not begin under a signal that has aborted', async () => {
    const { call } = await agent([tool('read_file')]);
    expect((await call('read_file', { path: 'a' }, { signal: AbortSignal.abort('gone') })).abort?.reason).toBe('gone');
    expect(ran).toEqual([]);
  });

  it('does not run the tool where it is cancelled while its arguments are looked at', async () => {
    const controller = new AbortController();
    const slow = {
      ...tool('slow'),
      parse: () => (controller.abort('gone'), Promise.resolve({ ok: true as const, value: {} })),
    };
    const { call } = await agent([slow]);
    expect((await call('slow', {}, { signal: controller.signal })).abort?.reason).toBe('gone');
    expect(ran).toEqual([]);
  });

  it('after the tool has run keeps its result', async () => {
    const controller = new AbortController();
    const waits = plugin('waits', ({ hooks }) =>
      hooks.on('post_tool_call', () => {
        controller.abort('gone');
        return new Promise<never>(() => undefined);
      }),
    );
    const { call } = await agent([tool('read_file')], waits);
    expect(await call('read_file', { path: 'a' }, { signal: controller.signal })).toMatchObject({
      result: { summary: 'contents of a' },
      abort: { reason: 'gone' },
    });
  });

  it('by the kernel stopping says so', async () => {
    const { call, kernel } = await agent([
      tool('slow', async () => {
        await kernelStops();
        return 'done';
      }),
    ]);
    const kernelStops = () => kernel.stop();
    const { result, abort } = await call('slow', { path: 'a' });
    expect(result.summary).toBe('done');
    expect(abort?.reason).toContain('kernel was stopped');
  });
});
