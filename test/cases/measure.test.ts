import { COMPACTION } from '../../core/index';
import fc from 'fast-check';
import { CONTEXT, createContext, createSession } from '../../core';
import type { NewItem } from '../../core';
import { writeOpenAiChat } from '../../core/formats/write';
import { releaseEncoders } from '../../core/tokens/encoder';
import { shapeOf } from '../../core/tokens/entry-shape';
import { TokenLedger } from '../../core/tokens/ledger';
import { createTiktoken } from '../../core/tokens/tiktoken';
import type { ImagePart, Item } from '../../core/session/items';
import type { ToolSchema, Usage } from '../../core/session/records';
import { countRequest } from '../support/counter';
import { start, STOCK } from '../support/kernel';
import { scriptedWorker, summaryOf, writing } from '../support/worker';

const tokenizer = createTiktoken('gpt-5');

afterAll(() => releaseEncoders());

/** Text of about that many tokens. */
const words = (tokens: number): string => 'word '.repeat(tokens).trim();

interface Request {
  readonly system?: string;
  readonly tools?: readonly ToolSchema[];
  readonly items: readonly Item[];
  readonly blocks?: string;
}

function ledgerOf({ system = '', tools = [], items, blocks = '' }: Request, ledger = new TokenLedger()): TokenLedger {
  ledger.setFixed({
    model: 'gpt-5',
    key: JSON.stringify([system, tools]),
    system: tokenizer.countText(system),
    tools: tokenizer.countTools(tools),
    blocks: tokenizer.countText(blocks),
  });
  for (const item of items) ledger.append({ shape: shapeOf(item), count: tokenizer.countItem(item) });
  return ledger;
}

const user = (text: string): Item => ({ id: 'u', kind: 'message', role: 'user', parts: [{ type: 'text', text }] });
const assistant = (text: string): Item => ({
  id: 'a',
  kind: 'message',
  role: 'assistant',
  parts: [{ type: 'text', text }],
});

describe('C17: usage from before a compaction', () => {
  const system = words(1000);
  const history = [user(words(40_000)), assistant(words(54_000))];
  const tail = [user(words(10_000)), assistant(words(10_000))];
  const blocks = words(4000);

  it('is not applied to the context after it, which is estimated closely and without its margin of before', () => {
    const ledger = ledgerOf({ system, items: history });
    ledger.measure({ inputTokens: 95_200 }, 2);
    const { lineage } = ledger;
    expect(ledger.total()).toEqual({ tokens: 95_200, margin: 0, source: 'measured' });

    ledgerOf({ system, items: [], blocks }, ledger);
    ledger.rewrite(
      0,
      tail.map((item) => ({ shape: shapeOf(item), count: tokenizer.countItem(item) })),
    );
    const { tokens, margin, source } = ledger.total();
    expect(source).toBe('offset');
    expect(Math.abs(tokens - 25_000)).toBeLessThan(0.15 * 25_000);
    expect(tokens + margin).toBeLessThan(80_000);

    // The usage of the request that was under way when the compaction was applied.
    expect(ledger.measure({ inputTokens: 95_200 }, 2, lineage).outcome).toBe('stale');
    expect(ledger.total()).toEqual({ tokens, margin, source });
  });

  it('is not needed either: without any usage the context after it is counted', () => {
    const { tokens, source } = ledgerOf({ system, items: tail, blocks }).total();
    expect(source).toBe('counted');
    expect(Math.abs(tokens - 25_000)).toBeLessThan(0.15 * 25_000);
  });
});

