import fc from 'fast-check';
import type { ContextView, Edit, Item, NewItem } from '../../core';
import { PithError } from '../../core';
import { checkIntegrity } from '../../core/context/integrity';
import { Projection } from '../../core/context/projection';
import { viewOf } from '../../core/context/segment-view';
import type { Meter } from '../../core/context/segment-view';
import { createSession } from '../../core/session/log-session';
import type { Estimate } from '../../core/tokens/occupancy';
import { histories } from '../arbitraries/history';

/** Tokens of system content and tools. */
const FIXED = 100;
const weight = (item: Item): number => JSON.stringify(item).length;

interface Viewed {
  readonly context: ContextView;
  readonly digests: readonly string[];
}

/** A view whose items weigh the length of their JSON; all estimates are of one kind. */
function viewed(history: readonly NewItem[], kept: readonly Edit[] = [], estimate: Partial<Estimate> = {}): Viewed {
  const session = createSession({ id: 's', now: () => 0 });
  session.append(history);
  if (kept.length > 0) session.record({ t: 'edits', by: 'test', edits: kept });
  const projection = new Projection(session);
  for (const record of session.records()) projection.apply(record);
  const { system, changes } = projection;
  const { entries, digests, ...shared } = projection.share();
  const sum = (items: Iterable<Item>): number => [...items].reduce((total, item) => total + weight(item), 0);
  const meter: Meter = {
    at: (length) => ({ margin: 0, source: 'measured', ...estimate, tokens: FIXED + sum(entries.slice(0, length)) }),
    between: (from, to) => sum(entries.slice(from, to)),
    weigh: sum,
  };
  const groupOf = (id: string): number | undefined => projection.groupOf(id);
  return { context: viewOf({ system, changes, entries, digests, ...shared, groupOf }, meter), digests };
}

const view = (...log: Parameters<typeof viewed>): ContextView => viewed(...log).context;

/** Edits that leave every group whole: whole groups dropped, contents replaced, messages inserted. */
const editsOf = (context: ContextView): fc.Arbitrary<readonly Edit[]> => {
  const starts = context.groups();
  const groups = starts.map((start, index) => [...context.items(start, starts[index + 1] ?? context.length)]);
  const one = (index: number): fc.Arbitrary<readonly Edit[]> => {
    const group = groups[index] ?? [];
    const real = group.filter((item) => !item.id.endsWith('!'));
    const dropAll: Edit = { edit: 'drop', items: real.map((item) => item.id) };
    const contents: Edit[] = real.flatMap((item): Edit[] =>
      item.kind === 'tool_result' ? [{ edit: 'content', item: item.id, text: null }] : [],
    );
    const insert: Edit = {
      edit: 'insert',
      before: real[0]?.id ?? 'end',
      item: { kind: 'message', role: 'user', parts: [{ type: 'text', text: 'note' }] },
    };
    return fc.constantFrom<readonly Edit[]>([], [dropAll], contents, [insert]);
  };
  return groups.length === 0
    ? fc.constant([])
    : fc.tuple(...groups.map((_, index) => one(index))).map((edits) => edits.flat());
};

