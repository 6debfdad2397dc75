/** What a plugin is (S3.2): a plain object. No decorator, no class, no compiler flag. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Bus } from '../bus/bus';
import type { Awaitable, Hooks } from './hooks';
import type { Logger } from './logger';
import type { DefaultService, SessionScope } from './services';
import type { OptionalSessionToken, OptionalToken, SessionToken, Token } from './token';

/* eslint-disable @typescript-eslint/no-explicit-any -- `any` is the only bound that infers invariant token types */
/** A token of any type and scope. */
export type AnyToken = Token<any> | SessionToken<any>;
/** The services that a plugin needs, by the names under which it gets them. */
export type Needs = Readonly<Record<string, AnyToken | OptionalToken<any> | OptionalSessionToken<any>>>;
/* eslint-enable @typescript-eslint/no-explicit-any */

/** The services behind the needs of a plugin. Session tokens resolve per session by `session.get(token)`. */
export type Resolved<N extends Needs> = { readonly [K in keyof N]: ResolvedNeed<N[K]> };

type ResolvedNeed<N> =
  N extends Token<infer T>
    ? T
    : N extends OptionalToken<infer T>
      ? T | undefined
      : N extends SessionToken<infer _>
        ? N
        : N extends OptionalSessionToken<infer T>
          ? SessionToken<T> | undefined
          : never;

/** Builds a service of the kernel, once, on first use. What it replaces is built only if the function takes it. */
export type MakeService<T> = (replaced: T | undefined) => T;
/** Builds a value of a session, once, on first use. What it replaces is built only if the function takes it. */
export type MakeSessionService<T> = (session: KernelSession, replaced: T | undefined) => T;

/** The factory that goes with a token. */
export type MakeOf<K> =
  K extends SessionToken<infer T> ? MakeSessionService<T> : K extends Token<infer T> ? MakeService<T> : never;

/** What a plugin works with. Everything in it is typed by the plugin's own definition. */
export interface PluginContext<
  C = unknown,
  N extends Needs = Needs,
  P extends readonly AnyToken[] = readonly AnyToken[],
> {
  readonly name: string;
  /** The validated section of the plugin, frozen. */
  readonly config: Readonly<C>;
  readonly needs: Resolved<N>;
  readonly hooks: Hooks;
  /** The bus of the kernel. What the plugin observes or serves on it ends with the plugin. */
  readonly bus: Bus;
  /** Lines carry the plugin's name. */
  readonly log: Logger;
  /** Aborts when the plugin is stopped. */
  readonly signal: AbortSignal;
  /**
   * Provides or replaces a declared token. A service with `Symbol.asyncDispose` or `Symbol.dispose` is disposed when the
   * plugin stops, a session's when the session closes. Throws `PITH_SETUP_OVER` after `setup`.
   */
  provide<K extends P[number]>(this: void, token: K, make: MakeOf<K>): void;
  /** The services of a session that the plugin opens itself, as `Kernel.scope` gives them. */
  scope(this: void, session: KernelSession): SessionScope;
  /**
   * Runs when the plugin stops, in reverse order, even if another disposer throws; at once if the plugin has stopped
   * already.
   */
  onDispose(this: void, dispose: () => Awaitable<void>): void;
}

/** A session as far as the kernel needs to know; the session room makes it the whole session by augmentation. */
export interface KernelSession {
  readonly id: string;
}

/** What the author of a plugin writes. */
export interface PluginDefinition<
  C extends StandardSchemaV1,
  N extends Needs,
  P extends readonly AnyToken[],
  R extends readonly AnyToken[],
> {
  /** Unique among the plugins of a kernel. */
  readonly name: string;
  /** The plugin interface it was written for. */
  readonly api: 1;
  readonly version?: string;
  /** The section of the configuration; the name by default. Several plugins may share one. */
  readonly section?: string;
  readonly config?: C;
  readonly needs?: N;
  readonly provides?: P;
  /** Tokens it takes over; its factory receives what served before. */
  readonly replaces?: R;
  /** Services that stand where no plugin provides one; made with `defaultService`. The plugin may need them itself. */
  readonly defaults?: readonly DefaultService[];
  /** Plugins that start and hear hooks after this one, if they are there. */
  readonly before?: readonly string[];
  /** Plugins that start and hear hooks before this one, if they are there. */
  readonly after?: readonly string[];
  setup(ctx: PluginContext<StandardSchemaV1.InferOutput<C>, N, readonly (P[number] | R[number])[]>): Awaitable<void>;
}

/** A plugin as the kernel takes it: the erased form of what {@link definePlugin} returns. */
export interface Plugin {
  readonly name: string;
  readonly api: number;
  readonly version?: string | undefined;
  readonly section?: string | undefined;
  readonly config?: StandardSchemaV1 | undefined;
  readonly needs?: Needs | undefined;
  readonly provides?: readonly AnyToken[] | undefined;
  readonly replaces?: readonly AnyToken[] | undefined;
  readonly defaults?: readonly DefaultService[] | undefined;
  readonly before?: readonly string[] | undefined;
  readonly after?: readonly string[] | undefined;
  setup(ctx: never): Awaitable<void>;
}

/** A plugin, or a module that has it as its default export; ES modules see the default of CommonJS so. */
export type PluginModule = Plugin | { readonly default: PluginModule };

/**
 * Defines a plugin (S3.2). Configuration, needs, provided tokens, hooks and tools of `setup` are inferred from it.
 *
 * ```ts
 * export default definePlugin({
 *   name: 'quota',
 *   api: 1,
 *   config: configKeys({ limit: { type: 'integer', default: 100, doc: 'Tool calls of one session.' } }),
 *   needs: { clock: CLOCK },
 *   setup({ config, needs, hooks }) {
 *     hooks.on('pre_tool_call', () => (needs.clock.now() > config.limit ? { do: 'deny', text: 'Too late.' } : undefined));
 *   },
 * });
 * ```
 */
export function definePlugin<
  C extends StandardSchemaV1 = StandardSchemaV1<unknown, undefined>,
  const N extends Needs = Readonly<Record<never, never>>,
  const P extends readonly AnyToken[] = readonly [],
  const R extends readonly AnyToken[] = readonly [],
>(definition: PluginDefinition<C, N, P, R>): Plugin {
  return Object.freeze({ ...definition });
}
