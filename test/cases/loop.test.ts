/** Faults of the loop around compactions that users of similar tools reported, by the ids of `cases.json`: on a whole agent. */
import { CONTEXT, createMemoryStore, definePlugin, defineTool, PithError } from '../../core';
import type { AgentEvent, Conversation, ErrorCode, Run } from '../../core';
import { createScriptedModel, createTestAgent, prose } from '../../core/testing';
import type { Script, ScriptedModel, ScriptedReply, TestAgent } from '../../core/testing';
import { STOCK } from '../support/kernel';
import { scriptedWorker, summaryOf, writing } from '../support/worker';
import type { Script as WorkerScript, ScriptedWorker } from '../support/worker';

interface Setup {
  readonly script: Script;
  readonly window?: number;
  readonly maxOutput?: number;
  readonly worker?: WorkerScript;
  readonly compaction?: object;
  /** Tokens of the result of each call. */
  readonly resultTokens?: number;
}

interface Place extends AsyncDisposable {
  readonly host: TestAgent;
  readonly model: ScriptedModel;
  readonly worker: ScriptedWorker;
  readonly conversation: Conversation;
}

async function open({ script, worker, compaction, resultTokens = 500, ...limits }: Setup): Promise<Place> {
  const model = createScriptedModel({ script, ...limits });
  const scripted = scriptedWorker(worker ?? writing(summaryOf('Going on.')));
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    input: {},
    kind: 'read',
    run: () => ({ summary: 'Looked.', content: prose(resultTokens) }),
  });
  const host = await createTestAgent({
    plugins: [...STOCK, scripted.plugin],
    config: { compaction: { fallback: 'none', ...compaction }, prune: { minSavings: 1_000_000 } },
    model,
    tools: [look],
    system: 'You look.',
    store: createMemoryStore(),
  });
  const conversation = await host.agent.open();
  return { host, model, worker: scripted, conversation, [Symbol.asyncDispose]: () => host[Symbol.asyncDispose]() };
}

const call = (text = 'Let me look.'): ScriptedReply => ({ text, calls: [{ name: 'look' }] });

async function finish(run: Run): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

/** Prompts until the context holds about so many tokens. */
async function fill({ conversation }: Place, tokens: number): Promise<void> {
  const context = conversation.session.get(CONTEXT);
  for (let n = 0; context.view().occupancy().tokens < tokens; n++)
    await conversation.send(`${n} ${prose(700)}`).outcome;
}

describe('overflow (C07)', () => {
  it('has one forced compaction a request and then ends with a typed error; after a reply it may compact again', async () => {
    let overflows = 0;
    const script = (): ScriptedReply => (overflows-- > 0 ? { error: 'overflow' } : { text: prose(50) });
    await using place = await open({ script, compaction: { compactRequestThreshold: 60_000, retainedTokens: 1_000 } });
    await fill(place, 20_000);

    overflows = 50;
    const first = await place.conversation.send('now').outcome;
    expect(first.outcome).toBe('failed');
    expect(first.error?.code).toBe('PITH_UNRECOVERABLE_OVERFLOW');
    expect(place.worker.jobs.length).toBeLessThanOrEqual(2);

    overflows = 0;
    await fill(place, 20_000);
    const before = place.worker.jobs.length;
    overflows = 1;
    expect(await place.conversation.send('and now').outcome).toMatchObject({ outcome: 'finished' });
    expect(place.worker.jobs).toHaveLength(before + 1);
  });

  it('surfaces unchanged where neither threshold is set', async () => {
    const error = new PithError('PITH_LLM_OVERFLOW', 'The prompt is too long, says the provider.');
    await using place = await open({ script: () => ({ error }) });
    expect((await place.conversation.send('now').outcome).error).toBe(error);
    expect(place.worker.jobs).toEqual([]);
  });
});

