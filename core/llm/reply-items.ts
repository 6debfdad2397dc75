/** A reply of the AI SDK as items of a session, with what its provider wants back later (S5.1). */
import type { Ids } from '../kernel/ids';
import type { Json, NewItem } from '../session/items';
import { isShallow, jsonText } from '../session/nesting';
import type { StopReason } from './client';
import type { Content, FinishReason } from './language-model';
import type { WireTraits } from './profiles';

/** What the items of a reply are made with. */
export interface ReplyContext {
  /** The model that was asked. */
  readonly model: string;
  readonly traits: WireTraits;
  readonly ids: Ids;
  /** The name of a tool by the name that the model calls it. */
  readonly toolName: (called: string) => string;
}

type ProviderData = NonNullable<NewItem['provider']>;

/** Reasoning, text and calls in their order, all of one reply. Calls that the provider ran itself are left out. */
export function replyItems(contents: readonly Content[], context: ReplyContext): readonly NewItem[] {
  const reply = context.ids.next('reply');
  const calls = new Set<string>();
  return contents.flatMap((content, index): readonly NewItem[] => {
    const data = providerData(content.providerMetadata);
    switch (content.type) {
      case 'text':
        return content.text.trim() === ''
          ? []
          : [
              {
                kind: 'message',
                role: 'assistant',
                parts: [{ type: 'text', text: content.text }],
                reply,
                ...withData(data),
              },
            ];
      case 'reasoning':
        return reasoningItem(content.text, data, isContinued(content, contents[index + 1]), reply, context);
      case 'tool-call': {
        if (content.providerExecuted === true) return [];
        const { toolCallId, toolName, input } = content;
        const callId = toolCallId === '' || calls.has(toolCallId) ? context.ids.next('call') : toolCallId;
        calls.add(callId);
        const name = context.toolName(toolName);
        return [{ kind: 'tool_call', callId, name, arguments: argumentsOf(input), reply, ...withData(data) }];
      }
      default:
        return [];
    }
  });
}

/** Why a reply ended. Its calls count more than what the provider says, since many say `stop` beside them. */
export function stopOf(finish: FinishReason, items: readonly NewItem[]): StopReason {
  const reason = typeof finish === 'string' ? finish : finish.unified;
  if (reason === 'length') return 'length';
  if (reason === 'content-filter') return 'refusal';
  return items.some(({ kind }) => kind === 'tool_call') ? 'tool-calls' : 'end';
}

/** Signatures and encrypted contents become the opaque part of an item, so that they are counted and can be dropped with it. */
function reasoningItem(
  text: string,
  data: ProviderData | undefined,
  continued: boolean,
  reply: string,
  { model, traits }: ReplyContext,
): readonly NewItem[] {
  const said = text === '' ? {} : { text };
  const item = { kind: 'reasoning', ...said, reply, model } as const;
  const { anthropic, ...others } = data ?? {};
  const signature = textIn(anthropic, 'signature');
  if (signature !== undefined) return [{ ...item, opaque: signature, provider: { anthropic: { type: 'thinking' } } }];
  const redacted = textIn(anthropic, 'redactedData');
  if (redacted !== undefined)
    return [{ ...item, opaque: redacted, provider: { anthropic: { type: 'redacted_thinking' } } }];
  const name = traits.options;
  const own = name === undefined ? undefined : data?.[name];
  const encrypted = textIn(own, 'reasoningEncryptedContent');
  if (name !== undefined && encrypted !== undefined) {
    const { reasoningEncryptedContent: _, ...rest } = own as { readonly [key: string]: Json };
    // All summaries of one reasoning item carry its whole encrypted content; the last of them keeps it.
    return [{ ...item, ...(!continued && { opaque: encrypted }), provider: { ...data, [name]: rest } }];
  }
  if (traits.reasoning === 'field')
    return text === '' ? [] : [{ ...item, provider: { ...others, openaiChat: { field: 'reasoning_content' } } }];
  return text === '' && data === undefined ? [] : [{ ...item, ...withData(data) }];
}

/** Whether the next piece is a further summary of the same reasoning item. */
function isContinued(content: Content, next: Content | undefined): boolean {
  if (next?.type !== 'reasoning') return false;
  const id = itemIdOf(content);
  return id !== undefined && id === itemIdOf(next);
}

function itemIdOf({ providerMetadata }: Content): string | undefined {
  const { openai, azure } = providerData(providerMetadata) ?? {};
  return textIn(openai ?? azure, 'itemId');
}

/** Parsed arguments; text that is no JSON stays as it is, so that the tool can say what is wrong with it. */
function argumentsOf(input: string): Json {
  if (input.trim() === '') return {};
  try {
    const parsed = JSON.parse(input) as Json;
    return isShallow(parsed) ? parsed : input;
  } catch {
    return input;
  }
}

function withData(data: ProviderData | undefined): { readonly provider?: ProviderData } {
  return data === undefined ? {} : { provider: data };
}

/** One object for each provider, as plain JSON, without what is empty. */
function providerData(metadata: unknown): ProviderData | undefined {
  if (typeof metadata !== 'object' || metadata === null || !isShallow(metadata)) return undefined;
  const kept = Object.entries(JSON.parse(jsonText(metadata)) as { readonly [key: string]: Json }).flatMap(
    ([name, value]) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
      const fields = Object.entries(value).filter(([, field]) => field !== null);
      return fields.length === 0 ? [] : [[name, Object.fromEntries(fields)] as const];
    },
  );
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function textIn(value: Json | undefined, key: string): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const text = (value as { readonly [key: string]: Json })[key];
  return typeof text === 'string' && text !== '' ? text : undefined;
}
