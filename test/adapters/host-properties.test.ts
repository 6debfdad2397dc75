/** Any conversation of a host, whatever it does to its messages between two requests. */
import fc from 'fast-check';
import { createMemoryStore, createTiktoken } from '../../core';
import type { Item, LogWriter, NewItem, SessionStore } from '../../core';
import { createHost } from '../../core/adapters/host-session';
import type { Host, HostSession } from '../../core/adapters/host-session';
import type { HostCodec } from '../../core/adapters/host-codec';
import { isSame } from '../../core/adapters/same-item';
import { checkIntegrity } from '../../core/context/integrity';
import { hasContent } from '../../core/session/well-formed';
import { prose } from '../../core/testing';
import { histories } from '../arbitraries/history';

/** The plainest host there can be: its messages are lists of items. */
interface Message {
  readonly items: readonly NewItem[];
}

const codec: HostCodec<Message> = {
  read: ({ items }) => items,
  edit(_, items) {
    const kept = items.filter((item) => item !== undefined);
    return kept.length === 0 ? undefined : { items: kept };
  },
  write: (items) => items.map((item) => ({ items: [item] })),
  system: (texts) =>
    texts.map((text) => ({ items: [{ kind: 'message', role: 'system', parts: [{ type: 'text', text }] }] })),
};

const tokenizer = createTiktoken();

interface Process {
  readonly host: Host;
  readonly session: HostSession<Message>;
  readonly failures: string[];
  readonly rebuilt: string[];
}

async function start(store: SessionStore, own: HostCodec<Message> = codec): Promise<Process> {
  const host = await createHost({
    store,
    limits: { contextWindow: 5_000, maxOutput: 1_000 },
    log: { level: 'error', write: () => undefined },
    config: {
      compaction: { retainedTokens: 800, autoReadBudget: 0, compactThreshold: '60%', compactRequestThreshold: '80%' },
      prune: { protectedTokens: 1_000, minSavings: 500 },
    },
  });
  const failures: string[] = [];
  const rebuilt: string[] = [];
  host.kernel.bus.on('host.failed', ({ step, message }) => void failures.push(`${step}: ${message}`));
  for (const event of ['compaction.done', 'prune.fired'] as const)
    host.kernel.bus.on(event, () => void rebuilt.push(event));
  return { host, session: host.session('one', own), failures, rebuilt };
}

/** What a model is sent, without ids. */
function bytesOf(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ items }) =>
    items.map((item) => JSON.stringify({ ...item, id: undefined, by: undefined, reply: undefined })),
  );
}

function conversation(messages: readonly Message[]): readonly Item[] {
  return (
    messages
      .flatMap(({ items }) => items)
      // What is empty within a message of the host is the host's matter.
      .filter((item) => hasContent(item as Item) && (item.kind !== 'message' || item.role !== 'system'))
      .map((item, at) => ({ ...item, id: item.id ?? `h${at}` }))
  );
}

type Act =
  | {
      readonly act: 'turn';
      readonly prompt: string;
      readonly steps: readonly number[];
      readonly tells: boolean;
      readonly ends: boolean;
    }
  | { readonly act: 'edit' | 'regenerate' | 'truncate'; readonly at: number }
  | { readonly act: 'restart' | 'rebuild' | 'repeat' };

const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant('turn' as const),
      prompt: fc.lorem({ maxCount: 5 }),
      steps: fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 4 }),
      tells: fc.boolean(),
      ends: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constantFrom('edit' as const, 'regenerate' as const, 'truncate' as const),
      at: share,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.constantFrom('restart' as const, 'rebuild' as const, 'repeat' as const) }),
  },
);

/** A host that plays acts on one conversation and looks at everything that it would send. */
class Player {
  messages: Message[] = [
    { items: [{ kind: 'message', role: 'system', parts: [{ type: 'text', text: 'You help.' }] }] },
  ];
  process: Process | undefined;
  sent: readonly Message[] = [];
  /** Whether nothing but new messages came since the last request. */
  isAppended = false;
  calls = 0;

