// The types of all three majors take what Pith gives, without a cast. Only compiled, never run.
import * as five from 'ai5';
import { MockLanguageModelV2 } from 'ai5/test';
import * as six from 'ai6';
import { MockLanguageModelV3 } from 'ai6/test';
import * as seven from 'ai7';
import { MockLanguageModelV4 } from 'ai7/test';
import { createMemoryStore } from 'pith';
import { createPith } from 'pith/ai-sdk';
import type { AiSdkPith } from 'pith/ai-sdk';

const pith: AiSdkPith = await createPith({ model: new MockLanguageModelV4(), store: createMemoryStore() });
await createPith({ model: new MockLanguageModelV2() });
await createPith({ model: new MockLanguageModelV3(), limits: { contextWindow: 100_000 } });
const byCall = pith.middleware({ sessionId: ({ providerOptions }) => providerOptions?.['app']?.['chat'] as string });
const steps = pith.steps({ sessionId: 'chat' });

const inputSchema = { type: 'object' } as const;
const model5 = five.wrapLanguageModel({ model: new MockLanguageModelV2(), middleware: [byCall] });
const tools5 = {
  look: five.tool({ inputSchema: five.jsonSchema<{ at: string }>(inputSchema), execute: ({ at }) => at }),
};
await five.generateText({ model: model5, tools: tools5, prompt: 'Hi', ...steps });
five.streamText({ model: model5, tools: tools5, prompt: 'Hi', ...steps });
new five.Experimental_Agent({ model: model5, tools: tools5, ...steps });

const model6 = six.wrapLanguageModel({ model: new MockLanguageModelV3(), middleware: byCall });
const tools6 = {
  look: six.tool({ inputSchema: six.jsonSchema<{ at: string }>(inputSchema), execute: ({ at }) => at }),
};
await six.generateText({ model: model6, tools: tools6, prompt: 'Hi', ...steps });
six.streamText({ model: model6, tools: tools6, prompt: 'Hi', ...steps });
new six.ToolLoopAgent({ model: model6, tools: tools6, ...steps });

const model7 = seven.wrapLanguageModel({ model: new MockLanguageModelV4(), middleware: byCall });
const tools7 = {
  look: seven.tool({ inputSchema: seven.jsonSchema<{ at: string }>(inputSchema), execute: ({ at }) => at }),
};
await seven.generateText({ model: model7, tools: tools7, prompt: 'Hi', ...steps });
seven.streamText({ model: model7, tools: tools7, prompt: 'Hi', ...steps });
new seven.ToolLoopAgent({ model: model7, tools: tools7, ...steps });

// @ts-expect-error a conversation has to be named
pith.middleware({});
// @ts-expect-error by a text
pith.steps({ sessionId: 7 });
