/** Errors of providers as errors of Pith (S6.1): one code for each kind, and what to do about it. */
import { PithError } from '../errors';
import { factsOf } from './error-facts';
import type { ErrorFacts } from './error-facts';
import { kindOf } from './error-kind';
import type { ErrorKind } from './error-kind';
import { maskedText } from './masked-text';
import { retryAfterOf } from './retry-after';

/** Whose error it is. */
export interface ErrorSource {
  readonly model: string;
  readonly provider: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Keys that must not be repeated. */
  readonly secrets?: readonly string[];
}

/**
 * What was thrown as a Pith error; Pith's own pass unchanged. `details` holds `provider`, `model`, `transient` (the same
 * request may succeed later), and `status`, `retryAfterMs`, `requestId` where the provider tells. The provider's error is not
 * kept as the cause, since it carries the whole request.
 */
export function llmError(thrown: unknown, source: ErrorSource): PithError {
  if (PithError.is(thrown)) return thrown;
  const facts = factsOf(thrown);
  const kind = kindOf(facts);
  const retryAfterMs = retryAfterOf(facts, source.now);
  const requestId = facts.headers.get('request-id') ?? facts.headers.get('x-request-id');
  const said = maskedText(facts.texts.join(' — '), source.secrets) || 'it does not say why';
  const status = facts.status === undefined ? '' : ` (status ${facts.status})`;
  return new PithError(
    kind.code,
    `${WHAT[kind.code](source)}${status}: ${endOf(said)} ${adviceFor(kind, facts, retryAfterMs)}`,
    {
      details: {
        provider: source.provider,
        model: source.model,
        transient: kind.transient,
        ...(facts.status !== undefined && { status: facts.status }),
        ...(retryAfterMs !== undefined && { retryAfterMs }),
        ...(requestId !== undefined && { requestId: maskedText(requestId, source.secrets) }),
      },
    },
  );
}

const WHAT: Readonly<Record<ErrorKind['code'], (source: ErrorSource) => string>> = {
  PITH_LLM_OVERFLOW: ({ model }) => `The request does not fit into the context window of ${model}`,
  PITH_LLM_RATE_LIMITED: ({ provider }) => `${provider} limits the rate of requests`,
  PITH_LLM_TRANSPORT: ({ provider }) => `${provider} could not be reached or failed`,
  PITH_LLM_AUTH: ({ provider }) => `${provider} does not accept the credentials`,
  PITH_LLM_REQUEST: ({ provider, model }) => `${provider} finds the request to ${model} wrong`,
  PITH_LLM_REFUSED: ({ provider, model }) => `${provider} refuses to let ${model} answer`,
};

function adviceFor({ code, transient }: ErrorKind, { status }: ErrorFacts, retryAfterMs: number | undefined): string {
  switch (code) {
    case 'PITH_LLM_OVERFLOW':
      return 'Compact the session, or use a model with a larger window.';
    case 'PITH_LLM_RATE_LIMITED':
      if (!transient)
        return 'The request alone is larger than the limit: make it smaller, or raise the limit of the account.';
      return retryAfterMs === undefined
        ? 'Try again later.'
        : `Try again in ${Math.ceil(retryAfterMs / 1000)} seconds.`;
    case 'PITH_LLM_TRANSPORT':
      return transient ? 'Try again; check base_url and the network if it stays.' : 'Check base_url and the network.';
    case 'PITH_LLM_AUTH':
      return status === 402 ? 'Check the account.' : 'Check the variable that api_key_env names, and the account.';
    case 'PITH_LLM_REQUEST':
      return 'Check model, base_url and the settings of the model.';
    case 'PITH_LLM_REFUSED':
      return 'Change what is asked, or use another model.';
  }
}

/** The text as a sentence. */
function endOf(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
