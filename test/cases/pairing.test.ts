/** Faults of pairing calls with results that users of similar tools reported, by the ids of `cases.json`. */
import { COMPACTION } from '../../core/index';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { CONTEXT } from '../../core';
import type { ContextView, Edit, NewItem, Session } from '../../core';
import { checkIntegrity } from '../../core/context/integrity';
import { createSource, readSessions } from '../../core/formats';
import { writeAiSdk, writeAnthropic, writeOpenAiChat } from '../../core/formats/write';
import { checkRequest } from '../../core/testing';
import { planCompaction } from '../../plugins/compaction/plan';
import { PRUNE } from '../../plugins/prune/token';
import { histories } from '../arbitraries/history';
import { projected } from '../formats/write/projected';
import { assistant, call, open, prose, read, result, tokenizer, user } from '../support/context';
import type { Opened } from '../support/context';
import { countOf, refusals } from '../support/counter';
import { start, STOCK } from '../support/kernel';
import { scriptedWorker, summaryOf, writing } from '../support/worker';

/** The context after a compaction that keeps this many tokens; unchanged where there is nothing to summarise. */
function compacted(opened: Opened, retainedTokens: number): Opened {
  const { context, projection, session } = opened;
  const plan = planCompaction({ context, retainedTokens, seen: 0, openings: projection.openings, session, tokenizer });
  if (plan === undefined) return opened;
  session.record({
    t: 'checkpoint',
    compaction: 'c',
    blocks: [{ kind: 'summary', text: 'What was done.' }],
    cut: plan.cutItem,
    ...(plan.lead !== undefined && { lead: plan.lead }),
    edits: plan.edits,
    before: 0,
    after: 0,
  });
  return read(session);
}

const signed = (text: string, opaque: string): NewItem => ({
  kind: 'reasoning',
  text,
  opaque,
  provider: { anthropic: { type: 'thinking' } },
});

describe('X01: a user message mixes text with the result of a call that is long gone', () => {
  const LITERAL = 'please also check Y';
  const messages = [
    { role: 'user', content: 'Check X.' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'q', name: 'look', input: { at: 'X' } }] },
    ...Array.from({ length: 25 }, (_, index) => [
      { role: 'user', content: `Wait ${String(index)}.` },
      { role: 'assistant', content: `Waiting ${String(index)}.` },
    ]).flat(),
    {
      role: 'user',
      content: [
        { type: 'text', text: LITERAL },
        { type: 'tool_result', tool_use_id: 'q', content: 'X is fine' },
      ],
    },
    { role: 'assistant', content: 'Checking Y.' },
  ];
  const [session] = readSessions(createSource('mixed.json', JSON.stringify(messages)));
  const items = session!.records.flatMap((record): readonly NewItem[] => (record.t === 'item' ? [record.item] : []));
  const textAt = items.findIndex((item) => item.kind === 'message' && JSON.stringify(item.parts).includes(LITERAL));

  test('text and result are items of their own', () => {
    expect(items.slice(textAt, textAt + 2).map((item) => item.kind)).toEqual(['message', 'tool_result']);
  });

  test('wherever the cut falls, every shape pairs its results, and the text stays as long as it is not behind the cut', () => {
    for (let cut = 0; cut <= items.length; cut++) {
      const context = projected([], ...session!.records, {
        t: 'checkpoint',
        compaction: 'c',
        blocks: [{ kind: 'summary', text: 'X was looked at.' }],
        cut,
        edits: [],
        before: 0,
        after: 0,
      });
      for (const [shape, written] of [
        ['openai-chat', writeOpenAiChat(context)],
        ['anthropic', writeAnthropic(context)],
        ['ai-sdk', writeAiSdk(context)],
      ] as const) {
        expect(checkRequest(shape, written, { system: 'many', firstUser: true })).toEqual([]);
        expect(JSON.stringify(written).includes(LITERAL)).toBe(cut <= textAt);
      }
    }
  });
});

