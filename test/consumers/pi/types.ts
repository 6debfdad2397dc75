// That the host takes what the adapter gives, and the adapter what the host has, without a cast.
import { Agent, agentLoop } from '@mariozechner/pi-agent-core';
import type { AgentContext, AgentLoopConfig, AgentMessage } from '@mariozechner/pi-agent-core';
import { getModel } from '@mariozechner/pi-ai';
import type { Message } from '@mariozechner/pi-ai';
import { createPith } from 'pith/pi';

declare module '@mariozechner/pi-agent-core' {
  interface CustomAgentMessages {
    notification: { readonly role: 'notification'; readonly text: string };
  }
}

const model = getModel('anthropic', 'claude-sonnet-4-5');
const pith = await createPith({ limits: { contextWindow: model.contextWindow, maxOutput: model.maxTokens } });
const agent = new Agent({ initialState: { model } });
const detach: () => void = pith.attach(agent, { sessionId: 'one' });
const other = new Agent({ transformContext: pith.transformContext({ sessionId: 'two', loop: agent }) });
other.subscribe(pith.listener({ sessionId: 'two' }));

const convertToLlm = (messages: AgentMessage[]): Message[] =>
  messages.filter((message): message is Message => message.role !== 'notification');

export async function loop(context: AgentContext): Promise<void> {
  const transformContext = pith.transformContext({
    sessionId: 'three',
    loop: { state: { ...context, model }, convertToLlm },
  });
  const config: AgentLoopConfig = { model, convertToLlm, transformContext };
  const listener = pith.listener({ sessionId: 'three' });
  for await (const event of agentLoop([], context, config)) await listener(event);
  detach();
}
