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

/** A need of a kernel service that may stay unanswered. */
export interface OptionalToken<T> {
  readonly optional: Token<T>;
}

/** A need of a session service that may stay unanswered. */
export interface OptionalSessionToken<T> {
  readonly optional: SessionToken<T>;
}

/** Names a service. Use a prefix of your own, such as `acme/quota`; the same name is the same token everywhere. */
export function createToken<T>(name: string): Token<T> {
  return Object.freeze({ name, scope: 'kernel' as const });
}

/** Names a value that exists once per session. */
export function createSessionToken<T>(name: string): SessionToken<T> {
  return Object.freeze({ name, scope: 'session' as const });
}

/** Makes a need optional: where nobody provides the token, the need is undefined. */
export function optional<T>(token: Token<T>): OptionalToken<T>;
export function optional<T>(token: SessionToken<T>): OptionalSessionToken<T>;
export function optional<T>(token: Token<T> | SessionToken<T>): object {
  return Object.freeze({ optional: token });
}
