import { createMemoryStore } from '../../../core';
import { createPith } from '../../../core/adapters/openai-agents';
import type { AgentItem } from '../../../core/adapters/openai-agents';
import { prose } from '../../../core/testing';

type Made = AgentItem & { readonly callId?: string; readonly output?: unknown };
const made = (fields: object): Made => fields;

/** Which reasoning the provider gave an item with. */
const madeWith = new Map<string, string>();

/** A reply with reasoning, a search that the provider runs, and calls of several kinds, and the results of the calls. */
function exchange(n: number): readonly Made[] {
  const rs = made({ type: 'reasoning', id: `rs_${n}`, content: [], providerData: { encrypted_content: `g${n}` } });
  const ws = made({
    type: 'hosted_tool_call',
    id: `ws_${n}`,
    name: 'web_search_call',
    status: 'completed',
    providerData: { type: 'web_search_call', action: { type: 'search', query: `question ${n}` } },
  });
  const fc = made({ type: 'function_call', id: `fc_${n}`, callId: `f${n}`, name: 'read', arguments: '{}' });
  const sh = made({ type: 'shell_call', id: `sh_${n}`, callId: `s${n}`, action: { commands: [`ls ${n}`] } });
  for (const { id = '' } of [ws, fc, sh]) madeWith.set(id, `rs_${n}`);
  const answer = { type: 'function_call_result', callId: `f${n}`, name: 'read', status: 'completed' };
  const outcome = { type: 'exit', exitCode: 0 };
  return [
    rs,
    ...(n % 3 === 0 ? [ws] : []),
    fc,
    ...(n % 2 === 0 ? [sh] : []),
    made({ ...answer, output: prose(300, `file ${n}`) }),
    ...(n % 2 === 0
      ? [
          made({
            type: 'shell_call_output',
            callId: `s${n}`,
            output: [{ stdout: prose(100, `list ${n}`), stderr: '', outcome }],
          }),
        ]
      : []),
  ];
}

/** What the provider would refuse. */
function faultsIn(input: readonly Made[]): readonly string[] {
  const faults: string[] = [];
  const open = new Map<string, string>();
  input.forEach((item, at) => {
    const { type = 'message', id = '', callId = '' } = item;
    if (type === 'function_call' || type === 'shell_call') open.set(callId, type);
    else if (type === 'function_call_result' || type === 'shell_call_output') {
      if (!open.delete(callId)) faults.push(`result of ${callId} without its call`);
    } else if (type === 'message' && open.size > 0) faults.push(`calls ${[...open.keys()].join()} without results`);
    if (type === 'reasoning' && madeWith.get(input[at + 1]?.id ?? '') !== id)
      faults.push(`${id} without what follows it`);
    const reasoning = madeWith.get(id);
    if (reasoning !== undefined && !input.slice(0, at).some((one) => one.id === reasoning))
      faults.push(`${id} without ${reasoning}`);
  });
  return faults;
}

it('keeps replies whole in which the provider ran something itself, over many compactions', async () => {
  const store = createMemoryStore();
  const pith = await createPith({
    store,
    limits: { contextWindow: 6_000, maxOutput: 1_000 },
    config: { compaction: { compactThreshold: '60%', compactRequestThreshold: '80%', retainedTokens: 1_200 } },
    log: { level: 'error', write: () => undefined },
  });
  const told: string[] = [];
  pith.kernel.bus.on('compaction.done', ({ trigger }) => void told.push(trigger));
  pith.kernel.bus.on('host.failed', ({ message }) => void told.push(message));
  const session = pith.session({ sessionId: 'mixed' });
  const filter = pith.callModelInputFilter({ sessionId: 'mixed' });
  let n = 0;
  for (let run = 0; run < 4; run++) {
    const context = { usage: {} };
    const prompt = made({ type: 'message', role: 'user', content: `Task ${run}` });
    const input: Made[] = [...(await session.getItems<Made>(undefined, context)), prompt];
    const from = input.length - 1;
    for (let step = 0; step < 12; step++) {
      const modelData = { input: [...input], instructions: 'You look things up.' };
      const sent = await filter({ modelData, agent: { model: 'some-model', tools: [] } });
      expect(faultsIn(sent.input)).toEqual([]);
      expect(sent.input[0]?.role).toBe('user');
      input.push(...exchange(n++));
    }
    input.push(made({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] }));
    await session.addItems(input.slice(from), context);
    await session.runCompaction(undefined, context);
    await pith.idle();
  }
  expect(told.filter((one) => one === 'request').length).toBeGreaterThanOrEqual(3);
  expect(told.every((one) => one === 'request' || one === 'post_run')).toBe(true);
  expect((await store.list()).map(({ id }) => id)).toEqual(['mixed']);
  await pith.close();
});
