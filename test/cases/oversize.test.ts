/** Faults with what is larger than fits that users of similar tools reported, by the ids of `cases.json`. */
import { COMPACTION } from '../../core/index';
import type { CompactionReport, CompactOptions } from '../../core/index';
import { CONTEXT, createContext, restoreSession } from '../../core';
import type { ContextView, NewItem, Session } from '../../core';
import { writeOpenAiChat } from '../../core/formats/write';
import { inputLimit, modelLimits } from '../../core/tokens/model-limits';
import { assistant, call, prose, result, tokenizer, user } from '../support/context';
import { countOf, countRequest, refusals } from '../support/counter';
import { start, STOCK } from '../support/kernel';
import type { Host } from '../support/kernel';
import { readAll, scriptedWorker, summaryOf } from '../support/worker';
import type { ScriptedWorker } from '../support/worker';

const view = (session: Session): ContextView => session.get(CONTEXT).view();
const compact = (
  { kernel }: Host,
  session: Session,
  options: Partial<CompactOptions> = {},
): Promise<CompactionReport> => kernel.get(COMPACTION).compact(session, { trigger: 'request', ...options });

/** Reads everything there is, then writes a short summary. */
const thorough = (detail: 'brief' | 'full'): ScriptedWorker =>
  scriptedWorker(async (desk, job, signal) => {
    await readAll(desk, job, signal, detail);
    await desk.call('write_summary', { text: summaryOf('All was read.') }, signal);
  });

const pairs = (count: number, tokens: number, name: string): readonly NewItem[] =>
  Array.from({ length: count }, (_, at) => [
    call(`${name}${String(at)}`),
    result(`${name}${String(at)}`, `${name}${String(at)} ${prose(tokens)}`),
  ]).flat();

const turns = (count: number, tokens: number, name = 'note'): readonly NewItem[] =>
  Array.from({ length: count }, (_, at) => [
    user(`${name} ${String(at)} ${prose(tokens)}`),
    assistant(`noted ${String(at)}`),
  ]).flat();

const tokensOf = (given: readonly (readonly string[])[]): number =>
  given.flat().reduce((sum, text) => sum + countOf(text), 0);

describe('C25: images in the input of the worker', () => {
  const base64 = `iVBORw0KGgo${'QUJDREVGRw'.repeat(20_000)}`;
  const image = { type: 'image' as const, mediaType: 'image/png', data: base64, width: 800, height: 600 };
  const shots = Array.from({ length: 40 }, (_, at): readonly NewItem[] => [
    call(`s${String(at)}`, 'screenshot'),
    {
      kind: 'tool_result',
      callId: `s${String(at)}`,
      summary: `shot ${String(at)}`,
      content: [image, { type: 'text', text: `CAPTION-${String(at)}` }],
    },
  ]).flat();
  const told: NewItem = { kind: 'message', role: 'user', parts: [{ type: 'text', text: 'as in this picture' }, image] };
  const drawn: NewItem = { kind: 'message', role: 'assistant', parts: [image, { type: 'text', text: 'drawn' }] };

  test.each(['brief', 'full'] as const)(
    'C25: are placeholders beside the texts that came with them (%s)',
    async (detail) => {
      const worker = thorough(detail);
      await using host = await start({ plugins: [...STOCK, worker.plugin] });
      const session = host.open([told, ...shots, drawn, user('go on'), ...pairs(8, 1000, 'p')]);
      expect((await compact(host, session)).outcome).toBe('done');
      const given = worker.given.flat().join('\n');
      expect(given).not.toMatch(/[A-Za-z0-9+/=]{257}/);
      expect(given).toContain('[image image/png]');
      for (let at = 0; at < 40; at++)
        expect(given).toContain(detail === 'full' ? `CAPTION-${String(at)}\n` : `shot ${String(at)}\n`);
      expect(tokensOf(worker.given)).toBeLessThanOrEqual(50_000);
      expect(JSON.stringify([...view(session).system])).not.toContain(base64.slice(0, 300));
    },
  );
});

describe('X15: one message larger than all that is to be summarised', () => {
  const THRESHOLD = 50_000;
  const big = prose(60_000);
  const kinds: readonly (readonly [string, readonly NewItem[]])[] = [
    ['a message of the user', [user(big), assistant('read')]],
    ['a message of the assistant', [user('tell me all'), assistant(big)]],
    ['a result', [user('look'), call('big'), result('big', big), assistant('seen')]],
    [
      'arguments of a call',
      [
        user('write'),
        call('big', 'write_file', { path: 'a.txt', content: big }),
        result('big', 'ok'),
        assistant('written'),
      ],
    ],
    ['reasoning', [user('think'), { kind: 'reasoning', text: big }, assistant('thought')]],
  ];
  const places = ['first', 'in the middle', 'last'] as const;

  test.each(kinds.flatMap(([what, items]) => places.map((place) => [what, place, items] as const)))(
    'X15: %s, %s: progress on the first pass, and room for the next turns',
    async (_, place, items) => {
      const worker = thorough('full');
      await using host = await start({
        plugins: [...STOCK, worker.plugin],
        config: { compaction: { compactWorkerMaxInputTokens: 40_000 } },
      });
      const before = { first: 0, 'in the middle': 12, last: 24 }[place];
      const session = host.open([...turns(before, 60), ...items, ...turns(24 - before, 60, 'later'), user('go on')]);
      const report = await compact(host, session, { threshold: THRESHOLD });
      expect(report.outcome).toBe('done');
      for (const answer of worker.given.flat()) expect(countOf(answer)).toBeLessThanOrEqual(40_000);
      expect(countRequest(writeOpenAiChat(view(session)))).toBeLessThanOrEqual(0.75 * THRESHOLD);
      for (let turn = 0; turn < 3; turn++) {
        session.append([assistant('done'), user('a little more'), ...pairs(1, 200, `s${String(turn)}-`)]);
        const { tokens, margin } = view(session).occupancy();
        expect(tokens + margin).toBeLessThan(THRESHOLD);
      }
    },
  );
});

