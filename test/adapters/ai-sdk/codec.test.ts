import fc from 'fast-check';
import { codecBeside, codecOf } from '../../../core/adapters/ai-sdk/codec';
import type { AiSdkMessage, AiSdkPart } from '../../../core/adapters/ai-sdk/host-types';
import type { ModelVersion } from '../../../core/llm/language-model';
import type { Item, NewItem } from '../../../core/session/items';

const VERSIONS: readonly ModelVersion[] = ['v2', 'v3', 'v4'];
const codec = codecOf('v3');
const PNG = 'aGVsbG8=';

/** A part as the SDK gives it. */
const part = (fields: object): AiSdkPart => fields as AiSdkPart;
const withIds = (items: readonly NewItem[]): readonly Item[] =>
  items.map((item, at) => ({ ...item, id: `i${at}` }) as Item);

describe('Reading', () => {
  test('gives one item for each part of a reply, with what goes back to its provider', () => {
    const content = [
      part({ type: 'reasoning', text: 'Hm.', providerOptions: { anthropic: { signature: 'c2ln' } } }),
      part({ type: 'text', text: 'Look.', providerOptions: { openai: { itemId: 'm1' } } }),
      part({ type: 'source', sourceType: 'url', url: 'https://example.org' }),
      part({ type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: { path: 'a' } }),
    ];
    expect(codec.read({ role: 'assistant', content })).toEqual([
      { kind: 'reasoning', text: 'Hm.', opaque: 'c2ln', provider: { anthropic: { type: 'thinking' } } },
      {
        kind: 'message',
        role: 'assistant',
        parts: [{ type: 'text', text: 'Look.' }],
        provider: { openai: { itemId: 'm1' } },
      },
      { kind: 'tool_call', callId: 'c1', name: 'read', arguments: { path: 'a' } },
    ]);
  });

  test('keeps encrypted reasoning once, for the provider that gave it', () => {
    const openai = { itemId: 'r1', reasoningEncryptedContent: 'ZW5j' };
    const [item] = codec.read({
      role: 'assistant',
      content: [part({ type: 'reasoning', text: '', providerOptions: { openai } })],
    });
    expect(item).toEqual({ kind: 'reasoning', opaque: 'ZW5j', provider: { openai: { itemId: 'r1' } } });
  });

  test('takes what no version of the SDK has words for as reasoning, which goes with its reply', () => {
    const content = [
      part({ type: 'custom', kind: 'acme.state', providerOptions: { acme: { state: 's' } } }),
      part({ type: 'custom', kind: 'acme.nothing' }),
    ];
    expect(codec.read({ role: 'assistant', content })).toEqual([
      { kind: 'reasoning', provider: { acme: { state: 's' } } },
    ]);
  });

  test.each([
    [{ type: 'text', value: 'done' }, [{ type: 'text', text: 'done' }], undefined],
    [{ type: 'json', value: { ok: 1 } }, [{ type: 'text', text: '{"ok":1}' }], undefined],
    [{ type: 'error-text', value: 'no' }, [{ type: 'text', text: 'no' }], true],
    [{ type: 'execution-denied', reason: 'not today' }, [{ type: 'text', text: 'not today' }], true],
    [{ type: 'text', value: '' }, undefined, undefined],
    [
      { type: 'content', value: [{ type: 'media', data: PNG, mediaType: 'image/png' }] },
      [{ type: 'image', mediaType: 'image/png', data: PNG }],
      undefined,
    ],
    [
      { type: 'content', value: [{ type: 'file', data: { type: 'data', data: PNG }, mediaType: 'image/png' }] },
      [{ type: 'image', mediaType: 'image/png', data: PNG }],
      undefined,
    ],
  ])('understands what a tool gave: %j', (output, content, isError) => {
    const result = part({ type: 'tool-result', toolCallId: 'c1', toolName: 'read', output });
    const [item] = codec.read({ role: 'tool', content: [result, part({ type: 'tool-approval-response' })] });
    expect(item).toEqual({ kind: 'tool_result', callId: 'c1', summary: '', ...(content && { content }), isError });
  });

  test('reads one output for each call that was given it', () => {
    const output = { type: 'text', value: 'same' };
    const results = ['c1', 'c2', 'c1'].map((toolCallId) =>
      part({ type: 'tool-result', toolCallId, toolName: 'r', output }),
    );
    const items = codec.read({ role: 'tool', content: results });
    expect(items.map((item) => item.kind === 'tool_result' && item.callId)).toEqual(['c1', 'c2', 'c1']);
  });

  test.each([
    [{ type: 'image', image: PNG, mediaType: 'image/png' }],
    [{ type: 'image', image: new Uint8Array(Buffer.from('hello')), mediaType: 'image/png' }],
    [{ type: 'file', data: new Uint8Array(Buffer.from('hello')), mediaType: 'image/png' }],
    [{ type: 'file', data: { type: 'data', data: new Uint8Array(Buffer.from('hello')) }, mediaType: 'image/png' }],
    [{ type: 'file', data: `data:image/png;base64,${PNG}`, mediaType: 'image/png' }],
  ])('takes the bytes of an image however they come', (image) => {
    expect(codec.read({ role: 'user', content: [part(image)] })).toEqual([
      { kind: 'message', role: 'user', parts: [{ type: 'image', mediaType: 'image/png', data: PNG }] },
    ]);
  });

  test.each([
    [{ type: 'file', data: new URL('https://example.org/a.png'), mediaType: 'image/*' }],
    [{ type: 'file', data: { type: 'url', url: new URL('https://example.org/a.png') }, mediaType: 'image' }],
  ])('takes the address of an image', (image) => {
    expect(codec.read({ role: 'user', content: [part(image)] })).toEqual([
      {
        kind: 'message',
        role: 'user',
        parts: [{ type: 'image', mediaType: 'image/*', url: 'https://example.org/a.png' }],
      },
    ]);
  });

  test('names files that are no images, and gives the text of those that have one', () => {
    const content = [
      part({ type: 'file', data: 'JVBERg==', mediaType: 'application/pdf', filename: 'a.pdf' }),
      part({ type: 'file', data: { type: 'text', text: 'plain' }, mediaType: 'text/plain' }),
    ];
    const [item] = codec.read({ role: 'user', content });
    expect(item).toMatchObject({
      parts: [{ text: '[file a.pdf of application/pdf]' }, { text: '[file  of text/plain]\nplain' }],
    });
  });

  test('finds nothing in what says nothing', () => {
    expect(codec.read({ role: 'user', content: [] })).toEqual([]);
    expect(codec.read({ role: 'assistant', content: '' })).toEqual([]);
    expect(codec.read({ role: 'tool', content: [part({ type: 'tool-approval-response' })] })).toEqual([]);
    expect(codec.read({ role: 'system', content: '' })).toEqual([]);
  });
});

