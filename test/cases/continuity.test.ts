/** Faults of continuity that users of similar tools reported, by the ids of `cases.json`. */
import fc from 'fast-check';
import { CONTEXT } from '../../core';
import type { NewItem, Session } from '../../core';
import { PRUNE } from '../../plugins/prune/token';
import { assistant, call, prose, result, user } from '../support/context';
import { refusals, written } from '../support/counter';
import { compact, start, STOCK, view } from '../support/kernel';
import { readAll, scriptedWorker, summaryOf } from '../support/worker';

const pairs = (count: number, tokens: number, name: string): readonly NewItem[] =>
  Array.from({ length: count }, (_, at) => [
    call(`${name}${String(at)}`),
    result(`${name}${String(at)}`, prose(tokens)),
  ]).flat();

/** How often a text stands in the request, in each shape. */
const occurrences = (session: Session, text: string): readonly number[] =>
  written(view(session)).map(({ request }) => JSON.stringify(request).split(text).length - 1);

/** A worker that reads all it is shown and forgets all of it. */
const forgetful = () =>
  scriptedWorker(async (desk, job, signal) => {
    await readAll(desk, job, signal);
    await desk.call('write_summary', { text: summaryOf('Something was done.') }, signal);
  });

const system = (text: string): NewItem => ({ kind: 'message', role: 'system', parts: [{ type: 'text', text }] });
const RULE = 'RULE-77: never push to main.';

describe('C35: project instructions that were loaded at the start', () => {
  const ways: readonly (readonly [string, readonly NewItem[], (session: Session) => void])[] = [
    ['as a leading system message', [system(RULE), user('go')], () => undefined],
    ['as an early message that is pinned', [user(RULE), user('go')], (session) => session.get(CONTEXT).pin('i0')],
    ['as a pinned text', [user('go')], (session) => session.get(CONTEXT).pin({ text: RULE })],
    [
      'as a text that every start pins again',
      [user('go')],
      (session) => [1, 2, 3].forEach(() => session.get(CONTEXT).pin({ text: RULE })),
    ],
    [
      'as a message and a text that are both pinned',
      [user(RULE), user('go')],
      (session) => (session.get(CONTEXT).pin('i0'), session.get(CONTEXT).pin({ text: RULE })),
    ],
  ];

  test.each(ways)(
    'C35: %s stand in the first request after each of three compactions, verbatim and once',
    async (_, items, load) => {
      const worker = forgetful();
      await using host = await start({ plugins: [...STOCK, worker.plugin] });
      const session = host.open(items);
      load(session);
      for (let pass = 0; pass < 3; pass++) {
        expect(occurrences(session, RULE)).toEqual([1, 1, 1]);
        session.append(pairs(20, 600, `p${String(pass)}-`));
        expect((await compact(host, session, { retainedTokens: 1500 })).outcome).toBe('done');
        expect(occurrences(session, RULE)).toEqual([1, 1, 1]);
        expect(view(session).system[0]).toMatchObject({ kind: 'pin', text: RULE });
      }
    },
  );

  test('C35: instructions of an eighth of the window may be pinned at every start', async () => {
    await using host = await start();
    const session = host.open([user('go')]);
    const rules = `RULE-77 ${prose(15_000)}`;
    for (let starts = 0; starts < 5; starts++) session.get(CONTEXT).pin({ text: rules });
    expect(occurrences(session, 'RULE-77')).toEqual([1, 1, 1]);
    expect(() => session.get(CONTEXT).pin({ text: prose(12_000) })).toThrow(
      expect.objectContaining({ code: 'PITH_PINS_TOO_LARGE' }) as Error,
    );
  });

  test('C35: whatever is pinned, in whatever order, stands behind the prompt and before the blocks, each once', async () => {
    await using host = await start({ plugins: [...STOCK, forgetful().plugin] });
    const pin = fc.constantFrom('a', 'b', 'c', 'd', ' ', '');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(pin, { maxLength: 4 }), { minLength: 1, maxLength: 3 }), async (passes) => {
        const session = host.open([user('go')], { t: 'settings', system: 'You are terse.' });
        const pinned = new Set<string>();
        for (const [number, pins] of passes.entries()) {
          for (const text of pins) {
            session.get(CONTEXT).pin({ text });
            if (text.trim() !== '') pinned.add(text);
          }
          session.append(pairs(10, 600, `p${String(number)}-`));
          await compact(host, session, { retainedTokens: 700 });
          const parts = view(session).system;
          expect(parts.slice(0, pinned.size + 1).map(({ text }) => text)).toEqual(['You are terse.', ...pinned]);
          expect(parts.slice(pinned.size + 1).every(({ kind }) => kind === 'block')).toBe(true);
        }
        await session.close();
      }),
      { numRuns: 30 },
    );
  });
});