describe('a view with edits', () => {
  const reply: readonly NewItem[] = [
    { kind: 'message', role: 'user', parts: [{ type: 'text', text: 'go' }] },
    { kind: 'reasoning', text: 'hm' },
    { kind: 'tool_call', callId: 'a', name: 'read', arguments: {} },
    { kind: 'tool_result', callId: 'a', summary: 'read a', content: [{ type: 'text', text: 'long' }] },
    { kind: 'message', role: 'user', parts: [{ type: 'text', text: 'next' }] },
  ];

  test.each<[string, Edit, string]>([
    ['a call without its result', { edit: 'drop', items: ['i2'] }, 'parted'],
    ['a result without its call', { edit: 'drop', items: ['i3'] }, 'parted'],
    ['all but the reasoning of a reply', { edit: 'drop', items: ['i2', 'i3'] }, 'reasoning'],
    ['an unknown item', { edit: 'drop', items: ['i99'] }, 'i99'],
    ['the text of a message by nothing', { edit: 'content', item: 'i0', text: ' ' }, 'empty'],
    [
      'in a tool result',
      { edit: 'insert', before: 'i0', item: { kind: 'tool_result', callId: 'x', summary: '' } },
      'tool_result',
    ],
    [
      'system content',
      { edit: 'insert', before: 'i0', item: { kind: 'message', role: 'system', parts: [{ type: 'text', text: 'x' }] } },
      'system',
    ],
    [
      'nothing but blanks',
      { edit: 'insert', before: 'i0', item: { kind: 'message', role: 'user', parts: [{ type: 'text', text: ' ' }] } },
      'empty',
    ],
    [
      'before an unknown item',
      { edit: 'insert', before: 'i99', item: { kind: 'message', role: 'user', parts: [{ type: 'text', text: 'x' }] } },
      'i99',
    ],
  ])('refuses to drop, replace or insert %s', (_, edit, names) => {
    const attempt = (): unknown => view(reply).with([edit]);
    expect(attempt).toThrow(expect.objectContaining({ code: 'PITH_EDIT_INVALID' }) as Error);
    expect(attempt).toThrow(names);
    expect(attempt).toThrow(PithError);
  });

  test('keeps untouched items by reference and changes only what is named', () => {
    const before = view(reply);
    const after = before.with([{ edit: 'content', item: 'i3', text: null }]);
    expect(after.length).toBe(before.length);
    expect(after.at(3)).toEqual({ id: 'i3', kind: 'tool_result', callId: 'a', summary: 'read a' });
    for (const index of [0, 1, 2, 4]) expect(after.at(index)).toBe(before.at(index));
    expect(before.at(3)).toHaveProperty('content');
  });

  test('keeps the images of a message whose text is replaced', () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;
    const context = view([{ kind: 'message', role: 'user', parts: [{ type: 'text', text: 'see' }, image] }]);
    expect(context.with([{ edit: 'content', item: 'i0', text: 'look' }]).at(0)).toMatchObject({
      parts: [{ type: 'text', text: 'look' }, image],
    });
  });

  test('gives each insert an id of its own, and sends its text well-formed', () => {
    const note: Edit = {
      edit: 'insert',
      before: 'i1',
      item: { id: 'i4', kind: 'message', role: 'user', parts: [{ type: 'text', text: 'a\ud800' }] },
    };
    const context = view(reply).with([note]).with([note, note]);
    const ids = [...context.items()].map((item) => item.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain('i4');
    expect(context.at(1)).toMatchObject({ parts: [{ text: 'a\ufffd' }] });
  });

  test('puts an insert at the end behind everything and before the group of the item that it names', () => {
    const note = (said: string): NewItem => ({ kind: 'message', role: 'user', parts: [{ type: 'text', text: said }] });
    const context = view(reply).with([
      { edit: 'insert', before: 'i3', item: note('before the reply') },
      { edit: 'insert', before: 'end', item: note('last') },
    ]);
    expect([...context.items()].map((item) => item.id)).toEqual(['i0', 'i3+0', 'i1', 'i2', 'i3', 'i4', 'end+1']);
    expect(context.groups()).toEqual([0, 1, 5, 6]);
  });

  test('throws a RangeError for a position outside', () => {
    for (const context of [view(reply), view(reply).with([{ edit: 'drop', items: ['i0'] }])]) {
      expect(() => context.at(context.length)).toThrow(RangeError);
      expect(() => context.at(-1)).toThrow(`-1 is outside a context of ${String(context.length)} items`);
    }
  });

  test('is not held up by what was empty in the log, nor by what recorded edits broke', () => {
    const text = (said: string): NewItem => ({
      kind: 'message',
      role: 'assistant',
      parts: [{ type: 'text', text: said }],
    });
    const [ask, , ...called] = reply;
    const blank = view([ask as NewItem, text(''), ...called]);
    expect(blank.with([{ edit: 'content', item: 'i3', text: 'short' }]).at(2)).toMatchObject({
      content: [{ text: 'short' }],
    });
    expect(() => blank.with([{ edit: 'drop', items: ['i3'] }])).toThrow('parted');
    const parted = view([...reply.slice(0, 4), text('so'), ...reply.slice(4)], [{ edit: 'drop', items: ['i2'] }]);
    expect([...parted.with([{ edit: 'content', item: 'i3', text: 'x' }]).items()]).toEqual([...parted.items()]);
  });

  test('has the digest of what it sends: the same items the same, any change another', () => {
    const edited = view(reply).with([{ edit: 'content', item: 'i3', text: null }]);
    expect(view(reply).digest).toBe(view(reply).digest);
    expect(edited.digest).not.toBe(view(reply).digest);
    expect(edited.digestOf(3)).toBe(view(reply).digestOf(3));
    expect(edited.digestOf(4)).not.toBe(view(reply).digestOf(4));
  });

  test('finds the digest of each whole block of entries once, and of what edits changed anew', () => {
    const said = (at: number): NewItem => ({
      kind: 'message',
      role: 'user',
      parts: [{ type: 'text', text: `say ${at}` }],
    });
    const history = Array.from({ length: 150 }, (_, at) => said(at));
    const edit: Edit = { edit: 'content', item: 'i70', text: 'other' };
    const { context, digests } = viewed(history);
    const edited = context.with([edit]);
    expect(edited.digest).toBe(view(history, [edit]).digest);
    expect(digests).toEqual([]);
    expect(context.digest).toBe(view(history).digest);
    expect(digests).toHaveLength(2);
    expect(context.with([edit]).digest).toBe(edited.digest);
  });
});

