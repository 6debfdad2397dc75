import fc from 'fast-check';
import { withCacheMarks } from '../../core/llm/cache-marks';
import type { MarkPlaces } from '../../core/llm/cache-marks';
import type { PromptMessage } from '../../core/llm/language-model';

const system = (content: string): PromptMessage => ({ role: 'system', content });
const user = (text: string, own = false): PromptMessage => ({
  role: 'user',
  content: [{ type: 'text', text, ...(own && { providerOptions: OWN }) }],
});
const reply = (text: string): PromptMessage => ({ role: 'assistant', content: [{ type: 'text', text }] });
const OWN = { anthropic: { cacheControl: { type: 'ephemeral', ttl: '1h' } } };

const CONVERSATION: readonly PromptMessage[] = [
  system('prompt'),
  system('pin'),
  system('summary'),
  user('one'),
  reply('two'),
  user('three'),
  reply('four'),
  user('five'),
];
const PLACES: MarkPlaces = { prompt: 1, system: 2, newest: 7 };

const marked = (messages: readonly PromptMessage[]): readonly number[] =>
  messages.flatMap(({ providerOptions }, index) =>
    providerOptions?.['anthropic']?.['cacheControl'] === undefined ? [] : [index],
  );

test('marks stand after the system prompt with its pins, after the blocks, at the newest message, and where the request before ended', () => {
  expect(marked(withCacheMarks(CONVERSATION, PLACES, 4, undefined))).toEqual([1, 2, 5, 7]);
});

test('with fewer marks the newest message comes first, then the system prompt, then the blocks', () => {
  expect(marked(withCacheMarks(CONVERSATION, PLACES, 3, undefined))).toEqual([1, 2, 7]);
  expect(marked(withCacheMarks(CONVERSATION, PLACES, 2, undefined))).toEqual([1, 7]);
  expect(marked(withCacheMarks(CONVERSATION, PLACES, 1, undefined))).toEqual([7]);
  expect(withCacheMarks(CONVERSATION, PLACES, 0, undefined)).toBe(CONVERSATION);
});

test('marks of the user count: on parts, on messages, and for the whole request', () => {
  const own = CONVERSATION.with(3, user('one', true)).with(4, { ...reply('two'), providerOptions: OWN });
  expect(marked(withCacheMarks(own, PLACES, 4, undefined))).toEqual([1, 4, 7]);
  expect(marked(withCacheMarks(own, PLACES, 4, OWN))).toEqual([4, 7]);
});

test('where the user has marked the place already, his mark stays', () => {
  const own = CONVERSATION.with(7, user('five', true));
  const [last] = withCacheMarks(own, PLACES, 4, undefined).slice(-1);
  expect(last).toBe(own[7]);
});

test('what comes after the newest stable message gets no mark', () => {
  expect(marked(withCacheMarks(CONVERSATION, { ...PLACES, newest: 5 }, 4, undefined))).toEqual([1, 2, 3, 5]);
});

test('without system content or conversation there is nothing to mark', () => {
  expect(marked(withCacheMarks([user('one')], { prompt: -1, system: -1, newest: 0 }, 4, undefined))).toEqual([0]);
  expect(withCacheMarks([], { prompt: -1, system: -1, newest: -1 }, 4, undefined)).toEqual([]);
});

test('other options of a message stay', () => {
  const options = { openai: { itemId: 'i' }, anthropic: { type: 'x' } };
  const [message] = withCacheMarks(
    [{ ...user('one'), providerOptions: options }],
    { prompt: -1, system: -1, newest: 0 },
    4,
    undefined,
  );
  expect(message?.providerOptions).toEqual({
    openai: { itemId: 'i' },
    anthropic: { type: 'x', cacheControl: { type: 'ephemeral' } },
  });
});

test('there are never more marks than allowed, own ones included, and nothing else changes', () => {
  const message = fc.oneof(
    fc.constant(user('u')),
    fc.constant(user('u', true)),
    fc.constant(reply('a')),
    fc.constant({ ...reply('a'), providerOptions: OWN }),
  );
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), fc.nat(4), fc.boolean(), (messages, most, whole) => {
      const places = { prompt: -1, system: -1, newest: messages.length - 1 };
      const result = withCacheMarks(messages, places, most, whole ? OWN : undefined);
      const count = (list: readonly PromptMessage[]): number =>
        (JSON.stringify(list).match(/"cacheControl"/g) ?? []).length;
      expect(count(result)).toBeLessThanOrEqual(Math.max(most - (whole ? 1 : 0), count(messages)));
      expect(result.map(({ content }) => content)).toEqual(messages.map(({ content }) => content));
    }),
  );
});
