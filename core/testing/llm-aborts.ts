/** The checks of the contract of model clients about requests that nobody waits for any more (S6.1). */
import assert from 'node:assert/strict';
import { gate } from './bus-channel';
import { isRefused, soon } from './contract-check';
import { hello, partsOf, textOf, WAYS } from './llm-asking';
import type { ClientCheck } from './llm-client-contract';
import { prose } from './session-builders';

export const abortChecks: readonly ClientCheck[] = [
  {
    name: 'a request that was cancelled before is not sent',
    async check(connect) {
      for (const { ask } of WAYS) {
        const { client, requests } = await connect(['Hello.']);
        await isRefused(ask(client, hello({ signal: AbortSignal.abort() })), 'PITH_CANCELLED');
        assert.equal(requests.length, 0);
        assert.equal(textOf(await ask(client, hello())), 'Hello.');
      }
    },
  },
  {
    name: 'a request ends as cancelled when its signal aborts, though the model is silent, and is not sent again',
    async check(connect) {
      for (const { ask } of WAYS) {
        const [asked, answered] = [gate(), gate()];
        const { client, requests } = await connect(async () => {
          asked.open();
          await answered.opened;
          return 'Too late.';
        });
        const abort = new AbortController();
        const reply = isRefused(ask(client, hello({ signal: abort.signal })), 'PITH_CANCELLED');
        await soon('the model is asked', asked.opened);
        abort.abort(new Error('nobody waits any more'));
        try {
          await reply;
        } finally {
          answered.open();
        }
        assert.equal(requests.length, 1);
      }
    },
  },
  {
    name: 'a stream ends as cancelled when its signal aborts in the middle',
    async check(connect) {
      const abort = new AbortController();
      const { client } = await connect([{ text: prose(2000) }]);
      const stream = async function* () {
        for await (const part of client.stream(hello({ signal: abort.signal }))) {
          abort.abort();
          yield part;
        }
      };
      await isRefused(partsOf(stream()), 'PITH_CANCELLED');
    },
  },
  {
    name: 'whoever leaves a stream early is let go, and the next request is answered',
    async check(connect) {
      const { client, requests } = await connect([{ text: prose(2000) }, 'Hello.']);
      const leave = async (): Promise<void> => {
        for await (const part of client.stream(hello())) if (part.type === 'text') break;
      };
      await soon('the stream lets go', leave());
      assert.equal(requests.length, 1);
      for (const { ask } of WAYS.slice(0, 1)) assert.equal(textOf(await ask(client, hello())), 'Hello.');
    },
  },
];