describe('the size of a view with edits', () => {
  const user = (said: string): NewItem => ({ kind: 'message', role: 'user', parts: [{ type: 'text', text: said }] });
  const history = ['a', 'b', 'c', 'd'].map((said) => user(said.repeat(500)));
  const replaced = (text: string): readonly Edit[] => [{ edit: 'content', item: 'i2', text }];

  test('is what was measured up to the first change, and counted from there', () => {
    const context = view(history).with(replaced('x'));
    for (const length of [0, 1, 2]) expect(context.prefix(length)).toEqual(view(history).prefix(length));
    const after = context.prefix(3);
    expect(after).toMatchObject({ source: 'extrapolated', tokens: context.prefix(2).tokens + context.tokens(2, 3) });
    expect(context.prefix(99)).toEqual(context.occupancy());
  });

  test('may be off by 1024 tokens, a quarter of what was replaced, or as far as without edits, whichever is most', () => {
    const marginOf = (text: string, margin: number): number =>
      view(history, [], { margin }).with(replaced(text)).occupancy().margin;
    const large = 'x'.repeat(8000);
    expect(marginOf('x', 0)).toBe(1024);
    expect(marginOf(large, 0)).toBe(Math.ceil(view([user(large)]).tokens(0) / 4));
    expect(marginOf('x', 5000)).toBe(5000);
  });

  test.each(['counted', 'offset'] as const)('where all is %s anyway may be off in the same proportion', (source) => {
    const before = view(history, [], { source, margin: 500 });
    const { tokens, margin, ...rest } = before.with([{ edit: 'drop', items: ['i2', 'i3'] }]).prefix(4);
    expect(rest).toEqual({ source });
    expect(tokens).toBe(before.prefix(2).tokens);
    const after = before.with(replaced('x')).occupancy();
    expect(after.margin).toBe(Math.ceil((500 * after.tokens) / before.occupancy().tokens));
    expect(margin).toBe(500);
  });
});

describe('for any history and any edits that leave groups whole', () => {
  const cases = histories(12).chain((history) =>
    editsOf(view(history))
      .chain((edits) => fc.shuffledSubarray([...edits], { minLength: edits.length }))
      .map((edits) => ({ history, edits })),
  );

  test('a view with edits is what the log with the same edits recorded gives, and stays whole', () => {
    fc.assert(
      fc.property(cases, ({ history, edits }) => {
        const overlaid = view(history).with(edits);
        const recorded = view(history, edits);
        expect([...overlaid.items()]).toEqual([...recorded.items()]);
        expect(overlaid.groups()).toEqual(recorded.groups());
        expect(checkIntegrity(overlaid.items())).toEqual([]);
        expect(overlaid.digest).toBe(recorded.digest);
      }),
    );
  });

  test('edits in two steps give the same as all at once', () => {
    fc.assert(
      fc.property(cases, fc.nat(), ({ history, edits }, at) => {
        const first = edits.slice(0, at % (edits.length + 1));
        const twice = view(history).with(first).with(edits.slice(first.length));
        expect([...twice.items()].map(({ id: _, ...said }) => said)).toEqual(
          [...view(history).with(edits).items()].map(({ id: _, ...said }) => said),
        );
      }),
    );
  });

  test('positions, ranges and tokens agree with the plain list', () => {
    fc.assert(
      fc.property(cases, fc.nat(), fc.nat(), ({ history, edits }, a, b) => {
        const context = view(history).with(edits);
        const list = [...context.items()];
        expect(list.length).toBe(context.length);
        const [from, to] = [a % (list.length + 1), b % (list.length + 1)];
        expect([...context.items(from, to)]).toEqual(list.slice(from, to));
        list.forEach((item, index) => expect(context.at(index)).toBe(item));
        expect(context.tokens(from, to)).toBe(list.slice(from, to).reduce((sum, item) => sum + weight(item), 0));
        expect(context.prefix(to).tokens).toBe(FIXED + list.slice(0, to).reduce((sum, item) => sum + weight(item), 0));
      }),
    );
  });
});
