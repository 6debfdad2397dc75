/** Random histories as real logs have them: parallel calls, missing and late results, orphans, images, reasoning, any Unicode. */
import fc from 'fast-check';
import type { Json, NewItem, Part } from '../../core';

/** Text of any kind, ill-formed Unicode included. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.lorem({ maxCount: 12 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', '\n', '\ud83d', 'a\udc00b', '<|endoftext|>', '[End of summary]') },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.lorem({ maxCount: 3 }), fc.integer({ min: 50, max: 400 }))
      .map(([text, times]) => `${text} `.repeat(times)),
  },
);

const image: fc.Arbitrary<Part> = fc.record({
  type: fc.constant('image' as const),
  mediaType: fc.constant('image/png'),
  data: fc.base64String({ minLength: 4, maxLength: 64 }),
});

const parts = (maxLength: number): fc.Arbitrary<readonly Part[]> =>
  fc.array(
    fc.oneof(
      { weight: 6, arbitrary: anyText.map((text): Part => ({ type: 'text', text })) },
      { weight: 1, arbitrary: image },
    ),
    { maxLength },
  );

const toolName = fc.constantFrom('read_file', 'Bash', 'edit', 'search', 'TodoWrite');

const argumentsOf: fc.Arbitrary<Json> = fc.oneof(
  fc.record({ path: fc.constantFrom('src/a.ts', 'src/b.ts', 'README.md'), text: anyText }),
  fc.dictionary(fc.string({ maxLength: 8 }), fc.oneof(anyText, fc.integer(), fc.boolean(), fc.constant(null)), {
    maxKeys: 4,
  }),
  anyText,
);

/** What becomes of a call: a result in time, none, one too late, or two. */
const fate = fc.oneof(
  { weight: 12, arbitrary: fc.constant('answered' as const) },
  { weight: 1, arbitrary: fc.constant('missing' as const) },
  { weight: 1, arbitrary: fc.constant('late' as const) },
  { weight: 1, arbitrary: fc.constant('twice' as const) },
);

interface Call {
  readonly name: string;
  readonly args: Json;
  readonly fate: 'answered' | 'missing' | 'late' | 'twice';
  readonly content: readonly Part[] | undefined;
  readonly isError: boolean;
}

const call: fc.Arbitrary<Call> = fc.record({
  name: toolName,
  args: argumentsOf,
  fate,
  content: fc.option(parts(3), { nil: undefined }),
  isError: fc.boolean(),
});

type Step =
  | { readonly step: 'user'; readonly parts: readonly Part[] }
  | { readonly step: 'system'; readonly text: string }
  | { readonly step: 'orphan' }
  | {
      readonly step: 'reply';
      readonly named: boolean;
      readonly reasoning: string | undefined;
      readonly opaque: boolean;
      readonly parts: readonly Part[];
      readonly calls: readonly Call[];
      readonly callId: CallId;
    };

/** The id of a call by its place in the reply and in the session. */
type CallId = (at: number, number: number) => string;

const ODD_IDS = ['__proto__', 'constructor', '', 'a call/id\n'];

/** Call ids that no other call of the session has. */
export const uniqueIds: fc.Arbitrary<CallId> = fc.constant((_, number) => `c${number}`);

/** Call ids as providers give them: once in the session, anew in every reply, of an odd kind, or even twice in one reply. */
const anyIds: fc.Arbitrary<CallId> = fc.oneof(
  { weight: 12, arbitrary: uniqueIds },
  { weight: 2, arbitrary: fc.constant<CallId>((at) => `call_${at}`) },
  { weight: 1, arbitrary: fc.constant<CallId>((at) => ODD_IDS[at % ODD_IDS.length] ?? '') },
  { weight: 1, arbitrary: fc.constant<CallId>((at) => `call_${at % 2}`) },
);

const step = (callId: fc.Arbitrary<CallId>): fc.Arbitrary<Step> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ step: fc.constant('user' as const), parts: parts(2) }) },
    { weight: 1, arbitrary: fc.record({ step: fc.constant('system' as const), text: anyText }) },
    { weight: 1, arbitrary: fc.constant({ step: 'orphan' as const }) },
    {
      weight: 8,
      arbitrary: fc.record({
        step: fc.constant('reply' as const),
        named: fc.boolean(),
        reasoning: fc.option(anyText, { nil: undefined }),
        opaque: fc.boolean(),
        parts: parts(2),
        calls: fc.array(call, { maxLength: 4 }),
        callId,
      }),
    },
  );

/** Random histories of up to `maxLength` steps. */
export function histories(maxLength = 24, callId = anyIds): fc.Arbitrary<readonly NewItem[]> {
  return fc.array(step(callId), { maxLength }).map(itemsOf);
}

function itemsOf(steps: readonly Step[]): readonly NewItem[] {
  const items: NewItem[] = [];
  const late: NewItem[] = [];
  let number = 0;
  for (const [index, one] of steps.entries()) {
    if (one.step === 'user') items.push({ kind: 'message', role: 'user', parts: one.parts });
    if (one.step === 'system')
      items.push({ kind: 'message', role: 'system', parts: [{ type: 'text', text: one.text }] });
    if (one.step === 'orphan') items.push({ kind: 'tool_result', callId: `nobody-${index}`, summary: 'left over' });
    if (one.step !== 'reply') {
      items.push(...late.splice(0));
      continue;
    }
    const reply = one.named ? { reply: `r${index}` } : {};
    if (one.reasoning !== undefined) {
      items.push({ kind: 'reasoning', text: one.reasoning, ...(one.opaque && { opaque: 'c2lnbmVk' }), ...reply });
    }
    items.push({ kind: 'message', role: 'assistant', parts: one.parts, ...reply });
    const calls = one.calls.map((made, at) => ({ ...made, callId: one.callId(at, number++) }));
    for (const { callId, name, args } of calls)
      items.push({ kind: 'tool_call', callId, name, arguments: args, ...reply });
    for (const made of calls) {
      const result: NewItem = {
        kind: 'tool_result',
        callId: made.callId,
        summary: `${made.name} done`,
        ...(made.content !== undefined && { content: made.content }),
        ...(made.isError && { isError: true }),
      };
      if (made.fate === 'answered' || made.fate === 'twice') items.push(result);
      if (made.fate === 'twice') items.push(result);
      if (made.fate === 'late') late.push(result);
    }
  }
  return [...items, ...late];
}
