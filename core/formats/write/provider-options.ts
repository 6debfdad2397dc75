/** What a provider gave along with an item and takes back (S5.1), in the form of the AI SDK: one object for each provider. */
import type { Item, Json, ReasoningItem } from '../../session/items';
import { wellFormedJson } from '../../session/well-formed';
import { markOf } from '../bound-reasoning';
import { isFields } from '../shape';

/** Data of providers, by their name. */
export interface ProviderData {
  readonly [provider: string]: { readonly [key: string]: Json };
}

/** To be spread into a part. */
export interface PartOptions {
  readonly providerOptions?: ProviderData;
}

/** What the provider gave along; only what has the form that the SDK asks for. */
export function optionsOf(provider: Item['provider']): PartOptions {
  if (provider === undefined) return {};
  const options = Object.entries(provider).filter(([name, value]) => name !== 'openaiChat' && isFields(value));
  return options.length === 0 ? {} : { providerOptions: wellFormedJson(Object.fromEntries(options)) as ProviderData };
}

/** Signed and encrypted reasoning: what it is bound by goes back to the provider that gave it. */
export function reasoningOptionsOf(item: ReasoningItem): PartOptions {
  const opaque = item.opaque?.toWellFormed();
  const mark = markOf(item, 'anthropic');
  if (mark !== undefined && opaque !== undefined) {
    const bound = mark['type'] === 'redacted_thinking' ? { redactedData: opaque } : { signature: opaque };
    return { providerOptions: { anthropic: bound } };
  }
  const { providerOptions } = optionsOf(item.provider);
  const name = ENCRYPTING.find((provider) => providerOptions?.[provider] !== undefined);
  if (name === undefined || opaque === undefined) return providerOptions === undefined ? {} : { providerOptions };
  const encrypted = { ...providerOptions?.[name], reasoningEncryptedContent: opaque };
  return { providerOptions: { ...providerOptions, [name]: encrypted } };
}

/** Providers that give reasoning encrypted, under `reasoningEncryptedContent` of their data. */
export const ENCRYPTING = ['openai', 'azure'] as const;
