import fc from 'fast-check';
import { maskedText } from '../../core/llm/masked-text';

test.each([
  'Incorrect API key provided: sk-proj-AbCdEf0123456789.',
  'invalid key sk-ant-api03-AbCdEf0123456789-xyz',
  'Incorrect API key provided: sk-AbC***6789',
  'API key AIzaSyAbCdEf0123456789 is not valid',
  'header authorization: Bearer AbCdEf0123456789',
  'proxy-authorization: Basic AbCdEf0123456789==',
  'connect to http://user:AbCdEf0123456789@proxy:8080 failed',
  'GET https://x.test/v1/models?key=AbCdEf0123456789&alt=sse',
  '{"api_key":"AbCdEf0123456789"}',
  'password = AbCdEf0123456789',
  'token eyJhbGciOi.AbCdEf0123456789.sig',
])('no key is left in %j', (text) => {
  expect(maskedText(text)).not.toMatch(/AbC|6789/);
  expect(maskedText(text)).toContain('[masked]');
});

test.each([
  'Your request exceeded model token limit: 262144 (requested: 270000)',
  'prompt is too long: 212345 tokens > 200000 maximum',
  'model claude-sonnet-4-5-20250929 not found (req_011CSHoEeqs5C35K2UUqR7Fy)',
  'Incorrect API key. Check the key in your settings.',
])('what is no key stays: %j', (text) => {
  expect(maskedText(text)).toBe(text);
});

test('a secret that is known is masked wherever it stands, whatever its form', () => {
  expect(maskedText('no access for hunter2hunter2, hunter2hunter2', ['hunter2hunter2'])).toBe(
    'no access for [masked], [masked]',
  );
});

test('a text is at most 500 characters long and well-formed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 1_200 }), (text) => {
      const masked = maskedText(text);
      expect(masked.length).toBeLessThanOrEqual(500);
      if (text.isWellFormed()) expect(masked.isWellFormed()).toBe(true);
    }),
  );
});
