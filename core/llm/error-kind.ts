/** What kind of error a provider's is (S6.1): told by status and code where they tell, else by what it says. */
import type { ErrorFacts } from './error-facts';

export interface ErrorKind {
  readonly code: `PITH_LLM_${'OVERFLOW' | 'RATE_LIMITED' | 'TRANSPORT' | 'AUTH' | 'REQUEST' | 'REFUSED'}`;
  /** Whether the same request may succeed a little later. */
  readonly transient: boolean;
}

/**
 * The kind of an error. The order is what tells look-alikes apart: credentials, refusals and rate limits come first, since
 * their texts speak of tokens and limits too, and a status is believed before a text.
 */
export function kindOf({ status, codes, texts, retryable }: ErrorFacts): ErrorKind {
  const said = texts.join('\n').toLowerCase();
  const has = (known: ReadonlySet<string>): boolean => [...codes].some((code) => known.has(lastName(code)));
  const says = (patterns: readonly RegExp[]): boolean => patterns.some((pattern) => pattern.test(said));

  if (has(REFUSAL_CODES) || says(REFUSAL_TEXTS)) return lasting('PITH_LLM_REFUSED');
  if (status === 401 || status === 402 || status === 403 || has(AUTH_CODES) || says(AUTH_TEXTS))
    return lasting('PITH_LLM_AUTH');
  if (status === 429 || has(RATE_CODES) || says(RATE_TEXTS)) {
    return { code: 'PITH_LLM_RATE_LIMITED', transient: !says(NEVER_WITHIN_RATE) };
  }
  if (status === 413 || has(OVERFLOW_CODES) || says(OVERFLOW_TEXTS)) return lasting('PITH_LLM_OVERFLOW');
  if (has(CERTIFICATE_CODES)) return lasting('PITH_LLM_TRANSPORT');
  if (
    (status ?? 0) >= 500 ||
    (status !== undefined && RETRIED.has(status)) ||
    has(FAILURE_CODES) ||
    says(FAILURE_TEXTS)
  )
    return { code: 'PITH_LLM_TRANSPORT', transient: true };
  if (status !== undefined || has(REQUEST_CODES)) return lasting('PITH_LLM_REQUEST');
  return { code: 'PITH_LLM_TRANSPORT', transient: retryable === true };
}

function lasting(code: ErrorKind['code']): ErrorKind {
  return { code, transient: false };
}

/** Services of AWS put their name before the code: `com.amazon.coral.service#ThrottlingException`. */
function lastName(code: string): string {
  return code.slice(code.lastIndexOf('#') + 1);
}

const REFUSAL_CODES = new Set([
  'content_filter',
  'content_policy_violation',
  'responsibleaipolicyviolation',
  'invalid_prompt',
  'data_inspection_failed',
  'prohibited_content',
  'ai_contentfiltererror',
]);
const REFUSAL_TEXTS = [
  /content management policy/,
  /(?:input|prompt|request|content) (?:was|has been) flagged/,
  /flagged as potentially violating/,
  /violat\w{0,5} (?:our|the|its) (?:usage|content|safety) polic/,
  /rejected (?:as a result of|by) (?:our|the) safety system/,
];

const AUTH_CODES = new Set([
  'authentication_error',
  'permission_error',
  'invalid_api_key',
  'insufficient_quota',
  'billing_error',
  'billing_hard_limit_reached',
  'unauthenticated',
  'permission_denied',
  'api_key_invalid',
  'accessdeniedexception',
  'unrecognizedclientexception',
  'expiredtokenexception',
  'ai_loadapikeyerror',
]);
const AUTH_TEXTS = [
  /credit balance is too low/,
  /(?:incorrect|invalid|missing|expired|no) api[ -]?key/,
  /api[ -]?key (?:is )?(?:not valid|invalid|missing|expired|not found|required)/,
  /invalid (?:auth\w{0,12}|access|bearer) token/,
];

