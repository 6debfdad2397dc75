import { createSentinel } from '../../core/testing';

const sentinel = createSentinel('one');
const { text } = sentinel;

test('a sentinel is found wherever text can be', () => {
  const cyclic: Record<string, unknown> = { said: `x ${text} y` };
  cyclic['self'] = cyclic;
  expect(
    sentinel.seenIn({
      request: { messages: [{ content: 'no' }, { content: [{ text: `(${text})` }] }] },
      log: [{ message: 'm', fields: { cause: new Error(`of ${text}`) } }],
      events: new Map<string, unknown>([['a', new Set([text])]]),
      keys: { [text]: 1 },
      bytes: Buffer.from(`bytes ${text}`),
      cyclic,
      nothing: [null, undefined, 7, () => text],
    }),
  ).toEqual([
    'request.messages[1].content[0].text',
    'log[0].fields.cause.message',
    'log[0].fields.cause.stack',
    'events[0][1][0]',
    `keys.${text} (key)`,
    'bytes',
    'cyclic.said',
  ]);
});

test('a value that stands in two places is found in both', () => {
  const shared = { text };
  expect(sentinel.find([shared, shared])).toEqual(['[0].text', '[1].text']);
  expect(sentinel.find(text)).toEqual(['']);
});

test('sentinels of other names are others', () => {
  expect(createSentinel('two').find({ text })).toEqual([]);
  expect(createSentinel('one').text).toBe(text);
  expect(createSentinel('a b').text).toMatch(/^[a-zA-Z0-9]+$/);
});
