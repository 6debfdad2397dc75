/** The OpenAI chat shape, as OpenAI and endpoints compatible with it speak: choices of deltas, usage on request. */
import type { Usage } from '../session/records';
import type { RawAnswer, ScriptedFault } from './script';
import { piecesOf } from './scripted-endpoint';
import type { FullReply, OverflowTokens } from './scripted-endpoint';
import { argumentPieces, argumentText, retryAfter } from './wire';
import type { ReplyHead, Wire, WireEvent } from './wire';

const STOPS = { end: 'stop', 'tool-calls': 'tool_calls', length: 'length', refusal: 'content_filter' } as const;

const FAULTS: Readonly<
  Record<Exclude<ScriptedFault, 'overflow' | 'reset'>, readonly [number, string, string, string]>
> = {
  'rate-limited': [429, 'requests', 'rate_limit_exceeded', 'Rate limit reached for requests.'],
  server: [500, 'server_error', 'server_error', 'The server had an error while processing your request.'],
  overloaded: [503, 'server_error', 'overloaded', 'The engine is currently overloaded, please try again later.'],
  auth: [401, 'invalid_request_error', 'invalid_api_key', 'Incorrect API key provided.'],
  request: [400, 'invalid_request_error', 'invalid_value', 'The request is not valid.'],
};

/** Speaks as the chat completions endpoint does; reasoning goes in `reasoning_content`, as compatible endpoints give it. */
export const openAiWire: Wire = {
  shape: 'openai-chat',
  path: '/chat/completions',

  lacks: (body) => (typeof body['model'] === 'string' ? undefined : 'you must provide a model parameter'),

  reply: (reply, head) => ({
    ...headOf(head, 'chat.completion'),
    choices: [{ index: 0, message: messageOf(reply), finish_reason: STOPS[reply.stop] }],
    ...(reply.usage !== undefined && { usage: usageOf(reply.usage) }),
  }),

  events(reply, head) {
    const chunk = (choices: readonly object[], usage?: object): WireEvent => ({
      data: { ...headOf(head, 'chat.completion.chunk'), choices, ...(usage !== undefined && { usage }) },
    });
    const delta = (given: object, finish: string | null = null): WireEvent =>
      chunk([{ index: 0, delta: given, finish_reason: finish }]);
    return [
      delta({ role: 'assistant', content: '' }),
      ...piecesOf(reply.reasoning?.text ?? '', 3).map((reasoning_content) => delta({ reasoning_content })),
      ...reply.text.map((content) => delta({ content })),
      ...reply.calls.flatMap((call, index) => callDeltas(call, index).map((part) => delta({ tool_calls: [part] }))),
      delta({}, STOPS[reply.stop]),
      ...(head.usageAsked && reply.usage !== undefined ? [chunk([], usageOf(reply.usage))] : []),
      { data: '[DONE]' },
    ];
  },

  failure(failure) {
    switch (failure.kind) {
      case 'overflow':
        return errorAnswer(400, 'invalid_request_error', 'context_length_exceeded', overflowText(failure.tokens));
      case 'refusal': {
        const { index, message } = failure.violation;
        return errorAnswer(400, 'invalid_request_error', null, message, index < 0 ? 'messages' : `messages.[${index}]`);
      }
      case 'fault': {
        const [status, type, code, text] = FAULTS[failure.fault];
        return { ...errorAnswer(status, type, code, text), headers: retryAfter(failure.retryAfterMs) };
      }
    }
  },
};

function headOf({ id, model }: ReplyHead, object: string): object {
  return { id: `chatcmpl-${id}`, object, created: 0, model };
}

function messageOf({ reasoning, text, calls }: FullReply): object {
  const said = text.join('');
  return {
    role: 'assistant',
    content: said === '' && calls.length > 0 ? null : said,
    ...(reasoning !== undefined && { reasoning_content: reasoning.text }),
    ...(calls.length > 0 && {
      tool_calls: calls.map((call) => ({
        ...namedCall(call),
        function: { name: call.name, arguments: argumentText(call.arguments) },
      })),
    }),
  };
}

type Call = FullReply['calls'][number];

function namedCall({ callId }: Call): { readonly id: string; readonly type: 'function' } {
  return { id: callId, type: 'function' };
}

/** A call is named first; its arguments follow in fragments that know it by its index alone. */
function callDeltas(call: Call, index: number): readonly object[] {
  return [
    { index, ...namedCall(call), function: { name: call.name, arguments: '' } },
    ...argumentPieces(call.arguments).map((piece) => ({ index, function: { arguments: piece } })),
  ];
}

function usageOf(usage: Usage): object {
  const { inputTokens, cacheReadTokens = 0, outputTokens = 0, reasoningTokens = 0 } = usage;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cacheReadTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}

function overflowText({ input, allowance, window }: OverflowTokens): string {
  return (
    `This model's maximum context length is ${window} tokens. However, you requested ${input + allowance} tokens ` +
    `(${input} in the messages, ${allowance} in the completion). Please reduce the length of the messages or completion.`
  );
}

function errorAnswer(
  status: number,
  type: string,
  code: string | null,
  message: string,
  param: string | null = null,
): RawAnswer {
  return { status, body: { error: { message, type, param, code } } };
}
