/** Keys out of what a provider says: it may quote the key that it was given, whole or in part. */

const MASK = '[masked]';
const LONGEST = 500;

/** At most 500 characters of a text, without keys of any common form, and without these very secrets. */
export function maskedText(text: string, secrets: readonly string[] = []): string {
  let masked = text;
  for (const secret of secrets) if (secret.length >= 4) masked = masked.replaceAll(secret, MASK);
  for (const [pattern, replacement] of KEYS) masked = masked.replace(pattern, replacement);
  return masked.length > LONGEST ? `${masked.slice(0, LONGEST - 1).toWellFormed()}…` : masked;
}

const KEYS: readonly (readonly [RegExp, string])[] = [
  [/(?<![\w-])(?:sk|rk|pk|gsk|xai|hf|r8|nvapi|pplx|fw|csk|ak)[-_][\w*.-]{6,}/g, MASK],
  [/(?<![\w-])(?:AIza|AKIA|ASIA|eyJ)[\w*.-]{8,}/g, MASK],
  [/\b(bearer|basic)\s+[^\s"',;]{6,}/gi, `$1 ${MASK}`],
  [/(:\/\/)[^\s/@:]{0,128}:[^\s/@]{1,256}@/g, `$1${MASK}@`],
  [/([?&](?:key|api[-_]?key|token|access_token)=)[^&\s"']+/gi, `$1${MASK}`],
  [
    /((?:api[-_ ]?key|secret|password|access[-_ ]?token|auth[-_ ]?token|authorization)(?: provided| is)?["']?\s{0,3}[:=]\s{0,3}["']?)(?!\[masked\])[^\s"',;]{6,}/gi,
    `$1${MASK}`,
  ],
];
