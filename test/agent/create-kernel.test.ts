import { createKernel } from '../../core/agent/create-kernel';
import { LOOP_HOOKS } from '../../core/agent/loop-hooks';
import { CLOCK, systemClock } from '../../core/kernel/clock';
import { IDS } from '../../core/kernel/ids';
import { LOG_SINK } from '../../core/kernel/logger';
import { defaultService } from '../../core/kernel/services';
import type { ContextView } from '../../core/context/view';
import type { Edit } from '../../core/session/records';
import { plugin } from './agents';

const session = { id: 's' } as never;

async function dispatched(hook: string, event: object, ...returned: readonly unknown[]) {
  const plugins = returned.map((result, at) =>
    plugin(`p${String(at)}`, ({ hooks }) => hooks.on(hook as never, () => result as never)),
  );
  const kernel = await createKernel({ plugins, log: { level: 'error', write: () => undefined } });
  try {
    return await kernel.dispatch(hook as never, { role: 'main', session, ...event } as never);
  } finally {
    await kernel.stop();
  }
}

describe('createKernel', () => {
  it('brings clock, ids and log sink along', async () => {
    const kernel = await createKernel({ plugins: [] });
    expect(kernel.get(CLOCK)).toBe(systemClock);
    expect(Math.abs(kernel.get(CLOCK).now() - Date.now())).toBeLessThan(60_000);
    expect(kernel.get(IDS).next('session')).toMatch(/^session-[0-9a-f]{24}$/);
    expect(kernel.get(IDS).next('x')).not.toBe(kernel.get(IDS).next('x'));
    expect(kernel.get(LOG_SINK).level).toBe('warn');
    await kernel.stop();
  });

  it('takes other defaults in place of its own and beside them', async () => {
    const clock = { now: () => 7 };
    const kernel = await createKernel({ plugins: [], defaults: [defaultService(CLOCK, () => clock)] });
    expect(kernel.get(CLOCK)).toBe(clock);
    await kernel.stop();
  });
});

describe('the hooks of the loop', () => {
  it('are those of the table, with what they may return and what a failure means', () => {
    const table = LOOP_HOOKS.map(({ name, may, ends = [], onError, failure = {} }) => [
      name,
      may.join(),
      ends.join(),
      onError,
      Object.keys(failure).join(),
    ]);
    expect(table).toEqual([
      ['session_start', 'append', '', 'skip', ''],
      ['prompt_submit', 'revise,append,abort', 'abort', 'skip', 'abort'],
      ['pre_llm_request', 'project,append,yield,abort', 'yield,abort', 'skip', 'abort'],
      ['post_llm_response', '', '', 'skip', ''],
      ['pre_tool_call', 'revise,deny,abort', 'deny,abort', 'deny', 'deny,abort'],
      ['post_tool_call', 'revise,remind,abort', 'abort', 'skip', 'abort'],
      ['post_run', 'again,background', '', 'skip', ''],
      ['session_end', '', '', 'skip', ''],
    ]);
  });

  it.each([
    ['session_start', { do: 'append' }],
    ['session_start', { do: 'append', items: 'x' }],
    ['prompt_submit', { do: 'revise' }],
    ['prompt_submit', { do: 'revise', to: 'text' }],
    ['prompt_submit', { do: 'abort' }],
    ['pre_llm_request', { do: 'project', edits: {} }],
    ['pre_llm_request', { do: 'yield', reason: 'x' }],
    ['pre_llm_request', { do: 'yield', reason: 'x', run: 'now' }],
    ['pre_tool_call', { do: 'deny', reason: 'x' }],
    ['pre_tool_call', { do: 'revise', to: undefined }],
    ['post_tool_call', { do: 'remind', text: 3 }],
    ['post_run', { do: 'again' }],
    ['post_run', { do: 'background', run: () => undefined }],
    ['post_run', { do: 'abort', reason: 'x' }],
    ['post_llm_response', { do: 'append', items: [] }],
  ])('%s does not take %j', async (hook, result) => {
    const { errors, results } = await dispatched(hook, { arguments: {}, items: [] }, result);
    expect(results).toEqual([]);
    expect(errors).toMatchObject([{ plugin: 'p0', error: { code: 'PITH_HOOK_FAILED' } }]);
  });

  it('say which field is wrong', async () => {
    const { errors } = await dispatched('post_run', {}, { do: 'again', items: 3 });
    expect(errors[0]?.error.message).toContain('its items must be a list');
  });

  it('show later handlers the revised prompt', async () => {
    const items = [{ kind: 'message', role: 'user', parts: [] }];
    const { event, results } = await dispatched(
      'prompt_submit',
      { items: [] },
      { do: 'append', items: [] },
      { do: 'revise', to: items },
    );
    expect((event as { items: unknown }).items).toBe(items);
    expect(results).toHaveLength(2);
  });

  it('show later handlers the context with the edits, and take edits that do not fit as a failure', async () => {
    const view = (edits: readonly Edit[]): ContextView =>
      ({
        edits,
        with(more: readonly Edit[]) {
          if (more.length === 0) throw new Error('an edit names an unknown item');
          return view([...edits, ...more]);
        },
      }) as unknown as ContextView;
    const drop = (item: string): Edit => ({ edit: 'drop', items: [item] });
    const { event, results, errors } = await dispatched(
      'pre_llm_request',
      { context: view([]) },
      { do: 'project', edits: [drop('a')] },
      { do: 'project', edits: [] },
      { do: 'project', edits: [drop('b')], keep: true },
      { do: 'append', items: [] },
    );
    expect((event as unknown as { context: { edits: unknown } }).context.edits).toEqual([drop('a'), drop('b')]);
    expect(results.map(({ plugin: by }) => by)).toEqual(['p0', 'p2', 'p3']);
    expect(errors).toMatchObject([{ plugin: 'p1' }]);
  });

  it('end the chain at yield and abort', async () => {
    const run = () => Promise.resolve();
    const { ended } = await dispatched(
      'pre_llm_request',
      {},
      { do: 'yield', reason: 'compaction', run },
      { do: 'abort', reason: 'never' },
    );
    expect(ended).toEqual({ plugin: 'p0', result: { do: 'yield', reason: 'compaction', run } });
  });
});
