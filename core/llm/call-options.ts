/** What one call to a language model sends: prompt with cache marks, tools, reply allowance, options of the provider. */
import type { ModelLimits } from '../tokens/model-limits';
import { withCacheMarks } from './cache-marks';
import type { LlmRequest, ProviderProfile } from './client';
import type { CallableModel, CallOptions, ProviderOptions } from './language-model';
import { traitsOf } from './profiles';
import type { WireTraits } from './profiles';
import { renderPrompt } from './prompt';
import { declareTools } from './tools';

/** How a client was set up. */
export interface CallSettings {
  readonly model: string;
  readonly profile: ProviderProfile;
  readonly limits: ModelLimits;
  /** Whether the user set the reply allowance. */
  readonly ownAllowance: boolean;
  readonly promptCache: boolean;
  readonly providerOptions: ProviderOptions | undefined;
}

/** The options of a call, but for its signal. */
export function callOptions(
  request: LlmRequest,
  model: Pick<CallableModel, 'provider' | 'version'>,
  settings: CallSettings,
): Omit<CallOptions, 'abortSignal'> {
  const { profile, promptCache } = settings;
  const traits = traitsOf(model.provider);
  const providerOptions = optionsFor(traits, settings.providerOptions);
  const keepsReplies = traits.options !== undefined && providerOptions?.[traits.options]?.['store'] === true;
  const reader = { model: settings.model, profile, traits, version: model.version, keepsReplies };
  const { messages, places } = renderPrompt(request, reader);
  const tools = declareTools(request.tools, messages, traits);
  const maxOutputTokens = allowanceOf(request, providerOptions, settings);
  const marks = promptCache ? profile.cacheMarks : 0;
  return {
    prompt: marks === 0 ? messages : withCacheMarks(messages, places, marks, providerOptions),
    ...(tools.length > 0 && { tools }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(providerOptions !== undefined && { providerOptions }),
  };
}

function optionsFor(
  { options: name, defaults }: WireTraits,
  own: ProviderOptions | undefined,
): ProviderOptions | undefined {
  return name === undefined || defaults === undefined ? own : { ...own, [name]: { ...defaults, ...own?.[name] } };
}

/**
 * The reply allowance that the window is divided by (S9.1) is the one that is asked for. Of a model of which nothing is known
 * the provider decides. The package of Anthropic adds the thinking budget to it, so that is taken off first.
 */
function allowanceOf(
  { maxOutputTokens }: LlmRequest,
  options: ProviderOptions | undefined,
  { limits, ownAllowance }: CallSettings,
): number | undefined {
  const known = ownAllowance || limits.source !== 'default';
  const allowance = maxOutputTokens ?? (known ? limits.maxOutput : undefined);
  const thinking = options?.['anthropic']?.['thinking'];
  const budget =
    typeof thinking === 'object' && thinking !== null && 'budgetTokens' in thinking ? thinking.budgetTokens : 0;
  return allowance === undefined || typeof budget !== 'number' ? allowance : Math.max(1, allowance - budget);
}