describe('C18: a provider that reports no usage, or nonsense', () => {
  const figures: [string, unknown][] = [
    ['nothing', {}],
    ['zeros', { inputTokens: 0, outputTokens: 0, reasoningTokens: 0 }],
    ['output alone', { outputTokens: 500 }],
    ['NaN', { inputTokens: NaN, outputTokens: NaN }],
    ['a negative number', { inputTokens: -1, outputTokens: -1 }],
    ['strings', { inputTokens: '5000', outputTokens: '12' }],
    ['null', { inputTokens: null }],
  ];

  it.each(figures)(
    'that is %s: the estimate crosses the threshold in the turn in which the context does',
    (_, usage) => {
      const ledger = new TokenLedger();
      const threshold = 20_000;
      let crossed: number | undefined;
      for (let turn = 1; turn <= 12; turn++) {
        ledgerOf({ items: [user(words(5000))] }, ledger);
        const { outcome, message } = ledger.measure(usage as Usage, ledger.length);
        expect(['missing', 'implausible']).toContain(outcome);
        expect(message).toMatch(/ignored|estimated/);
        ledger.append({ shape: 'text', count: { text: 10, images: 0, opaque: 0 } });
        const { tokens, margin } = ledger.total();
        expect(Number.isFinite(tokens) && Number.isFinite(margin)).toBe(true);
        if (tokens > threshold) crossed ??= turn;
      }
      expect(crossed).toBe(4);
    },
  );
});

describe('C20: what is sent beside the text of messages', () => {
  const system = words(10_000);
  const tools = [{ name: 'run', description: words(25_000), parameters: { type: 'object' } }];
  const call: Item = { id: 'c', kind: 'tool_call', callId: '1', name: 'run', arguments: { script: words(20_000) } };
  const reasoning: Item = { id: 'r', kind: 'reasoning', text: words(5000) };
  const all = { system, tools, items: [user(words(15_000)), user(words(15_000)), reasoning, call] };
  const total = (request: Request): number => ledgerOf(request).total().tokens;

  it('is all covered', () => {
    expect(Math.abs(total(all) - 90_000)).toBeLessThan(0.02 * 90_000);
  });

  it.each([
    ['the system prompt', 10_000, { ...all, system: '' }],
    ['the tool schemas', 25_000, { ...all, tools: [] }],
    ['the arguments of calls', 20_000, { ...all, items: all.items.filter((item) => item !== call) }],
    ['reasoning', 5000, { ...all, items: all.items.filter((item) => item !== reasoning) }],
    ['message text', 30_000, { ...all, items: [reasoning, call] }],
  ])('falls by %s', (_, tokens, request) => {
    expect(Math.abs(total(all) - total(request) - tokens)).toBeLessThan(0.02 * tokens + 100);
  });

  it('is the same for one part of text and for many', () => {
    const parts = Array.from({ length: 3 }, () => ({ type: 'text', text: words(5000) }) as const);
    const many: Item = { id: 'm', kind: 'message', role: 'user', parts };
    expect(Math.abs(total({ items: [many] }) - total({ items: [user(words(15_000))] }))).toBeLessThan(10);
  });
});

describe('C22: an image', () => {
  const image = (bytes: number): ImagePart => ({
    type: 'image',
    mediaType: 'image/png',
    data: 'iVBORw0KGgoAAAANSUhEUgAAB4AAAAQ4CAYAAADo08FD'.padEnd(bytes, 'QUJD'),
  });
  const asPrompt = (bytes: number): Item => ({
    id: 'u',
    kind: 'message',
    role: 'user',
    parts: [{ type: 'text', text: 'what is wrong with this picture of my old house' }, image(bytes)],
  });
  const asResult = (bytes: number): Item => ({
    id: 'r',
    kind: 'tool_result',
    callId: 'c',
    summary: 'screenshot',
    content: [image(bytes)],
  });

  it.each([
    ['in a message', asPrompt],
    ['in a tool result', asResult],
  ])('%s costs a bounded amount, whatever its bytes', (_, item) => {
    const tokens = ledgerOf({ items: [item(2_000_000)] }).total().tokens;
    expect(tokens).toBeGreaterThan(500);
    expect(tokens).toBeLessThan(10_000);
    expect(ledgerOf({ items: [item(4_000_000)] }).total().tokens).toBe(tokens);
  });
});

