/** The checks of the contract of model clients about requests and replies (S6.1). */
import assert from 'node:assert/strict';
import type { NewItem } from '../session/items';
import { callsOf, hello, lasting, partsOf, READ_FILE, replyOf, requestOf, SYSTEM, textOf, WAYS } from './llm-asking';
import type { ClientCheck } from './llm-client-contract';
import { extendsPrevious } from './request-segments';
import type { ScriptedReply, SeenRequest } from './script';
import { toolResult, userMessage } from './session-builders';

const TEXT = 'Grüße 🌍, all of you; I read two files now.';
const CALLS = [
  { name: 'read_file', arguments: { path: 'ä/🌍.ts' }, callId: 'call-one' },
  { name: 'read_file', arguments: {}, callId: 'call-two' },
] as const;
const REPLY: ScriptedReply = { reasoning: 'let me think', text: TEXT, calls: CALLS };

/** Whatever a strict endpoint would refuse of the requests. */
export function refusalsOf(requests: readonly SeenRequest[]): readonly string[] {
  return requests.flatMap(({ violations }) => violations.map(({ rule, message }) => `${rule}: ${message}`));
}

export const replyChecks: readonly ClientCheck[] = [
  {
    name: 'it says which model it is, what that takes, and counts with one tokenizer',
    async check(connect) {
      const { client } = await connect([]);
      assert.ok(client.model !== '' && client.profile.name !== '');
      const { contextWindow, maxOutput } = client.limits();
      for (const tokens of [contextWindow, maxOutput]) assert.ok(Number.isSafeInteger(tokens) && tokens > 0);
      assert.equal(client.tokenizer(), client.tokenizer());
      assert.ok(client.tokenizer().countText('some text') > 0);
    },
  },
  {
    name: 'system content, messages, tools and the limit of the reply reach the model as they are',
    async check(connect) {
      for (const { ask } of WAYS) {
        const { client, requests } = await connect(['Hello.']);
        await ask(client, hello({ maxOutputTokens: 1234 }));
        const [seen, ...more] = requests;
        assert.deepEqual([seen?.system, seen?.last, seen?.tools, more], [[SYSTEM], 'hi', [READ_FILE.name], []]);
        assert.ok(Object.values(seen?.body ?? {}).includes(1234), 'the limit of the reply is not in the request');
        assert.deepEqual(refusalsOf(requests), []);
      }
    },
  },
  {
    name: 'a reply has its text and its calls, each with its own id and arguments, and says why it ended',
    async check(connect) {
      for (const { ask } of WAYS) {
        const { client } = await connect([
          REPLY,
          'Done.',
          { calls: [{ name: 'read_file', arguments: '{"path": "a' }] },
        ]);
        const reply = await ask(client, hello());
        assert.deepEqual(
          [textOf(reply), callsOf(reply), reply.stop],
          [TEXT, CALLS.map(({ callId, name, arguments: args }) => [callId, name, args]), 'tool-calls'],
        );
        const last = await ask(client, hello());
        assert.deepEqual([textOf(last), callsOf(last), last.stop], ['Done.', [], 'end']);
        const [broken] = callsOf(await ask(client, hello()));
        assert.deepEqual(broken?.slice(1), ['read_file', '{"path": "a'], 'arguments that are no JSON are kept as text');
      }
    },
  },
  {
    name: 'a reply that was cut off says so, and one that was refused',
    async check(connect) {
      for (const { ask } of WAYS) {
        const { client } = await connect([
          { text: 'half of', stop: 'length' },
          { text: 'I cannot', stop: 'refusal' },
        ]);
        assert.equal((await ask(client, hello())).stop, 'length');
        assert.equal((await ask(client, hello())).stop, 'refusal');
      }
    },
  },
  {
    name: 'a stream tells the text in pieces and each call as it begins, then the reply, last and once',
    async check(connect) {
      const { client } = await connect([REPLY]);
      const parts = await partsOf(client.stream(hello()));
      const pieces = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
      assert.equal(pieces.join(''), TEXT);
      assert.ok(pieces.length > 1, 'the text came in one piece');
      const begun = parts.flatMap((part) => (part.type === 'tool-call' ? [[part.callId, part.name]] : []));
      assert.deepEqual(
        begun,
        CALLS.map(({ callId, name }) => [callId, name]),
      );
      assert.equal(textOf(replyOf(parts)), TEXT);
    },
  },
  {
    name: 'a stream ends with the very reply that generate gives',
    async check(connect) {
      const replies: object[] = [];
      for (const { ask } of WAYS) {
        const { client } = await connect([REPLY]);
        replies.push(lasting(await ask(client, hello())));
      }
      assert.deepEqual(replies[1], replies[0]);
    },
  },
  {
    name: 'replies that are sent back are taken by the model, each request being the one before and more',
    async check(connect) {
      for (const { ask } of WAYS) {
        const { client, requests } = await connect([
          REPLY,
          { reasoning: 'almost', calls: [{ name: 'read_file', arguments: { path: 'b' } }] },
          { reasoning: 'there', text: 'Done.' },
          'Again.',
        ]);
        const items: NewItem[] = [userMessage('hi')];
        for (let turn = 0; turn < 4; turn++) {
          const reply = await ask(client, requestOf(items));
          items.push(...reply.items);
          for (const [callId] of callsOf(reply)) items.push(toolResult(callId, `contents ${callId}`));
          if (reply.stop === 'end') items.push(userMessage('go on'));
        }
        assert.equal(requests.length, 4);
        assert.deepEqual(refusalsOf(requests), []);
        assert.deepEqual(extendsPrevious(requests), []);
      }
    },
  },
  {
    name: 'requests at the same time get each its own reply',
    async check(connect) {
      for (const { ask } of WAYS) {
        const { client } = await connect(({ last }) => `You said ${last}.`);
        const names = Array.from({ length: 8 }, (_, n) => `number ${n}`);
        const replies = await Promise.all(names.map((name) => ask(client, requestOf([userMessage(name)]))));
        assert.deepEqual(
          replies.map(textOf),
          names.map((name) => `You said ${name}.`),
        );
      }
    },
  },
];
