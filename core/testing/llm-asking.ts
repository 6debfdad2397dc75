/** How the checks of the contract of model clients ask, and how they look at what comes. */
import assert from 'node:assert/strict';
import { createContext } from '../context/context';
import type { LlmClient, LlmReply, LlmRequest, LlmStreamPart } from '../llm/client';
import type { Item, NewItem } from '../session/items';
import { createSession } from '../session/log-session';
import type { ToolSchema } from '../session/records';
import { Calibration } from '../tokens/calibration';
import { modelLimits } from '../tokens/model-limits';
import { createTiktoken } from '../tokens/tiktoken';
import { soon } from './contract-check';
import { userMessage } from './session-builders';

export const SYSTEM = 'You help.';

export const READ_FILE: ToolSchema = {
  name: 'read_file',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

/** A request with these items, a system prompt and one tool; nothing of it can be changed. */
export function requestOf(items: readonly NewItem[], rest: Partial<LlmRequest> = {}): LlmRequest {
  const session = createSession({ id: 'contract', now: () => 0 });
  session.record({ t: 'settings', system: SYSTEM });
  session.append(items);
  const context = createContext(session, {
    tokenizer: createTiktoken(),
    calibration: new Calibration(),
    limitsOf: modelLimits,
  }).view();
  return Object.freeze({ context, tools: Object.freeze([READ_FILE]), ...rest });
}

/** A request that says hello. */
export function hello(rest: Partial<LlmRequest> = {}): LlmRequest {
  return requestOf([userMessage('hi')], rest);
}

/** A way to get a reply. */
export interface Way {
  readonly name: 'generate' | 'stream';
  ask(client: LlmClient, request: LlmRequest): Promise<LlmReply>;
}

/** Both ways to get a reply; what holds for one holds for the other. */
export const WAYS: readonly Way[] = [
  { name: 'generate', ask: (client, request) => soon('generate ends', client.generate(request)) },
  { name: 'stream', ask: async (client, request) => replyOf(await partsOf(client.stream(request))) },
];

/** All parts of a stream, in order. */
export function partsOf(stream: AsyncIterable<LlmStreamPart>): Promise<readonly LlmStreamPart[]> {
  const collect = async (): Promise<readonly LlmStreamPart[]> => {
    const parts: LlmStreamPart[] = [];
    for await (const part of stream) parts.push(part);
    return parts;
  };
  return soon('the stream ends', collect());
}

/** The reply at the end of a stream, which is there once. */
export function replyOf(parts: readonly LlmStreamPart[]): LlmReply {
  const replies = parts.flatMap((part) => (part.type === 'reply' ? [part.reply] : []));
  assert.equal(replies.length, 1, `a stream has ${replies.length} replies`);
  const last = parts.at(-1);
  assert.equal(last?.type, 'reply', 'the last part of a stream is no reply');
  return replies[0] as LlmReply;
}

/** The text of a reply. */
export function textOf({ items }: LlmReply): string {
  const parts = items.flatMap((item) => (item.kind === 'message' ? item.parts : []));
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The calls of a reply, in order. */
export function callsOf({ items }: LlmReply): readonly (readonly [callId: string, name: string, args: unknown])[] {
  return items.flatMap((item) =>
    item.kind === 'tool_call' ? [[item.callId, item.name, item.arguments] as const] : [],
  );
}

/** What of a reply is the same each time it is made: all but the ids that a client gives. */
export function lasting({ items, ...rest }: LlmReply): object {
  const bare = items.map(({ id: _, reply: __, ...item }: Partial<Item>) => item);
  return { ...rest, items: bare };
}
