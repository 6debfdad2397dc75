/** Secrets never stand in a manifest (S10): it refuses them by their place, and never repeats them. */

const SECRET_KEY = /(?:^|_)(?:api_?key|password|passwd|passphrase|secret|token|credentials?|private_key|access_key)$/;
const SECRET_HEADER = /authorization|api-?key|token|secret|cookie|password/i;
const URL_WITH_PASSWORD = /:\/\/[^\s/:@]*:[^\s/@]+@/;

/** Why a value may not stand under a key, with what to do instead; undefined where it may. */
export function secretAdvice(section: string, key: string, value: unknown): string | undefined {
  if (SECRET_KEY.test(key) && typeof value === 'string') {
    return `secrets do not belong in a manifest; put it in an environment variable and name that by ${key}_env`;
  }
  if (key === 'headers' && typeof value === 'object' && value !== null) {
    const header = Object.keys(value).find((name) => SECRET_HEADER.test(name));
    if (header !== undefined) return `the header ${header} holds a secret; use api_key_env of [${section}] instead`;
  }
  return hasUrlWithPassword(value) ? 'holds a URL with a password; secrets do not belong in a manifest' : undefined;
}

function hasUrlWithPassword(value: unknown): boolean {
  if (typeof value === 'string') return URL_WITH_PASSWORD.test(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasUrlWithPassword);
}
