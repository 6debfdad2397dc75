/** What cannot be parted: replies with their results, and messages of the user, however the log holds them. */
import type { Edit, NewItem } from '../../core';
import { assistant, call, open, result, user } from '../support/context';

const reasoning: NewItem = { kind: 'reasoning', text: 'hm' };
const of = (reply: string, item: NewItem): NewItem => ({ ...item, reply });
const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;
const ids = (...items: Parameters<typeof open>): readonly string[] =>
  [...open(...items).context.items()].map(({ id }) => id);

describe('a group', () => {
  test.each<[string, readonly NewItem[], readonly number[]]>([
    ['is each message of the user', [user('a'), user('b')], [0, 1]],
    [
      'is all that a reply says with its results',
      [user('a'), reasoning, assistant('b'), call('x'), result('x', '')],
      [0, 1],
    ],
    ['goes on with text behind a call', [user('a'), call('x'), assistant('b'), result('x', '')], [0, 1]],
    [
      'ends with its results where replies have no names',
      [call('x'), result('x', ''), assistant('b'), call('y')],
      [0, 2],
    ],
    [
      'ends where the name of the reply changes',
      [of('r', assistant('a')), of('s', assistant('b')), assistant('c')],
      [0, 1, 2],
    ],
    ['goes on behind its results under its name', [of('r', call('x')), result('x', ''), of('r', assistant('b'))], [0]],
    [
      'is a note of the system inside the conversation',
      [
        user('a'),
        assistant('b'),
        { kind: 'message', role: 'system', parts: [{ type: 'text', text: 'c' }] },
        assistant('d'),
      ],
      [0, 1, 2, 3],
    ],
  ])('%s', (_, items, groups) => {
    expect(open(items).context.groups()).toEqual(groups);
  });

  test('has one call of an id and the first result for it, whatever else the log holds', () => {
    const twice = [user('go'), of('r', call('x')), result('x', 'first'), of('r', call('x')), result('x', 'second')];
    expect(ids(twice)).toEqual(['i0', 'i1', 'i2']);
  });
});

describe('recorded edits that make no sense', () => {
  const log = [user('go'), assistant('so'), call('x'), result('x', 'found'), user('and')];
  const recorded = (...edits: readonly Edit[]): ReturnType<typeof open> =>
    open(log, { t: 'edits', by: 'somebody', edits });

  test('a call whose result is dropped alone is closed as an interrupted one', () => {
    const [, , , closed] = recorded({ edit: 'drop', items: ['i3'] }).context.items();
    expect(closed).toMatchObject({ kind: 'tool_result', callId: 'x', isError: true });
  });

  test('a result whose call is dropped alone goes with it', () => {
    const items = [...recorded({ edit: 'drop', items: ['i2'] }).context.items()];
    expect(items.map(({ id }) => id)).toEqual(['i0', 'i1', 'i4']);
  });

  test('what was dropped stays dropped', () => {
    const items = [
      ...recorded({ edit: 'drop', items: ['i4'] }, { edit: 'content', item: 'i4', text: 'x' }).context.items(),
    ];
    expect(items).toHaveLength(4);
  });

  test('calls and reasoning have no content that could be replaced', () => {
    const opened = open([user('go'), reasoning, call('x'), result('x', '')], {
      t: 'edits',
      by: 'somebody',
      edits: ['i1', 'i2'].map((item) => ({ edit: 'content', item, text: 'x' })),
    });
    expect([...opened.context.items()]).toEqual([...opened.session.items()]);
  });

  test('a message without its text is its images', () => {
    const shown: NewItem = { kind: 'message', role: 'user', parts: [{ type: 'text', text: 'see' }, image] };
    const { context } = open([shown], { t: 'edits', by: 'x', edits: [{ edit: 'content', item: 'i0', text: null }] });
    expect(context.at(0)).toEqual({ id: 'i0', kind: 'message', role: 'user', parts: [image] });
  });

  test.each<[string, NewItem]>([
    ['a call', call('y')],
    ['a result', result('y', 'x')],
    ['system content', { kind: 'message', role: 'system', parts: [{ type: 'text', text: 'x' }] }],
    ['an empty message', user(' ')],
  ])('%s is not inserted', (_, item) => {
    expect([...recorded({ edit: 'insert', before: 'i4', item }).context.items()]).toHaveLength(log.length);
  });
});
