// That the clients take what the adapter gives, and the adapter what the clients have, without a cast.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources';
import { createPith } from 'pith/messages';

const pith = await createPith({ limits: { contextWindow: 200_000 } });

export async function ofOpenAi(client: OpenAI, tools: ChatCompletionTool[]): Promise<string | null> {
  const chat = pith.openai('one', { system: 'one' });
  const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hello.' }];
  const { choices } = await chat.send({ model: 'gpt-5', messages, tools }, (sent) =>
    client.chat.completions.create(sent),
  );
  const [choice] = choices;
  if (choice !== undefined) messages.push(choice.message);
  const request = await chat.beforeRequest({ model: 'gpt-5', messages, stream: true as const });
  const stream = await client.chat.completions.create(request);
  for await (const chunk of stream) console.log(chunk.choices[0]?.delta.content);
  await chat.afterRun(messages);
  return choice?.message.content ?? null;
}

export async function ofAnthropic(client: Anthropic): Promise<void> {
  const chat = pith.anthropic('two');
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Hello.' }];
  const request = { model: 'claude-sonnet-4-5', max_tokens: 1_000, system: 'You help.', messages };
  const reply = await client.messages.create(await chat.beforeRequest(request));
  await chat.afterReply(reply);
  messages.push({ role: 'assistant', content: reply.content });
  await chat.afterRun(messages);
}
