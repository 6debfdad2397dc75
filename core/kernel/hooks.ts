/** What plugins say about hooks (S3.5, S3.6): hearing them, defining them, dispatching them. */
import type { PithError } from '../errors';
import type { HookEvent, HookName, HookResult } from './hook-map';

/** A value, or a promise of it. */
export type Awaitable<T> = T | PromiseLike<T>;

/** What a failing handler means (S3.6): nothing, a denial, or the end of the run. */
export type OnError = 'skip' | 'deny' | 'abort';

/** How a handler hears a hook. */
export interface HandlerOptions {
  /** Roles the handler hears; `['main']` by default. Events without a role are heard by all. */
  readonly roles?: readonly string[];
  /** Before or after all handlers that ask for nothing. */
  readonly order?: 'first' | 'last';
  /** Milliseconds until the handler counts as failed; 5000 by default, null where a human is asked. */
  readonly deadlineMs?: number | null;
  /** What a failure of this handler means, instead of what the hook says; `deny` and `abort` where the hook knows them. */
  readonly onError?: OnError;
}

/**
 * Hears a hook. Returning nothing means continue. The signal aborts when the handler's deadline passes, the dispatch is
 * cancelled or the kernel stops; a late outcome is ignored.
 */
export type Handler<K extends HookName> = (
  event: HookEvent<K>,
  signal: AbortSignal,
) => Awaitable<HookResult<K> | undefined | void>;

/** How a hook behaves; defined once by the room or plugin that dispatches it. */
export interface HookDefinition<K extends HookName = HookName> {
  readonly name: K;
  /** What a failing handler means unless it says otherwise. */
  readonly onError: OnError;
  /** The values of `do` that handlers may return; those in `ends` end the chain. */
  readonly may: readonly string[];
  readonly ends?: readonly string[];
  /** The result that a failing handler stands for under `deny` and `abort`; a hook knows those that it lists. */
  readonly failure?: {
    deny?(text: string): HookResult<K>;
    abort?(reason: string): HookResult<K>;
  };
  /** Returns what is wrong with a result, or undefined. */
  check?(result: HookResult<K>): string | undefined;
  /**
   * The event that later handlers see after a result that does not end the chain. A throw counts as a failing handler.
   * Without it later handlers see the same event.
   */
  apply?(event: HookEvent<K>, result: HookResult<K>, plugin: string): Awaitable<HookEvent<K>>;
}

/** What a plugin says about hooks. */
export interface Hooks {
  /**
   * Hears a hook; handlers run one after another. A hook that nobody defines is reported when the kernel has started and
   * never called. Throws `PITH_SETUP_OVER` after `setup`.
   */
  on<K extends HookName>(hook: K, handler: Handler<K>, options?: HandlerOptions): void;
  /** Defines a hook that this plugin dispatches. Throws `PITH_SETUP_OVER` after `setup`. */
  define<K extends HookName>(definition: HookDefinition<K>): void;
  /** {@inheritDoc Dispatch} */
  readonly dispatch: Dispatch;
}

/**
 * Dispatches a hook to all its handlers and returns what came of it. A failing handler never makes it reject. It rejects
 * with `PITH_CANCELLED` when the signal aborts, `PITH_KERNEL_STOPPED` when the kernel stops, and `PITH_HOOK_UNKNOWN` where
 * nobody defines the hook.
 */
export type Dispatch = <K extends HookName>(
  hook: K,
  event: HookEvent<K>,
  signal?: AbortSignal,
) => Promise<Dispatched<K>>;

/** What a handler returned, and whose it is. */
export interface HandlerResult<K extends HookName> {
  readonly plugin: string;
  readonly result: HookResult<K>;
}

/** A handler that failed; each was also published as `plugin.error`. */
export interface HandlerFailure {
  readonly plugin: string;
  readonly onError: OnError;
  /** `PITH_HOOK_FAILED` or `PITH_HOOK_DEADLINE`, with the cause. */
  readonly error: PithError;
}

/** What a dispatch led to. */
export interface Dispatched<K extends HookName> {
  /** The event as the last handler left it. */
  readonly event: HookEvent<K>;
  /** What handlers returned, in order, the result that ended the chain included. */
  readonly results: readonly HandlerResult<K>[];
  /**
   * The result that ended the chain. Where a handler failed under `deny` or `abort`, the hook's result for that, with the
   * error beside it: whoever dispatches need not tell the two apart.
   */
  readonly ended: (HandlerResult<K> & { readonly error?: PithError }) | undefined;
  readonly errors: readonly HandlerFailure[];
}
