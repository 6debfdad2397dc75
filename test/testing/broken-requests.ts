/** Requests that break one rule each, by hand: at least three for each rule in each shape. */
import { prose } from '../../core/testing';
import type { RequestProfile, RequestRule, RequestShape } from '../../core/testing';

export const LOOSE: RequestProfile = { system: 'many', firstUser: false };
export const STRICT: RequestProfile = { system: 'one', firstUser: true, prompt: 'P' };

export type Message = Record<string, unknown>;

export const say = (role: string, content: unknown = 'x', more: Message = {}): Message => ({ role, content, ...more });
export const calls = (...ids: readonly string[]): Message => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
});
export const tool = (id: unknown, content: unknown = 'ok'): Message => ({ role: 'tool', tool_call_id: id, content });
export const uses = (...ids: readonly string[]): Message => ({
  role: 'assistant',
  content: ids.map((id) => ({ type: 'tool_use', id, name: 'f', input: {} })),
});
export const results = (...ids: readonly string[]): Message => ({
  role: 'user',
  content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' })),
});
export const sdkCalls = (...ids: readonly string[]): Message => ({
  role: 'assistant',
  content: ids.map((id) => ({ type: 'tool-call', toolCallId: id, toolName: 'f', input: {} })),
});
export const sdkResults = (...ids: readonly string[]): Message => ({
  role: 'tool',
  content: ids.map((id) => ({
    type: 'tool-result',
    toolCallId: id,
    toolName: 'f',
    output: { type: 'text', value: 'ok' },
  })),
});
export const anthropic = (...messages: readonly Message[]): Message => ({
  system: [{ type: 'text', text: 'P' }],
  messages,
});
export const sdk = (...messages: readonly Message[]): Message => ({ system: 'P', messages });
export const base64 = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aaaa' } };

const lone = 'a\ud83d';

/** What the request does wrong, its shape, the request, and how strict the endpoint is; loose by default. */
export type BrokenRow = readonly [what: string, shape: RequestShape, request: unknown, profile?: RequestProfile];

/** A rule that {@link checkRequest} holds, whatever the shape. */
export type Rule = Exclude<RequestRule, 'shape' | 'marks' | 'signature'>;

