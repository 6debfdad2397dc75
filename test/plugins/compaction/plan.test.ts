import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { ContextView, Edit, NewItem, RecordDraft } from '../../../core';
import { checkIntegrity } from '../../../core/context/integrity';
import { laterEdits, LEAD_MAX_TOKENS, planCompaction } from '../../../plugins/compaction/plan';
import type { Plan } from '../../../plugins/compaction/plan';
import { histories } from '../../arbitraries/history';
import { assistant, call, open, prose, read, result, tokenizer, user } from '../../support/context';
import type { Opened } from '../../support/context';

interface Wish {
  readonly retainedTokens?: number;
  readonly seen?: number;
}

function plan(
  { session, projection, context }: Opened,
  { retainedTokens = 8000, seen = 0 }: Wish = {},
): Plan | undefined {
  return planCompaction({ context, retainedTokens, seen, openings: projection.openings, session, tokenizer });
}

/** The context after the plan was applied with a summary. */
function applied(opened: Opened, made: Plan): ContextView {
  const { session } = opened;
  session.record({
    t: 'checkpoint',
    compaction: 'c',
    blocks: [{ kind: 'summary', text: 'summary' }],
    cut: made.cutItem,
    ...(made.lead !== undefined && { lead: made.lead }),
    edits: made.edits,
    before: 0,
    after: 0,
  });
  return read(session).context;
}

const loop = (pairs: number, tokens: number): readonly NewItem[] =>
  Array.from({ length: pairs }, (_, index) => [call(`c${index}`), result(`c${index}`, prose(tokens))]).flat();