describe('X16: a few huge messages behind many small ones', () => {
  test.each([0, 5000, 10_000, 20_000, 35_000])(
    'X16: the tail is bounded by %d tokens, not by a number of messages',
    async (retainedTokens) => {
      const items = [
        ...turns(100, 25),
        ...Array.from({ length: 10 }, (_, at) => [
          user(`big ${String(at)} ${prose(10_000)}`),
          assistant(prose(10_000)),
        ]).flat(),
      ];
      await using host = await start({ config: { compaction: { retainedTokens } } });
      const session = host.open(items);
      const before = countRequest(writeOpenAiChat(view(session)));
      const report = await compact(host, session);
      expect(report.outcome).toBe('done');
      expect(before - countRequest(writeOpenAiChat(view(session)))).toBeGreaterThanOrEqual(100_000);
      const cut = report.plan?.cutItem ?? Infinity;
      const tail = [...session.items(cut)].reduce(
        (sum, item) =>
          sum + countOf(item.kind === 'message' && item.parts[0]?.type === 'text' ? item.parts[0].text : ''),
        0,
      );
      expect(tail).toBeLessThanOrEqual(retainedTokens + 10_010);
    },
  );
});

describe('X17: a restored history of several windows', () => {
  test.each([3, 8])(
    'X17: of %d windows is compacted before the first request, which holds the prompt verbatim',
    async (windows) => {
      const limits = modelLimits('some-model', { contextWindow: 64_000, maxOutput: 8000 });
      const log: unknown[] = [];
      {
        await using host = await start();
        const session = host.open(
          Array.from({ length: windows * 8 }, (_, at) => [
            user(`task ${String(at)}`),
            ...pairs(4, 2000, `w${String(at)}-`),
            assistant('done'),
          ]).flat(),
        );
        for (const record of session.records()) log.push(JSON.parse(JSON.stringify(record)));
      }
      const worker = thorough('brief');
      await using host = await start({ plugins: [...STOCK, worker.plugin] });
      const session = restoreSession(log as [], { services: (one) => host.kernel.scope(one) });
      const prompt = `PROMPT ${prose(300)} END`;
      session.append([user(prompt)]);
      expect(view(session).occupancy().tokens).toBeGreaterThan(windows * 50_000);
      expect((await compact(host, session, { threshold: inputLimit(limits) })).outcome).toBe('done');
      for (const told of worker.given.flat()) expect(countOf(told)).toBeLessThanOrEqual(8000);
      const request = writeOpenAiChat(view(session));
      expect(countRequest(request) + limits.maxOutput).toBeLessThanOrEqual(limits.contextWindow);
      expect(request.at(-1)).toEqual({ role: 'user', content: prompt });
      expect(refusals(view(session))).toEqual([]);
    },
  );
});

describe('C28: one turn overshoots the window', () => {
  const WINDOW = 200_000;
  const REPLY = 8000;
  const shapes: readonly (readonly [string, readonly NewItem[]])[] = [
    ['in one result', [call('all'), result('all', prose(600_000))]],
    [
      'in six parallel results',
      [
        ...Array.from({ length: 6 }, (_, at) => call(`q${String(at)}`)),
        ...Array.from({ length: 6 }, (_, at) =>
          result(`q${String(at)}`, `START-${String(at)} ${prose(100_000)} END-${String(at)}`),
        ),
      ],
    ],
    ['in sixty results one after another', pairs(60, 10_000, 'r')],
  ];

  test.each(shapes)('C28: %s: the estimate shows it, and one pass makes a request that fits', async (_, turn) => {
    await using host = await start();
    const session = host.open([...turns(10, 14_000), user('GOAL-9: read it all')]);
    session.record({ t: 'usage', usage: { inputTokens: 150_000 }, on: { entries: view(session).length } });
    expect(view(session).occupancy().tokens).toBe(150_000);
    session.append(turn);
    expect(view(session).occupancy().tokens).toBeGreaterThan(WINDOW);
    const report = await compact(host, session, { threshold: WINDOW - REPLY });
    expect(report.outcome).toBe('done');
    const request = writeOpenAiChat(view(session));
    expect(countRequest(request) + REPLY).toBeLessThanOrEqual(WINDOW);
    expect(JSON.stringify(request)).toContain('GOAL-9');
    expect(refusals(view(session))).toEqual([]);
    session.append([assistant('I read it.'), user('and now?')]);
    expect(view(session).occupancy().tokens).toBeLessThan(WINDOW - REPLY);
  });

  test('C28: what is trimmed of results that nobody has seen yet keeps beginning and end, and fills the room there is', async () => {
    await using host = await start();
    const [, six] = shapes[1] ?? [];
    const session = host.open([...turns(10, 2000), user('read it all'), ...(six ?? [])]);
    expect((await compact(host, session)).outcome).toBe('done');
    const texts = [...view(session).items()].flatMap((item) =>
      item.kind === 'tool_result' ? [JSON.stringify(item.content)] : [],
    );
    texts.forEach((text, at) => {
      expect(text).toContain(`START-${String(at)} `);
      expect(text).toContain(` END-${String(at)}`);
    });
    const kept = texts.reduce((sum, text) => sum + countOf(text), 0);
    expect(kept).toBeGreaterThan(7000);
    expect(kept).toBeLessThanOrEqual(8200);
    const again = createContext(restoreSession(JSON.parse(JSON.stringify([...session.records()])) as [], {}), {
      tokenizer,
    });
    expect(again.view().digest).toBe(view(session).digest);
  });
});
