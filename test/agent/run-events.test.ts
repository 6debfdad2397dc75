/** What is told of requests and tools: each start has exactly one end (S3.7). */
import fc from 'fast-check';
import { callTool, defineTool, drive, PithError } from '../../core';
import type { Driver, Json } from '../../core';
import { assistant, call } from '../support/context';
import { start, STOCK } from '../support/kernel';
import type { Host } from '../support/kernel';

const usage = { inputTokens: 9, outputTokens: 2 };
const STEPS: Readonly<Record<string, (driver: Driver) => Promise<unknown>>> = {
  prompt: (driver) => driver.prompt('Hello.'),
  request: (driver) => driver.beforeRequest(),
  overflow: (driver) => driver.beforeRequest(new PithError('PITH_LLM_OVERFLOW', 'too large')),
  reply: (driver) => driver.afterReply({ items: [assistant('Hello.')], usage }),
  finish: (driver) => driver.end('finished'),
  fail: (driver) => driver.end('failed', 'no luck', 'PITH_LLM_TRANSPORT'),
};

async function stepsOf(names: readonly string[]): Promise<Host> {
  const host = await start({ plugins: STOCK });
  const driver = drive(host.kernel, host.open([]), { model: 'm', provider: 'p' });
  for (const name of names) await STEPS[name]?.(driver).catch(() => undefined);
  return host;
}

describe('the events of requests', () => {
  test('name session, turn, model and provider, what was sent, and what came of it', async () => {
    await using host = await stepsOf(['prompt', 'request', 'reply', 'finish']);
    const named = { session: 's0', role: 'main', turn: 1, model: 'm', provider: 'p' };
    expect(host.events('request.started')).toEqual([{ ...named, tokens: expect.any(Number) as number }]);
    expect(host.events('request.ended')).toEqual([{ ...named, outcome: 'answered', usage }]);
  });

  test('say by which error a request and its turn failed', async () => {
    await using host = await stepsOf(['prompt', 'request', 'fail']);
    expect(host.events('request.ended')).toMatchObject([{ outcome: 'failed', code: 'PITH_LLM_TRANSPORT' }]);
    expect(host.events('turn.ended')).toMatchObject([{ reason: 'no luck', code: 'PITH_LLM_TRANSPORT' }]);
  });

  test('come in pairs whatever a host does, and never two at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...Object.keys(STEPS)), { maxLength: 12 }), async (names) => {
        await using host = await stepsOf([...names, 'prompt', 'request', 'finish']);
        const told = host.heard.map(({ name }) => name).filter((name) => name.startsWith('request.'));
        expect(told.length % 2).toBe(0);
        told.forEach((name, at) => expect(name).toBe(at % 2 === 0 ? 'request.started' : 'request.ended'));
      }),
      { numRuns: 60 },
    );
  });
});

describe('the events of tools', () => {
  type Run = (stop: () => void) => string | Promise<string>;

  /** What is told of one call of a tool, which may have itself stopped. */
  async function toldOf(run: Run, name = 'one', args: Json = { text: 'x' }): Promise<unknown> {
    const over = new AbortController();
    await using host = await start({ plugins: STOCK });
    const input = { type: 'object', required: ['text'] };
    const tool = defineTool({
      name: 'one',
      description: 'One.',
      kind: 'read',
      input,
      run: () => run(() => over.abort()),
    });
    const made = { ...call('c1', name, args), id: 'i1' } as never;
    await callTool(host.kernel, {
      session: host.open([]),
      role: 'main',
      call: made,
      tools: [tool],
      signal: over.signal,
    });
    return host.heard.filter((one) => one.name.startsWith('tool.'));
  }
  const running = { sessionId: 's0', role: 'main', callId: 'c1', tool: 'one' };

  const never = (stop: () => void): Promise<string> => {
    stop();
    return new Promise(() => undefined);
  };
  const outcomes: readonly (readonly [string, Run])[] = [
    ['done', () => 'fine'],
    ['error', () => Promise.reject(new Error('no luck'))],
    ['interrupted', never],
  ];

  test.each(outcomes)('come in pairs where a tool ran, and say that it was %s', async (outcome, run) => {
    expect(await toldOf(run)).toEqual([
      { name: 'tool.started', payload: running },
      { name: 'tool.ended', payload: { ...running, outcome } },
    ]);
  });

  test('are not where none ran: it is unknown, or its arguments do not fit', async () => {
    expect(await toldOf(() => 'fine', 'two')).toEqual([]);
    expect(await toldOf(() => 'fine', 'one', {})).toEqual([]);
  });
});
