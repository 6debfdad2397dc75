/** A plain loop over chat messages with Pith in it, and everything that its model was sent. */
import { createHost } from '../../core/adapters/host-session';
import type { Host, HostOptions, HostSession } from '../../core/adapters/host-session';
import { openAiCodec } from '../../core/adapters/messages/openai-codec';
import { checkRequest, prose } from '../../core/testing';
import type { Violation } from '../../core/testing';

/** A chat message, as far as these tests look at it. */
export interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly id: string; readonly type: 'function'; readonly function: object }[];
  readonly tool_call_id?: string;
}

export const SYSTEM: Message = { role: 'system', content: 'You help with code.' };

export function user(content: string): Message {
  return { role: 'user', content };
}

export function said(content: string): Message {
  return { role: 'assistant', content };
}

/** A reply that reads files, and the results of about so many tokens each. */
export function reads(tokens: number, ...ids: readonly string[]): readonly Message[] {
  const call = (id: string): NonNullable<Message['tool_calls']>[number] => ({
    id,
    type: 'function',
    function: { name: 'read_file', arguments: JSON.stringify({ path: `src/${id}.ts` }) },
  });
  return [
    { role: 'assistant', content: `I read ${ids.join(' and ')}.`, tool_calls: ids.map(call) },
    ...ids.map((id) => ({ role: 'tool', tool_call_id: id, content: prose(tokens, `contents of ${id}`) })),
  ];
}

/** A host whose log is silent; it is closed when the test is over. */
export async function host(options: HostOptions = {}): Promise<Host> {
  const started = await createHost({ limits: { contextWindow: 20_000, maxOutput: 2_000 }, log: SILENT, ...options });
  hosts.push(started);
  return started;
}

const SILENT = { level: 'error' as const, write: () => undefined };

const hosts: Host[] = [];
afterEach(async () => {
  for (const started of hosts.splice(0)) await started.close().catch(() => undefined);
});

/** The conversation of a host in chat messages. */
export function chat(of: Host, id = 'chat'): HostSession<Message> {
  return of.session(id, openAiCodec as never);
}

/** What is wrong with messages in the eyes of a strict endpoint. */
export function faultsIn(messages: readonly Message[]): readonly Violation[] {
  return checkRequest('openai-chat', { messages }, { system: 'many', firstUser: true });
}

/** What the failures of Pith say, as they come. */
export function failuresOf(of: Host): readonly string[] {
  const failures: string[] = [];
  of.kernel.bus.on('host.failed', ({ step, message }) => void failures.push(`${step}: ${message}`));
  return failures;
}