/** What a request has that breaks the rule, and the requests. */
export const BROKEN: Readonly<Record<Rule, { readonly means: string; readonly rows: readonly BrokenRow[] }>> = {
  V1: {
    means: 'a result whose call is not in the message directly before',
    rows: [
      ['was never made', 'openai-chat', [say('user'), tool('a')]],
      [
        'stands behind another message',
        'openai-chat',
        [say('user'), calls('a'), tool('a'), say('assistant'), tool('a')],
      ],
      ['was made by another id', 'openai-chat', [say('user'), calls('a'), tool('a'), tool('b')]],
      ['was never made', 'anthropic', anthropic(say('user'), say('assistant'), results('a'))],
      [
        'was made by an earlier message',
        'anthropic',
        anthropic(say('user'), uses('a'), results('a'), say('assistant'), results('a')),
      ],
      [
        'is parted from it by text',
        'anthropic',
        anthropic(
          say('user'),
          uses('a'),
          say('user', [
            { type: 'text', text: 'x' },
            { type: 'tool_result', tool_use_id: 'a' },
          ]),
        ),
      ],
      ['was never made', 'ai-sdk', sdk(say('user'), sdkResults('a'))],
      [
        'was made two messages before',
        'ai-sdk',
        sdk(say('user'), sdkCalls('a'), sdkResults('a'), say('user'), sdkResults('a')),
      ],
      ['has another id', 'ai-sdk', sdk(say('user'), sdkCalls('a'), sdkResults('a', 'b'))],
    ],
  },
  V2: {
    means: 'a call without exactly one result before the next message',
    rows: [
      ['has none at the end', 'openai-chat', [say('user'), calls('a', 'b'), tool('a')]],
      ['has none before the user', 'openai-chat', [say('user'), calls('a'), say('user')]],
      ['has two', 'openai-chat', [say('user'), calls('a'), tool('a'), tool('a')]],
      ['is made twice', 'openai-chat', [say('user'), calls('a'), tool('a'), calls('a'), tool('a')]],
      ['has none', 'anthropic', anthropic(say('user'), uses('a'))],
      ['has two', 'anthropic', anthropic(say('user'), uses('a'), results('a', 'a'))],
      [
        'has its result in a later message than the next',
        'anthropic',
        anthropic(say('user'), uses('a', 'b'), results('a'), results('b')),
      ],
      ['has none', 'ai-sdk', sdk(say('user'), sdkCalls('a', 'b'), sdkResults('b'))],
      ['has two', 'ai-sdk', sdk(say('user'), sdkCalls('a'), sdkResults('a'), sdkResults('a'))],
      ['is made twice', 'ai-sdk', sdk(say('user'), sdkCalls('a', 'a'), sdkResults('a'))],
    ],
  },
  V3: {
    means: 'system content that does not stand once and first',
    rows: [
      ['stands between messages', 'openai-chat', [say('system'), say('user'), say('system')], LOOSE],
      ['stands last', 'openai-chat', [say('user'), say('developer')], LOOSE],
      ['is in two pieces', 'openai-chat', [say('system', 'P'), say('system', 'Q'), say('user')], STRICT],
      ['does not begin with the prompt', 'openai-chat', [say('system', 'Q'), say('user')], STRICT],
      ['begins with more than the prompt', 'openai-chat', [say('system', 'Pq'), say('user')], STRICT],
      ['is not there though there is a prompt', 'openai-chat', [say('user')], STRICT],
      [
        'holds the prompt twice',
        'openai-chat',
        [say('system', 'P'), say('system', 'P'), say('user')],
        { ...LOOSE, prompt: 'P' },
      ],
      [
        'is in two pieces',
        'anthropic',
        {
          system: [
            { type: 'text', text: 'P' },
            { type: 'text', text: 'Q' },
          ],
          messages: [say('user')],
        },
        STRICT,
      ],
      ['does not begin with the prompt', 'anthropic', { system: 'Q', messages: [say('user')] }, STRICT],
      ['stands among the messages', 'ai-sdk', sdk(say('user'), say('system')), LOOSE],
      ['stands beside and among the messages', 'ai-sdk', sdk(say('system', 'Q'), say('user')), STRICT],
      ['is not there though there is a prompt', 'anthropic', { messages: [say('user')] }, STRICT],
      ['is not there though there is a prompt', 'ai-sdk', { messages: [say('user')] }, STRICT],
    ],
  },
  V4: {
    means: 'a conversation that does not begin with the user',
    rows: [
      ['by the assistant', 'openai-chat', [say('system', 'P'), say('assistant'), say('user')], STRICT],
      ['by a call', 'openai-chat', [say('system', 'P'), calls('a'), tool('a')], STRICT],
      ['by the assistant', 'anthropic', anthropic(say('assistant'), say('user')), STRICT],
      ['by the assistant', 'ai-sdk', sdk(say('assistant')), STRICT],
      ['by the reply to a forgotten prompt', 'openai-chat', [say('system', 'P'), say('assistant')], STRICT],
      ['by a call', 'anthropic', anthropic(uses('a'), results('a')), STRICT],
      [
        'by thinking',
        'anthropic',
        anthropic(
          say('assistant', [
            { type: 'thinking', thinking: 'hm', signature: 's' },
            { type: 'text', text: 'x' },
          ]),
        ),
        STRICT,
      ],
      ['by a call', 'ai-sdk', sdk(sdkCalls('a'), sdkResults('a')), STRICT],
      ['by a reply', 'ai-sdk', sdk(say('assistant', 'x'), say('user')), STRICT],
    ],
  },
  V5: {
    means: 'a message that is empty or reasoning alone',
    rows: [
      ['an empty assistant', 'openai-chat', [say('user'), say('assistant', null)]],
      ['a blank user', 'openai-chat', [say('user', ' \n')]],
      ['an empty system', 'openai-chat', [say('system', ''), say('user')]],
      ['reasoning alone', 'openai-chat', [say('user'), say('assistant', '', { reasoning_content: 'hm' })]],
      [
        'reasoning alone',
        'anthropic',
        anthropic(say('user'), say('assistant', [{ type: 'thinking', thinking: 'hm', signature: 's' }])),
      ],
      [
        'encrypted reasoning alone',
        'anthropic',
        anthropic(say('user'), say('assistant', [{ type: 'redacted_thinking', data: 'd' }])),
      ],
      ['no blocks', 'anthropic', anthropic(say('user', []))],
      ['reasoning alone', 'ai-sdk', sdk(say('user'), say('assistant', [{ type: 'reasoning', text: 'hm' }]))],
      ['no parts', 'ai-sdk', sdk(say('user'), say('assistant', []))],
      ['no results', 'ai-sdk', sdk(say('user'), say('tool', []))],
    ],
  },
  V6: {
    means: 'text that is not well-formed Unicode',
    rows: [
      ['in a text', 'openai-chat', [say('user', lone)]],
      ['in a part', 'openai-chat', [say('user', [{ type: 'text', text: lone }])]],
      [
        'escaped in arguments',
        'openai-chat',
        [
          say('user'),
          {
            role: 'assistant',
            content: 'x',
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"p":"\\ud83d"}' } }],
          },
          tool('a'),
        ],
      ],
      ['in a system block', 'anthropic', { system: [{ type: 'text', text: lone }], messages: [say('user')] }],
      [
        'in a key of an input',
        'anthropic',
        anthropic(
          say('user'),
          say('assistant', [{ type: 'tool_use', id: 'a', name: 'f', input: { [lone]: 1 } }]),
          results('a'),
        ),
      ],
      ['in the system prompt', 'ai-sdk', { system: lone, messages: [say('user')] }],
      [
        'deep in an input',
        'ai-sdk',
        sdk(
          say('user'),
          say('assistant', [{ type: 'tool-call', toolCallId: 'a', toolName: 'f', input: { a: [[{ b: lone }]] } }]),
          sdkResults('a'),
        ),
      ],
      [
        'in the result of a call',
        'anthropic',
        anthropic(say('user'), uses('a'), say('user', [{ type: 'tool_result', tool_use_id: 'a', content: lone }])),
      ],
      ['in a text', 'ai-sdk', sdk(say('user', lone))],
    ],
  },
  V7: {
    means: 'input and reply do not fit the window',
    rows: [
      ['by their text', 'openai-chat', [say('user', prose(100))]],
      ['by their tools', 'openai-chat', { tools: [{ name: prose(100) }], messages: [say('user', prose(100))] }],
      [
        'by their arguments',
        'openai-chat',
        [
          say('user'),
          {
            role: 'assistant',
            content: null,
            tool_calls: [
              { id: 'a', type: 'function', function: { name: 'f', arguments: JSON.stringify({ p: prose(100) }) } },
            ],
          },
          tool('a'),
        ],
      ],
      ['by their images', 'anthropic', anthropic(say('user', [base64, base64, base64, { type: 'text', text: 'x' }]))],
      [
        'by their system content',
        'anthropic',
        { system: [{ type: 'text', text: prose(100) }], messages: [say('user', 'y')] },
      ],
      [
        'by their reasoning',
        'ai-sdk',
        sdk(
          say('user'),
          say('assistant', [
            { type: 'reasoning', text: prose(100) },
            { type: 'text', text: 'x' },
          ]),
        ),
      ],
      ['by their text', 'anthropic', anthropic(say('user', prose(100)))],
      ['by their text', 'ai-sdk', sdk(say('user', prose(100)))],
      [
        'by a result',
        'ai-sdk',
        sdk(
          say('user'),
          sdkCalls('a'),
          say('tool', [
            { type: 'tool-result', toolCallId: 'a', toolName: 'f', output: { type: 'text', value: prose(100) } },
          ]),
        ),
      ],
    ],
  },
};
