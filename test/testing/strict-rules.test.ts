import fc from 'fast-check';
import { writeAnthropic, writeOpenAiChat } from '../../core/formats';
import type { ContextView, RecordDraft } from '../../core';
import { startStrictProvider } from '../../core/testing';
import type { RequestProfile, StrictProvider, WireShape } from '../../core/testing';
import { anyText, histories } from '../arbitraries/history';
import { projected } from '../formats/write/projected';
import { BROKEN, LOOSE } from './broken-requests';
import type { Message, Rule } from './broken-requests';

const SHAPES: readonly WireShape[] = ['anthropic', 'openai-chat'];
const PROMPT = 'You are the keeper of the lighthouse.';

const running: StrictProvider[] = [];
afterEach(async () => {
  for (const provider of running.splice(0)) await provider.close();
});

async function start(shape: WireShape, profile: RequestProfile, window?: number): Promise<StrictProvider> {
  const provider = await startStrictProvider({
    shape,
    script: () => 'ok',
    profile,
    ...(window !== undefined && { window }),
  });
  running.push(provider);
  return provider;
}

async function post({ url }: StrictProvider, shape: WireShape, request: object): Promise<number> {
  const response = await fetch(`${url}${shape === 'anthropic' ? '/messages' : '/chat/completions'}`, {
    method: 'POST',
    headers: { 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({
      model: 'm',
      max_tokens: 40,
      ...(Array.isArray(request) ? { messages: request as unknown } : request),
    }),
  });
  await response.arrayBuffer();
  return response.status;
}

const rulesOf = (provider: StrictProvider): readonly string[] =>
  (provider.requests.at(-1)?.violations ?? []).map(({ rule }) => rule);

describe.each(SHAPES)('an endpoint in the shape %s refuses', (shape) => {
  for (const [rule, { means, rows }] of Object.entries(BROKEN)) {
    for (const [what, of, request, profile = LOOSE] of rows) {
      if (of !== shape) continue;
      test(`${rule}: ${means}: ${what}`, async () => {
        const provider = await start(shape, profile, rule === 'V7' ? 100 : undefined);
        expect(await post(provider, shape, request as object)).toBe(400);
        expect(rulesOf(provider)).toContain(rule);
      });
    }
  }
});

/** A context as a client of the shape writes it. */
function write(
  shape: WireShape,
  context: ContextView,
): { readonly system?: unknown; readonly messages: readonly Message[] } {
  const written =
    shape === 'anthropic' ? writeAnthropic(context) : { messages: writeOpenAiChat(context, { system: 'many' }) };
  return written as never;
}

const settings: fc.Arbitrary<readonly RecordDraft[]> = fc
  .array(anyText, { maxLength: 2 })
  .map((pins) => [
    { t: 'settings', system: PROMPT },
    ...pins.map((text): RecordDraft => ({ t: 'pin', text: text.toWellFormed() })),
  ]);

/** What breaks a rule: the messages with one thing changed, or undefined where there is nothing to change. */
type Mutation = (messages: readonly Message[], pick: number) => readonly Message[] | undefined;

const blocks = ({ content }: Message): readonly Message[] => (Array.isArray(content) ? (content as Message[]) : []);
const holds = (message: Message, type: string): boolean => blocks(message).some((block) => block['type'] === type);

/** Changes one of the messages that fit. */
function one(fits: (message: Message) => boolean, change: (message: Message) => readonly Message[]): Mutation {
  return (messages, pick) => {
    const places = messages.flatMap((message, at) => (fits(message) ? [at] : []));
    const place = places[pick % places.length];
    if (place === undefined) return undefined;
    return messages.flatMap((message, at) => (at === place ? change(message) : [message]));
  };
}

const behindSystem = (messages: readonly Message[]): number => messages.findIndex(({ role }) => role !== 'system');
const late: Mutation = (messages) =>
  behindSystem(messages) < 0 ? undefined : [...messages, { role: 'system', content: 'late' }];
const begun: Mutation = (messages) => {
  const at = behindSystem(messages);
  return at < 0 ? undefined : [...messages.slice(0, at), { role: 'assistant', content: 'Hi.' }, ...messages.slice(at)];
};
const ill = one(
  ({ role, content }) => role === 'user' && (typeof content === 'string' || Array.isArray(content)),
  (message) => [
    {
      ...message,
      content: [...(typeof message['content'] === 'string' ? [] : blocks(message)), { type: 'text', text: 'a\ud83d' }],
    },
  ],
);

const isResult = (message: Message): boolean => message['role'] === 'tool' || message['type'] === 'tool_result';
const inResults = (change: (result: Message) => readonly Message[]): Mutation =>
  one(
    (message) => holds(message, 'tool_result'),
    (message) => {
      const list = blocks(message);
      const at = list.findIndex(isResult);
      return [{ ...message, content: list.flatMap((block, place) => (place === at ? change(block) : [block])) }];
    },
  );

const MUTATIONS: Readonly<Record<WireShape, readonly (readonly [rule: Rule, what: string, mutation: Mutation])[]>> = {
  anthropic: [
    [
      'V1',
      'without the message of a call',
      one(
        (message) => holds(message, 'tool_use'),
        () => [],
      ),
    ],
    ['V2', 'without a result', inResults(() => [])],
    ['V2', 'with a result given twice', inResults((result) => [result, result])],
    ['V4', 'begun by the assistant', begun],
    ['V5', 'with a message of nothing', (messages) => [...messages, { role: 'user', content: [] }]],
    ['V6', 'with half a character', ill],
  ],
  'openai-chat': [
    [
      'V1',
      'without the message of a call',
      one(
        (message) => message['tool_calls'] !== undefined,
        () => [],
      ),
    ],
    ['V2', 'without a result', one(isResult, () => [])],
    ['V2', 'with a result given twice', one(isResult, (result) => [result, result])],
    ['V3', 'with system content at the end', late],
    ['V4', 'begun by the assistant', begun],
    ['V5', 'with a message of nothing', (messages) => [...messages, { role: 'assistant', content: '' }]],
    ['V6', 'with half a character', ill],
  ],
};

describe.each(SHAPES)('a context of any history, written as %s', (shape) => {
  const profile = { system: 'many', firstUser: true, prompt: PROMPT } as const;

  test('is taken', async () => {
    const provider = await start(shape, profile);
    await fc.assert(
      fc.asyncProperty(histories(), settings, async (items, drafts) => {
        const status = await post(provider, shape, write(shape, projected(items, ...drafts)));
        expect([status, provider.requests.at(-1)?.violations]).toEqual([200, []]);
      }),
      { numRuns: 150 },
    );
  });

  test.each(MUTATIONS[shape])('and broken, is refused: %s, %s', async (rule, _, mutation) => {
    const provider = await start(shape, profile);
    await fc.assert(
      fc.asyncProperty(histories(), settings, fc.nat(), async (items, drafts, pick) => {
        const written = write(shape, projected(items, ...drafts));
        const messages = mutation(written.messages, pick);
        fc.pre(messages !== undefined);
        expect(await post(provider, shape, { ...written, messages })).toBe(400);
        expect(rulesOf(provider)).toContain(rule);
      }),
      { numRuns: 40 },
    );
  });

  test('is refused where its system content is another, and where it is one token too long', async () => {
    const provider = await start(shape, { ...profile, prompt: `${PROMPT} And` });
    await fc.assert(
      fc.asyncProperty(histories(8), settings, async (items, drafts) => {
        const written = write(shape, projected(items, ...drafts));
        expect(await post(provider, shape, written)).toBe(400);
        expect(rulesOf(provider)).toContain('V3');
        const input = provider.requests.at(-1)!.inputTokens;
        await using full = await startStrictProvider({ shape, script: () => 'ok', profile, window: input + 39 });
        expect(await post(full, shape, written)).toBe(400);
        expect(rulesOf(full)).toEqual(['V7']);
        await using fits = await startStrictProvider({ shape, script: () => 'ok', profile, window: input + 40 });
        expect(await post(fits, shape, written)).toBe(200);
      }),
      { numRuns: 20 },
    );
  });
});
