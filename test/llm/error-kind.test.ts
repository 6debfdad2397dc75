import fc from 'fast-check';
import { factsOf } from '../../core/llm/error-facts';
import { kindOf } from '../../core/llm/error-kind';

/** What a provider answered, as the AI SDK throws it; without a status it came within a stream. */
interface Answer {
  readonly from: string;
  readonly status?: number;
  readonly body: unknown;
}

function thrownFor({ status, body }: Answer): unknown {
  if (status === undefined) return body;
  const responseBody = typeof body === 'string' ? body : JSON.stringify(body);
  return Object.assign(new Error('Bad Request'), {
    name: 'AI_APICallError',
    statusCode: status,
    responseBody,
    responseHeaders: {},
    isRetryable: status === 429 || status >= 500,
  });
}

const kind = (answer: Answer): ReturnType<typeof kindOf> => kindOf(factsOf(thrownFor(answer)));

const openAi = (message: string, code: string | null = null, type = 'invalid_request_error'): unknown => ({
  error: { message, type, param: null, code },
});
const anthropic = (type: string, message: string): unknown => ({ type: 'error', error: { type, message } });
const vllm = (message: string): unknown => ({
  object: 'error',
  message,
  type: 'BadRequestError',
  param: null,
  code: 400,
});

const OVERFLOWS: readonly Answer[] = [
  {
    from: 'Anthropic',
    status: 400,
    body: anthropic('invalid_request_error', 'prompt is too long: 212345 tokens > 200000 maximum'),
  },
  {
    from: 'Anthropic, input and reply allowance',
    status: 400,
    body: anthropic(
      'invalid_request_error',
      'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again',
    ),
  },
  {
    from: 'Anthropic, bytes',
    status: 413,
    body: anthropic('request_too_large', 'Request exceeds the maximum size'),
  },
  {
    from: 'OpenAI chat',
    status: 400,
    body: openAi(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens. Please reduce the length of the messages.",
      'context_length_exceeded',
    ),
  },
  {
    from: 'OpenAI Responses, within a stream',
    body: {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        code: 'context_length_exceeded',
        message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
      },
    },
  },
  {
    from: 'OpenAI, one message',
    status: 400,
    body: openAi(
      "Invalid 'messages[3].content': string too long. Expected a string with maximum length 10485760, but got a string with length 11000000 instead.",
      'string_above_max_length',
    ),
  },
  {
    from: 'Azure OpenAI',
    status: 400,
    body: {
      error: {
        message:
          "This model's maximum context length is 16385 tokens, however you requested 17000 tokens (16000 in your prompt; 1000 for the completion). Please reduce your prompt; or completion length.",
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    },
  },
  {
    from: 'vLLM',
    status: 400,
    body: vllm(
      "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.",
    ),
  },
  {
    from: 'vLLM, reply allowance',
    status: 400,
    body: vllm(
      "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is 8192 tokens and your request has 6000 input tokens (4096 > 8192 - 6000).",
    ),
  },
  {
    from: 'vLLM, prompt',
    status: 400,
    body: vllm('The decoder prompt (length 9001) is longer than the maximum model length of 8192.'),
  },
  {
    from: 'llama.cpp',
    status: 400,
    body: {
      error: {
        code: 400,
        message:
          'the request exceeds the available context size. try increasing the context size or enable context shift',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 9000,
        n_ctx: 4096,
      },
    },
  },
  {
    from: 'llama.cpp before it had a code',
    status: 500,
    body: { error: { code: 500, message: 'the request exceeds the available context size', type: 'server_error' } },
  },
  { from: 'Ollama', status: 400, body: { error: 'the input length exceeds the context length' } },
  { from: 'LangChain, whose own error it is', body: { name: 'ContextOverflowError', message: 'Too much.' } },
  {
    from: 'LM Studio',
    status: 400,
    body: {
      error:
        'The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input.',
    },
  },
  {
    from: 'Gemini',
    status: 400,
    body: {
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      },
    },
  },
  { from: 'Bedrock', status: 400, body: { message: 'Input is too long for requested model.' } },
  {
    from: 'Bedrock with Claude',
    status: 400,
    body: {
      __type: 'com.amazon.coral.service#ValidationException',
      message:
        'The model returned the following errors: input length and `max_tokens` exceed context limit: 196395 + 64000 > 204698',
    },
  },
  {
    from: 'Mistral',
    status: 400,
    body: {
      object: 'error',
      message: 'Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      type: 'invalid_request_error',
    },
  },
  {
    from: 'OpenRouter',
    status: 400,
    body: {
      error: {
        code: 400,
        message:
          "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens (131000 of text input, 9000 in the output). Please reduce the length of either one.",
      },
    },
  },
  {
    from: 'OpenRouter, the answer of the provider behind it',
    status: 400,
    body: {
      error: {
        code: 400,
        message: 'Provider returned error',
        metadata: {
          raw: JSON.stringify(anthropic('invalid_request_error', 'prompt is too long: 201000 tokens > 200000 maximum')),
          provider_name: 'Anthropic',
        },
      },
    },
  },
  {
    from: 'xAI',
    status: 400,
    body: {
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    },
  },
  {
    from: 'Groq',
    status: 400,
    body: openAi('Please reduce the length of the messages or completion.', 'context_length_exceeded'),
  },
  {
    from: 'Cerebras',
    status: 400,
    body: {
      message: 'Please reduce the length of the messages or completion. Current length is 40000 while limit is 32768',
      type: 'invalid_request_error',
      code: 'context_length_exceeded',
    },
  },
  {
    from: 'GitHub Copilot',
    status: 400,
    body: openAi('prompt token count of 130001 exceeds the limit of 128000', 'model_max_prompt_tokens_exceeded'),
  },
  { from: 'Moonshot', status: 400, body: openAi('Invalid request: Your request exceeded model token limit: 262144') },
  { from: 'MiniMax', status: 400, body: openAi('invalid params, context window exceeds limit (2013)') },
  { from: 'Z.ai', status: 400, body: { error: { code: '1261', message: 'Prompt exceeds max length' } } },
  {
    from: 'DashScope',
    status: 400,
    body: openAi('Range of input length should be [1, 129024]', 'invalid_parameter_error'),
  },
  {
    from: 'Text Generation Inference',
    status: 422,
    body: {
      error:
        'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 8000 `inputs` tokens and 1000 `max_new_tokens`',
      error_type: 'validation',
    },
  },
  {
    from: 'Cohere',
    status: 400,
    body: { message: 'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000' },
  },
  {
    from: 'SiliconFlow',
    status: 400,
    body: { code: 20015, message: 'length of prompt_tokens (163280) must be less than max_seq_len (32768).' },
  },
  { from: 'a proxy', status: 413, body: '<html><head><title>413 Request Entity Too Large</title></head></html>' },
];

