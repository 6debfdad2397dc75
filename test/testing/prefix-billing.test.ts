import fc from 'fast-check';
import { PrefixBilling } from '../../core/testing/prefix-billing';
import { segmentsOf } from '../../core/testing/request-segments';

/** A conversation of single letters, one message each; upper case carries a cache mark. Every letter is a token. */
function messages(letters: string): { readonly messages: readonly object[] } {
  return {
    messages: [...letters].map((letter, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: [
        {
          type: 'text',
          text: letter.toLowerCase(),
          ...(letter !== letter.toLowerCase() && { cache_control: { type: 'ephemeral' } }),
        },
      ],
    })),
  };
}

function provider(caching: 'automatic' | 'marked', minCachedTokens = 0) {
  const billing = new PrefixBilling({
    shape: 'anthropic',
    caching,
    count: (text) => text.length,
    perImage: 0,
    minCachedTokens,
  });
  /** Tokens in all, read and written. */
  return (letters: string): readonly number[] => {
    const bill = billing.bill(segmentsOf('anthropic', messages(letters)));
    billing.admit(bill);
    return [bill.inputTokens, bill.cacheReadTokens, bill.cacheWriteTokens];
  };
}

const shared = (a: string, b: string): number => {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
};

test('where caching is automatic, the longest prefix of any earlier request is read', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 });
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 8 }), (requests) => {
      const send = provider('automatic');
      requests.forEach((request, at) => {
        const longest = Math.max(0, ...requests.slice(0, at).map((earlier) => shared(earlier, request)));
        expect(send(request)).toEqual([request.length, longest, 0]);
      });
    }),
  );
});

test('where it goes by marks, what ends at a mark is written, and read again at a mark behind it', () => {
  const send = provider('marked');
  expect(send('abc')).toEqual([3, 0, 0]);
  expect(send('aBc')).toEqual([3, 0, 2]);
  expect(send('abc')).toEqual([3, 0, 0]);
  expect(send('abcD')).toEqual([4, 2, 2]);
  expect(send('abxY')).toEqual([4, 2, 2]);
  expect(send('axxY')).toEqual([4, 0, 4]);
});

test('a mark finds what ends up to twenty pieces before it, and no further', () => {
  const near = provider('marked');
  near('A');
  expect(near(`a${'b'.repeat(19)}B`)).toEqual([21, 1, 20]);
  const far = provider('marked');
  far('A');
  expect(far(`a${'b'.repeat(20)}B`)).toEqual([22, 0, 22]);
});

test('what is too short is neither written nor read', () => {
  const send = provider('marked', 3);
  expect(send('aB')).toEqual([2, 0, 0]);
  expect(send('abC')).toEqual([3, 0, 3]);
  expect(send('abcD')).toEqual([4, 3, 1]);
});
