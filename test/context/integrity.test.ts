import type { Item } from '../../core';
import { checkIntegrity, LooseEnds } from '../../core/context/integrity';

const user = (id: string, text = 'hi'): Item => ({
  id,
  kind: 'message',
  role: 'user',
  parts: [{ type: 'text', text }],
});
const assistant = (id: string, text = 'ok'): Item => ({
  id,
  kind: 'message',
  role: 'assistant',
  parts: [{ type: 'text', text }],
});
const call = (id: string, callId: string): Item => ({ id, kind: 'tool_call', callId, name: 'read', arguments: {} });
const result = (id: string, callId: string): Item => ({ id, kind: 'tool_result', callId, summary: 'done' });
const reasoning = (id: string): Item => ({ id, kind: 'reasoning', text: 'hm' });

describe('integrity (S5.6)', () => {
  test.each<[string, readonly Item[], readonly string[]]>([
    [
      'a whole conversation',
      [user('a'), reasoning('b'), call('c', '1'), call('d', '2'), result('e', '2'), result('f', '1'), assistant('g')],
      [],
    ],
    ['nothing', [], []],
    ['a result without a call', [user('a'), result('b', '1')], ['result-without-call b']],
    [
      'a result before its call',
      [result('a', '1'), call('b', '1')],
      ['result-without-call a', 'call-without-result b'],
    ],
    ['a call without a result at the end', [user('a'), call('b', '1')], ['call-without-result b']],
    [
      'a call whose result comes after a message',
      [call('a', '1'), user('b'), result('c', '1')],
      ['call-without-result a', 'result-without-call c'],
    ],
    [
      'a result behind the next reply',
      [call('a', '1'), result('b', '1'), call('c', '2'), result('d', '2'), result('e', '1')],
      ['result-without-call e'],
    ],
    ['a second result', [call('a', '1'), result('b', '1'), result('c', '1')], ['second-result c']],
    ['two calls of one id in one reply', [call('a', '1'), call('b', '1'), result('c', '1')], ['parted-group b']],
    ['reasoning alone before a user message', [reasoning('a'), user('b')], ['lone-reasoning a']],
    ['reasoning alone at the end', [user('a'), reasoning('b')], ['lone-reasoning b']],
    ['an empty user message', [user('a', ' \n')], ['empty-message a']],
    ['an empty assistant message', [user('a'), assistant('b', '')], ['empty-message b']],
    ['a lone surrogate', [user('a', '\ud83d')], ['ill-formed a']],
    [
      'a lone surrogate deep in arguments',
      [{ ...call('a', '1'), arguments: { deep: [{ x: '\udc00' }] } } as Item, result('b', '1')],
      ['ill-formed a'],
    ],
  ])('%s', (_, items, faults) => {
    const found = checkIntegrity(items);
    expect(found.map(({ rule, item }) => `${rule} ${item}`)).toEqual(faults);
    for (const { item, message } of found) expect(message).toContain(` ${item} `);
  });

  test('an image alone is no empty message', () => {
    expect(
      checkIntegrity([
        { id: 'a', kind: 'message', role: 'user', parts: [{ type: 'image', mediaType: 'image/png', data: 'AA==' }] },
      ]),
    ).toEqual([]);
  });

  test('a written-out escape of a surrogate is text like any other', () => {
    expect(checkIntegrity([{ ...call('a', '1'), arguments: '\\ud83d' } as Item, result('b', '1')])).toEqual([]);
  });
});

describe('loose ends of a log', () => {
  test.each<[string, readonly Item[], number, number]>([
    ['answered calls, in any order', [call('a', '1'), call('b', '2'), result('c', '2'), result('d', '1')], 0, 0],
    ['a result for nobody', [result('a', '1')], 1, 0],
    ['an open call', [call('a', '1')], 0, 1],
    ['a second result', [call('a', '1'), result('b', '1'), result('c', '1')], 0, 0],
    ['an id used again', [call('a', '1'), result('b', '1'), call('c', '1'), result('d', '1')], 0, 0],
    ['an id used again and left open', [call('a', '1'), result('b', '1'), call('c', '1')], 0, 1],
    ['an id open twice', [call('a', '1'), call('b', '1')], 0, 2],
    ['an id open twice and answered once', [call('a', '1'), call('b', '1'), result('c', '1')], 0, 1],
    ['an id open twice and answered twice', [call('a', '1'), call('b', '1'), result('c', '1'), result('d', '1')], 0, 0],
    ['no calls at all', [user('a'), reasoning('b'), assistant('c')], 0, 0],
  ])('%s', (_, items, orphanResults, unansweredCalls) => {
    const ends = new LooseEnds();
    for (const item of items) ends.take(item);
    expect(ends.count).toEqual({ orphanResults, unansweredCalls });
  });
});
