// That the host takes what the adapter gives, without a cast, and infers what it did without it.
import { MemorySaver } from '@langchain/langgraph';
import { createAgent, createMiddleware, FakeToolCallingModel, tool } from 'langchain';
import type { AgentMiddleware, BaseMessage } from 'langchain';
import { createPith } from 'pith/langchain';
import { z } from 'zod';

const pith = await createPith({ limits: { contextWindow: 200_000 } });
const ours: AgentMiddleware = pith.middleware();
const read = tool(({ path }) => path, { name: 'read', description: 'Reads.', schema: z.object({ path: z.string() }) });
const counts = createMiddleware({
  name: 'counts',
  stateSchema: z.object({ count: z.number().default(0) }),
  beforeModel: (state) => ({ count: state.count + 1 }),
});
const agent = createAgent({
  model: new FakeToolCallingModel({ toolCalls: [[]] }),
  tools: [read],
  contextSchema: z.object({ chat: z.string() }),
  responseFormat: z.object({ title: z.string() }),
  checkpointer: new MemorySaver(),
  middleware: [counts, pith.middleware({ sessionId: ({ configurable }) => configurable?.thread_id }), ours],
});

export async function runs(): Promise<readonly [number, string, readonly BaseMessage[]]> {
  const config = { configurable: { thread_id: 'one' }, context: { chat: 'one' } };
  const { messages, count, structuredResponse } = await agent.invoke(
    { messages: [{ role: 'user', content: 'hello' }] },
    config,
  );
  return [count, structuredResponse.title, messages];
}
