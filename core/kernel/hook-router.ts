/**
 * Who hears which hook, in which order (S3.4, S3.5, S3.7). Each hook is one topic of the bus with one worker: the run of its
 * handlers. The list of handlers is replaced when it changes, so a dispatch on its way keeps the one it began with.
 */
import type { Bus, Send } from '../bus/bus';
import { ticksOf, watchdog } from '../bus/watchdog';
import { PithError } from '../errors';
import type { PluginFault } from './faults';
import type { HookEvent, HookName } from './hook-map';
import { tellEnd } from './hook-ended';
import { dispatchCancelled } from './hook-errors';
import { HookRun } from './hook-run';
import type { RunHost, Tap } from './hook-run';
import type { Dispatch, Dispatched, Handler, HandlerOptions, HookDefinition, OnError } from './hooks';
import { nearest } from './nearest';

/** Milliseconds that a handler has unless it says otherwise (S3.6). */
const DEFAULT_DEADLINE_MS = 5000;

const MAIN: readonly string[] = Object.freeze(['main']);

/** The plugin behind a registration. */
export interface Registrant {
  readonly plugin: string;
  readonly signal: AbortSignal;
}

/** A handler as reports show it. */
export interface HandlerDescription {
  readonly plugin: string;
  readonly hook: string;
  readonly order: 'first' | 'last' | undefined;
  readonly roles: readonly string[];
  readonly deadlineMs: number | null;
  readonly onError: OnError | undefined;
}

interface RoutedHook {
  taps: readonly Tap[];
  defined?: {
    readonly by: string;
    readonly host: RunHost;
    readonly send: Send<HookEvent<HookName>, Promise<Dispatched<HookName>>>;
  };
}

export class HookRouter {
  readonly #hooks = new Map<string, RoutedHook>();
  #stopped: PithError | undefined;

  /** @param report told of each handler that failed; must not throw */
  constructor(
    readonly bus: Bus,
    readonly report: (error: PithError) => void,
  ) {}

  /** Defines a hook; what is wrong with that is a fault of the start. */
  define(by: string, definition: HookDefinition): PluginFault | undefined {
    const { name } = definition;
    const hook = this.#hook(name);
    if (hook.defined !== undefined) return definedTwice(name, [hook.defined.by, by]);
    const host: RunHost = { definition, report: this.report };
    const send = this.bus.topic(`hook:${name}`, (event: HookEvent<HookName>, signal) => {
      const run = new HookRun(this, host, hook.taps, event);
      const begun = this.bus.hears('hook.ended') ? performance.now() : undefined;
      const outcome = run.start(signal);
      if (begun !== undefined) tellEnd(this.bus, { hook: name, event, begun }, outcome);
      // a handler may have stopped the kernel before anything was waited for
      if (this.#stopped !== undefined) run.end(this.#stopped);
      return outcome;
    });
    hook.defined = { by, host, send };
    return undefined;
  }

  /** Adds a handler in its place. */
  on({ plugin, signal }: Registrant, name: string, handler: Handler<HookName>, options: HandlerOptions): void {
    const { deadlineMs = DEFAULT_DEADLINE_MS, roles = MAIN, order, onError } = options;
    const tap: Tap = {
      plugin,
      handler,
      roles,
      order,
      deadlineMs,
      ticks: ticksOf(deadlineMs),
      onError,
      takesSignal: handler.length !== 1,
      pluginSignal: signal,
    };
    const hook = this.#hook(name);
    // plugins register in the order of the start, and sorting keeps it among equals
    hook.taps = [...hook.taps, tap].sort((a, b) => weightOf(a) - weightOf(b));
  }

  /** Takes away all that a plugin has registered. */
  remove(plugin: string): void {
    for (const [name, hook] of this.#hooks) {
      hook.taps = hook.taps.filter((tap) => tap.plugin !== plugin);
      if (hook.defined?.by === plugin) this.#hooks.set(name, { taps: hook.taps });
    }
  }

  readonly dispatch: Dispatch = <K extends HookName>(name: K, event: HookEvent<K>, signal?: AbortSignal) => {
    if (this.#stopped !== undefined) return Promise.reject(this.#stopped);
    const send = this.#hooks.get(name)?.defined?.send;
    if (send === undefined) return Promise.reject(this.#unknown(name));
    if (signal?.aborted === true) return Promise.reject(dispatchCancelled(name, signal));
    return send(event as HookEvent<HookName>, signal) as unknown as Promise<Dispatched<K>>;
  };

  /** Ends the dispatches on their way and refuses further ones, with this error. */
  stop(error: PithError): void {
    this.#stopped = error;
    for (const run of watchdog.watchedOf(this) as readonly HookRun[]) run.end(error);
  }

  /** Handlers that ask for what their hook does not know. */
  faults(): readonly PluginFault[] {
    return [...this.#hooks].flatMap(([name, { taps, defined }]) => {
      if (defined === undefined) return [];
      const { onError, failure } = defined.host.definition;
      const askers = [{ plugin: defined.by, onError }, ...taps];
      return askers.flatMap(({ plugin, onError: asked = 'skip' }) =>
        asked === 'skip' || failure?.[asked] !== undefined ? [] : [unknownOption(plugin, name, asked)],
      );
    });
  }

  /** Handlers of hooks that nobody defines. */
  unheard(): readonly PithError[] {
    return [...this.#hooks].flatMap(([name, { taps, defined }]) =>
      defined === undefined
        ? [...new Set(taps.map(({ plugin }) => plugin))].map((plugin) => this.#unknown(name, plugin))
        : [],
    );
  }

  /** All handlers, hook by hook in the order in which they are called. */
  describe(): readonly HandlerDescription[] {
    return [...this.#hooks].flatMap(([hook, { taps, defined }]) =>
      taps.map(({ plugin, order, roles, deadlineMs, onError = defined?.host.definition.onError }) => ({
        plugin,
        hook,
        order,
        roles,
        deadlineMs,
        onError,
      })),
    );
  }

  #hook(name: string): RoutedHook {
    let hook = this.#hooks.get(name);
    if (hook === undefined) this.#hooks.set(name, (hook = { taps: [] }));
    return hook;
  }

  #unknown(hook: string, plugin?: string): PithError {
    const defined = [...this.#hooks].flatMap(([name, { defined }]) => (defined === undefined ? [] : [name]));
    const meant = nearest(hook, defined);
    const who = plugin === undefined ? `Hook "${hook}" was dispatched` : `Plugin "${plugin}" listens to hook "${hook}"`;
    const hint = meant === undefined ? 'Start the plugin that defines it.' : `Did you mean "${meant}"?`;
    return new PithError('PITH_HOOK_UNKNOWN', `${who}, which nobody defines. ${hint}`, {
      hook,
      ...(plugin !== undefined && { plugin }),
    });
  }
}

function weightOf({ order }: Tap): number {
  return order === 'first' ? -1 : order === 'last' ? 1 : 0;
}

function definedTwice(hook: string, plugins: readonly [string, string]): PluginFault {
  return {
    kind: 'duplicate-hook',
    plugin: plugins[1],
    about: hook,
    plugins,
    message: `Hook "${hook}" is defined by "${plugins[0]}" and "${plugins[1]}".`,
    hint: 'Give one of the two another name.',
  };
}

function unknownOption(plugin: string, hook: string, onError: OnError): PluginFault {
  return {
    kind: 'handler-option',
    plugin,
    about: hook,
    message: `"${plugin}" asks for onError "${onError}" in hook "${hook}", which knows no such outcome.`,
    hint: 'Use another onError; docs/hooks.md says what each hook knows.',
  };
}