describe('errors of the provider (X07)', () => {
  const others: readonly ErrorCode[] = [
    'PITH_LLM_RATE_LIMITED',
    'PITH_LLM_TRANSPORT',
    'PITH_LLM_AUTH',
    'PITH_LLM_REQUEST',
  ];
  it.each(others)('other than overflow surface unchanged and compact nothing: %s', async (code) => {
    const error = new PithError(code, 'The token is invalid, and the context too.');
    let fails = false;
    await using place = await open({
      script: () => (fails ? { error } : { text: prose(50) }),
      compaction: { compactRequestThreshold: 60_000, retainedTokens: 1_000 },
    });
    await fill(place, 10_000);
    fails = true;
    const end = await place.conversation.send('now').outcome;
    expect(end).toMatchObject({ outcome: 'failed' });
    expect(end.error).toBe(error);
    expect(place.worker.jobs).toEqual([]);
    fails = false;
    expect(await place.conversation.send('and now').outcome).toMatchObject({ outcome: 'finished' });
  });
});

describe('after a compaction (C34)', () => {
  const failing: WorkerScript = () => Promise.reject(new Error('The worker is broken.'));
  const good = writing(summaryOf('Going on.'));

  it.each([
    ['is done', good, 'compaction.done'],
    ['fails', failing, 'compaction.failed'],
  ] as const)('between turns the model is not asked by itself: %s', async (_, worker, event) => {
    await using place = await open({
      script: () => ({ text: prose(50) }),
      worker,
      compaction: { compactThreshold: 10_000, retainedTokens: 1_000 },
    });
    await fill(place, 10_500);
    await place.conversation.idle();
    const asked = place.model.requests.length;
    expect(place.host.events(event)).not.toEqual([]);
    await place.host.clock.advance(60_000);
    expect(place.model.requests).toHaveLength(asked);
  });

  it.each([
    ['is done', good, 'compaction.done'],
    ['fails', failing, 'compaction.failed'],
  ] as const)('between requests the loop goes on by itself to its answer: %s', async (_, worker, event) => {
    await using place = await open({
      script: (_request, n) => (n < 30 ? call() : { text: 'That is all.' }),
      worker,
      window: 60_000,
      compaction: { compactRequestThreshold: 9_000, retainedTokens: 1_000 },
    });
    const events = await finish(place.conversation.send('go'));
    expect(events.at(-1)).toMatchObject({ type: 'end', end: { outcome: 'finished', text: 'That is all.' } });
    expect(place.host.events(event).filter(({ trigger }) => trigger === 'request')).not.toEqual([]);
  });

  it.each([
    ['is done', good],
    ['fails', failing],
  ] as const)('a prompt that waited is answered, once: %s', async (_, worker) => {
    await using place = await open({
      script: () => ({ text: prose(50) }),
      worker,
      compaction: { compactThreshold: 10_000, retainedTokens: 1_000 },
    });
    await fill(place, 9_500);
    const asked = place.model.requests.length;
    const runs = [place.conversation.send(prose(900)), place.conversation.send('the one that waits')];
    await Promise.all(runs.map(({ outcome }) => outcome));
    await place.conversation.idle();
    expect(place.model.requests).toHaveLength(asked + 2);
    expect(place.model.requests.at(-1)?.last).toContain('the one that waits');
  });
});

describe('what later hooks see (C55)', () => {
  it('is the context after the compaction, and it stays compacted', async () => {
    const seen: number[] = [];
    const watcher = definePlugin({
      name: 'watcher',
      api: 1,
      after: ['compaction'],
      setup: ({ hooks }) =>
        hooks.on(
          'pre_llm_request',
          ({ context }) => {
            seen.push(Math.round(context.occupancy().tokens));
          },
          { order: 'last' },
        ),
    });
    const model = createScriptedModel({ script: (_request, n) => (n < 20 ? call() : { text: 'Done.' }) });
    const scripted = scriptedWorker(writing(summaryOf('Going on.')));
    await using host = await createTestAgent({
      plugins: [watcher, ...STOCK, scripted.plugin],
      config: {
        compaction: { compactRequestThreshold: 6_000, retainedTokens: 1_000 },
        prune: { minSavings: 1_000_000 },
      },
      model,
      tools: [
        defineTool({ name: 'look', description: '', input: {}, kind: 'read', run: () => ({ content: prose(500) }) }),
      ],
    });
    const conversation = await host.agent.open();
    expect(await conversation.send('go').outcome).toMatchObject({ outcome: 'finished' });
    expect(scripted.jobs.length).toBeGreaterThan(0);
    expect(Math.max(...seen)).toBeLessThanOrEqual(6_000);
    for (const request of model.requests) expect(request.inputTokens).toBeLessThanOrEqual(6_000);
  });
});
