/** The checks of the contract of model clients about what a request took (S5.3). */
import assert from 'node:assert/strict';
import { hello, requestOf, WAYS } from './llm-asking';
import type { ClientCheck } from './llm-client-contract';
import { assistantMessage, prose, userMessage } from './session-builders';

/** A conversation that is long enough to be cached. */
const LONG = [userMessage(prose(4000)), assistantMessage('Read.'), userMessage('go on')];

export const usageChecks: readonly ClientCheck[] = [
  {
    name: 'usage is the whole prompt with its cached part, never twice',
    async check(connect) {
      for (const { ask } of WAYS) {
        const { client, requests } = await connect(['One.', 'Two.']);
        for (const n of [0, 1]) {
          const { usage } = await ask(client, requestOf(LONG));
          const seen = requests[n];
          assert.equal(usage?.inputTokens, seen?.inputTokens);
          assert.equal(usage?.cacheReadTokens ?? 0, seen?.cacheReadTokens);
          assert.ok((usage?.outputTokens ?? 0) > 0, 'the tokens of the reply are not told');
        }
        assert.ok((requests[1]?.cacheReadTokens ?? 0) > 0, 'the second request was not served from the cache');
      }
    },
  },
  {
    name: 'where the provider tells no usage there is none, rather than zeros',
    async check(connect) {
      for (const { ask } of WAYS) {
        const { client } = await connect([{ text: 'Hello.', usage: null }]);
        assert.equal((await ask(client, hello())).usage, undefined);
      }
    },
  },
];
