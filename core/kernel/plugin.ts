/** What a plugin is (S3.2): a plain object. No decorator, no class, no compiler flag. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Bus } from '../bus/bus';
import type { HookEvent, HookName, HookResult } from './hook-map';
import type { Logger } from './logger';
import type { OptionalToken, SessionToken, Token } from './token';

export type Awaitable<T> = T | PromiseLike<T>;

/* eslint-disable @typescript-eslint/no-explicit-any -- `any` is the only bound that infers invariant token types */
export type AnyToken = Token<any> | SessionToken<any>;
export type Needs = Readonly<Record<string, AnyToken | OptionalToken<any>>>;
/* eslint-enable @typescript-eslint/no-explicit-any */

/** The services behind the needs of a plugin. Session tokens resolve per session by `session.get(token)`. */
export type Resolved<N extends Needs> = {
  readonly [K in keyof N]: N[K] extends Token<infer T>
    ? T
    : N[K] extends OptionalToken<infer T>
      ? T | undefined
      : N[K] extends SessionToken<infer _>
        ? N[K]
        : never;
};

/** What happens with the outcome of a handler that fails (S3.6). */
export type OnError = 'skip' | 'deny' | 'abort';

export interface HandlerOptions {
  /** Roles the handler hears; `['main']` by default. */
  readonly roles?: readonly string[];
  readonly order?: 'first' | 'last';
  /** Milliseconds until the handler counts as failed; 5000 by default, null where a human is asked. */
  readonly deadlineMs?: number | null;
  readonly onError?: OnError;
}

/** How a hook behaves; defined once by the room or plugin that dispatches it. */
export interface HookDefinition<K extends HookName = HookName> {
  readonly name: K;
  /** What a failing handler means unless it says otherwise. */
  readonly onError: OnError;
  /** The values of `do` that handlers may return; those in `ends` end the chain. */
  readonly may: readonly string[];
  readonly ends?: readonly string[];
  /** Returns what is wrong with a result, or undefined. */
  check?(result: HookResult<K>): string | undefined;
  /**
   * The event that later handlers see after this result. A throw counts as a failing handler.
   * Without it later handlers see the same event.
   */
  apply?(event: HookEvent<K>, result: HookResult<K>, plugin: string): Awaitable<HookEvent<K>>;
}

export interface Hooks {
  /** Hears a hook. Handlers run one after another; returning nothing means continue. Only during `setup`. */
  on<K extends HookName>(
    hook: K,
    handler: (event: HookEvent<K>, signal: AbortSignal) => Awaitable<HookResult<K> | undefined | void>,
    options?: HandlerOptions,
  ): void;
  /** Defines a hook that this plugin dispatches. Only during `setup`. */
  define<K extends HookName>(definition: HookDefinition<K>): void;
  /** Dispatches a hook to all its handlers. */
  dispatch<K extends HookName>(hook: K, event: HookEvent<K>): Promise<Dispatched<K>>;
}

/** What a dispatch led to. */
export interface Dispatched<K extends HookName> {
  /** The event as the last handler left it. */
  readonly event: HookEvent<K>;
  /** What handlers returned, in order, with the plugin's name. */
  readonly results: readonly { readonly plugin: string; readonly result: HookResult<K> }[];
  /** The result that ended the chain. */
  readonly ended?: { readonly plugin: string; readonly result: HookResult<K> };
  /** Handlers that failed; each was also published as `plugin.error`. */
  readonly errors: readonly { readonly plugin: string; readonly onError: OnError; readonly error: unknown }[];
}

type ProvidedToken<P extends readonly AnyToken[]> = P[number];

export interface PluginContext<C = unknown, N extends Needs = Needs, P extends readonly AnyToken[] = readonly AnyToken[]> {
  readonly name: string;
  readonly config: Readonly<C>;
  readonly needs: Resolved<N>;
  readonly hooks: Hooks;
  readonly bus: Bus;
  readonly log: Logger;
  /** Aborts when the kernel stops. */
  readonly signal: AbortSignal;
  /** Provides a declared token. The factory runs once, on first use, and receives what it replaces. */
  provide<T>(token: Extract<ProvidedToken<P>, Token<T>> & Token<T>, make: (replaced: T | undefined) => T): void;
  provide<T>(
    token: Extract<ProvidedToken<P>, SessionToken<T>> & SessionToken<T>,
    make: (session: KernelSession, replaced: T | undefined) => T,
  ): void;
  /** Runs in reverse order when the kernel stops, even if another disposer throws. */
  onDispose(dispose: () => Awaitable<void>): void;
}

/** A session as far as the kernel needs to know; the session room makes it the whole session by augmentation. */
export interface KernelSession {
  readonly id: string;
}

/** A plugin as the kernel takes it: the erased form of what {@link definePlugin} returns. */
export interface Plugin {
  readonly name: string;
  readonly api: number;
  readonly section?: string | undefined;
  readonly config?: StandardSchemaV1 | undefined;
  readonly needs?: Needs | undefined;
  readonly provides?: readonly AnyToken[] | undefined;
  readonly replaces?: readonly AnyToken[] | undefined;
  readonly before?: readonly string[] | undefined;
  readonly after?: readonly string[] | undefined;
  setup(ctx: never): Awaitable<void>;
}