describe('X19: system prompt and start-up packets', () => {
  const PROMPT = 'You are the PROMPT-1 agent.';
  const packets = ['PACKET-A: the house rules', 'PACKET-B: the map of the code'];
  const tools = [{ name: 'read_file', description: 'TOOL-1 reads', parameters: { type: 'object' } }];

  test('X19: stand in each request of the agent once and first, and in no job of a worker', async () => {
    const worker = forgetful();
    await using host = await start({ plugins: [...STOCK, worker.plugin] });
    const session = host.open([user('go')], { t: 'settings', system: PROMPT, tools });
    for (const text of packets) session.get(CONTEXT).pin({ text });
    for (let pass = 0; pass < 3; pass++) {
      expect(refusals(view(session), PROMPT)).toEqual([]);
      for (const text of [PROMPT, ...packets]) expect(occurrences(session, text)).toEqual([1, 1, 1]);
      expect(
        view(session)
          .system.slice(0, 3)
          .map(({ text }) => text),
      ).toEqual([PROMPT, ...packets]);
      session.append([...pairs(20, 600, `p${String(pass)}-`), assistant('done'), user('next')]);
      // A host that restores a session tells its settings again.
      session.record({ t: 'settings', system: PROMPT, tools });
      expect((await compact(host, session, { retainedTokens: 1500 })).outcome).toBe('done');
    }
    const given = worker.given.flat().join('\n');
    for (const text of [PROMPT, ...packets, 'TOOL-1']) expect(given).not.toContain(text);
  });
});

describe('X21: the only prompt of a long turn is its oldest message', () => {
  const GOAL = 'GOAL-9: port the parser to the new format';

  test.each([
    ['compacted', true, false],
    ['pruned', false, true],
    ['pruned and compacted', true, true],
  ])('X21: it is in every request of the run (%s)', async (_, compacts, prunes) => {
    const worker = forgetful();
    await using host = await start({
      plugins: [...STOCK, worker.plugin],
      config: { prune: { protectedTokens: 3000, minSavings: 1000 } },
    });
    const session = host.open([user('hello'), assistant('hi'), user(GOAL)]);
    let compactions = 0;
    for (let step = 0; step < 60; step++) {
      session.append(pairs(1, 300, `s${String(step)}-`));
      if (prunes) host.kernel.get(PRUNE).prune(session);
      if (compacts && view(session).occupancy().tokens > 6000) {
        const { outcome } = await compact(host, session, { retainedTokens: 3300 });
        if (outcome === 'done') compactions++;
      }
      expect(occurrences(session, GOAL)).toEqual([1, 1, 1]);
      expect(refusals(view(session))).toEqual([]);
    }
    if (compacts && !prunes) expect(compactions).toBeGreaterThan(3);
  });

  test('X21: with any tail, also none, and however often', async () => {
    await using host = await start({ plugins: [...STOCK, forgetful().plugin] });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(0, 1, 400, 2000, 1_000_000), { minLength: 1, maxLength: 4 }),
        async (tails) => {
          const session = host.open([user('hello'), assistant('hi'), user(GOAL)]);
          for (const [number, retainedTokens] of tails.entries()) {
            session.append(pairs(12, 400, `p${String(number)}-`));
            await compact(host, session, { retainedTokens });
            expect(occurrences(session, GOAL)).toEqual([1, 1, 1]);
            const [first] = view(session).items();
            expect(first).toMatchObject({ kind: 'message', role: 'user' });
          }
          await session.close();
        },
      ),
      { numRuns: 25 },
    );
  });
});