describe('Editing', () => {
  const reply: AiSdkMessage = {
    role: 'assistant',
    content: [
      part({ type: 'reasoning', text: 'Hm.' }),
      part({ type: 'text', text: 'Look.' }),
      part({ type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: {} }),
    ],
  };
  const results: AiSdkMessage = {
    role: 'tool',
    content: ['c1', 'c2'].map((toolCallId) =>
      part({
        type: 'tool-result',
        toolCallId,
        toolName: 'read',
        output: { type: 'json', value: { lines: 'many' } },
        providerOptions: { acme: { cached: true } },
      }),
    ),
  };

  test('drops parts, and leaves the others the very objects that they were', () => {
    const [, text, call] = withIds(codec.read(reply));
    const edited = codec.edit(reply, [undefined, text, call]);
    expect(edited?.content).toEqual(reply.content.slice(1));
    expect(edited?.content[0]).toBe(reply.content[1]);
    expect(codec.edit(reply, [undefined, undefined, undefined])).toBeUndefined();
  });

  test('puts the summary in place of what a result held, and keeps what else the part says', () => {
    const [first, second] = withIds(codec.read(results));
    const { content: _, ...pruned } = {
      ...(first as Extract<Item, { kind: 'tool_result' }>),
      summary: 'read, 20 lines',
    };
    const edited = codec.edit(results, [pruned, second]);
    expect(edited?.content).toEqual([
      { ...(results.content[0] as object), output: { type: 'text', value: 'read, 20 lines' } },
      results.content[1],
    ]);
    expect(edited?.content[1]).toBe(results.content[1]);
  });

  test('marks what is an error, and shows the images that are left, in the words of each version', () => {
    const failed: Item = { kind: 'tool_result', id: 'i', callId: 'c1', summary: 'no', isError: true };
    const [, second] = withIds(codec.read(results));
    expect(codec.edit(results, [failed, second])?.content[0]).toMatchObject({
      output: { type: 'error-text', value: 'no' },
    });
    const image = { type: 'image', mediaType: 'image/png', data: PNG } as const;
    const shown: Item = { kind: 'tool_result', id: 'i', callId: 'c1', summary: 's', content: [image] };
    const piece = (version: ModelVersion): unknown => codecOf(version).edit(results, [shown, second])?.content[0];
    expect(piece('v2')).toMatchObject({ output: { value: [{ type: 'media', data: PNG }] } });
    expect(piece('v3')).toMatchObject({ output: { value: [{ type: 'image-data', data: PNG }] } });
    expect(piece('v4')).toMatchObject({ output: { value: [{ type: 'file', data: { type: 'data', data: PNG } }] } });
  });

  test('shortens what a user said, and leaves the files', () => {
    const pdf = part({ type: 'file', data: 'JVBERg==', mediaType: 'application/pdf' });
    const png = part({ type: 'file', data: PNG, mediaType: 'image/png', providerOptions: { acme: {} } });
    const message: AiSdkMessage = { role: 'user', content: [part({ type: 'text', text: 'a long story' }), png, pdf] };
    const image = { type: 'image', mediaType: 'image/png', data: PNG } as const;
    const short: Item = { kind: 'message', id: 'i', role: 'user', parts: [{ type: 'text', text: 'a story' }, image] };
    const edited = codec.edit(message, [short]);
    expect(edited).toEqual({ role: 'user', content: [{ type: 'text', text: 'a story' }, png, pdf] });
    expect(edited?.content[1]).toBe(png);
  });

  test('writes a text where the message has one, and parts where the other role needs them', () => {
    const said = (role: 'user' | 'assistant', text: string): Item => ({
      kind: 'message',
      id: 'i',
      role,
      parts: [{ type: 'text', text }],
    });
    expect(codec.edit({ role: 'user', content: 'a' }, [said('user', 'b')])).toEqual({ role: 'user', content: 'b' });
    expect(codec.edit({ role: 'assistant', content: 'a' }, [said('assistant', 'b')])).toEqual({
      role: 'assistant',
      content: 'b',
    });
    expect(codec.edit({ role: 'system', content: 'a' }, [said('user', 'note')])).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'note' }],
    });
  });
});

