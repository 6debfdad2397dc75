/** The checks of the contract of model clients about what goes wrong (S6.1). */
import assert from 'node:assert/strict';
import type { ErrorCode } from '../errors';
import { isRefused } from './contract-check';
import { hello, partsOf, textOf, WAYS } from './llm-asking';
import type { ClientCheck } from './llm-client-contract';
import type { LlmStreamPart } from '../llm/client';
import type { ScriptedFault } from './script';
import { prose } from './session-builders';

/** What each fault is told as. */
const CODES: Readonly<Record<Exclude<ScriptedFault, 'reset'>, ErrorCode>> = {
  overflow: 'PITH_LLM_OVERFLOW',
  'rate-limited': 'PITH_LLM_RATE_LIMITED',
  server: 'PITH_LLM_TRANSPORT',
  overloaded: 'PITH_LLM_TRANSPORT',
  auth: 'PITH_LLM_AUTH',
  request: 'PITH_LLM_REQUEST',
};
/** What no second request can make better. */
const LASTING = ['overflow', 'auth', 'request'] as const;
const HOUR_MS = 3_600_000;
/** More requests than any client makes for one reply. */
const MOST_REQUESTS = 20;

export const errorChecks: readonly ClientCheck[] = [
  {
    name: 'each kind of failure is told by its code, after a bounded number of tries',
    async check(connect) {
      for (const { ask } of WAYS)
        for (const [error, code] of Object.entries(CODES)) {
          const { client, requests } = await connect(() => ({ error: error as ScriptedFault }));
          await isRefused(ask(client, hello()), code);
          assert.ok(requests.length <= MOST_REQUESTS, `${requests.length} requests after "${error}"`);
        }
    },
  },
  {
    name: 'a limit of the rate says when to come back, and an hour is not waited for',
    async check(connect) {
      for (const { ask } of WAYS) {
        const { client } = await connect(() => ({ error: 'rate-limited', retryAfterMs: HOUR_MS }));
        const { details } = await isRefused(ask(client, hello()), 'PITH_LLM_RATE_LIMITED');
        const after = details?.['retryAfterMs'];
        assert.equal(after, HOUR_MS);
      }
    },
  },
  {
    name: 'what no second request can make better is sent once, and the client goes on',
    async check(connect) {
      for (const { ask } of WAYS)
        for (const error of LASTING) {
          const { client, requests } = await connect([{ error }, 'Hello.']);
          await isRefused(ask(client, hello()), CODES[error]);
          assert.equal(requests.length, 1, `"${error}" was tried again`);
          assert.equal(textOf(await ask(client, hello())), 'Hello.');
        }
    },
  },
  {
    name: 'a connection that breaks in the middle is told as such, and no half reply is handed out',
    async check(connect) {
      for (const { ask } of WAYS) {
        const { client } = await connect(() => ({ text: prose(200), error: 'reset' }));
        await isRefused(ask(client, hello()), 'PITH_LLM_TRANSPORT');
      }
      const { client } = await connect(() => ({ text: prose(200), error: 'reset' }));
      const parts: LlmStreamPart[] = [];
      const collected = async function* (): AsyncGenerator<LlmStreamPart> {
        for await (const part of client.stream(hello())) {
          parts.push(part);
          yield part;
        }
      };
      await isRefused(partsOf(collected()), 'PITH_LLM_TRANSPORT');
      assert.ok(!parts.some(({ type }) => type === 'reply'), 'a half reply was handed out');
    },
  },
  {
    name: 'a reply that comes at a second try is whole; what a stream told before is declared void',
    async check(connect) {
      for (const { ask } of WAYS) {
        const { client } = await connect([{ text: prose(200, 'first'), error: 'reset' }, { text: 'Second.' }]);
        const reply = await ask(client, hello()).catch((error: unknown) => error);
        // a client without retries tells the failure, which is the affair of another check
        if (!(reply instanceof Error)) assert.equal(textOf(reply as Awaited<ReturnType<typeof ask>>), 'Second.');
      }
      const { client } = await connect([{ text: prose(200, 'first'), error: 'reset' }, { text: 'Second.' }]);
      const parts = await partsOf(client.stream(hello())).catch(() => []);
      const told = parts.slice(parts.findLastIndex(({ type }) => type === 'retry') + 1);
      const text = told.map((part) => (part.type === 'text' ? part.text : '')).join('');
      if (parts.length > 0) assert.equal(text, 'Second.', 'the text of the try that failed still counts');
    },
  },
];
