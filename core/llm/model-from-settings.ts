/** The model that a manifest describes (S10). */
import { PithError } from '../errors';
import type { Clock } from '../kernel/clock';
import type { Ids } from '../kernel/ids';
import type { Json } from '../session/items';
import { createAiSdkClient } from './ai-sdk-client';
import type { LlmClient } from './client';
import type { AiSdkModel, LazyAiSdkModel, ProviderOptions } from './language-model';
import { loadProvider } from './provider-packages';
import type { ProviderPackage } from './provider-packages';

/** The section `[model]`, in its code names. */
export interface ModelSettings {
  /** `anthropic`, `openai`, `openai-compatible`, or an installed provider package, such as `mistral` or `@acme/ai-provider`. */
  readonly provider: string;
  readonly model: string;
  readonly baseUrl?: string | undefined;
  /** Name of the environment variable that holds the key; the package knows the usual one. */
  readonly apiKeyEnv?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Tokens. */
  readonly contextWindow?: number | undefined;
  /** Tokens. */
  readonly maxOutputTokens?: number | undefined;
  /** How much the model reasons, as the provider names it; for Anthropic also a thinking budget in tokens. */
  readonly reasoning?: string | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly maxRetries?: number | undefined;
  readonly promptCache?: boolean | undefined;
}

/** Where a model finds itself. */
export interface ModelSurroundings {
  /** The folder that provider packages are looked up from; the working folder by default. */
  readonly root?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
  readonly ids?: Ids;
}

/**
 * A client of the model that a manifest describes. The provider's package is loaded and the key is read at the first request.
 *
 * @throws `PITH_MANIFEST_INVALID` where the settings contradict each other
 */
export function modelFromSettings(settings: ModelSettings, surroundings: ModelSurroundings = {}): LlmClient {
  const { env = process.env, root = process.cwd(), clock, ids } = surroundings;
  const { provider, apiKeyEnv, contextWindow, maxOutputTokens, timeoutSeconds, maxRetries, promptCache } = settings;
  const kind = kindOf(provider);
  if (kind.name === 'openai-compatible' && settings.baseUrl === undefined)
    throw new PithError(
      'PITH_MANIFEST_INVALID',
      'The provider "openai-compatible" needs base_url, such as http://localhost:11434/v1.',
    );
  const providerOptions = reasoningOptions(kind, settings.reasoning);
  const key = (): string | undefined => (apiKeyEnv === undefined ? undefined : env[apiKeyEnv]);
  const model: LazyAiSdkModel = {
    provider: kind.interface,
    modelId: settings.model,
    load: () => loadModel(kind, settings, key(), root),
  };
  return createAiSdkClient({
    model,
    limits: {
      ...(contextWindow !== undefined && { contextWindow }),
      ...(maxOutputTokens !== undefined && { maxOutput: maxOutputTokens }),
    },
    ...(maxRetries !== undefined && { maxRetries }),
    ...(timeoutSeconds !== undefined && { timeoutMs: timeoutSeconds * 1000 }),
    ...(promptCache !== undefined && { promptCache }),
    ...(providerOptions !== undefined && { providerOptions }),
    ...(clock !== undefined && { clock }),
    ...(ids !== undefined && { ids }),
    secrets: () => [key() ?? '', ...Object.values(settings.headers ?? {})].filter((secret) => secret.length >= 8),
  });
}

interface ProviderKind {
  readonly name: string;
  /** As the AI SDK names it, for the profile. */
  readonly interface: string;
  readonly packages: readonly ProviderPackage[];
}

const KINDS: readonly ProviderKind[] = [
  { name: 'anthropic', interface: 'anthropic.messages', packages: [{ name: '@ai-sdk/anthropic', range: '@^3' }] },
  { name: 'openai', interface: 'openai.responses', packages: [{ name: '@ai-sdk/openai', range: '@^3' }] },
  {
    name: 'openai-compatible',
    interface: 'openai-compatible.chat',
    packages: [{ name: '@ai-sdk/openai-compatible', range: '@^2' }],
  },
];

/** A package by its whole name, or by what stands behind `@ai-sdk/`. */
function kindOf(provider: string): ProviderKind {
  const kind = KINDS.find(({ name, packages }) => name === provider || packages[0]?.name === provider);
  if (kind !== undefined) return kind;
  if (!/^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/.test(provider)) {
    throw new PithError(
      'PITH_MANIFEST_INVALID',
      `The provider "${provider}" is no name of a package. Give anthropic, openai, openai-compatible, or a package of the AI SDK.`,
    );
  }
  const scoped = provider.startsWith('@') ? [] : [{ name: `@ai-sdk/${provider}`, range: '' }];
  return { name: provider, interface: provider, packages: [...scoped, { name: provider, range: '' }] };
}

async function loadModel(
  kind: ProviderKind,
  { model, baseUrl, apiKeyEnv, headers }: ModelSettings,
  apiKey: string | undefined,
  root: string,
): Promise<AiSdkModel> {
  if (apiKeyEnv !== undefined && (apiKey === undefined || apiKey === '')) {
    throw new PithError('PITH_LLM_AUTH', `The environment variable ${apiKeyEnv}, named by api_key_env, is not set.`);
  }
  const provider = await loadProvider(kind.packages, root, {
    ...(apiKey !== undefined && { apiKey }),
    ...(baseUrl !== undefined && { baseURL: baseUrl }),
    ...(headers !== undefined && { headers }),
    ...(kind.name === 'openai-compatible' && { name: kind.name, includeUsage: true }),
  });
  return provider(model) as AiSdkModel;
}

/** The setting in the words of the provider's package. */
function reasoningOptions({ name }: ProviderKind, reasoning: string | undefined): ProviderOptions | undefined {
  if (reasoning === undefined) return undefined;
  switch (name) {
    case 'anthropic':
      return { anthropic: anthropicReasoning(reasoning) };
    case 'openai':
      return { openai: { reasoningEffort: reasoning } };
    case 'openai-compatible':
      return { openaiCompatible: { reasoningEffort: reasoning } };
    default:
      throw new PithError(
        'PITH_MANIFEST_INVALID',
        `How "${name}" takes reasoning is not known. Leave reasoning out, or make the model in code with providerOptions.`,
      );
  }
}

function anthropicReasoning(reasoning: string): { readonly [key: string]: Json } {
  if (/^\d+$/.test(reasoning)) return { thinking: { type: 'enabled', budgetTokens: Number(reasoning) } };
  if (['adaptive', 'disabled', 'between_tools'].includes(reasoning)) return { thinking: { type: reasoning } };
  return { effort: reasoning };
}
