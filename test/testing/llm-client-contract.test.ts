import { PithError } from '../../core';
import type { LlmClient, LlmReply, LlmRequest, LlmStreamPart } from '../../core';
import { createScriptedModel, llmClientContract, startStrictProvider } from '../../core/testing';
import type { LlmClientUnderTest, WireShape } from '../../core/testing';
import { clientOf } from '../support/llm';
import { expectEachToFail } from './contract-can-fail';

/** The client of the AI SDK, over real HTTP. */
const overHttp = (shape: WireShape): LlmClientUnderTest => ({
  async connect(script) {
    const system = shape === 'anthropic' ? 'many' : 'one';
    const provider = await startStrictProvider({ shape, script, profile: { system } });
    return { client: clientOf(shape, provider.url), requests: provider.requests, close: () => provider.close() };
  },
});

/** The scripted model, which is a client of itself. */
const scripted: LlmClientUnderTest = {
  connect(script) {
    const client = createScriptedModel({ script });
    return { client, requests: client.requests };
  },
};

describe('the contract of model clients holds for', () => {
  describe.each(['anthropic', 'openai-chat'] as const)('the client of the AI SDK in the shape %s', (shape) => {
    test.each(llmClientContract(overHttp(shape)))('$name', ({ run }) => run());
  });
  describe('the scripted model', () => {
    test.each(llmClientContract(scripted))('$name', ({ run }) => run());
  });
});

/** The scripted model with something else in place of what it does. */
const but = (broken: (good: LlmClient) => Partial<LlmClient>): LlmClientUnderTest => ({
  connect(script) {
    const good = createScriptedModel({ script });
    return { client: { ...good, ...broken(good) }, requests: good.requests };
  },
});

/** A client whose requests are changed on the way, both ways. */
const asking = (change: (request: LlmRequest) => LlmRequest): LlmClientUnderTest =>
  but((good) => ({
    generate: (request) => good.generate(change(request)),
    stream: (request) => good.stream(change(request)),
  }));

/** A client whose replies are changed on the way, both ways. */
const replying = (change: (reply: LlmReply) => LlmReply): LlmClientUnderTest =>
  but((good) => ({
    generate: async (request) => change(await good.generate(request)),
    async *stream(request) {
      for await (const part of good.stream(request))
        yield part.type === 'reply' ? { type: 'reply', reply: change(part.reply) } : part;
    },
  }));

/** A client whose stream is changed on the way. */
const streaming = (
  change: (stream: AsyncIterable<LlmStreamPart>) => AsyncIterable<LlmStreamPart>,
): LlmClientUnderTest => but((good) => ({ stream: (request) => change(good.stream(request)) }));

/** A client whose failures are changed on the way. */
const failing = (change: (error: PithError) => Error): LlmClientUnderTest =>
  but((good) => ({
    generate: (request) => good.generate(request).catch((error: unknown) => Promise.reject(change(error as PithError))),
  }));

/** A client that sends what failed once more. */
const stubborn = but((good) => ({
  generate: (request) => good.generate(request).catch(() => good.generate(request)),
}));

describe('the contract of model clients', () => {
  expectEachToFail(llmClientContract, {
    'it says which model it is, what that takes, and counts with one tokenizer': but((good) => ({
      tokenizer: () => ({ ...good.tokenizer() }),
    })),
    'system content, messages, tools and the limit of the reply reach the model as they are': asking(
      ({ maxOutputTokens: _, ...request }) => request,
    ),
    'a reply has its text and its calls, each with its own id and arguments, and says why it ended': replying(
      (reply) => ({
        ...reply,
        items: reply.items.map((item) => (item.kind === 'tool_call' ? { ...item, callId: 'call' } : item)),
      }),
    ),
    'a reply that was cut off says so, and one that was refused': replying((reply) =>
      reply.stop === 'length' ? { ...reply, stop: 'end' } : reply,
    ),
    'a stream tells the text in pieces and each call as it begins, then the reply, last and once': streaming(
      async function* (stream) {
        for await (const part of stream) if (part.type === 'reply') yield part;
      },
    ),
    'a stream ends with the very reply that generate gives': streaming(async function* (stream) {
      for await (const part of stream)
        yield part.type === 'reply'
          ? { ...part, reply: { ...part.reply, items: part.reply.items.filter(({ kind }) => kind !== 'reasoning') } }
          : part;
    }),
    'replies that are sent back are taken by the model, each request being the one before and more': replying(
      (reply) => ({
        ...reply,
        items: reply.items.map((item) => (item.kind === 'reasoning' ? { ...item, opaque: 'lost' } : item)),
      }),
    ),
    'requests at the same time get each its own reply': but((good) => {
      let last: LlmRequest | undefined;
      return {
        async generate(request) {
          last = request;
          await Promise.resolve();
          return good.generate(last);
        },
      };
    }),
    'usage is the whole prompt with its cached part, never twice': replying(({ usage, ...reply }) => ({
      ...reply,
      ...(usage !== undefined && {
        usage: { ...usage, inputTokens: usage.inputTokens + (usage.cacheReadTokens ?? 0) },
      }),
    })),
    'where the provider tells no usage there is none, rather than zeros': replying((reply) => ({
      usage: { inputTokens: 0, outputTokens: 0 },
      ...reply,
    })),
    'each kind of failure is told by its code, after a bounded number of tries': failing(
      ({ message }) => new Error(message),
    ),
    'a limit of the rate says when to come back, and an hour is not waited for': failing(
      ({ code, message }) => new PithError(code, message),
    ),
    'what no second request can make better is sent once, and the client goes on': stubborn,
    'a connection that breaks in the middle is told as such, and no half reply is handed out': streaming(
      async function* (stream) {
        try {
          yield* stream;
        } catch {
          yield { type: 'reply', reply: { items: [], stop: 'end' } };
        }
      },
    ),
    'a reply that comes at a second try is whole; what a stream told before is declared void': but((good) => ({
      async *stream(request) {
        try {
          yield* good.stream(request);
        } catch {
          yield* good.stream(request);
        }
      },
    })),
    'a request that was cancelled before is not sent': asking(({ signal: _, ...request }) => request),
    'a request ends as cancelled when its signal aborts, though the model is silent, and is not sent again': failing(
      ({ message }) => new PithError('PITH_LLM_TRANSPORT', message),
    ),
    'a stream ends as cancelled when its signal aborts in the middle': streaming(async function* (stream) {
      try {
        yield* stream;
      } catch {
        yield { type: 'reply', reply: { items: [], stop: 'end' } };
      }
    }),
    'whoever leaves a stream early is let go, and the next request is answered': but((good) => {
      let isLeft = true;
      return {
        async *stream(request) {
          isLeft = true;
          yield* good.stream(request);
          isLeft = false;
        },
        generate: (request) => (isLeft ? Promise.reject(new Error('busy')) : good.generate(request)),
      };
    }),
  });
});