describe('C01: the cut falls inside a run of parallel results', () => {
  const parallel = (count: number, tokens: number, name = 'p'): readonly NewItem[] => [
    ...Array.from({ length: count }, (_, at) => call(`${name}${String(at)}`)),
    ...Array.from({ length: count }, (_, at) => result(`${name}${String(at)}`, prose(tokens))),
  ];
  const history = [user('look at all ten'), ...parallel(10, 300), assistant('looked'), user('go on')];

  test('C01: a call and its results stay together at every sweep value', () => {
    const total = open(history).context.tokens(0);
    for (let retained = 0; retained <= total + 50; retained += 50) {
      const { context } = compacted(open(history), retained);
      expect(refusals(context)).toEqual([]);
      const calls = [...context.items()].filter(({ kind }) => kind === 'tool_call');
      expect([0, 10]).toContain(calls.length);
      const kept = [...context.items()].flatMap((item) => (item.kind === 'tool_result' ? (item.content ?? []) : []));
      const texts = kept.map((part) => (part.type === 'text' ? part.text : ''));
      if (calls.length === 10) expect(countOf(texts.join('\n'))).toBeLessThanOrEqual(retained);
    }
  });

  test('C01: nor are they parted by a second and a third cut, whatever calls are open or answered late', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(histories(12), fc.nat(1500)), { minLength: 1, maxLength: 3 }), (passes) => {
        let opened = open([]);
        for (const [items, retained] of passes) {
          opened.session.append(items);
          opened = compacted(read(opened.session), retained);
          expect(refusals(opened.context)).toEqual([]);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('C01: a reply of thousands of parallel calls is one group like any other', () => {
    const { context } = compacted(
      open([user('all'), ...parallel(4000, 1), assistant('done'), user('more'), ...parallel(3, 400, 'q')]),
      800,
    );
    expect([...context.items()].filter(({ kind }) => kind === 'tool_call')).toHaveLength(3);
    expect(refusals(context)).toEqual([]);
  });
});

describe('C02: a result whose own call was removed by an earlier compaction', () => {
  const early: readonly NewItem[] = [
    user('start'),
    { ...call('x'), reply: 'r0' },
    user('meanwhile'),
    assistant('waiting'),
  ];
  const run: readonly NewItem[] = [
    result('x', prose(300)),
    call('a'),
    call('b'),
    result('a', prose(300)),
    result('b', prose(300)),
    user('go on'),
  ];

  /** A log whose context lacks the call of x while its result stands behind the cut. */
  const lacking = (): Opened =>
    open(early, {
      t: 'checkpoint',
      compaction: 'c',
      blocks: [{ kind: 'summary', text: 'What was done.' }],
      cut: 2,
      lead: 'i0',
      edits: [],
      before: 0,
      after: 0,
    });

  const idsOf = (context: ContextView): readonly string[] =>
    [...context.items()].flatMap((item) => ('callId' in item ? [`${item.kind} ${item.callId}`] : []));

  test('C02: it is left out, the pairs beside it stay, with and without a further compaction', () => {
    const opened = lacking();
    opened.session.append(run);
    const pairs = ['tool_call a', 'tool_call b', 'tool_result a', 'tool_result b'];
    expect(idsOf(read(opened.session).context)).toEqual(pairs);
    for (let retained = 0; retained <= 1200; retained += 50) {
      const { session } = lacking();
      session.append(run);
      const { context } = compacted(read(session), retained);
      expect(refusals(context)).toEqual([]);
      expect([[], pairs]).toContainEqual(idsOf(context));
      expect(JSON.stringify([...context.items()])).not.toContain('"callId":"x"');
    }
  });

  test('C02: repair is idempotent: what a context sends is, as a history of its own, sent as it is', () => {
    fc.assert(
      fc.property(histories(), (history) => {
        const once = open(history).context;
        const twice = open([...once.items()]).context;
        expect([...twice.items()]).toEqual([...once.items()]);
      }),
    );
  });
});

describe('C05: items that a provider links', () => {
  const linked: readonly NewItem[] = [
    user('go'),
    { kind: 'reasoning', text: 'think first', opaque: 'cjE=', reply: 'r1' },
    { ...call('c1', 'search'), reply: 'r1' },
    result('c1', prose(600)),
    { kind: 'reasoning', text: 'think again', opaque: 'cjI=', reply: 'r2' },
    { ...assistant('found it'), reply: 'r2' },
    user('and now?'),
    signed('third thought', 'cjM='),
    call('c3', 'edit'),
    result('c3', 'done'),
  ];
  const lone = (context: ContextView): readonly string[] =>
    checkIntegrity(context.items()).flatMap(({ rule, item }) => (rule === 'ill-formed' ? [] : [`${rule} ${item}`]));

  test('C05: (a) pruned, (b) cut anywhere: no reply is reasoning alone, and nothing points at what is gone', async () => {
    await using host = await start({ config: { prune: { protectedTokens: 0, minSavings: 0 } } });
    const session = host.open(linked);
    host.kernel.get(PRUNE).prune(session);
    expect(JSON.stringify([...session.get(CONTEXT).view().items()])).toContain('[pruned: search');
    expect(refusals(session.get(CONTEXT).view())).toEqual([]);
    for (let retained = 0; retained <= 800; retained += 20) {
      const { context } = compacted(open(linked), retained);
      expect(lone(context)).toEqual([]);
      expect(refusals(context)).toEqual([]);
    }
  });

  test('C05: (c) the calls of a tool go with their results and their reasoning, or the edit is refused', () => {
    const drop = (items: readonly string[]): readonly Edit[] => [{ edit: 'drop', items }];
    const { context } = open(linked);
    const code = expect.objectContaining({ code: 'PITH_EDIT_INVALID' }) as unknown as Error;
    expect(() => context.with(drop(['i2', 'i3']))).toThrow(code);
    expect(() => context.with(drop(['i2']))).toThrow(code);
    expect(() => context.with(drop(['i1', 'i3']))).toThrow(code);
    const without = context.with(drop(['i1', 'i2', 'i3']));
    expect(lone(without)).toEqual([]);
    expect(refusals(without)).toEqual([]);
  });

  test('C05: whatever is dropped of whatever history, a context is refused by nobody', () => {
    fc.assert(
      fc.property(
        histories(),
        fc.constantFrom('read_file', 'Bash', 'edit'),
        fc.boolean(),
        (history, tool, withReasoning) => {
          const { context } = open(history);
          const calls = new Set(
            [...context.items()].flatMap((item) =>
              item.kind === 'tool_call' && item.name === tool ? [item.callId] : [],
            ),
          );
          const dropped = [...context.items()].filter((item) =>
            'callId' in item ? calls.has(item.callId) : withReasoning && item.kind === 'reasoning',
          );
          let left: ContextView;
          try {
            left = context.with([
              { edit: 'drop', items: dropped.map(({ id }) => id).filter((id) => !id.endsWith('!')) },
            ]);
          } catch (thrown) {
            return void expect(thrown).toMatchObject({ code: 'PITH_EDIT_INVALID' });
          }
          expect(lone(left)).toEqual([]);
          expect(refusals(left)).toEqual([]);
        },
      ),
    );
  });
});

describe('X02: reasoning that was signed against a prefix that is gone', () => {
  /** A provider that signs reasoning with a hash of all that stands before it, and counts signatures that do not fit. */
  const signature = (view: ContextView, upTo = view.length): string => {
    const { system, messages } = writeAnthropic({ system: view.system, items: () => view.items(0, upTo) });
    return createHash('sha256')
      .update(JSON.stringify([system, messages]))
      .digest('base64');
  };
  const mismatches = (view: ContextView): number => {
    let count = 0;
    for (let at = 0; at < view.length; at++) {
      const item = view.at(at);
      if (item.kind === 'reasoning' && item.opaque !== undefined && item.opaque !== signature(view, at)) count++;
    }
    return count;
  };

  /** One request and its reply, with a tool call in between. */
  function turn(session: Session, number: number): void {
    session.append([user(`do task ${String(number)}`)]);
    session.append([
      signed(`thought ${String(number)}`, signature(session.get(CONTEXT).view())),
      call(`t${String(number)}`),
    ]);
    session.append([result(`t${String(number)}`, prose(700))]);
    session.append([
      signed(`afterthought ${String(number)}`, signature(session.get(CONTEXT).view())),
      assistant(`answer ${String(number)}`),
    ]);
  }

  test('X02: it goes once, at the compaction; text and calls stay; without a compaction every signature stays', async () => {
    const { plugin } = scriptedWorker(writing(summaryOf('Some tasks were done.')));
    await using host = await start({ plugins: [...STOCK, plugin] });
    const [session, control] = [host.open([]), host.open([])];
    for (let number = 0; number < 8; number++) for (const one of [session, control]) turn(one, number);
    const before = session.get(CONTEXT).view();
    expect(mismatches(before)).toBe(0);
    const report = await host.kernel.get(COMPACTION).compact(session, { trigger: 'manual', retainedTokens: 2700 });
    expect(report.outcome).toBe('done');
    const kept = (view: ContextView): readonly string[] =>
      [...view.items()].flatMap((item) => (item.kind === 'reasoning' ? [] : [JSON.stringify(item)]));
    const after = session.get(CONTEXT).view();
    expect(kept(before).filter((item) => kept(after).includes(item))).toEqual(kept(after));
    expect([...after.items()].filter(({ kind }) => kind === 'tool_call')).toHaveLength(3);
    for (let number = 8; number < 13; number++) {
      for (const one of [session, control]) turn(one, number);
      expect(mismatches(session.get(CONTEXT).view())).toBe(0);
    }
    const signatures = (one: Session): number =>
      [...one.get(CONTEXT).view().items()].filter(({ kind }) => kind === 'reasoning').length;
    expect(signatures(session)).toBe(10);
    expect(signatures(control)).toBe(26);
    expect(mismatches(control.get(CONTEXT).view())).toBe(0);
  });

  test('X02: it does not come back with a second compaction that carries the same turns over', () => {
    const items = (from: number, to: number): readonly NewItem[] =>
      Array.from({ length: to - from }, (_, at) => [
        user(`task ${String(from + at)}`),
        signed('thought', `c2lnbmVk${String(from + at)}`),
        assistant(prose(200)),
      ]).flat();
    const once = compacted(open(items(0, 8)), 700);
    expect([...once.context.items()].some(({ kind }) => kind === 'reasoning')).toBe(false);
    once.session.append(items(8, 9));
    const twice = compacted(read(once.session), 700);
    expect([...twice.context.items()].map((item) => item.kind).filter((kind) => kind === 'reasoning')).toEqual([]);
    expect(
      [...twice.context.items()].filter((item) => item.kind === 'message' && item.role === 'assistant').length,
    ).toBeGreaterThan(1);
  });
});

describe('X04: contexts with nothing to work on', () => {
  const system: NewItem = { kind: 'message', role: 'system', parts: [{ type: 'text', text: 'You are terse.' }] };
  const rows: readonly (readonly [string, readonly NewItem[], string | undefined])[] = [
    ['nothing', [], undefined],
    ['a system message', [system], undefined],
    ['a user message', [user('hi')], undefined],
    ['an assistant message', [assistant('hello')], undefined],
    ['a system and an empty user message', [system, user('')], undefined],
    ['nothing but pins', [], 'Always be kind.'],
    ['an unanswered call', [call('a')], undefined],
    ['a result without a call', [result('a', 'left over')], undefined],
  ];

  test.each(rows)('X04: %s passes prune, compaction and auto-read as it is', async (_, items, pinned) => {
    const { plugin, jobs } = scriptedWorker(writing(summaryOf('nothing')));
    await using host = await start({
      plugins: [...STOCK, plugin],
      config: { prune: { protectedTokens: 0, minSavings: 0 } },
    });
    for (const retainedTokens of [1_000_000, 1, 0]) {
      const session = host.open(items, ...(pinned === undefined ? [] : [{ t: 'pin' as const, text: pinned }]));
      const before = session.get(CONTEXT).view().digest;
      host.kernel.get(PRUNE).prune(session);
      const report = await host.kernel.get(COMPACTION).compact(session, { trigger: 'manual', retainedTokens });
      expect(['nothing-to-do', 'inflated']).toContain(report.outcome);
      expect(report.marks).toEqual([]);
      expect(session.get(CONTEXT).view().digest).toBe(before);
      expect(refusals(session.get(CONTEXT).view())).toEqual([]);
      if (retainedTokens > 0) expect(jobs).toEqual([]);
    }
  });
});
