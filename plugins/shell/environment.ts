/** Which variables of the environment a command sees: all but secrets, which are known by their names. */
import { wildcard } from '../../core/index';

/** Names of variables that hold secrets, in upper case. A name alone is matched whole. */
const SECRET_NAMES: readonly string[] = [
  ...['*_KEY', '*APIKEY', '*_KEY_ID', '*ACCESS_KEY*', '*PRIVATE_KEY*', '*SIGNING_KEY*', '*ENCRYPTION_KEY*'],
  ...['TOKEN', '*_TOKEN', '*_TOKENS', '*_TOKEN_*', '*SECRET*', '*PASSWORD*', '*PASSWD*', '*PASSPHRASE*', '*_PASS'],
  ...['*CREDENTIAL*', '*_CREDS', '*_PAT', '*_AUTH', '*AUTHTOKEN*', '*_DSN', '*COOKIE*', 'NATS_NKEY', 'NATS_CREDS'],
];

/** A URL with a password, or a token in its place. */
const URL_SECRET = /^[a-z][a-z0-9+.-]*:\/\/[^\s/@]*:[^\s/@]+@/i;

export interface EnvironmentRules {
  /** Names, with `*`, of variables that are handed on although they look like secrets. */
  readonly allow: readonly string[];
  /** Names, with `*`, of further variables that are not handed on. These go before `allow`. */
  readonly deny: readonly string[];
}

/** The variables that a command sees. Names are compared without regard to case. */
export function commandEnvironment(all: NodeJS.ProcessEnv, rules: EnvironmentRules): NodeJS.ProcessEnv {
  const named = (patterns: readonly string[]): ((name: string) => boolean) => {
    const tests = patterns.map((pattern) => wildcard(pattern.toUpperCase()));
    return (name) => tests.some((fits) => fits(name.toUpperCase()));
  };
  const isDenied = named(rules.deny);
  const isAllowed = named(rules.allow);
  const isSecret = named(SECRET_NAMES);
  return Object.fromEntries(
    Object.entries(all).filter(
      ([name, value = '']) => !isDenied(name) && (isAllowed(name) || !(isSecret(name) || URL_SECRET.test(value))),
    ),
  );
}
