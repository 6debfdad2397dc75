/** Typed names of services (S3.2, S3.3). Tokens of one name are one token, also across two copies of the package. */

declare const service: unique symbol;

/** Names a service of the kernel. */
export interface Token<T> {
  readonly name: string;
  readonly scope: 'kernel';
  readonly [service]?: T;
}

/** Names a value that exists once per session, built on first use and disposed with the session. */
export interface SessionToken<T> {
  readonly name: string;
  readonly scope: 'session';
  readonly [service]?: T;
}

/** A need that may stay unanswered. */
export interface OptionalToken<T> {
  readonly optional: Token<T>;
}

export function createToken<T>(name: string): Token<T> {
  return Object.freeze({ name, scope: 'kernel' as const });
}

export function createSessionToken<T>(name: string): SessionToken<T> {
  return Object.freeze({ name, scope: 'session' as const });
}

export function optional<T>(token: Token<T>): OptionalToken<T> {
  return Object.freeze({ optional: token });
}