const RATE_CODES = new Set([
  'rate_limit_error',
  'rate_limit_exceeded',
  'rate_limited',
  'too_many_requests',
  'throttlingexception',
  'throttling',
  'resource_exhausted',
]);
const RATE_TEXTS = [
  /(?:tokens?|requests?)[ -]per[ -](?:second|min|minute|hour|day)\b/,
  /\b[tr]p[mdh]\b/,
  /rate[ -]?limit/,
  /too many requests/,
  /please wait before trying again/,
  /throttl(?:ed|ing)/,
  /(?:exceeded|over) your (?:current |monthly |daily )?quota/,
];
/** The request alone is larger than what a whole minute allows. */
const NEVER_WITHIN_RATE = [/request too large/, /tokens must be reduced/, /reduce your message size/];

const OVERFLOW_CODES = new Set([
  'context_length_exceeded',
  'context_window_exceeded',
  'exceed_context_size_error',
  'model_context_window_exceeded',
  'model_max_prompt_tokens_exceeded',
  'request_too_large',
  'contextoverflowerror',
]);
const WINDOW = String.raw`(?:context (?:window|length|size|limit)|maximum model length)`;
const OVERFLOW_TEXTS = [
  /prompt (?:is )?too long/,
  /input (?:text |prompt )?is too long/,
  new RegExp(`(?:exceed|overflow|(?:larger|greater|longer) than)[^.\n]{0,60}${WINDOW}`),
  new RegExp(`${WINDOW}[^.\n]{0,30}(?:exceed|overflow|too small)`),
  /max(?:imum)? (?:context|prompt|input|sequence) length (?:is|of) \d/,
  /too large for model with \d+ maximum context/,
  /input token count[^.\n]{0,40}exceeds the maximum/,
  /prompt token count[^.\n]{0,40}exceeds the limit/,
  /(?:prompt|input)[^.\n]{0,20} exceeds? (?:the )?(?:max(?:imum)?|limit)(?: input| prompt)? (?:length|tokens)/,
  /exceeded model token limit/,
  /reduce the length of the (?:messages|prompt|input)/,
  /range of input length should be/,
  /`inputs` tokens \+ `max_new_tokens` must be/,
  /too many tokens[^.\n]{0,60}(?:prompt|context|input)/,
  /length of prompt_tokens[^.\n]{0,30}must be less than/,
  /'(?:messages|input)[^'\n]{0,60}': string too long/,
];

const RETRIED = new Set([408, 409, 425]);
const CERTIFICATE_CODES = new Set([
  'cert_has_expired',
  'depth_zero_self_signed_cert',
  'self_signed_cert_in_chain',
  'unable_to_verify_leaf_signature',
  'err_tls_cert_altname_invalid',
]);
const FAILURE_CODES = new Set([
  'overloaded_error',
  'api_error',
  'server_error',
  'internal_error',
  'internal_server_error',
  'timeout_error',
  'unavailable',
  'deadline_exceeded',
  'service_unavailable',
  'serviceunavailableexception',
  'modelstreamerrorexception',
  'internalserverexception',
  'econnreset',
  'econnrefused',
  'econnaborted',
  'enotfound',
  'eai_again',
  'etimedout',
  'ehostunreach',
  'enetunreach',
  'epipe',
  'und_err_socket',
  'und_err_connect_timeout',
  'und_err_headers_timeout',
  'und_err_body_timeout',
  'ai_invalidresponsedataerror',
  'ai_jsonparseerror',
  'ai_emptyresponsebodyerror',
  'ai_nocontentgeneratederror',
]);
const FAILURE_TEXTS = [
  /^(?:terminated|fetch failed|socket hang up)$/m,
  /cannot connect to api/,
  /overloaded/,
  /deadline exceeded/,
];

/** Mistakes that the SDK finds before anything is sent. */
const REQUEST_CODES = new Set([
  'invalid_request_error',
  'not_found_error',
  'validationexception',
  'ai_unsupportedfunctionalityerror',
  'ai_invalidprompterror',
  'ai_invalidargumenterror',
  'ai_nosuchmodelerror',
  'ai_typevalidationerror',
]);
