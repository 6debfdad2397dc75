import fc from 'fast-check';
import { piCodec, systemTextsOf } from '../../../core/adapters/pi/codec';
import type { PiMessage } from '../../../core/adapters/pi';
import { ShownMessages } from '../../../core/adapters/pi/shown-messages';
import { isSame } from '../../../core/adapters/same-item';
import type { Item, NewItem } from '../../../core';
import { hasContent } from '../../../core/session/well-formed';

const shown = new ShownMessages();
const codec = piCodec((one) => shown.of(one));

function message(fields: { readonly role: string; readonly [key: string]: unknown }): PiMessage {
  return fields;
}

function reply(content: readonly object[], more: object = {}): PiMessage {
  return message({
    role: 'assistant',
    content,
    api: 'anthropic-messages',
    model: 'claude',
    stopReason: 'stop',
    ...more,
  });
}

function itemsOf(one: PiMessage): readonly Item[] {
  return codec.read(one).map((item, at) => ({ ...item, id: `i${at}` }) as Item);
}

function contentOf(one: PiMessage | undefined): readonly unknown[] {
  return (one as unknown as { readonly content: readonly unknown[] }).content;
}

const THINKING = { type: 'thinking', thinking: 'Hm.', thinkingSignature: 'c2lnbmVk' };
const TEXT = { type: 'text', text: 'I look.', textSignature: 'msg_1' };
const CALL = { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'a' }, thoughtSignature: 'dGhvdWdodA==' };

describe('what the user says', () => {
  it('is read with its images, as a text or a list of blocks', () => {
    expect(codec.read(message({ role: 'user', content: 'Hello.' }))).toEqual([
      { kind: 'message', role: 'user', parts: [{ type: 'text', text: 'Hello.' }] },
    ]);
    const image = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' };
    expect(codec.read(message({ role: 'user', content: [{ type: 'text', text: 'Look.' }, image] }))).toMatchObject([
      { parts: [{ text: 'Look.' }, { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' }] },
    ]);
  });

  it('keeps its other fields where a plugin changes it', () => {
    const one = message({ role: 'user', content: 'My key is 1234.', timestamp: 7 });
    const [item] = itemsOf(one);
    const masked = { ...item, parts: [{ type: 'text', text: 'My key is [masked].' }] } as Item;
    expect(codec.edit(one, [masked])).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'My key is [masked].' }],
      timestamp: 7,
    });
  });
});