describe('Writing', () => {
  test('gives messages that either side takes, without a beginning of their own', () => {
    const items = withIds([
      { kind: 'message', role: 'assistant', parts: [{ type: 'text', text: 'So.' }] },
      { kind: 'message', role: 'user', parts: [{ type: 'text', text: 'And?' }] },
    ]);
    expect(codec.write(items)).toEqual([
      { role: 'assistant', content: [{ type: 'text', text: 'So.' }] },
      { role: 'user', content: [{ type: 'text', text: 'And?' }] },
    ]);
  });

  test('has system content as messages, or beside them', () => {
    expect(codec.system?.(['a', 'b'])).toEqual([
      { role: 'system', content: 'a' },
      { role: 'system', content: 'b' },
    ]);
    expect(codecBeside('v4').system).toBeUndefined();
  });
});

const texts = fc.string({ minLength: 1, maxLength: 12, unit: 'binary' });
const replyPart = fc.oneof(
  texts.map((text) => part({ type: 'text', text })),
  texts.map((text) => part({ type: 'reasoning', text, providerOptions: { acme: { key: text } } })),
  fc
    .tuple(texts, fc.json())
    .map(([toolCallId, json]) =>
      part({ type: 'tool-call', toolCallId, toolName: 'read', input: JSON.parse(json) as unknown }),
    ),
  fc.constantFrom(
    part({ type: 'source', id: 's' }),
    part({ type: 'custom', kind: 'a.b', providerOptions: { a: { b: 1 } } }),
  ),
);
const output = fc.oneof(
  texts.map((value) => ({ type: 'text', value })),
  fc.json().map((json) => ({ type: 'json', value: JSON.parse(json) as unknown })),
  texts.map((text) => ({ type: 'content', value: [{ type: 'text', text }] })),
);
const message: fc.Arbitrary<AiSdkMessage> = fc.oneof(
  fc.array(replyPart, { minLength: 1 }).map((content) => ({ role: 'assistant' as const, content })),
  fc.array(fc.tuple(texts, output), { minLength: 1 }).map((given) => ({
    role: 'tool' as const,
    content: given.map(([toolCallId, value]) =>
      part({ type: 'tool-result', toolCallId, toolName: 'r', output: value }),
    ),
  })),
  texts.map((content) => ({ role: 'user' as const, content })),
  fc.array(texts, { minLength: 1 }).map((all) => ({
    role: 'user' as const,
    content: all.map((text) => part({ type: 'text', text })),
  })),
);

test('property: an edit that changes nothing keeps every part the very object, whatever the message holds', () => {
  fc.assert(
    fc.property(message, fc.constantFrom(...VERSIONS), (given, version) => {
      const frozen = Object.freeze({ ...given });
      const items = withIds(codecOf(version).read(frozen));
      const edited = codecOf(version).edit(frozen, items);
      if (items.length === 0) return expect(edited).toBeUndefined();
      expect(edited).toEqual(given);
      if (typeof given.content !== 'string') given.content.forEach((one, at) => expect(edited?.content[at]).toBe(one));
    }),
  );
});

test('property: an edit drops what is dropped, and reads back as what was left', () => {
  fc.assert(
    fc.property(message, fc.array(fc.boolean(), { minLength: 20, maxLength: 20 }), (given, keeps) => {
      const read = codec.read(given);
      const sent = withIds(read).map((item, at) => (keeps[at % keeps.length] === true ? item : undefined));
      const edited = codec.edit(given, sent);
      const left = read.filter((_, at) => sent[at] !== undefined);
      expect(edited === undefined ? [] : codec.read(edited)).toEqual(left);
    }),
  );
});
