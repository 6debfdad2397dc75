import fc from 'fast-check';
import { createCodec } from '../../../core/adapters/langchain/codec';
import type { LangChainMessage } from '../../../core/adapters/langchain/host-types';
import { isSame } from '../../../core/adapters/same-item';
import type { Item, NewItem } from '../../../core';

const { read, edit, write } = createCodec();
const message = (fields: object): LangChainMessage => fields as LangChainMessage;
const withIds = (items: readonly NewItem[]): readonly Item[] =>
  items.map((one, at) => ({ ...one, id: `i${at}` }) as Item);
const itemsOf = (fields: object): readonly Item[] => withIds(read(message(fields)));

/** The message without the items of which `gone` says so. */
function without(fields: object, gone: (item: Item) => boolean): object | undefined {
  return edit(
    message(fields),
    itemsOf(fields).map((item) => (gone(item) ? undefined : item)),
  );
}

const IMAGE = 'data:image/png;base64,iVBORw0KGgo=';

describe('messages', () => {
  it('are read with the text, the images and the names of files that they hold', () => {
    const content = [
      { type: 'text', text: 'Look.' },
      { type: 'image_url', image_url: { url: IMAGE } },
      { type: 'image', url: 'https://example.org/a.png' },
      { type: 'file', mimeType: 'application/pdf', data: 'JVBERi0=', metadata: { filename: 'plan.pdf' } },
      { type: 'audio', mimeType: 'audio/wav', data: 'UklGRg==' },
    ];
    expect(itemsOf({ type: 'human', content })).toMatchObject([
      {
        role: 'user',
        parts: [
          { type: 'text', text: 'Look.' },
          { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
          { type: 'image', url: 'https://example.org/a.png' },
          { type: 'text', text: '[file plan.pdf]' },
          { type: 'text', text: '[audio]' },
        ],
      },
    ]);
  });

  it('say who speaks by their type, or by a role where the type is generic', () => {
    const roleOf = (fields: object): unknown => (itemsOf({ content: 'x', ...fields })[0] as { role?: unknown })?.role;
    expect(['human', 'system', 'developer', 'ai'].map((type) => roleOf({ type }))).toEqual([
      'user',
      'system',
      'system',
      'assistant',
    ]);
    expect(roleOf({ type: 'generic', role: 'assistant' })).toBe('assistant');
    expect(itemsOf({ type: 'remove', id: 'm1', content: '' })).toEqual([]);
  });

  it('keep their blocks where a plugin changes one of them', () => {
    const image = { type: 'image_url', image_url: { url: IMAGE, detail: 'high' } };
    const mark = { cache_control: { type: 'ephemeral' } };
    const given = { type: 'human', content: [{ type: 'text', text: 'My key is 1234.', ...mark }, image] };
    const [item] = itemsOf(given) as [Extract<Item, { kind: 'message' }>];
    const parts = item.parts.map((part) => (part.type === 'text' ? { ...part, text: '[masked]' } : part));
    const edited = edit(message(given), [{ ...item, parts }]) as { readonly content: readonly unknown[] };
    expect(edited.content).toEqual([{ type: 'text', text: '[masked]', ...mark }, image]);
    expect(edited.content[1]).toBe(image);
  });

  it('of the system inside of a conversation are sent as the note of the user that they become', () => {
    const given = { type: 'system', content: 'The branch changed.' };
    const note = { ...itemsOf(given)[0], role: 'user' } as Item;
    expect(edit(message(given), [note])).toEqual({ type: 'human', content: 'The branch changed.' });
  });

  it('are copies of the class of the host, which is learned from what it has', () => {
    class HumanMessage {
      readonly lc_namespace = ['messages'];
      readonly type = 'human';
      readonly content: unknown;
      readonly lc_kwargs: object;
      constructor(fields: { readonly content: unknown }) {
        this.content = fields.content;
        this.lc_kwargs = fields;
      }
    }
    const codec = createCodec();
    const note: Item = { kind: 'message', id: 'n', role: 'user', parts: [{ type: 'text', text: 'Red.' }] };
    expect(codec.write([note])).toEqual([{ type: 'human', content: 'Red.' }]);
    const given = Object.freeze(new HumanMessage({ content: 'Hello.' }));
    codec.read(given);
    expect(codec.write([note])[0]).toEqual(new HumanMessage({ content: 'Red.' }));
    expect(codec.edit(given, [note])).toEqual(new HumanMessage({ content: 'Red.' }));
    expect(codec.edit(given, [note])).toBeInstanceOf(HumanMessage);
    expect(given.content).toBe('Hello.');
  });
});

describe('results', () => {
  const given = {
    type: 'tool',
    tool_call_id: 'c',
    name: 'read',
    status: 'error',
    content: 'long',
    artifact: { big: 1 },
  };

  it('are read with their call and whether they failed', () => {
    expect(itemsOf(given)).toMatchObject([
      { kind: 'tool_result', callId: 'c', summary: '', isError: true, content: [{ type: 'text', text: 'long' }] },
    ]);
    expect(itemsOf({ type: 'tool', tool_call_id: 'c', content: '' })[0]).not.toHaveProperty('content');
  });

  it('keep what stands beside them when they are pruned', () => {
    const pruned = { kind: 'tool_result', id: 'i', callId: 'c', summary: 'read, 4 characters' } as const;
    expect(edit(message(given), [pruned])).toEqual({ ...given, content: 'read, 4 characters' });
    const blocks = {
      ...given,
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    };
    expect(edit(message(blocks), [pruned])).toEqual({ ...given, content: 'read, 4 characters' });
  });
});

describe('replies', () => {
  const call = (id: string): object => ({ type: 'tool_call', id, name: 'read', args: { path: id } });
  const reply = {
    type: 'ai',
    id: 'msg_1',
    content: [
      { type: 'thinking', thinking: 'Both.', signature: 'sig' },
      { type: 'redacted_thinking', data: 'hidden' },
      { type: 'text', text: 'I read both.' },
      { type: 'tool_use', id: 'a', name: 'read', input: { path: 'a' } },
      { type: 'tool_use', id: 'b', name: 'read', input: { path: 'b' } },
    ],
    tool_calls: [call('a'), call('b')],
    tool_call_chunks: [
      { index: 0, id: 'a', name: 'read', args: '{"path":"a"}' },
      { index: 1, id: 'b', name: 'read', args: '{"path":"b"}' },
    ],
    additional_kwargs: {
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } },
        { id: 'b', type: 'function', function: { name: 'read', arguments: '{"path":"b"}' } },
      ],
      __openai_function_call_ids__: { a: 'fc_1' },
    },
    response_metadata: { model_name: 'm', output: [{ type: 'message', id: 'msg_1' }] },
  };

  it('are read as thinking, words and calls, each once', () => {
    expect(itemsOf(reply)).toMatchObject([
      { kind: 'reasoning', text: 'Both.', opaque: 'sig' },
      { kind: 'reasoning', opaque: 'hidden' },
      { kind: 'message', role: 'assistant', parts: [{ type: 'text', text: 'I read both.' }] },
      { kind: 'tool_call', callId: 'a', name: 'read', arguments: { path: 'a' } },
      { kind: 'tool_call', callId: 'b' },
    ]);
  });

  it('lose their thinking, and with it the ids and the copy by which the provider would ask for it', () => {
    const bare = without(reply, ({ kind }) => kind === 'reasoning') as typeof reply;
    expect(bare.content).toEqual(reply.content.slice(2));
    expect(bare.content[0]).toBe(reply.content[2]);
    expect(bare.id).toBeUndefined();
    expect(bare.response_metadata).toEqual({ model_name: 'm' });
    expect(bare.tool_calls).toEqual(reply.tool_calls);
    expect(bare.additional_kwargs).toEqual({ tool_calls: reply.additional_kwargs.tool_calls });
  });

  it('lose a call wherever it stands', () => {
    const one = without(reply, (item) => item.kind === 'tool_call' && item.callId === 'a');
    expect(JSON.stringify(one)).not.toMatch(/"id":"a"/);
    expect(one).toMatchObject({
      tool_calls: [{ id: 'b' }],
      tool_call_chunks: [{ id: 'b' }],
      additional_kwargs: { tool_calls: [{ id: 'b' }] },
    });
    const none = without(reply, ({ kind }) => kind === 'tool_call') as typeof reply;
    expect(none.additional_kwargs).toEqual({});
    expect(none.content).toEqual(reply.content.slice(0, 3));
  });

  it('have a call changed wherever it stands', () => {
    const items = itemsOf(reply).map((item) =>
      item.kind === 'tool_call' && item.callId === 'a' ? { ...item, arguments: { path: 'x' } } : item,
    );
    const edited = edit(message(reply), items) as unknown as typeof reply;
    expect(edited.content[3]).toMatchObject({ id: 'a', input: { path: 'x' } });
    expect(edited.tool_calls[0]).toMatchObject({ id: 'a', args: { path: 'x' } });
    expect(edited.tool_call_chunks[0]?.args).toBe('{"path":"x"}');
    expect(edited.additional_kwargs.tool_calls[0]?.function.arguments).toBe('{"path":"x"}');
    expect(edited.tool_calls[1]).toBe(reply.tool_calls[1]);
  });

  it('may have their reasoning beside the content, as text or as an item of the provider', () => {
    const reasoning = {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'Look.' }],
      encrypted_content: 'gA',
    };
    const given = {
      type: 'ai',
      content: 'Hi.',
      tool_calls: [],
      additional_kwargs: { reasoning, reasoning_content: 'So.' },
    };
    expect(itemsOf(given)).toMatchObject([
      { kind: 'reasoning', opaque: 'gA', provider: { openai: { itemId: 'rs_1' } } },
      { kind: 'reasoning', text: 'So.' },
      { kind: 'message' },
    ]);
    expect(without(given, ({ kind }) => kind === 'reasoning')).toMatchObject({ content: 'Hi.', additional_kwargs: {} });
  });

  it('of which nothing is sent are not there', () => {
    expect(without(reply, () => true)).toBeUndefined();
  });
});

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
const text = fc.array(fc.record({ type: fc.constant('text' as const), text: words }), { minLength: 1, maxLength: 1 });
const logged: fc.Arbitrary<Item> = fc.oneof(
  fc.record({
    kind: fc.constant('message' as const),
    id: fc.uuid(),
    role: fc.constantFrom('user' as const, 'assistant' as const),
    parts: text,
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
    isError: fc.constantFrom(true, false),
    content: text,
  }),
);

