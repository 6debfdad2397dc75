import { z } from 'zod';
import { createMemoryStore } from '../../../core';
import type { SessionRecord } from '../../../core';
import { createPith } from '../../../core/adapters/langchain';
import type { LangChainRequest } from '../../../core/adapters/langchain';
import { schemasOf } from '../../../core/adapters/langchain/tool-schemas';

const look = { name: 'look', description: 'Looks.', schema: z.object({ at: z.string() }) };

function requestOf(fields: Partial<LangChainRequest> = {}): LangChainRequest {
  return {
    model: { model: 'gpt-5' },
    messages: [{ type: 'human', content: 'Hello.' }],
    systemMessage: { type: 'system', content: [{ type: 'text', text: 'You help.' }] },
    tools: [look],
    runtime: { configurable: { thread_id: 'one' } },
    ...fields,
  };
}

const REPLY = { type: 'ai', content: 'Hi.', usage_metadata: { input_tokens: 900, output_tokens: 2 } };

/** The records of what one request leaves behind. */
async function recordsOf(fields: Partial<LangChainRequest>): Promise<readonly SessionRecord[]> {
  const store = createMemoryStore();
  const pith = await createPith({ store });
  const { wrapModelCall, afterAgent } = pith.middleware();
  const request = requestOf(fields);
  await wrapModelCall(request, () => REPLY);
  await afterAgent({ messages: [...request.messages, REPLY] }, request.runtime);
  await pith.close();
  return (await store.open('one')).records;
}

it('hands over the very request where nothing of it changes', async () => {
  const pith = await createPith();
  const request = requestOf();
  const sent: unknown[] = [];
  const reply = await pith.middleware().wrapModelCall(request, (asked) => {
    sent.push(asked);
    return REPLY;
  });
  expect(sent[0]).toBe(request);
  expect(reply).toBe(REPLY);
  await pith.close();
});

it.each([
  ['its own', { model: 'gpt-5' }],
  ['an older field', { modelName: 'gpt-5' }],
  ['a model that it wraps', { bound: { model: 'gpt-5' } }],
  ['what it is configured with', { _defaultConfig: { model: 'gpt-5' } }],
])('knows the name of the model by %s', async (_, model) => {
  const records = await recordsOf({ model });
  expect(JSON.stringify(records)).toContain('"model":"gpt-5"');
});

it('records prompt, tools, reply and usage of a run, and its end', async () => {
  const records = await recordsOf({});
  const told = JSON.stringify(records);
  expect(told).toContain('You help.');
  expect(told).toContain('"look"');
  expect(told).toContain('"inputTokens":900');
  expect(records.filter(({ t }) => t === 'item')).toHaveLength(2);
  expect(records.find(({ t }) => t === 'run')).toMatchObject({ outcome: 'finished' });
});

it('ends the run as failed where the model fails, and passes the error on', async () => {
  const store = createMemoryStore();
  const pith = await createPith({ store });
  const error = new Error('503 overloaded');
  const asked = pith.middleware().wrapModelCall(requestOf(), () => Promise.reject(error));
  await expect(asked).rejects.toBe(error);
  await pith.close();
  expect((await store.open('one')).records.find(({ t }) => t === 'run')).toMatchObject({ outcome: 'failed' });
});

describe('tools', () => {
  const parameters = { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] };

  it('tell their schema by themselves, as JSON Schema, or in the form of a provider', () => {
    const [own, json, hosted, named] = schemasOf([
      look,
      { name: 'look', description: 'Looks.', schema: parameters },
      { type: 'function', function: { name: 'look', description: 'Looks.', parameters } },
      { type: 'web_search_1', name: 'web_search' },
    ]);
    expect(own).toMatchObject({ name: 'look', description: 'Looks.', parameters });
    expect(json).toEqual({ name: 'look', description: 'Looks.', parameters });
    expect(hosted).toEqual({ name: 'look', description: 'Looks.', parameters });
    expect(named).toEqual({ name: 'web_search' });
  });

  it('with a schema that cannot tell itself are known by their name', () => {
    const mute = { '~standard': { version: 1, vendor: 'other', validate: () => ({ value: 1 }) } };
    expect(schemasOf([{ name: 'look', schema: mute }])).toEqual([{ name: 'look' }]);
  });

  it('are read once as long as they are the same list', () => {
    const tools = [look];
    expect(schemasOf(tools)).toBe(schemasOf(tools));
  });
});
