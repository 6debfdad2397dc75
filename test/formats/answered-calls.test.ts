import type { NewItem } from '../../core';
import { createSource, readSessions } from '../../core/formats';

interface Said {
  readonly calls: readonly string[];
  readonly results: readonly (readonly [id: string | undefined, text: string])[];
}

/** A chat in which each reply makes calls by these ids and gets these results. */
function pairsOf(replies: readonly Said[]): readonly (readonly [question: string, answer: string])[] {
  let number = 0;
  const messages = [
    { role: 'user', content: 'go' },
    ...replies.flatMap(({ calls, results }) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: calls.map((id) => ({
          ...(id !== 'none' && { id }),
          type: 'function',
          function: { name: 'ask', arguments: `{"n":${String(number++)}}` },
        })),
      },
      ...results.map(([id, content]) => ({ role: 'tool', ...(id !== 'none' && { tool_call_id: id }), content })),
    ]),
  ];
  const [session] = readSessions(createSource('chat.json', JSON.stringify(messages)), 'openai-chat');
  const items = session!.records.flatMap((record): readonly NewItem[] => (record.t === 'item' ? [record.item] : []));
  const questions = new Map<string, string>();
  return items.flatMap((item) => {
    if (item.kind === 'tool_call') questions.set(item.callId, JSON.stringify(item.arguments));
    const [part] = item.kind === 'tool_result' ? (item.content ?? []) : [];
    return item.kind === 'tool_result' && part?.type === 'text'
      ? [[questions.get(item.callId) ?? 'nobody', part.text] as const]
      : [];
  });
}

describe('which call a result answers', () => {
  test.each([
    [
      'each id once',
      [
        {
          calls: ['a', 'b'],
          results: [
            ['b', 'to 1'],
            ['a', 'to 0'],
          ],
        },
      ],
    ],
    [
      'ids numbered anew in each reply',
      [
        { calls: ['call_0'], results: [['call_0', 'to 0']] },
        { calls: ['call_0'], results: [['call_0', 'to 1']] },
      ],
    ],
    [
      'an id that was never answered before',
      [
        { calls: ['call_0'], results: [] },
        { calls: ['call_0'], results: [['call_0', 'to 1']] },
      ],
    ],
    [
      'one id for all calls of a reply',
      [
        {
          calls: ['ask', 'ask', 'ask'],
          results: [
            ['ask', 'to 0'],
            ['ask', 'to 1'],
            ['ask', 'to 2'],
          ],
        },
      ],
    ],
    [
      'no ids at all',
      [
        {
          calls: ['none', 'none'],
          results: [
            ['none', 'to 0'],
            ['none', 'to 1'],
          ],
        },
        { calls: ['none'], results: [['none', 'to 2']] },
      ],
    ],
    [
      'ids that are names of objects',
      [
        {
          calls: ['__proto__', 'constructor'],
          results: [
            ['constructor', 'to 1'],
            ['__proto__', 'to 0'],
          ],
        },
      ],
    ],
  ] as const)('with %s', (_, replies) => {
    for (const [question, answer] of pairsOf(replies)) expect(question).toBe(`{"n":${answer.slice(3)}}`);
    expect(pairsOf(replies)).toHaveLength(replies.flatMap(({ results }) => results as readonly unknown[]).length);
  });

  test('a result that nobody asked for stays one', () => {
    expect(
      pairsOf([
        {
          calls: ['a'],
          results: [
            ['a', 'to 0'],
            ['a', 'again'],
            ['b', 'who?'],
          ],
        },
      ]),
    ).toEqual([
      ['{"n":0}', 'to 0'],
      ['{"n":0}', 'again'],
      ['nobody', 'who?'],
    ]);
  });
});