  constructor(
    readonly store: SessionStore,
    readonly codec?: HostCodec<Message>,
  ) {}

  async play(one: Act): Promise<void> {
    const at = 'at' in one ? Math.max(1, Math.floor(one.at * this.messages.length)) : 0;
    switch (one.act) {
      case 'turn':
        return this.turn(one);
      case 'edit':
        this.isAppended = false;
        this.messages = this.messages.map((message, index) =>
          index === at && isPlain(message) ? textMessage(message, 'edited') : message,
        );
        return this.request();
      case 'regenerate':
        this.isAppended = false;
        this.messages = [...this.messages.slice(0, at).filter(isPlain), { items: [reply(`anew ${at}`)] }];
        return;
      case 'truncate':
        this.isAppended = false;
        this.messages = this.messages.slice(0, at);
        return this.request();
      case 'restart':
        await this.process?.host.close();
        if (this.process?.rebuilt.length !== this.#rebuilt) this.isAppended = false;
        this.#rebuilt = 0;
        this.process = undefined;
        this.messages = structuredClone(this.messages);
        return this.request();
      case 'rebuild':
        this.messages = structuredClone(this.messages);
        return this.request();
      case 'repeat':
        return this.request();
    }
  }

  async turn({ prompt, steps, tells, ends }: Extract<Act, { act: 'turn' }>): Promise<void> {
    this.messages = [
      ...this.messages,
      { items: [{ kind: 'message', role: 'user', parts: [{ type: 'text', text: `Do: ${prompt}` }] }] },
    ];
    for (const tokens of steps) {
      await this.request();
      const callId = `c${this.calls++}`;
      const said: readonly NewItem[] = [
        reply(`I read ${callId}.`),
        { kind: 'tool_call', callId, name: 'read_file', arguments: { path: 'a.ts' } },
      ];
      if (tells)
        await this.process?.session.afterReply({
          items: said,
          usage: { inputTokens: tokenizer.countItems(this.sent.flatMap(({ items }) => items) as readonly Item[]) },
        });
      this.messages = [
        ...this.messages,
        { items: said },
        {
          items: [
            { kind: 'tool_result', callId, summary: '', content: [{ type: 'text', text: prose(tokens, callId) }] },
          ],
        },
      ];
    }
    await this.request();
    this.messages = [...this.messages, { items: [reply(`Done after ${this.calls}.`)] }];
    if (!ends) return;
    await this.process?.session.afterRun(this.messages);
    await this.process?.host.idle();
  }

  async request(): Promise<void> {
    const process = (this.process ??= await start(this.store, this.codec));
    const before = process.rebuilt.length;
    const failed = process.failures.length;
    const had = this.#rebuilt;
    const { messages } = this;
    const { messages: sent } = await process.session.beforeRequest({ messages });
    if (this.codec !== undefined) {
      // Nothing else can be said of a Pith that breaks: the host gets what it had, or what is whole.
      expect(sent === messages || process.failures.length === failed).toBe(true);
      return expect(checkIntegrity(conversation(sent))).toEqual([]);
    }
    expect(process.failures).toEqual([]);
    expect(checkIntegrity(conversation(sent))).toEqual([]);
    for (const message of sent) {
      if (messages.includes(message)) continue;
      // What says the same as a message of the host is that message.
      expect(
        messages.filter(
          (own) =>
            own.items.length === message.items.length &&
            own.items.every((item, at) => isSame(item, message.items[at] as NewItem)),
        ),
      ).toEqual([]);
    }
    if (this.isAppended && process.rebuilt.length === before && before === had)
      expect(bytesOf(sent).slice(0, bytesOf(this.sent).length)).toEqual(bytesOf(this.sent));
    this.isAppended = true;
    this.#rebuilt = process.rebuilt.length;
    this.sent = sent;
  }

  #rebuilt = 0;
}

/** Random messages may be too large for the window, which nobody can help. */
function isOfPith(failure: string): boolean {
  return !failure.includes('It stays too large after compaction');
}

function reply(text: string): NewItem {
  return { kind: 'message', role: 'assistant', parts: [{ type: 'text', text }] };
}

function isPlain({ items }: Message): boolean {
  return items.every(({ kind }) => kind === 'message');
}

function textMessage({ items }: Message, text: string): Message {
  return {
    items: items.map((item) => (item.kind === 'message' ? { ...item, parts: [{ type: 'text', text }] } : item)),
  };
}

/** A store that keeps so many records and then breaks for a while. */
function breakingStore(after: number, times: number): SessionStore {
  const store = createMemoryStore();
  let records = 0;
  const breaks = (writer: LogWriter): LogWriter => ({
    ...writer,
    append(record) {
      if (records++ >= after && records <= after + times) throw new Error('The disk is full.');
      writer.append(record);
    },
  });
  return {
    ...store,
    create: async (id, given) => breaks(await store.create(id, given)),
    async open(id) {
      const log = await store.open(id);
      return { ...log, writer: breaks(log.writer) };
    },
  };
}

/** A codec that throws now and then. */
function breakingCodec(every: number): HostCodec<Message> {
  let asked = 0;
  const breaks = <T>(work: () => T): T => {
    if (++asked % every === 0) throw new Error('It broke.');
    return work();
  };
  return {
    read: (message) => breaks(() => codec.read(message)),
    edit: (message, items) => breaks(() => codec.edit(message, items)),
    write: (items) => breaks(() => codec.write(items)),
    system: (texts) => breaks(() => codec.system?.(texts) ?? []),
  };
}

describe('any conversation', () => {
  it('is the own one of the host, or whole, where Pith breaks at any point', async () => {
    const broken = fc.record({
      after: fc.nat(120),
      times: fc.integer({ min: 1, max: 40 }),
      every: fc.integer({ min: 2, max: 60 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 8 }), broken, async (acts, { after, times, every }) => {
        const player = new Player(breakingStore(after, times), breakingCodec(every));
        for (const one of acts) await player.play(one);
        await player.process?.host.close().catch(() => undefined);
      }),
      { numRuns: 60 },
    );
  });

  it('is whole, by reference, extends the last request and never fails', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 14 }), async (acts) => {
        const player = new Player(createMemoryStore());
        try {
          for (const one of acts) await player.play(one);
        } finally {
          await player.process?.host.close();
        }
      }),
      { numRuns: 120 },
    );
  });

  it('costs nothing more where the same request is made again, here or in a fresh process', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 10 }), async (acts) => {
        const player = new Player(createMemoryStore());
        for (const one of acts) await player.play(one);
        await player.request();
        await player.process?.host.idle();
        await player.request();
        const { sent, process } = player;
        const before = (await player.store.list()).length;
        await player.play({ act: 'repeat' });
        expect(player.sent).toEqual(sent);
        await process?.host.close();
        await player.play({ act: 'restart' });
        expect(bytesOf(player.sent)).toEqual(bytesOf(sent));
        expect(player.process?.rebuilt).toEqual([]);
        expect(await player.store.list()).toHaveLength(before);
        await player.process?.host.close();
      }),
      { numRuns: 30 },
    );
  });

  it('is whole whatever its messages hold', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(histories(6), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 4 }),
        async (parts, size) => {
          const store = createMemoryStore();
          const process = await start(store);
          const messages: Message[] = [];
          for (const items of parts) {
            for (let at = 0; at < items.length; at += size) messages.push({ items: items.slice(at, at + size) });
            const { messages: sent } = await process.session.beforeRequest({ messages: [...messages] });
            expect(process.failures.filter(isOfPith)).toEqual([]);
            expect(checkIntegrity(conversation(sent))).toEqual([]);
          }
          const logs = (await store.list()).length;
          const again = await process.session.beforeRequest({ messages: structuredClone(messages) });
          expect(process.failures.filter(isOfPith)).toEqual([]);
          expect(checkIntegrity(conversation(again.messages))).toEqual([]);
          expect(await store.list()).toHaveLength(logs);
          await process.host.close();
        },
      ),
      { numRuns: 150 },
    );
  });
});