const RATE_LIMITS: readonly Answer[] = [
  {
    from: 'Anthropic',
    status: 429,
    body: anthropic(
      'rate_limit_error',
      'This request would exceed the rate limit for your organization of 40,000 input tokens per minute. Please reduce the prompt length or the maximum tokens requested, or try again later.',
    ),
  },
  {
    from: 'Bedrock',
    status: 429,
    body: { __type: 'ThrottlingException', message: 'Too many tokens, please wait before trying again.' },
  },
  { from: 'Bedrock, within a stream', body: { message: 'Too many tokens, please wait before trying again.' } },
  {
    from: 'OpenAI',
    status: 429,
    body: {
      error: {
        message:
          'Rate limit reached for gpt-5 in organization org-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 3000. Please try again in 4s.',
        type: 'tokens',
        param: null,
        code: 'rate_limit_exceeded',
      },
    },
  },
  {
    from: 'Gemini',
    status: 429,
    body: {
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: 'You exceeded your current quota, please check your plan.',
      },
    },
  },
  {
    from: 'Azure OpenAI',
    status: 429,
    body: openAi('Requests to the chat API have exceeded token rate limit of your current pricing tier.', '429'),
  },
];

const TOO_LARGE_FOR_A_MINUTE: readonly Answer[] = [
  {
    from: 'Groq',
    status: 413,
    body: {
      error: {
        message:
          'Request too large for model `x` in organization `y` on tokens per minute (TPM): Limit 6000, Requested 14810, please reduce your message size and try again.',
        type: 'tokens',
        code: 'rate_limit_exceeded',
      },
    },
  },
  {
    from: 'OpenAI',
    status: 429,
    body: openAi(
      'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 342389. The input or output tokens must be reduced in order to run successfully.',
      'rate_limit_exceeded',
      'tokens',
    ),
  },
];

