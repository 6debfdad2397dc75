/** The Anthropic shape: messages of blocks, named events, usage with cache reads and writes beside the rest of the input. */
import type { Json } from '../session/items';
import type { Usage } from '../session/records';
import type { RawAnswer, ScriptedFault } from './script';
import { piecesOf } from './scripted-endpoint';
import type { FullReply, OverflowTokens } from './scripted-endpoint';
import { argumentPieces, retryAfter } from './wire';
import type { ReplyHead, Wire, WireEvent } from './wire';

const STOPS = { end: 'end_turn', 'tool-calls': 'tool_use', length: 'max_tokens', refusal: 'refusal' } as const;

const FAULTS: Readonly<Record<Exclude<ScriptedFault, 'overflow' | 'reset'>, readonly [number, string, string]>> = {
  'rate-limited': [429, 'rate_limit_error', 'This request would exceed the rate limit of your organization.'],
  server: [500, 'api_error', 'Internal server error'],
  overloaded: [529, 'overloaded_error', 'Overloaded'],
  auth: [401, 'authentication_error', 'invalid x-api-key'],
  request: [400, 'invalid_request_error', 'The request is not valid.'],
};

/** Speaks as the messages endpoint does. */
export const anthropicWire: Wire = {
  shape: 'anthropic',
  path: '/messages',

  lacks(body, headers) {
    if (headers['anthropic-version'] === undefined) return 'anthropic-version: header is required';
    if (typeof body['model'] !== 'string') return 'model: Field required';
    if (typeof body['max_tokens'] !== 'number') return 'max_tokens: Field required';
    return undefined;
  },

  reply: (reply, head) => ({
    ...messageOf(head),
    content: blocksOf(reply),
    stop_reason: STOPS[reply.stop],
    stop_sequence: null,
    usage: usageOf(reply.usage),
  }),

  events(reply, head) {
    const { output_tokens, ...input } = usageOf(reply.usage);
    const message = { ...messageOf(head), content: [], stop_reason: null, stop_sequence: null };
    return [
      event({ type: 'message_start', message: { ...message, usage: { ...input, output_tokens: 1 } } }),
      event({ type: 'ping' }),
      ...blocksOf(reply).flatMap((block, index) => blockEvents(block, index, reply)),
      event({
        type: 'message_delta',
        delta: { stop_reason: STOPS[reply.stop], stop_sequence: null },
        usage: { output_tokens },
      }),
      event({ type: 'message_stop' }),
    ];
  },

  failure(failure) {
    switch (failure.kind) {
      case 'overflow':
        return errorAnswer(400, 'invalid_request_error', overflowText(failure.tokens));
      case 'refusal': {
        const { index, message } = failure.violation;
        return errorAnswer(400, 'invalid_request_error', index < 0 ? message : `messages.${index}: ${message}`);
      }
      case 'fault': {
        const [status, type, text] = FAULTS[failure.fault];
        return { ...errorAnswer(status, type, text), headers: retryAfter(failure.retryAfterMs) };
      }
    }
  },
};

type Block = { readonly type: 'thinking' | 'text' | 'tool_use' } & { readonly [key: string]: unknown };

function messageOf({ id, model }: ReplyHead): object {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model };
}

function blocksOf({ reasoning, text, calls }: FullReply): readonly Block[] {
  const said = text.join('');
  return [
    ...(reasoning === undefined
      ? []
      : [{ type: 'thinking' as const, thinking: reasoning.text, signature: reasoning.signature }]),
    ...(said === '' ? [] : [{ type: 'text' as const, text: said }]),
    ...calls.map((call) => ({ type: 'tool_use' as const, id: call.callId, name: call.name, input: call.arguments })),
  ];
}

/** A block is begun empty, filled by deltas, and ended. */
function blockEvents(block: Block, index: number, { text, reasoning }: FullReply): readonly WireEvent[] {
  const filled = (deltas: readonly object[], empty: object): readonly WireEvent[] => [
    event({ type: 'content_block_start', index, content_block: { ...block, ...empty } }),
    ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
    event({ type: 'content_block_stop', index }),
  ];
  switch (block.type) {
    case 'thinking': {
      const pieces = piecesOf(reasoning?.text ?? '', 3).map((thinking) => ({ type: 'thinking_delta', thinking }));
      const signed = { type: 'signature_delta', signature: reasoning?.signature };
      return filled([...pieces, signed], { thinking: '', signature: '' });
    }
    case 'text':
      return filled(
        text.map((piece) => ({ type: 'text_delta', text: piece })),
        { text: '' },
      );
    case 'tool_use': {
      const pieces = argumentPieces(block['input'] as Json);
      return filled(
        pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
        { input: {} },
      );
    }
  }
}

/** What the input costs is split in three; nothing is counted twice. */
function usageOf(usage: Usage | undefined): { readonly output_tokens: number } & { readonly [key: string]: number } {
  const { inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0, outputTokens = 0 } = usage ?? {};
  return {
    input_tokens: inputTokens - cacheReadTokens - cacheWriteTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cacheReadTokens,
    output_tokens: outputTokens,
  };
}

function overflowText({ input, allowance, window }: OverflowTokens): string {
  return input > window
    ? `prompt is too long: ${input} tokens > ${window} maximum`
    : `input length and \`max_tokens\` exceed context limit: ${input} + ${allowance} > ${window}, ` +
        'decrease input length or `max_tokens` and try again';
}

function errorAnswer(status: number, type: string, message: string): RawAnswer {
  return { status, body: { type: 'error', error: { type, message } } };
}

function event(data: { readonly type: string } & { readonly [key: string]: unknown }): WireEvent {
  return { event: data.type, data };
}
