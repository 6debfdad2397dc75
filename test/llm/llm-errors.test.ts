import { inspect } from 'node:util';
import { PithError } from '../../core/errors';
import { llmError } from '../../core/llm/llm-errors';
import type { ErrorSource } from '../../core/llm/llm-errors';

const SOURCE: ErrorSource = { model: 'claude-x', provider: 'anthropic', now: 0, secrets: ['hunter2hunter2'] };

/** An answer of a provider, as the AI SDK throws it. */
const answer = (status: number, message: string, headers: Readonly<Record<string, string>> = {}): Error =>
  Object.assign(new Error(message), {
    name: 'AI_APICallError',
    statusCode: status,
    responseHeaders: headers,
    requestBodyValues: { messages: ['everything that was ever said'] },
    isRetryable: status >= 500,
  });

test.each([
  [
    answer(400, 'prompt is too long: 9 tokens > 8 maximum'),
    'PITH_LLM_OVERFLOW',
    'The request does not fit into the context window of claude-x (status 400): prompt is too long: 9 tokens > 8 maximum. ' +
      'Compact the session, or use a model with a larger window.',
  ],
  [
    answer(429, 'Slow down.', { 'retry-after': '7' }),
    'PITH_LLM_RATE_LIMITED',
    'anthropic limits the rate of requests (status 429): Slow down. Try again in 7 seconds.',
  ],
  [
    answer(429, 'Slow down.'),
    'PITH_LLM_RATE_LIMITED',
    'anthropic limits the rate of requests (status 429): Slow down. Try again later.',
  ],
  [
    answer(413, 'Request too large, tokens per minute (TPM)'),
    'PITH_LLM_RATE_LIMITED',
    'anthropic limits the rate of requests (status 413): Request too large, tokens per minute (TPM). ' +
      'The request alone is larger than the limit: make it smaller, or raise the limit of the account.',
  ],
  [
    answer(500, 'Oops'),
    'PITH_LLM_TRANSPORT',
    'anthropic could not be reached or failed (status 500): Oops. Try again; check base_url and the network if it stays.',
  ],
  [
    new Error(''),
    'PITH_LLM_TRANSPORT',
    'anthropic could not be reached or failed: it does not say why. Check base_url and the network.',
  ],
  [
    answer(401, 'no access for hunter2hunter2'),
    'PITH_LLM_AUTH',
    'anthropic does not accept the credentials (status 401): no access for [masked]. ' +
      'Check the variable that api_key_env names, and the account.',
  ],
  [
    answer(402, 'Pay first!'),
    'PITH_LLM_AUTH',
    'anthropic does not accept the credentials (status 402): Pay first! Check the account.',
  ],
  [
    answer(404, 'No such model.'),
    'PITH_LLM_REQUEST',
    'anthropic finds the request to claude-x wrong (status 404): No such model. Check model, base_url and the settings of the model.',
  ],
  [
    answer(400, 'Your input was flagged.'),
    'PITH_LLM_REFUSED',
    'anthropic refuses to let claude-x answer (status 400): Your input was flagged. Change what is asked, or use another model.',
  ],
])('an error says what happened, what the provider said, and what to do: %s', (thrown, code, message) => {
  const error = llmError(thrown, SOURCE);
  expect(error.code).toBe(code);
  expect(error.message).toBe(message);
});

test('its details are facts, and what was sent is nowhere in it', () => {
  const headers = { 'Retry-After': '7', 'request-id': 'req_1' };
  const error = llmError(answer(503, 'Busy hunter2hunter2', headers), SOURCE);
  expect(error.details).toEqual({
    provider: 'anthropic',
    model: 'claude-x',
    transient: true,
    status: 503,
    retryAfterMs: 7_000,
    requestId: 'req_1',
  });
  expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/everything that was ever said|hunter2/);
});

test('what the provider says is quoted in 500 characters at most', () => {
  const error = llmError(answer(500, 'word '.repeat(1_000)), SOURCE);
  expect(error.message.length).toBeLessThan(700);
});

test('errors of Pith pass as they are', () => {
  const own = new PithError('PITH_LLM_PACKAGE', 'not there');
  expect(llmError(own, SOURCE)).toBe(own);
});