it('reads what it writes as the same', () => {
  fc.assert(
    fc.property(logged, (one) => {
      const items = write([one]).flatMap((written) => read(written));
      expect(items).toHaveLength(1);
      expect(isSame(items[0] as NewItem, one)).toBe(true);
    }),
  );
});

const block = fc.oneof(
  fc.record({ type: fc.constant('text'), text: words }),
  fc.record({ type: fc.constant('thinking'), thinking: words, signature: words }),
  fc.record({ type: fc.constant('reasoning'), reasoning: words }),
);
const reply = fc.record({
  type: fc.constant('ai'),
  content: fc.oneof(words, fc.array(block, { maxLength: 4 })),
  tool_calls: fc.uniqueArray(
    fc.record({ id: fc.uuid(), name: words, args: fc.dictionary(fc.constantFrom('a', 'b'), words) }),
    { maxLength: 3, selector: ({ id }) => id },
  ),
  additional_kwargs: fc.record({ reasoning_content: words }, { requiredKeys: [] }),
});

it('edits a reply into one that is read as what is left of it, and never changes what it was given', () => {
  fc.assert(
    fc.property(reply, fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }), (given, kept) => {
      const before = structuredClone(given);
      const items = itemsOf(given);
      const left = items.map((item, at) => (kept[at] === true ? item : undefined));
      const edited = edit(message(given), left);
      const sent = left.filter((item) => item !== undefined);
      const back = edited === undefined ? [] : read(edited);
      expect(back.map((item, at) => isSame(item, sent[at] as NewItem))).toEqual(sent.map(() => true));
      expect(given).toEqual(before);
    }),
  );
});

it('reads whatever it is given without throwing, and edits it', () => {
  const type = fc.constantFrom('human', 'ai', 'tool', 'system', 'generic', 'remove', 'function');
  const field = fc.constantFrom(
    'content',
    'role',
    'tool_calls',
    'tool_call_id',
    'additional_kwargs',
    'response_metadata',
  );
  const fields = fc.dictionary(field, fc.anything({ withBigInt: false }));
  fc.assert(
    fc.property(type, fields, fc.boolean(), (kind, given, isKept) => {
      const items = itemsOf({ type: kind, ...given });
      for (const one of items) expect(['message', 'tool_call', 'tool_result', 'reasoning']).toContain(one.kind);
      if (items.length > 0)
        edit(
          message({ type: kind, ...given }),
          items.map((item, at) => (isKept || at > 0 ? item : undefined)),
        );
    }),
  );
});
