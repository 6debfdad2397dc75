// Models of LangChain over HTTP, against endpoints that refuse what the providers refuse.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChatAnthropic } from '@langchain/anthropic';
import { ChatOpenAI } from '@langchain/openai';
import { createPith } from 'pith/langchain';
import { startStrictProvider } from 'pith/testing';
import { CONFIG, createReader, LIMITS, listen, PROMPT, runAll } from './long-session.mjs';

const KEY = 'key-of-the-test';
const MODELS = {
  'openai-chat': (url) =>
    new ChatOpenAI({
      model: 'gpt-of-the-test',
      apiKey: KEY,
      maxRetries: 0,
      useResponsesApi: false,
      configuration: { baseURL: url },
    }),
  anthropic: (url) =>
    new ChatAnthropic({
      model: 'claude-of-the-test',
      apiKey: KEY,
      anthropicApiUrl: new URL(url).origin,
      maxRetries: 0,
      maxTokens: 4_000,
      thinking: { type: 'enabled', budget_tokens: 1_024 },
    }),
};

/** Nine or twenty-four steps for a prompt, every third with two calls, each reply after thinking. */
function createScript() {
  const steps = new Map();
  let made = 0;
  return ({ body }) => {
    const [, n] =
      JSON.stringify(body.messages)
        .match(/Task \d+(?!.*Task \d+)/s)?.[0]
        .split(' ') ?? [];
    const step = steps.get(n) ?? 0;
    steps.set(n, step + 1);
    const reasoning = `Step ${step} of task ${n}. ${'I look at it. '.repeat(30)}`;
    if (step >= (n % 2 === 1 ? 24 : 9)) return { reasoning, text: `Done with: Task ${n}` };
    const call = () => ({ name: 'read_file', arguments: { path: `src/file-${++made}.ts` } });
    return { reasoning, calls: step % 3 === 0 ? [call(), call()] : [call()] };
  };
}

for (const [shape, modelAt] of Object.entries(MODELS)) {
  for (const streams of [false, true]) {
    test(`${shape}: a long session is taken whole${streams ? ', streamed' : ''}`, async (t) => {
      const provider = await startStrictProvider({
        shape,
        script: createScript(),
        window: LIMITS.contextWindow,
        maxOutput: LIMITS.maxOutput,
        profile: { system: shape === 'anthropic' ? 'many' : 'one', prompt: PROMPT },
      });
      const pith = await createPith({ limits: LIMITS, config: CONFIG });
      t.after(() => Promise.all([pith.close(), provider.close()]));
      const { agent } = createReader({ tokens: 1_200, model: modelAt(provider.url), middleware: [pith.middleware()] });
      const told = listen(pith, provider);
      const ends = await runAll({ agent, thread: shape, runs: 4, streams, between: () => pith.idle() });

      assert.deepEqual(
        provider.requests.flatMap(({ violations }) => violations),
        [],
      );
      assert.deepEqual(
        ends,
        [0, 1, 2, 3].map((n) => `Done with: Task ${n}`),
      );
      assert.deepEqual(told.host, []);
      assert.ok(told.done.length >= 3, JSON.stringify(told.done));
    });
  }
}
