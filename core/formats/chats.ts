/** Finding the conversations in a file of chat messages: bare arrays, requests and their logs, data sets, trajectories (S12.3). */
import type { Source } from './format';
import { partsOf } from './parts';
import { fieldsOf, isFields, listOf, stringOf, textOf } from './shape';
import type { Fields } from './shape';

/** One list of messages with what stands around it. */
export interface Chat {
  readonly messages: readonly unknown[];
  readonly id: string | undefined;
  readonly system: unknown;
  readonly tools: unknown;
  readonly model: unknown;
  /** The reply of the model to the messages, where a log holds it. */
  readonly response: Fields | undefined;
  /** Whether user messages behind the first reply are output of tools, as in trajectories of agents that act in plain text. */
  readonly observes: boolean;
  /** Whether what stands around the messages leaves no doubt that they are OpenAI chat messages. */
  readonly certain: boolean;
}

/** What a list of messages is made of; enough to tell the formats apart. */
export interface ChatTraits {
  readonly roles: ReadonlySet<string>;
  /** Names of the fields of all messages. */
  readonly fields: ReadonlySet<string>;
  /** Types of the blocks in all contents and parts; an image also as `image.source` or `image.image`. */
  readonly blocks: ReadonlySet<string>;
}

/** Every conversation of a source, in its order. */
export function chatsOf(source: Source): readonly Chat[] {
  const { json } = source;
  return chatsIn(json === undefined ? source.lines.values : json);
}

/** The traits of the first conversation of a source that has messages, with the conversation. */
export function firstChat(source: Source): { readonly chat: Chat; readonly traits: ChatTraits } | undefined {
  const chat = chatsOf(source).find(({ messages }) => messages.some(isMessage));
  return chat && { chat, traits: traitsOf(chat.messages) };
}

/**
 * Takes the system content off the head of a conversation: what stands beside the messages and the system messages that
 * they begin with, joined by blank lines.
 */
export function splitSystem(
  chat: Chat,
  isSystem: (message: Fields) => boolean,
): { readonly system: string; readonly rest: readonly Fields[] } {
  const messages = chat.messages.map(fieldsOf);
  const found = messages.findIndex((message) => !isSystem(message));
  const head = found === -1 ? messages.length : found;
  const beside = listOf(chat.system).map((entry) => fieldsOf(entry).content ?? entry);
  const contents = [
    beside.length === 0 ? chat.system : beside,
    ...messages.slice(0, head).map(({ content, parts }) => content ?? parts),
  ];
  const texts = contents.flatMap(partsOf).map((part) => (part.type === 'text' ? part.text : '[image]'));
  return { system: texts.join('\n\n'), rest: messages.slice(head) };
}

/** How many messages and blocks of each are looked at to tell the format. */
const SAMPLE = 500;

function traitsOf(messages: readonly unknown[]): ChatTraits {
  const roles = new Set<string>();
  const fields = new Set<string>();
  const blocks = new Set<string>();
  for (const value of messages.slice(0, SAMPLE)) {
    const message = fieldsOf(value);
    if (typeof message.role === 'string') roles.add(message.role);
    for (const name of Object.keys(message)) if (message[name] !== null) fields.add(name);
    for (const block of [...listOf(message.content).slice(0, SAMPLE), ...listOf(message.parts).slice(0, SAMPLE)]) {
      const { type, source, image } = fieldsOf(block);
      if (typeof type !== 'string') continue;
      blocks.add(type);
      if (source !== undefined) blocks.add(`${type}.source`);
      if (image !== undefined) blocks.add(`${type}.image`);
    }
  }
  return { roles, fields, blocks };
}

function chatsIn(value: unknown): readonly Chat[] {
  if (Array.isArray(value)) {
    const list = value as readonly unknown[];
    const first = list.find(isFields);
    if (first === undefined || isMessage(first)) return [chatOf(list, {})];
    return list.flatMap((entry) => (isFields(entry) ? chatsIn(entry) : []));
  }
  const body = fieldsOf(value);
  const { messages, traj, history } = body;
  if (Array.isArray(messages)) return [chatOf(messages, body)];
  if (Array.isArray(traj) && 'task_id' in body) {
    const trial = body.trial === undefined ? '' : `-trial-${textOf(body.trial)}`;
    return [{ ...chatOf(traj, body), id: `task-${textOf(body.task_id)}${trial}`, certain: true }];
  }
  if (Array.isArray(history) && Array.isArray(body.trajectory)) {
    return [{ ...chatOf(history, body), observes: true, certain: true }];
  }
  const request = fieldsOf(body.request);
  return Array.isArray(request.messages) ? [{ ...chatOf(request.messages, request), response: replyOf(body) }] : [];
}

function chatOf(messages: readonly unknown[], body: Fields): Chat {
  const response = replyOf(body);
  const observes = isMiniSweAgent(messages, body);
  return {
    messages,
    id: [body.id, body.session_id, body.conversation_id, body.instance_id].map(stringOf).find((id) => id !== undefined),
    system: body.system,
    tools: body.tools ?? fieldsOf(body.kwargs).tools,
    model: body.model ?? response?.model,
    response,
    observes,
    certain: observes || Array.isArray(response?.choices),
  };
}

function replyOf(body: Fields): Fields | undefined {
  return isFields(body.response) ? body.response : undefined;
}

function isMessage(value: unknown): boolean {
  return (
    isFields(value) &&
    typeof value.role === 'string' &&
    ('content' in value || 'parts' in value || 'tool_calls' in value)
  );
}

/** mini-swe-agent acts by a shell block in its text and gets `<returncode>` with the output back as the user. */
function isMiniSweAgent(messages: readonly unknown[], body: Fields): boolean {
  if (stringOf(body.trajectory_format)?.startsWith('mini-swe-agent') === true) return true;
  return messages.slice(0, SAMPLE).some((value) => {
    const { role, content } = fieldsOf(value);
    return role === 'user' && typeof content === 'string' && /^<returncode>-?\d+<\/returncode>\s*<output/.test(content);
  });
}
