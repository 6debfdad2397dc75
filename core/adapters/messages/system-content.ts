/** Where system content goes that follows the host's own prompt. */
import type { ChatRequest } from './chat-session';

/** Into the system message that the messages begin with, or into one before them. */
export function inOneMessage<R extends ChatRequest>(request: R, texts: readonly string[]): R {
  if (texts.length === 0) return request;
  const { messages } = request;
  const further = texts.join('\n\n');
  const [first, ...rest] = messages as readonly { readonly role?: unknown; readonly content?: unknown }[];
  if (first?.role !== 'system' && first?.role !== 'developer')
    return { ...request, messages: [{ role: 'system', content: further }, ...messages] };
  const content =
    typeof first.content === 'string'
      ? `${first.content}\n\n${further}`
      : [...(first.content as readonly object[]), { type: 'text', text: further }];
  return { ...request, messages: [{ ...first, content }, ...rest] };
}

/** Beside the messages, each text as a block behind those of the host. */
export function besideMessages<R extends ChatRequest>(request: R, texts: readonly string[]): R {
  if (texts.length === 0) return request;
  const { system } = request as { readonly system?: unknown };
  const own = typeof system === 'string' ? [{ type: 'text', text: system }] : ((system ?? []) as readonly object[]);
  const said = own.filter((block) => (block as { readonly text?: unknown }).text !== '');
  return { ...request, system: [...said, ...texts.map((text) => ({ type: 'text', text }))] };
}
