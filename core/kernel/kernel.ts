/**
 * The kernel (S3.1): it starts plugins in order, gives them services, hooks and a bus, and stops them in reverse. It knows
 * no token, file, model or summary.
 */
import type { Bus } from '../bus/bus';
import { checkConfig } from './config';
import type { RawConfig } from './config';
import type { Contribution, ContributionKind } from './contributions';
import type { KernelDescription } from './describe';
import { graphError } from './faults';
import type { PluginFault } from './faults';
import { planStart } from './graph';
import type { Dispatch, HookDefinition } from './hooks';
import { createLogger, LOG_SINK } from './logger';
import type { Logger, LogSink } from './logger';
import { createLogSink } from './log-sink';
import type { KernelSession, Plugin, PluginModule } from './plugin';
import { deprecatedApi, SERVED_APIS } from './plugin-api';
import { pluginIn } from './plugin-shape';
import { RunningKernel } from './running-kernel';
import type { DefaultService, Get, SessionScope } from './services';

/** Opens a bus for the kernel, which will close it; the log is for what becomes of its connection. */
export type OpenBus = (log: Logger) => Promise<Bus>;

/** What a kernel is started with. */
export interface KernelOptions {
  /** What `definePlugin` returned, or modules that export it as their default. */
  readonly plugins: readonly PluginModule[];
  /** Raw configuration by section, keys in the form that code uses (camelCase). */
  readonly config?: RawConfig | undefined;
  /**
   * A bus of one's own, which the kernel leaves open when it stops; or what opens one, which the kernel closes; else a local
   * one.
   */
  readonly bus?: Bus | OpenBus | undefined;
  /** Where the kernel and its plugins log, unless a plugin replaces `LOG_SINK`; stderr from `warn` on by default. */
  readonly log?: LogSink | undefined;
  /** What is served where no plugin does. */
  readonly defaults?: readonly DefaultService[] | undefined;
  /** Hooks that the core dispatches. */
  readonly hooks?: readonly HookDefinition[] | undefined;
  /** What plugins may contribute besides hooks and services. */
  readonly kinds?: readonly ContributionKind<unknown>[] | undefined;
  /** What a failing setup means: the start fails (`stop`), or the plugin and those that need it are left out (`skip`). */
  readonly onError?: 'stop' | 'skip' | undefined;
  /**
   * What was wrong with plugins that could not be loaded. They fail the start together with all other faults; under
   * `onError: "skip"` they are left out, and with them those that need what nobody serves.
   */
  readonly faults?: readonly PluginFault[] | undefined;
  /** Milliseconds that each setup has; 10,000 by default. */
  readonly setupDeadlineMs?: number | undefined;
  /** Milliseconds that each disposer has; 5,000 by default. */
  readonly stopDeadlineMs?: number | undefined;
}

/** Plugins that run together, with their services, hooks and bus (S3.1). */
export interface Kernel extends AsyncDisposable {
  readonly bus: Bus;
  readonly log: Logger;
  /** A service. Throws `PITH_SERVICE_MISSING`, `PITH_SERVICE_FAILED`, `PITH_KERNEL_STOPPED`. */
  readonly get: Get;
  readonly dispatch: Dispatch;
  /** The services of a session, the same scope for the same session. Throws `PITH_KERNEL_STOPPED`. */
  scope(session: KernelSession): SessionScope;
  /** What plugins contributed of a kind, in the order of the start. */
  contributions<T>(kind: ContributionKind<T>): readonly Contribution<T>[];
  describe(): KernelDescription;
  /**
   * Ends the dispatches on their way, disposes sessions and plugins in reverse order, every disposer even if one throws.
   * Throws one `PITH_PLUGIN_STOP` with all that failed; `details.failures` lists them.
   */
  stop(): Promise<void>;
}

/**
 * Starts plugins. Throws `PITH_PLUGIN_GRAPH` with all faults at once, or `PITH_PLUGIN_SETUP` for the plugin whose setup
 * failed; what had been started is stopped before.
 */
export async function startKernel(options: KernelOptions, served = SERVED_APIS): Promise<Kernel> {
  const { order, configs, defaults, warnings } = await checkKernel(options, served);
  const { bus: given, log = createLogSink() } = options;
  const isOwnBus = typeof given === 'function';
  const bus = isOwnBus ? await given(createLogger(() => log)) : given;
  const kernel = new RunningKernel({ ...options, defaults, log, bus }, isOwnBus);
  for (const warning of warnings) kernel.log.warn(warning);
  await kernel.start(order, configs);
  return kernel;
}

/** What a start goes by. */
export interface CheckedStart {
  /** The plugins in the order of the start. */
  readonly order: readonly Plugin[];
  readonly configs: ReadonlyMap<string, unknown>;
  readonly defaults: readonly DefaultService[];
  /** What is to be said of plugins that start and yet should be replaced by newer ones. */
  readonly warnings: readonly string[];
}

/** Finds all that is wrong before any plugin runs. Throws `PITH_PLUGIN_GRAPH` with all faults at once. */
export async function checkKernel(options: KernelOptions, served = SERVED_APIS): Promise<CheckedStart> {
  const { config = {}, faults: found = [] } = options;
  const plugins = options.plugins.map((given) => pluginIn(given) ?? (given as Plugin));
  const defaults = defaultsOf(plugins, options.defaults);
  const plan = planStart(plugins, [LOG_SINK, ...defaults.map(({ token }) => token)], served);
  const { configs, faults } = await checkConfig(plan.plugins, config);
  const goesOn = options.onError === 'skip' && found.length > 0;
  const planned = goesOn ? plan.faults.filter(({ kind }) => kind !== 'missing-need') : [...found, ...plan.faults];
  const all = [...planned, ...faults];
  if (all.length > 0) throw graphError(all);
  const warnings = plan.order.flatMap((plugin) => deprecatedApi(plugin, served) ?? []);
  return { order: plan.order, configs, defaults, warnings };
}

/** Those of the core, then those that plugins bring along; the first for a token counts. */
function defaultsOf(plugins: readonly Plugin[], defaults: readonly DefaultService[] = []): readonly DefaultService[] {
  const known = new Map<string, DefaultService>();
  for (const service of [...defaults, ...plugins.flatMap((plugin) => plugin?.defaults ?? [])]) {
    if (!known.has(service.token.name)) known.set(service.token.name, service);
  }
  return [...known.values()];
}
