/** Faults of pairing calls with results that users of similar tools reported, by the ids of `cases.json`. */
import type { NewItem } from '../../core';
import { createSource, readSessions } from '../../core/formats';
import { writeAiSdk, writeAnthropic, writeOpenAiChat } from '../../core/formats/write';
import { checkRequest } from '../../core/testing';
import { projected } from '../formats/write/projected';

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