it('sends images that pi can send, and names the others', () => {
  const parts = [
    { type: 'text', text: ' ' },
    { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
    { type: 'image', mediaType: 'image/png', url: 'https://example.org/a.png' },
  ] as const;
  expect(codec.write([{ id: 'i', kind: 'message', role: 'user', parts }])).toMatchObject([
    {
      content: [
        { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
        { type: 'text', text: '[Image: https://example.org/a.png]' },
      ],
    },
  ]);
});

describe('messages of the application', () => {
  const bash = { role: 'bashExecution', command: 'make', output: 'ok', exitCode: 0 };

  it('of the kinds of the coding agent are what it shows of them', () => {
    const texts = [
      bash,
      { role: 'custom', customType: 'x', content: 'Said.' },
      { role: 'branchSummary', summary: 'Branched.' },
      { role: 'compactionSummary', summary: 'Compacted.' },
    ].map((fields) => JSON.stringify(codec.read(message(fields))));
    expect(texts.map((text) => /make|Said|Branched|Compacted/.exec(text)?.[0])).toEqual([
      'make',
      'Said',
      'Branched',
      'Compacted',
    ]);
    expect(codec.read(message({ ...bash, excludeFromContext: true }))).toEqual([]);
    expect(codec.read(message({ role: 'notification', text: 'Saved.' }))).toEqual([]);
  });

  it('are what the loop makes of them, which is asked for each of them once', async () => {
    const asked: string[] = [];
    const seen = new ShownMessages();
    const loop = {
      state: {},
      convertToLlm([one]: readonly PiMessage[]): unknown {
        asked.push(String(one?.role));
        return one?.role === 'bashExecution' ? [] : Promise.resolve([{ role: 'user', content: 'Saved.' }]);
      },
    };
    const own = [message(bash), message({ role: 'notification' })] as const;
    await seen.ask([message({ role: 'user', content: 'Hi.' }), ...own], loop as never);
    await seen.ask(own, loop as never);
    expect(asked).toEqual(['bashExecution', 'notification']);
    expect(seen.of(own[0])).toEqual([]);
    expect(seen.of(own[1])).toEqual([{ type: 'text', text: 'Saved.' }]);
  });

  it('become messages of the user where a plugin changes what they say', () => {
    const [item] = itemsOf(message(bash));
    const changed = { ...item, parts: [{ type: 'text', text: 'A command ran.' }] } as Item;
    expect(codec.edit(message(bash), [changed])).toMatchObject({ role: 'user', content: [{ text: 'A command ran.' }] });
  });
});

describe('replies', () => {
  it('are read block by block, with what binds thinking to its place', () => {
    expect(codec.read(reply([THINKING, TEXT, CALL]))).toEqual([
      { kind: 'reasoning', text: 'Hm.', opaque: 'c2lnbmVk' },
      { kind: 'message', role: 'assistant', parts: [{ type: 'text', text: 'I look.' }] },
      { kind: 'tool_call', callId: 'c1', name: 'read', arguments: { path: 'a' } },
    ]);
    const redacted = { type: 'thinking', thinking: '[redacted]', thinkingSignature: 'ZW5j', redacted: true };
    expect(codec.read(reply([redacted]))).toEqual([{ kind: 'reasoning', text: '', opaque: 'ZW5j' }]);
  });

  it('bind nothing by the name of the field that reasoning came in', () => {
    const thinking = { type: 'thinking', thinking: 'Hm.', thinkingSignature: 'reasoning_content' };
    expect(codec.read(reply([thinking]))).toEqual([{ kind: 'reasoning', text: 'Hm.' }]);
  });

  it('that failed or were aborted are not there', () => {
    expect(codec.read(reply([TEXT], { stopReason: 'error' }))).toEqual([]);
    expect(codec.read(reply([TEXT], { stopReason: 'aborted' }))).toEqual([]);
  });

  it('keep the very blocks of which nothing differs', () => {
    const one = reply([THINKING, TEXT, CALL]);
    const [, text, call] = itemsOf(one);
    const edited = codec.edit(one, [undefined, text, call]);
    expect(contentOf(edited)[0]).toBe(TEXT);
    expect(contentOf(edited)[1]).toBe(CALL);
    expect(edited).toMatchObject({ model: 'claude', stopReason: 'stop' });
    expect(codec.edit(one, [undefined, undefined, undefined])).toBeUndefined();
  });

  it('are those of another model for the Responses API where their reasoning is gone', () => {
    const one = reply([THINKING, CALL], { api: 'openai-responses', model: 'gpt-5' });
    const [thinking, call] = itemsOf(one);
    const other = { ...call, arguments: { path: 'b' } } as Item;
    expect(codec.edit(one, [thinking, other])).toMatchObject({ model: 'gpt-5' });
    expect(codec.edit(one, [undefined, call])).not.toMatchObject({ model: 'gpt-5' });
  });
});

describe('results', () => {
  const result = message({ role: 'toolResult', toolCallId: 'c1', toolName: 'read', content: [TEXT], isError: true });

  it('are read with whether they failed', () => {
    expect(codec.read(result)).toEqual([
      { kind: 'tool_result', callId: 'c1', summary: '', content: [{ type: 'text', text: 'I look.' }], isError: true },
    ]);
  });

  it('are sent as their summary where their content is gone', () => {
    const pruned = { id: 'i', kind: 'tool_result', callId: 'c1', summary: 'read, 7 characters' } as const;
    expect(codec.edit(result, [pruned])).toEqual({
      ...result,
      content: [{ type: 'text', text: 'read, 7 characters' }],
    });
  });

  it('that are written say what was called', () => {
    codec.read(reply([CALL]));
    expect(codec.write([{ id: 'i', kind: 'tool_result', callId: 'c1', summary: 'No result.' }])).toMatchObject([
      { role: 'toolResult', toolCallId: 'c1', toolName: 'read', isError: false },
    ]);
  });
});

it('writes system content as a message of the user that is known again', () => {
  const [written] = codec.system?.(['The build is red.', 'Be brief.']) ?? [];
  expect(written).toMatchObject({ role: 'user', content: [{ text: 'The build is red.' }, { text: 'Be brief.' }] });
  expect(systemTextsOf(written as PiMessage)).toEqual(['The build is red.', 'Be brief.']);
  expect(systemTextsOf({ ...(written as PiMessage) })).toBeUndefined();
});

describe('any item', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((value) => value.trim() !== '');
  const parts = fc.array(
    text.map((value) => ({ type: 'text' as const, text: value })),
    { minLength: 1, maxLength: 3 },
  );
  const item: fc.Arbitrary<NewItem> = fc.oneof(
    fc.record({ kind: fc.constant('message' as const), role: fc.constant('user' as const), parts }),
    fc.record({
      kind: fc.constant('message' as const),
      role: fc.constant('assistant' as const),
      parts: parts.map((all) => all.slice(0, 1)),
    }),
    fc.record({
      kind: fc.constant('tool_call' as const),
      callId: text,
      name: text,
      arguments: fc.dictionary(
        fc.string().filter((key) => key !== '__proto__'),
        fc.oneof(fc.integer(), text),
      ),
    }),
    fc.record({
      kind: fc.constant('tool_result' as const),
      callId: text,
      summary: fc.constant(''),
      content: parts,
    }),
  );

  it('that is written is read as the same', () => {
    fc.assert(
      fc.property(item, (one) => {
        const [written] = codec.write([{ ...one, id: 'i' } as Item]);
        const [read] = codec.read(written as PiMessage);
        expect(isSame(read as NewItem, one)).toBe(true);
        expect(hasContent(read as NewItem)).toBe(true);
      }),
    );
  });
});
