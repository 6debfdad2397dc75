import fc from 'fast-check';
import type { ContextView, Item, Json, NewItem, RecordDraft } from '../../../core';
import { createSource, readSessions, WRITERS } from '../../../core/formats';
import { writeOpenAiChat } from '../../../core/formats/write';
import { checkRequest } from '../../../core/testing';
import { anyText, histories, uniqueIds } from '../../arbitraries/history';
import { asIs, projected } from './projected';

const SHAPES = ['openai-chat', 'anthropic', 'ai-sdk'] as const;

const PROMPT = 'You are the keeper of the lighthouse.';

/** System content of every kind: the prompt, pins and the blocks of a checkpoint. */
const settings: fc.Arbitrary<readonly RecordDraft[]> = fc
  .tuple(fc.array(anyText, { maxLength: 2 }), fc.array(anyText, { maxLength: 3 }))
  .map(([pins, blocks]) => [
    { t: 'settings', system: PROMPT },
    ...pins.map((text): RecordDraft => ({ t: 'pin', text: text.toWellFormed() })),
    {
      t: 'checkpoint',
      compaction: 'c',
      blocks: blocks.map((text) => ({ kind: 'summary', text: text.toWellFormed() })),
      cut: 0,
      edits: [],
      before: 0,
      after: 0,
    },
  ]);

function write(shape: (typeof SHAPES)[number] | 'pith', context: ContextView): unknown {
  return WRITERS.find((writer) => writer.name === shape)!.write(context);
}

function readBack(shape: string, written: unknown): readonly NewItem[] {
  const text = typeof written === 'string' ? written : JSON.stringify(written);
  const [session] = readSessions(createSource('written', text), shape);
  return session!.records.flatMap((record) => (record.t === 'item' ? [record.item] : []));
}

/** One thing that was said, in the order of the conversation. */
interface Said {
  readonly kind: 'user' | 'assistant' | 'call' | 'result';
  readonly text: string;
}

function saidIn(items: Iterable<Item | NewItem>): readonly Said[] {
  const said: Said[] = [];
  for (const item of items) {
    if (item.kind === 'tool_call')
      said.push({ kind: 'call', text: `${item.callId} ${item.name} ${JSON.stringify(inputOf(item.arguments))}` });
    else if (item.kind === 'tool_result') {
      const texts = (item.content ?? []).flatMap((part) =>
        part.type === 'text' && part.text.trim() !== '' ? [part.text] : [],
      );
      const images = (item.content ?? []).some((part) => part.type === 'image');
      said.push({ kind: 'result', text: item.callId });
      for (const text of texts.length > 0 || images ? texts : [item.summary]) said.push({ kind: 'result', text });
    } else if (item.kind === 'message' && item.role !== 'system') {
      for (const part of item.parts) {
        if (part.type === 'text' && part.text.trim() !== '') said.push({ kind: item.role, text: part.text });
      }
    }
  }
  return said;
}

function inputOf(args: Json): Json {
  return typeof args === 'object' && args !== null && !Array.isArray(args) ? args : { input: args };
}

/** OpenAI messages hold the text of a reply ahead of its calls, whatever their order was. */
function textsFirst(said: readonly Said[]): readonly Said[] {
  const sorted: Said[] = [];
  const calls: Said[] = [];
  for (const one of said) {
    if (one.kind === 'call') calls.push(one);
    else {
      if (one.kind !== 'assistant') sorted.push(...calls.splice(0));
      sorted.push(one);
    }
  }
  return [...sorted, ...calls];
}

/** Whether everything expected is said, in order; shapes may join neighbours and say more. */
function missing(expected: readonly Said[], read: readonly Said[]): Said | undefined {
  let at = 0;
  let from = 0;
  for (const one of expected) {
    for (; ; at++, from = 0) {
      const said = read[at];
      if (said === undefined) return one;
      if (said.kind !== one.kind) continue;
      const found = said.text.indexOf(one.text, from);
      if (found === -1) continue;
      from = found + one.text.length;
      break;
    }
  }
  return undefined;
}

describe.each(SHAPES)('a context written as %s', (shape) => {
  test('breaks no rule of a strict endpoint, whatever the history was', () => {
    fc.assert(
      fc.property(histories(), settings, (items, drafts) => {
        const written = write(shape, projected(items, ...drafts));
        const system = shape === 'anthropic' ? 'many' : 'one';
        expect(checkRequest(shape, written, { system, firstUser: true, prompt: PROMPT })).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  test('holds every text, call and result in its order, and reads back to them', () => {
    fc.assert(
      fc.property(histories(24, uniqueIds), (items) => {
        const context = projected(items);
        fc.pre(context.length > 0);
        const said = saidIn(context.items());
        const expected = shape === 'openai-chat' ? textsFirst(said) : said;
        expect(missing(expected, saidIn(readBack(shape, write(shape, context))))).toBeUndefined();
      }),
      { numRuns: 400 },
    );
  });

  test('is well-formed, begins with the user and has no empty message, also without the repairs of the projection', () => {
    fc.assert(
      fc.property(histories(), (items) => {
        const written = WRITERS.find((writer) => writer.name === shape)!.write(asIs(items) as ContextView);
        const violations = checkRequest(shape, written, { system: 'one', firstUser: true });
        expect(violations.filter(({ rule }) => rule !== 'V1' && rule !== 'V2')).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test('holds a single huge item whole', () => {
    const huge = 'All work and no play. '.repeat(100_000);
    const items: readonly NewItem[] = [
      { kind: 'message', role: 'user', parts: [{ type: 'text', text: huge }] },
      { kind: 'message', role: 'assistant', parts: [{ type: 'text', text: 'short' }] },
    ];
    expect(saidIn(readBack(shape, write(shape, projected(items))))).toEqual([
      { kind: 'user', text: huge },
      { kind: 'assistant', text: 'short' },
    ]);
  });

  test('is empty where the context is', () => {
    const written = write(shape, projected([]));
    expect(Array.isArray(written) ? written : (written as { messages: unknown }).messages).toEqual([]);
  });
});

test('OpenAI messages hold one system message, or one for each piece where that is asked for', () => {
  fc.assert(
    fc.property(histories(8), settings, (items, drafts) => {
      const context = projected(items, ...drafts);
      const many = writeOpenAiChat(context, { system: 'many' });
      expect(checkRequest('openai-chat', many, { system: 'many', firstUser: true, prompt: PROMPT })).toEqual([]);
      expect(writeOpenAiChat(context).filter((message) => message.role === 'system')).toEqual([
        {
          role: 'system',
          content: many.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n\n'),
        },
      ]);
    }),
  );
});

test('a context written as a session file reads back to the same bytes', () => {
  fc.assert(
    fc.property(histories(), settings, (items, drafts) => {
      const context = projected(items, ...drafts);
      fc.pre(context.length > 0);
      const [session] = readSessions(createSource('s.jsonl', write('pith', context) as string));
      const again = projected([], ...session!.records);
      expect(again.system.map(({ kind, text }) => ({ kind, text }))).toEqual(
        context.system.map(({ kind, text }) => ({ kind, text })),
      );
      expect([...again.items()]).toEqual([...context.items()]);
      expect(again.digest).toBe(context.digest);
    }),
    { numRuns: 300 },
  );
});
