// The clients of OpenAI and Anthropic in loops with Pith, against endpoints that refuse what real ones refuse.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { playLongSession, rebuilds } from './long-session.mjs';
import { readFile, TOOL } from './model.mjs';

const KEY = 'key-of-the-test';

/** The loop of the README. */
const openai = {
  shape: 'openai-chat',
  begin: () => [{ role: 'system', content: 'You help with code.' }],
  chat: (pith) => pith.openai('one'),
  async run({ chat, messages, url }) {
    const client = new OpenAI({ apiKey: KEY, baseURL: url, maxRetries: 0 });
    const tools = [{ type: 'function', function: TOOL }];
    for (;;) {
      const request = { model: 'gpt-5', messages, tools };
      const { choices } = await chat.send(request, (sent) => client.chat.completions.create(sent));
      const [{ message }] = choices;
      messages.push(message);
      if (!message.tool_calls) return chat.afterRun(messages);
      for (const { id, function: call } of message.tool_calls)
        messages.push({ role: 'tool', tool_call_id: id, content: readFile(JSON.parse(call.arguments)) });
    }
  },
};

/** A loop that streams, with the parts instead of `send`. */
const anthropic = {
  shape: 'anthropic',
  begin: () => [],
  chat: (pith) => pith.anthropic('one'),
  async run({ chat, messages, url }) {
    const client = new Anthropic({ apiKey: KEY, baseURL: new URL(url).origin, maxRetries: 0 });
    const tools = [{ name: TOOL.name, description: TOOL.description, input_schema: TOOL.parameters }];
    for (;;) {
      const request = {
        model: 'claude-of-the-test',
        max_tokens: 2_000,
        system: 'You help with code.',
        tools,
        messages,
      };
      const reply = await client.messages.stream(await chat.beforeRequest(request)).finalMessage();
      await chat.afterReply(reply);
      messages.push({ role: 'assistant', content: reply.content });
      const calls = reply.content.filter(({ type }) => type === 'tool_use');
      if (calls.length === 0) return chat.afterRun(messages);
      const content = calls.map(({ id, input }) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: readFile(input),
      }));
      messages.push({ role: 'user', content });
    }
  },
};

for (const host of [openai, anthropic]) {
  test(`${host.shape}: a long session crosses the thresholds and stays whole`, async () => {
    const { requests, compactions, failures, messages } = await playLongSession(host);
    assert.deepEqual(failures, []);
    assert.ok(compactions.length >= 3, `${compactions.length} compactions`);
    assert.equal(rebuilds(requests), compactions.length);
    const last = requests.at(-1).body.messages;
    assert.deepEqual(last.slice(-4), JSON.parse(JSON.stringify(messages.slice(-5, -1))));
  });

  test(`${host.shape}: a fresh process for each run finds what was compacted`, async () => {
    const { requests, compactions, failures } = await playLongSession(host, { isFresh: true });
    assert.deepEqual(failures, []);
    assert.ok(compactions.length >= 3, `${compactions.length} compactions`);
    assert.equal(rebuilds(requests), compactions.length);
  });
}

for (const host of [openai, anthropic]) {
  test(`${host.shape}: with a summariser that always fails the runs end all the same`, async () => {
    const { compactions, failures, messages } = await playLongSession(host, { fails: true });
    assert.deepEqual(failures, []);
    assert.deepEqual(compactions, []);
    assert.match(JSON.stringify(messages.at(-1)), /Done after/);
  });
}