describe('the plan', () => {
  test('cuts from the end in whole groups, ignoring turn borders', () => {
    const made = plan(open([user('one'), ...loop(10, 1000), user('two'), ...loop(2, 1000)]), { retainedTokens: 4500 });
    expect(made).toMatchObject({ cut: 17, cutItem: 17, lead: 'i0', summarised: { items: 16 }, retained: { items: 9 } });
    expect(made?.retained.tokens).toBeLessThanOrEqual(4500);
  });

  test('carries the message that opened the active turn over the cut, verbatim, before the tail', () => {
    const opened = open([user('first'), assistant('ok'), user('GOAL-9'), ...loop(20, 500)]);
    const made = plan(opened, { retainedTokens: 2000 });
    expect(made?.lead).toBe('i2');
    const context = applied(opened, made as Plan);
    expect(context.at(0)).toBe(opened.session.item(2));
    expect(context.at(1)).toMatchObject({ kind: 'tool_call' });
  });

  test('trims the opening message in the middle above 2000 tokens and says how much is left out', () => {
    const long = `BEGIN ${prose(6000)} END`;
    const opened = open([user(long), ...loop(20, 500)]);
    const made = plan(opened, { retainedTokens: 2000 }) as Plan;
    const lead = applied(opened, made).at(0);
    const text = lead.kind === 'message' && lead.parts[0]?.type === 'text' ? lead.parts[0].text : '';
    expect(text).toMatch(/^BEGIN [^]*left out here[^]* END$/);
    expect(tokenizer.countText(text)).toBeLessThanOrEqual(LEAD_MAX_TOKENS);
  });

  test('needs no lead where the tail begins with a message of the user', () => {
    expect(
      plan(open([user('one'), ...loop(4, 1000), user('two'), assistant('done')]), { retainedTokens: 100 }),
    ).toMatchObject({ cut: 9, lead: undefined });
  });

  test('has nothing to do where everything fits, and where only the opening message would go', () => {
    expect(plan(open([user('one'), assistant('two')]))).toBeUndefined();
    expect(plan(open([]))).toBeUndefined();
    expect(plan(open([user('goal'), ...loop(1, 900)]), { retainedTokens: 100, seen: 3 })).toBeUndefined();
  });

  test('retains nothing but the opening message between turns where 0 tokens are to be kept', () => {
    const opened = open([user('one'), ...loop(2, 100), assistant('done')]);
    const made = plan(opened, { retainedTokens: 0 }) as Plan;
    expect(made).toMatchObject({ cut: 6, cutItem: 6, lead: 'i0', retained: { items: 0, tokens: 0 } });
    expect([...applied(opened, made).items()].map((item) => item.id)).toEqual(['i0']);
  });

  test.each<[string, readonly NewItem[], readonly string[]]>([
    ['results, whole,', [call('x'), result('x', prose(300))], ['i0', 'i5', 'i6']],
    ['what the user said meanwhile', [user('and mind this')], ['i0', 'i5']],
    ['nothing behind the last word of the model', [assistant('done')], ['i0']],
    ['nothing behind what the model thought last', [assistant('done'), { kind: 'reasoning', text: 'hm' }], ['i0']],
  ])('keeps %s even where 0 tokens are to be kept', (_, newest, kept) => {
    const session = open([], { t: 'turn', phase: 'start', turn: 1 }).session;
    session.append([user('one'), ...loop(2, 100), ...newest]);
    const opened = read(session);
    const after = applied(opened, plan(opened, { retainedTokens: 0 }) as Plan);
    expect([...after.items()].map(({ id }) => id)).toEqual(kept);
    for (const item of after.items()) expect(item).toBe(session.item(session.indexOf(item.id) ?? -1));
  });

  test('keeps the newest message of the model whole, however long, where anything is to be kept', () => {
    const opened = open([user('one'), ...loop(2, 100), assistant(prose(500))]);
    const after = applied(opened, plan(opened, { retainedTokens: 100 }) as Plan);
    expect([...after.items()]).toEqual([opened.session.item(0), opened.session.item(5)]);
  });

  test('drops signed reasoning from the tail and keeps text and calls of its reply', () => {
    const opened = open([
      user('one'),
      ...loop(5, 1000),
      { kind: 'reasoning', text: 'hm', opaque: 'c2ln' },
      call('z'),
      result('z', 'fine'),
    ]);
    const made = plan(opened, { retainedTokens: 500 }) as Plan;
    expect([...applied(opened, made).items()].map((item) => item.kind)).toEqual([
      'message',
      'tool_call',
      'tool_result',
    ]);
  });

  test('drops signed reasoning that came since the plan was made, and names nothing twice', () => {
    const signed = (opaque?: string): NewItem => ({
      kind: 'reasoning',
      text: 'hm',
      ...(opaque !== undefined && { opaque }),
    });
    const opened = open([user('one'), ...loop(5, 1000), signed('YQ=='), call('y'), result('y', 'fine')]);
    const made = plan(opened, { retainedTokens: 500 }) as Plan;
    expect(laterEdits(opened.context, made)).toEqual([]);
    opened.session.append([signed(), call('z'), result('z', 'fine'), signed('Yg=='), assistant('done')]);
    const { context } = read(opened.session);
    expect(made.length).toBe(14);
    expect(laterEdits(context, made)).toEqual([{ edit: 'drop', items: [context.at(17).id] }]);
  });

  test('cuts the newest group down to the wish where it alone is larger: what the model has seen to its summary', () => {
    const opened = open([
      user('one'),
      ...loop(3, 100),
      call('x'),
      call('y'),
      result('x', prose(9000), 'saw x'),
      result('y', `Y ${prose(9000)} Y`),
    ]);
    const made = plan(opened, { retainedTokens: 2000, seen: 10 }) as Plan;
    expect(made.cut).toBe(7);
    expect(made.retained.tokens).toBeLessThanOrEqual(2000);
    const [seen, unseen] = [...applied(opened, made).items()].slice(-2);
    expect(seen).not.toHaveProperty('content');
    expect(unseen).toMatchObject({
      content: [{ text: expect.stringMatching(/^Y [^]*left out here[^]* Y$/) as string }],
    });
  });

  test('counts what prune emptied as its summary', () => {
    const history = [user('one'), ...loop(10, 1000)];
    const pruned = open(history, {
      t: 'edits',
      by: 'prune',
      edits: [14, 16, 18].map((at) => ({ edit: 'content', item: `i${at}`, text: null })),
    });
    expect(plan(pruned, { retainedTokens: 3000 })?.cut).toBeLessThan(
      plan(open(history), { retainedTokens: 3000 })?.cut ?? 0,
    );
  });

  test('covers with the second compaction what the first one retained', () => {
    const opened = open([user('one'), ...loop(10, 500)]);
    applied(opened, plan(opened, { retainedTokens: 2000 }) as Plan);
    opened.session.append(
      loop(10, 500).map((item) => ('callId' in item ? { ...item, callId: `${item.callId}-2` } : item)),
    );
    const second = plan(read(opened.session), { retainedTokens: 2000 });
    const firstTail = opened.session.item(15);
    expect(second?.cutItem).toBeGreaterThan(opened.session.indexOf(firstTail.id) ?? 0);
  });

  test('begins the tail with what stands before it by an edit, and loses nothing behind it', () => {
    const note: Edit = { edit: 'insert', before: 'i15', item: user('mind this') };
    for (let retainedTokens = 750; retainedTokens < 5000; retainedTokens += 250) {
      const opened = open([user('one'), ...loop(10, 500)], { t: 'edits', by: 'somebody', edits: [note] });
      const before = [...opened.context.items()];
      const made = plan(opened, { retainedTokens });
      if (made === undefined) continue;
      const after = [...applied(opened, made).items()].slice(1);
      expect(after).toEqual(before.slice(before.length - after.length));
      expect(after.length).toBe(before.length - made.cut);
    }
  });

  test('carries the opening message over in the text that it was last sent with', () => {
    const secret = open([user(`SECRET ${prose(6000)}`), ...loop(20, 500)], {
      t: 'edits',
      by: 'somebody',
      edits: [{ edit: 'content', item: 'i0', text: `masked ${prose(3000)}` }],
    });
    const lead = JSON.stringify(applied(secret, plan(secret, { retainedTokens: 2000 }) as Plan).at(0));
    expect(lead).toContain('masked');
    expect(lead).not.toContain('SECRET');
  });

  test('trims the texts of an opening message and keeps its images', () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;
    const parts = [{ type: 'text', text: 'BEGIN' }, image, { type: 'text', text: `second ${prose(6000)}` }] as const;
    const opened = open([{ kind: 'message', role: 'user', parts }, ...loop(20, 500)]);
    const after = applied(opened, plan(opened, { retainedTokens: 2000 }) as Plan);
    expect(after.at(0)).toMatchObject({
      parts: [{ type: 'text', text: expect.stringMatching(/^BEGIN\nsecond /) as string }, image],
    });
  });

  test('takes the opening message from the log where the context has lost it, and none where an edit dropped it', () => {
    const items = [user('hi'), assistant('hello'), user('GOAL'), ...loop(20, 500)];
    const checkpoint: RecordDraft = {
      t: 'checkpoint',
      compaction: 'foreign',
      blocks: [],
      cut: 13,
      edits: [],
      before: 0,
      after: 0,
    };
    const lost = open(items, checkpoint);
    const made = plan(lost, { retainedTokens: 2000 }) as Plan;
    expect(made).toMatchObject({
      lead: 'i2',
      summarised: { items: made.cut, tokens: lost.context.tokens(0, made.cut) },
    });
    expect(applied(lost, made).at(0)).toBe(lost.session.item(2));
    const dropped = open(items, { t: 'edits', by: 'x', edits: [{ edit: 'drop', items: ['i2'] }] });
    const without = plan(dropped, { retainedTokens: 2000 }) as Plan;
    expect(without.summarised).toEqual({ items: without.cut, tokens: dropped.context.tokens(0, without.cut) });
    expect(applied(dropped, without).at(0)).toBe(dropped.session.item(without.cutItem));
  });

  test('summarises an opening message that is too large to be carried over, even where nothing else is before the tail', () => {
    const opened = open([user(`BEGIN ${prose(20_000)} END`), ...loop(4, 500)]);
    const made = plan(opened, { retainedTokens: 8000 });
    expect(made).toMatchObject({ cut: 1, lead: 'i0', summarised: { items: 1 }, retained: { items: 8 } });
    expect(made?.summarised.tokens).toBeGreaterThan(17_000);
    const after = applied(opened, made as Plan);
    expect(after.tokens(0)).toBeLessThan(5000);
    expect(plan(read(opened.session), { retainedTokens: 8000 })).toBeUndefined();
  });

  test('leaves no late result of a summarised call behind', () => {
    const opened = open([
      user('one'),
      { ...call('slow'), reply: 'r0' },
      user('go on'),
      ...loop(8, 500),
      result('slow', 'late'),
      assistant('ok'),
    ]);
    const made = plan(opened, { retainedTokens: 1500 }) as Plan;
    expect(
      [...applied(opened, made).items()].some((item) => item.kind === 'tool_result' && item.callId === 'slow'),
    ).toBe(false);
  });
});