const CREDENTIALS: readonly Answer[] = [
  { from: 'Anthropic', status: 401, body: anthropic('authentication_error', 'invalid x-api-key') },
  {
    from: 'a gateway',
    status: 400,
    body: { error: { message: 'Invalid auth token: the token is too long for this context' } },
  },
  { from: 'OpenAI', status: 401, body: openAi('Incorrect API key provided: sk-abc***xyz.', 'invalid_api_key') },
  {
    from: 'Gemini',
    status: 400,
    body: {
      error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' },
    },
  },
  {
    from: 'Anthropic, account',
    status: 400,
    body: anthropic('invalid_request_error', 'Your credit balance is too low to access the API.'),
  },
  {
    from: 'OpenAI, account',
    status: 429,
    body: openAi(
      'You exceeded your current quota, please check your plan and billing details.',
      'insufficient_quota',
      'insufficient_quota',
    ),
  },
  {
    from: 'OpenRouter, account',
    status: 402,
    body: {
      error: {
        code: 402,
        message:
          'This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 2000.',
      },
    },
  },
];

const REFUSALS: readonly Answer[] = [
  {
    from: 'Azure OpenAI',
    status: 400,
    body: {
      error: {
        message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        code: 'content_filter',
        innererror: { code: 'ResponsibleAIPolicyViolation' },
      },
    },
  },
  {
    from: 'OpenAI',
    status: 400,
    body: openAi(
      'Invalid prompt: your prompt was flagged as potentially violating our usage policy.',
      'invalid_prompt',
    ),
  },
  {
    from: 'OpenRouter',
    status: 403,
    body: { error: { code: 403, message: 'The model requires moderation and your input was flagged for "violence".' } },
  },
];

const WRONG_REQUESTS: readonly Answer[] = [
  {
    from: 'Anthropic, allowance',
    status: 400,
    body: anthropic(
      'invalid_request_error',
      'max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens for this model',
    ),
  },
  {
    from: 'OpenAI, allowance',
    status: 400,
    body: openAi(
      'max_tokens is too large: 100000. This model supports at most 16384 completion tokens.',
      'invalid_value',
    ),
  },
  {
    from: 'Bedrock, allowance',
    status: 400,
    body: {
      message:
        'The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096.',
    },
  },
  {
    from: 'unknown model',
    status: 404,
    body: openAi(
      "The model 'gpt-context-128k-tokens' does not exist or you do not have access to it.",
      'model_not_found',
    ),
  },
  {
    from: 'a tool with a field named context',
    status: 400,
    body: anthropic('invalid_request_error', 'tools.0.custom.input_schema.context: Extra inputs are not permitted'),
  },
  {
    from: 'a description that is too long',
    status: 400,
    body: openAi(
      "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024.",
      'string_above_max_length',
    ),
  },
  {
    from: 'a token that cannot be read',
    status: 400,
    body: { error: { message: 'Unexpected token < in JSON at position 0' } },
  },
  {
    from: 'history without tools',
    status: 400,
    body: anthropic('invalid_request_error', 'messages.2: tool_use ids were found without tool_result blocks'),
  },
  {
    from: 'a request that is echoed',
    status: 422,
    body: {
      detail: [{ loc: ['body', 'messages'], msg: 'Field required', input: 'prompt is too long: 1 tokens > 0 maximum' }],
    },
  },
];