describe('X11: a long dense run inside a text result', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const dense = (length: number, from: string): string => {
    let state = 11;
    return Array.from({ length }, () => {
      state = (state * 1103515245 + 12345) % 2147483648;
      return from[(state >> 8) % from.length];
    }).join('');
  };
  const result = (text: string): Item => ({
    id: 'r',
    kind: 'tool_result',
    callId: 'c',
    summary: 'fetched',
    content: [{ type: 'text', text }],
  });

  it.each([
    ['a base64 data URL of 1 MB', `data:application/pdf;base64,${dense(1_000_000, alphabet)}`, 1.45],
    ['500 KB of hex', dense(500_000, '0123456789abcdef'), 1.75],
  ])('is counted as what it is: %s', (_, text, charactersPerToken) => {
    const { text: tokens } = tokenizer.countItem(result(text));
    expect(tokens).toBeGreaterThan((0.9 * text.length) / charactersPerToken);
    expect(tokens).toBeLessThan((1.1 * text.length) / charactersPerToken);
  });
});

describe('through a session', () => {
  const say = (role: 'user' | 'assistant', text: string): NewItem => ({
    kind: 'message',
    role,
    parts: [{ type: 'text', text }],
  });
  const THRESHOLD = 80_000;

  it('C17: after a compaction no figure from before counts, the kept items of which it was measured included', async () => {
    const { plugin, jobs } = scriptedWorker(writing(summaryOf('Much was done.')));
    await using host = await start({ plugins: [...STOCK, plugin], config: { compaction: { retainedTokens: 21_000 } } });
    const session = host.open([
      say('user', words(40_000)),
      say('assistant', words(32_000)),
      say('user', words(10_000)),
      say('assistant', words(10_000)),
    ]);
    const occupancy = () => session.get(CONTEXT).view().occupancy();
    session.record({ t: 'usage', usage: { inputTokens: 85_000, outputTokens: 10_000 }, on: { entries: 3 } });
    expect(occupancy().tokens).toBeGreaterThan(90_000);
    const report = await host.kernel.get(COMPACTION).compact(session, { trigger: 'post_run', threshold: THRESHOLD });
    expect(report.outcome).toBe('done');
    for (let check = 0; check < 2; check++) {
      const { tokens, margin } = occupancy();
      expect(tokens + margin).toBeLessThan(THRESHOLD);
      const sent = countRequest(writeOpenAiChat(session.get(CONTEXT).view()));
      expect(Math.abs(tokens - sent)).toBeLessThan(0.15 * sent);
      session.append([say('user', 'go on')]);
    }
    // A reply whose request was under way, with usage of the context from before.
    session.record({ t: 'usage', usage: { inputTokens: 95_000 }, on: { entries: 4, projection: 'from before' } });
    expect(occupancy().tokens + occupancy().margin).toBeLessThan(THRESHOLD);
    expect(jobs).toHaveLength(1);
  });

  it('C18: whatever figures a log holds, what a trigger compares is a number near to what is sent', () => {
    const figure = fc.oneof(
      fc.constantFrom<unknown>(undefined, null, NaN, Infinity, -Infinity, 0, -1, -0, '5000', 1e308, {}, [], true),
      fc.integer({ min: -10, max: 10 }),
    );
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ inputTokens: figure, outputTokens: figure, reasoningTokens: figure, cacheReadTokens: figure }),
          { maxLength: 8 },
        ),
        (usages) => {
          const session = createSession({ id: 's' });
          const context = createContext(session, { tokenizer });
          for (const usage of usages) {
            session.append([say('user', words(2000)), say('assistant', 'ok')]);
            session.record({ t: 'usage', usage: usage as unknown as Usage });
            const { tokens, margin } = context.view().occupancy();
            const sent = countRequest(writeOpenAiChat(context.view()));
            expect(Math.abs(tokens - sent)).toBeLessThan(0.15 * sent);
            expect(margin).toBeGreaterThanOrEqual(0);
            expect(tokens + margin).toBeLessThan(2 * sent + 4096);
          }
        },
      ),
    );
  });
});