describe('for any history and any wish', () => {
  const wishes = fc.record({ retainedTokens: fc.oneof(fc.nat(3000), fc.constant(0)), seen: fc.nat(30) });

  test('the tail stays within the wish unless the newest group alone is larger, and within one group of it', () => {
    fc.assert(
      fc.property(histories(), wishes, (history, wish) => {
        const opened = open(history);
        const { context } = opened;
        const made = plan(opened, wish);
        if (made === undefined) return;
        const groups = context.groups();
        expect(made.cut === context.length || groups.includes(made.cut)).toBe(true);
        const newest = groups.at(-1) ?? 0;
        const tail = context.tokens(made.cut);
        if (made.cut !== newest) expect(tail).toBeLessThanOrEqual(wish.retainedTokens);
        const previous = groups.filter((start) => start < made.cut).at(-1);
        if (previous !== undefined && made.cut < context.length)
          expect(context.tokens(previous)).toBeGreaterThan(wish.retainedTokens);
      }),
    );
  });

  test('the new context is whole, begins with a user if there is one before the tail, and is the planned tail', () => {
    fc.assert(
      fc.property(histories(), wishes, (history, wish) => {
        const opened = open(history);
        const made = plan(opened, wish);
        if (made === undefined) return;
        const after = applied(opened, made);
        expect(checkIntegrity(after.items())).toEqual([]);
        const lead = made.lead === undefined ? 0 : 1;
        expect(after.length - lead).toBe(made.retained.items);
        expect(after.tokens(lead)).toBe(made.retained.tokens);
        const first = after.length === 0 ? undefined : after.at(0);
        const opener = opened.projection.openings.some((number) => number <= made.cutItem);
        if (opener && first !== undefined) expect(first).toMatchObject({ kind: 'message', role: 'user' });
      }),
    );
  });

  test('the tail is as large as the wish allows, to the token', () => {
    fc.assert(
      fc.property(histories(), fc.nat(), (history, pick) => {
        const opened = open(history);
        const { context } = opened;
        const starts = context.groups();
        const cut = starts[pick % Math.max(1, starts.length)];
        if (cut === undefined) return;
        const made = plan(opened, { retainedTokens: context.tokens(cut), seen: context.length });
        if (made === undefined) return;
        expect(made.cut).toBe(cut);
        expect(made.edits.every((edit) => edit.edit === 'drop' || ('item' in edit && edit.item === made.lead))).toBe(
          true,
        );
      }),
    );
  });

  test('what is kept is as it was, but for reasoning that is bound to what goes and for results of a tail that is too large', () => {
    fc.assert(
      fc.property(histories(), wishes, (history, wish) => {
        const opened = open(history);
        const { context } = opened;
        const made = plan(opened, wish);
        if (made === undefined) return;
        const before = [...context.items(made.cut)];
        const after = [...applied(opened, made).items()].slice(made.lead === undefined ? 0 : 1);
        const kept = before.filter((item) => item.kind !== 'reasoning' || item.opaque === undefined);
        expect(after.map(({ id }) => id)).toEqual(kept.map(({ id }) => id));
        const fits = wish.retainedTokens === 0 || context.tokens(made.cut) <= wish.retainedTokens;
        for (const [index, item] of kept.entries())
          if (fits || item.kind !== 'tool_result') expect(after[index]).toEqual(item);
        if (fits && kept.length === before.length && made.lead === undefined) expect(made.edits).toEqual([]);
      }),
    );
  });

  test('what is summarised is all before the cut that is not carried over', () => {
    fc.assert(
      fc.property(histories(), wishes, fc.boolean(), (history, wish, long) => {
        const opened = open([user(long ? prose(LEAD_MAX_TOKENS + 100) : 'go'), ...history]);
        const { context } = opened;
        const made = plan(opened, wish);
        if (made === undefined) return;
        const after = applied(opened, made);
        const lead = made.lead === undefined ? 0 : 1;
        const carried =
          lead === 0 ? [] : [...context.items(0, made.cut)].filter((item) => isDeepStrictEqual(item, after.at(0)));
        expect(made.summarised).toEqual({
          items: made.cut - carried.length,
          tokens: context.tokens(0, made.cut) - after.tokens(0, lead),
        });
        expect(made.digest).toBe(context.digestOf(made.cut));
      }),
    );
  });
});