const FAILURES: readonly Answer[] = [
  { from: 'Anthropic', status: 529, body: anthropic('overloaded_error', 'Overloaded') },
  { from: 'Anthropic, within a stream', body: { type: 'overloaded_error', message: 'Overloaded' } },
  {
    from: 'OpenAI',
    status: 500,
    body: openAi('The server had an error while processing your request.', 'server_error', 'server_error'),
  },
  { from: 'a proxy', status: 502, body: '<html><body><h1>502 Bad Gateway</h1></body></html>' },
  { from: 'a gateway that waited too long', status: 504, body: 'context deadline exceeded' },
  { from: 'a gateway within a stream', body: { message: 'context deadline exceeded' } },
  { from: 'a request that timed out', status: 408, body: '' },
  { from: 'a reset connection', body: Object.assign(new TypeError('terminated'), { cause: { code: 'ECONNRESET' } }) },
  {
    from: 'a server that is not there',
    body: Object.assign(new Error('Cannot connect to API: connect ECONNREFUSED'), { isRetryable: true }),
  },
  {
    from: 'Gemini',
    status: 503,
    body: { error: { code: 503, status: 'UNAVAILABLE', message: 'The model is overloaded. Please try again later.' } },
  },
];

describe('X07: errors of providers are told apart', () => {
  test.each(OVERFLOWS)('overflow: $from', (answer) => {
    expect(kind(answer)).toEqual({ code: 'PITH_LLM_OVERFLOW', transient: false });
  });

  test.each(RATE_LIMITS)('rate limit: $from', (answer) => {
    expect(kind(answer)).toEqual({ code: 'PITH_LLM_RATE_LIMITED', transient: true });
  });

  test.each(TOO_LARGE_FOR_A_MINUTE)(
    'a request larger than the limit of a minute is not tried again: $from',
    (answer) => {
      expect(kind(answer)).toEqual({ code: 'PITH_LLM_RATE_LIMITED', transient: false });
    },
  );

  test.each(CREDENTIALS)('credentials: $from', (answer) => {
    expect(kind(answer)).toEqual({ code: 'PITH_LLM_AUTH', transient: false });
  });

  test.each(REFUSALS)('refusal: $from', (answer) => {
    expect(kind(answer)).toEqual({ code: 'PITH_LLM_REFUSED', transient: false });
  });

  test.each(WRONG_REQUESTS)('wrong request: $from', (answer) => {
    expect(kind(answer)).toEqual({ code: 'PITH_LLM_REQUEST', transient: false });
  });

  test.each(FAILURES)('failure: $from', (answer) => {
    expect(kind(answer)).toEqual({ code: 'PITH_LLM_TRANSPORT', transient: true });
  });

  test('a certificate that is not trusted is not tried again', () => {
    const error = Object.assign(new Error('Cannot connect to API: self-signed certificate'), {
      isRetryable: true,
      cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    });
    expect(kindOf(factsOf(error))).toEqual({ code: 'PITH_LLM_TRANSPORT', transient: false });
  });

  test('an error that says nothing is tried again only where the SDK says so', () => {
    expect(kindOf(factsOf(new Error('boom')))).toEqual({ code: 'PITH_LLM_TRANSPORT', transient: false });
    expect(kindOf(factsOf(undefined))).toEqual({ code: 'PITH_LLM_TRANSPORT', transient: false });
    expect(kindOf(factsOf(Object.assign(new Error('boom'), { isRetryable: true }))).transient).toBe(true);
  });

  test.each([
    ['AI_LoadAPIKeyError', 'PITH_LLM_AUTH'],
    ['AI_UnsupportedFunctionalityError', 'PITH_LLM_REQUEST'],
    ['AI_InvalidResponseDataError', 'PITH_LLM_TRANSPORT'],
  ])('%s of the SDK is %s', (name, code) => {
    expect(kindOf(factsOf(Object.assign(new Error('…'), { name }))).code).toBe(code);
  });

  test('no error is read forever, whatever it holds', () => {
    fc.assert(
      fc.property(fc.anything({ maxDepth: 4, withBigInt: true, withNullPrototype: true }), (thrown) => {
        const facts = factsOf(thrown);
        expect(facts.texts.every((text) => text.length <= 4_000)).toBe(true);
        expect(kindOf(facts).code).toMatch(/^PITH_LLM_/);
      }),
    );
    const ring: { cause?: unknown; error?: unknown } = new Error('ring');
    ring.cause = { error: ring };
    ring.error = ring;
    expect(factsOf(ring).texts).toEqual(['ring']);
    const long = { message: 'the context '.repeat(50_000) };
    expect(kindOf(factsOf(long)).code).toBe('PITH_LLM_TRANSPORT');
  });
});
