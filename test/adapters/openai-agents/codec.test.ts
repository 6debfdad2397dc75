import fc from 'fast-check';
import { agentItemCodec } from '../../../core/adapters/openai-agents/codec';
import type { AgentItem } from '../../../core/adapters/openai-agents/agent-items';
import { isSame } from '../../../core/adapters/same-item';
import type { Item, NewItem } from '../../../core';

const { read, edit, write } = agentItemCodec;
const item = (fields: object): AgentItem => fields;
const withIds = (items: readonly NewItem[]): readonly Item[] =>
  items.map((one, at) => ({ ...one, id: `i${at}` }) as Item);

/** The one item that a message stands for. */
function only(message: AgentItem): Item {
  const items = withIds(read(message));
  expect(items).toHaveLength(1);
  return items[0] as Item;
}

/** The message with its result replaced by what prune leaves. */
function pruned(message: AgentItem): AgentItem | undefined {
  const { content: _, ...rest } = only(message) as Extract<Item, { kind: 'tool_result' }>;
  return edit(message, [rest]);
}

const IMAGE = 'data:image/png;base64,iVBORw0KGgo=';

describe('messages', () => {
  it('are read with the text, the images and the names of files that they hold', () => {
    const message = item({
      role: 'user',
      content: [
        { type: 'input_text', text: 'Look.' },
        { type: 'input_image', image: IMAGE },
        { type: 'input_image', image: 'https://example.org/a.png' },
        { type: 'input_image', image: { id: 'file-7' } },
        { type: 'input_file', file: { id: 'file-8' }, filename: 'plan.pdf' },
        { type: 'audio', audio: 'UklGRg==', transcript: 'Hello.' },
      ],
    });
    expect(only(message)).toMatchObject({
      role: 'user',
      parts: [
        { type: 'text', text: 'Look.' },
        { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
        { type: 'image', url: 'https://example.org/a.png' },
        { type: 'text', text: '[image file-7]' },
        { type: 'text', text: '[file plan.pdf]' },
        { type: 'text', text: 'Hello.' },
      ],
    });
  });

  it('keep their entries where a plugin changes one of them', () => {
    const image = { type: 'input_image', image: IMAGE, detail: 'high' };
    const message = item({ role: 'user', content: [{ type: 'input_text', text: 'My key is 1234.' }, image] });
    const read = only(message) as Extract<Item, { kind: 'message' }>;
    const parts = read.parts.map((part) => (part.type === 'text' ? { ...part, text: 'My key is [masked].' } : part));
    const edited = edit(message, [{ ...read, parts }]) as { content: readonly unknown[] };
    expect(edited.content[0]).toEqual({ type: 'input_text', text: 'My key is [masked].' });
    expect(edited.content[1]).toBe(image);
  });

  it('of the model lose their id with their words, and keep their status', () => {
    const message = item({
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Done.' }],
    });
    const changed = { ...only(message), parts: [{ type: 'text', text: 'Done, and masked.' }] } as Item;
    expect(edit(message, [changed])).toEqual({
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Done, and masked.' }],
    });
  });

  it('of the system inside of a conversation are sent as the note that they become', () => {
    const message = item({ role: 'system', content: 'The branch changed.' });
    const note = {
      ...only(message),
      role: 'user',
      parts: [{ type: 'text', text: '[System note]' }, ...partsOf(message)],
    };
    expect(edit(message, [note as Item])).toEqual({ role: 'user', content: '[System note]\n\nThe branch changed.' });
  });
});

function partsOf(message: AgentItem): readonly unknown[] {
  return (only(message) as Extract<Item, { kind: 'message' }>).parts;
}

describe('calls and results', () => {
  it.each([
    [{ type: 'function_call', callId: 'c', name: 'grep', arguments: '{"for":"x"}' }, 'grep', { for: 'x' }],
    [{ type: 'shell_call', callId: 'c', action: { commands: ['ls'] } }, 'shell', { commands: ['ls'] }],
    [{ type: 'computer_call', callId: 'c', action: { type: 'wait' } }, 'computer', { actions: [{ type: 'wait' }] }],
    [{ type: 'apply_patch_call', callId: 'c', operation: { path: 'a' } }, 'apply_patch', { path: 'a' }],
    [{ type: 'tool_search_call', providerData: { call_id: 'c' }, arguments: { q: 1 } }, 'tool_search', { q: 1 }],
  ])('%j is a call', (fields, name, args) => {
    expect(only(item(fields))).toMatchObject({ kind: 'tool_call', callId: 'c', name, arguments: args });
  });

  it('with an output of any form are read', () => {
    const result = (output: unknown): Item =>
      only(item({ type: 'function_call_result', callId: 'c', name: 'read', status: 'completed', output }));
    const text = [{ type: 'text', text: 'a' }];
    expect(result('a')).toMatchObject({ content: text, summary: 'read, 1 character: a' });
    expect(result({ type: 'text', text: 'a' })).toMatchObject({ content: text });
    expect(result([{ type: 'input_text', text: 'a' }])).toMatchObject({ content: text });
    expect(result({ type: 'image', image: { data: Uint8Array.of(1), mediaType: 'image/webp' } })).toMatchObject({
      content: [{ type: 'image', mediaType: 'image/webp', data: 'AQ==' }],
    });
    expect(result('')).toMatchObject({ summary: 'read, no output' });
  });

  it('of a shell failed where a command did', () => {
    const run = (outcome: object): Item =>
      only(item({ type: 'shell_call_output', callId: 'c', output: [{ stdout: 'out', stderr: 'err', outcome }] }));
    expect(run({ type: 'exit', exitCode: 0 })).toMatchObject({ content: [{ type: 'text', text: 'out\nerr' }] });
    expect(run({ type: 'exit', exitCode: 2 })).toMatchObject({ isError: true });
    expect(run({ type: 'timeout' })).toMatchObject({ isError: true });
  });

  it.each([
    [
      { type: 'function_call_result', name: 'read', status: 'completed', output: 'long' },
      { output: 'read, 4 characters: long' },
    ],
    [
      {
        type: 'function_call_result',
        name: 'see',
        status: 'completed',
        output: [{ type: 'input_image', image: IMAGE }],
      },
      { output: [{ type: 'input_text', text: 'see, 1 image' }] },
    ],
    [
      { type: 'shell_call_output', output: [{ stdout: 'long', stderr: '', outcome: { type: 'exit', exitCode: 1 } }] },
      { output: [{ stdout: 'shell failed, 4 characters: long', stderr: '', outcome: { type: 'exit', exitCode: 1 } }] },
    ],
    [
      { type: 'apply_patch_call_output', status: 'completed', output: 'long' },
      { output: 'apply_patch, 4 characters: long' },
    ],
    [{ type: 'tool_search_output', tools: [{ name: 'a' }] }, { tools: [] }],
  ])('%j keeps its form when it is pruned', (fields, changed) => {
    expect(pruned(item({ callId: 'c', ...fields }))).toEqual({ callId: 'c', ...fields, ...changed });
  });

  it('of a computer stay a picture when they are pruned, of a single pixel', () => {
    const message = item({
      type: 'computer_call_result',
      callId: 'c',
      output: { type: 'computer_screenshot', data: `data:image/png;base64,${'A'.repeat(10_000)}` },
    });
    const sent = only(pruned(message) as AgentItem) as Extract<Item, { kind: 'tool_result' }>;
    expect(sent.content).toEqual([{ type: 'image', mediaType: 'image/png', data: expect.any(String) as string }]);
    expect(JSON.stringify(sent).length).toBeLessThan(400);
  });
});

describe('what the provider made', () => {
  it('is reasoning with what it shows and what it hides', () => {
    const content = [{ type: 'input_text', text: 'First look.' }];
    const providerData = { encrypted_content: 'gAAAA' };
    expect(only(item({ type: 'reasoning', id: 'rs_1', content, providerData }))).toMatchObject({
      kind: 'reasoning',
      text: 'First look.',
      opaque: 'gAAAA',
    });
    expect(only(item({ type: 'reasoning', id: 'rs_1', content: [] }))).not.toHaveProperty('opaque');
  });

  it('is a call with its end where it ran the tool itself, sent as it came or not at all', () => {
    const message = item({
      type: 'hosted_tool_call',
      id: 'ws_1',
      name: 'web_search_call',
      status: 'completed',
      providerData: { type: 'web_search_call', id: 'ws_1', action: { type: 'search', query: 'x' } },
    });
    const [call, result] = withIds(read(message));
    expect(call).toMatchObject({ kind: 'tool_call', callId: 'ws_1', name: 'web_search_call' });
    expect(result).toMatchObject({
      kind: 'tool_result',
      callId: 'ws_1',
      summary: 'web_search_call, run by the provider',
    });
    expect(edit(message, [call, { ...(result as Item), summary: 'other' } as Item])).toBe(message);
    expect(edit(message, [undefined, undefined])).toBeUndefined();
  });

  it.each([
    [{ type: 'compaction', encrypted_content: 'gAAAA' }],
    [{ type: 'program', callId: 'p', code: 'print(1)' }],
    [{ type: 'tool_search_call', arguments: { q: 1 } }],
    [{ type: 'unknown', providerData: { type: 'brand_new' } }],
  ])('is kept where nobody else knows it: %j', (fields) => {
    expect(only(item(fields))).toMatchObject({ kind: 'message', role: 'assistant' });
  });
});

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
const logged: fc.Arbitrary<Item> = fc.oneof(
  fc.record({
    kind: fc.constant('message' as const),
    id: fc.uuid(),
    role: fc.constantFrom('user' as const, 'assistant' as const),
    parts: fc.array(fc.record({ type: fc.constant('text' as const), text: words }), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    kind: fc.constant('tool_call' as const),
    id: fc.uuid(),
    callId: fc.uuid(),
    name: fc.constantFrom('read', 'grep'),
    arguments: fc.dictionary(fc.constantFrom('a', 'b'), words),
  }),
  fc.record({
    kind: fc.constant('tool_result' as const),
    id: fc.uuid(),
    callId: fc.uuid(),
    summary: words,
    content: fc.array(fc.record({ type: fc.constant('text' as const), text: words }), { minLength: 1, maxLength: 1 }),
  }),
);

it('reads what it writes as the same', () => {
  fc.assert(
    fc.property(logged, (one) => {
      const [message] = write([one]);
      const [back] = read(message as AgentItem);
      const joined = one.kind === 'message' && one.role === 'user' && one.parts.length > 1;
      expect(joined || isSame(back as NewItem, one)).toBe(true);
    }),
  );
});

it('edits a message into one that is read as what it was asked for, and never changes what it was given', () => {
  fc.assert(
    fc.property(logged, words, (one, said) => {
      const message = write([one])[0] as AgentItem;
      const before = structuredClone(message);
      const text = [{ type: 'text' as const, text: said }];
      const changed: Item =
        one.kind === 'message'
          ? { ...one, parts: text }
          : one.kind === 'tool_result'
            ? { ...one, content: text }
            : { ...(one as Extract<Item, { kind: 'tool_call' }>), callId: said };
      const edited = edit(message, [changed]) as AgentItem;
      expect(isSame(read(edited)[0] as NewItem, changed)).toBe(true);
      expect(message).toEqual(before);
      expect(edit(message, [undefined])).toBeUndefined();
    }),
  );
});

it('reads whatever it is given without throwing', () => {
  const type = fc.constantFrom(
    'message',
    'reasoning',
    'function_call',
    'function_call_result',
    'shell_call_output',
    'hosted_tool_call',
    'computer_call_result',
    'tool_search_output',
    undefined,
  );
  const field = fc.constantFrom(
    'role',
    'content',
    'output',
    'callId',
    'name',
    'arguments',
    'providerData',
    'tools',
    'id',
  );
  fc.assert(
    fc.property(type, fc.dictionary(field, fc.anything({ withBigInt: false })), (kind, fields) => {
      const message = item({ type: kind, ...fields });
      const items = withIds(read(message));
      for (const one of items) expect(['message', 'tool_call', 'tool_result', 'reasoning']).toContain(one.kind);
      edit(message, items);
    }),
  );
});
