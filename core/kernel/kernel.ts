/**
 * The kernel (S3.1): it starts plugins in order, gives them services, hooks and a bus, and stops them in reverse. It knows
 * no token, file, model or summary.
 */
import type { Bus } from '../bus/bus';
import { createLocalBus } from '../bus/local-bus';
import { PithError } from '../errors';
import { checkConfig } from './config';
import type { RawConfig } from './config';
import { Contributions } from './contributions';
import type { Contribution, ContributionKind } from './contributions';
import { severalCopies } from './copies';
import { describeKernel } from './describe';
import type { KernelDescription, LeftOut } from './describe';
import { Disposers } from './disposers';
import { graphError } from './faults';
import type { PluginFault } from './faults';
import { planStart } from './graph';
import { HookRouter } from './hook-router';
import type { Dispatch, HookDefinition } from './hooks';
import { createLogger, LOG_SINK } from './logger';
import type { Logger, LogSink } from './logger';
import { createLogSink } from './log-sink';
import type { AnyToken, KernelSession, Plugin } from './plugin';
import { pluginErrorReporter } from './plugin-error';
import { PluginScope } from './plugin-scope';
import type { PluginHost } from './plugin-scope';
import { defaultService, Services } from './services';
import type { DefaultService, Get, SessionScope } from './services';

export interface KernelOptions {
  readonly plugins: readonly Plugin[];
  /** Raw configuration by section, keys in the form that code uses (camelCase). */
  readonly config?: RawConfig | undefined;
  /** A bus of one's own, which the kernel leaves open when it stops; else a local one. */
  readonly bus?: Bus | undefined;
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
  /** Faults that were found while the plugins were looked for; they are reported with those of the kernel. */
  readonly faults?: readonly PluginFault[] | undefined;
  /** Milliseconds that each setup has; 10,000 by default. */
  readonly setupDeadlineMs?: number | undefined;
  /** Milliseconds that each disposer has; 5,000 by default. */
  readonly stopDeadlineMs?: number | undefined;
}

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
export async function startKernel(options: KernelOptions): Promise<Kernel> {
  const { order, configs, defaults } = await checkKernel(options);
  const kernel = new RunningKernel({ ...options, defaults });
  await kernel.start(order, configs);
  return kernel;
}

/** What a start goes by. */
export interface CheckedStart {
  /** The plugins in the order of the start. */
  readonly order: readonly Plugin[];
  readonly configs: ReadonlyMap<string, unknown>;
  readonly defaults: readonly DefaultService[];
}

/** Finds all that is wrong before any plugin runs. Throws `PITH_PLUGIN_GRAPH` with all faults at once. */
export async function checkKernel(options: KernelOptions): Promise<CheckedStart> {
  const { plugins, config = {}, faults: found = [] } = options;
  const defaults = defaultsOf(options);
  const plan = planStart(plugins, [LOG_SINK, ...defaults.map(({ token }) => token)]);
  const { configs, faults } = await checkConfig(plan.plugins, config);
  const all = [...found, ...plan.faults, ...faults];
  if (all.length > 0) throw graphError(all);
  return { order: plan.order, configs, defaults };
}

/** Those of the core, then those that plugins bring along; the first for a token counts. */
function defaultsOf({ plugins, defaults = [] }: KernelOptions): readonly DefaultService[] {
  const known = new Map<string, DefaultService>();
  for (const service of [...defaults, ...plugins.flatMap((plugin) => plugin?.defaults ?? [])]) {
    if (!known.has(service.token.name)) known.set(service.token.name, service);
  }
  return [...known.values()];
}

class RunningKernel implements Kernel {
  readonly bus: Bus;
  readonly log: Logger;
  readonly #isOwnBus: boolean;
  readonly #onError: 'stop' | 'skip';
  readonly #core: Disposers;
  readonly #services: Services;
  readonly #router: HookRouter;
  readonly #contributions = new Contributions();
  readonly #host: PluginHost;
  readonly #scopes: PluginScope[] = [];
  readonly #leftOut: LeftOut[] = [];
  readonly #faults: PluginFault[] = [];
  #sink: LogSink;
  #stopping: Promise<void> | undefined;

  constructor(options: KernelOptions) {
    const { defaults = [], hooks = [], kinds = [], onError = 'stop' } = options;
    const { setupDeadlineMs = 10_000, stopDeadlineMs = 5_000, log: sink = createLogSink() } = options;
    this.#sink = sink;
    this.log = createLogger(() => this.#sink);
    this.#isOwnBus = options.bus === undefined;
    this.bus = options.bus ?? createLocalBus({ report: ({ name, error }) => this.#observerFailed(name, error) });
    this.#onError = onError;
    const report = pluginErrorReporter(this.bus, this.log);
    this.#core = new Disposers(stopDeadlineMs, report);
    this.#services = new Services(
      (owner, value) => this.#disposersOf(owner).addValue(owner, value),
      () => new Disposers(stopDeadlineMs, report),
    );
    const services = [defaultService(LOG_SINK, () => sink), ...defaults];
    for (const { token, make } of services) this.#services.add(token, { owner: 'core', rank: 'default', make });
    this.#router = new HookRouter(this.bus, report);
    for (const hook of hooks) this.#router.define('core', hook);
    this.#host = {
      bus: this.bus,
      log: this.log,
      router: this.#router,
      services: this.#services,
      contributions: this.#contributions,
      kinds,
      setupDeadlineMs,
      stopDeadlineMs,
      report,
      fault: (fault) => this.#faults.push(fault),
    };
  }

  async start(order: readonly Plugin[], configs: ReadonlyMap<string, unknown>): Promise<void> {
    const copies = severalCopies();
    if (copies.length > 0) this.log.warn('Several copies of Pith are loaded; they work together.', { copies });
    for (const [position, plugin] of order.entries()) {
      await this.#startPlugin(new PluginScope(this.#host, plugin, position, configs.get(plugin.name)));
    }
    const faults = [...this.#faults, ...this.#router.faults(), ...this.#contributions.faults()];
    if (faults.length > 0) return this.#giveUp(graphError(faults));
    this.#sink = this.#services.get(LOG_SINK);
    for (const { message, plugin, hook, code } of this.#router.unheard())
      this.log.warn(message, { plugin, hook, code });
  }

  readonly get: Get = (token) => {
    this.#mustRun();
    return this.#services.get(token);
  };

  get dispatch(): Dispatch {
    return this.#router.dispatch;
  }

  scope(session: KernelSession): SessionScope {
    this.#mustRun();
    return this.#services.scopeOf(session);
  }

  contributions<T>(kind: ContributionKind<T>): readonly Contribution<T>[] {
    return this.#contributions.of(kind);
  }

  describe(): KernelDescription {
    return describeKernel({
      scopes: this.#scopes,
      leftOut: this.#leftOut,
      services: this.#services,
      router: this.#router,
      contributions: this.#contributions,
    });
  }

  stop(): Promise<void> {
    return (this.#stopping ??= this.#stop());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #startPlugin(scope: PluginScope): Promise<void> {
    const { name } = scope.plugin;
    const lacking = scope.lacking().map((token) => `"${token.name}"`);
    if (lacking.length > 0) {
      const reason = `it needs ${lacking.join(', ')}, which nobody serves`;
      this.#leftOut.push({ plugin: name, reason });
      if (this.#onError === 'skip') this.log.warn(`Plugin "${name}" is left out: ${reason}.`);
      return;
    }
    this.#scopes.push(scope);
    try {
      await scope.setUp();
    } catch (thrown) {
      const error = thrown as PithError;
      return this.#onError === 'stop' ? this.#giveUp(error) : this.#leaveOut(scope, error);
    }
    const faults = scope.unprovided().map((token) => notProvided(name, token));
    if (this.#onError === 'stop') this.#faults.push(...faults);
    else if (faults.length > 0) await this.#leaveOut(scope, graphError(faults));
  }

  async #leaveOut(scope: PluginScope, error: PithError): Promise<void> {
    const { name } = scope.plugin;
    this.#host.report(error);
    this.#leftOut.push({ plugin: name, reason: error.message });
    this.#scopes.splice(this.#scopes.indexOf(scope), 1);
    this.#router.remove(name);
    this.#services.removeLayersOf(name);
    this.#contributions.remove(name);
    await scope.stop();
  }

  /** Stops what has started, whose failures are reported by themselves, and fails the start. */
  async #giveUp(error: PithError): Promise<never> {
    await this.stop().catch(() => undefined);
    throw error;
  }

  async #stop(): Promise<void> {
    this.#router.stop(kernelStopped());
    const errors = [...(await this.#services.disposeSessions())];
    for (const scope of [...this.#scopes].reverse()) errors.push(...(await scope.stop()));
    errors.push(...(await this.#core.dispose()));
    if (this.#isOwnBus) await this.bus.close();
    if (errors.length > 0) throw stopFailed(errors);
  }

  #mustRun(): void {
    if (this.#stopping !== undefined) throw kernelStopped();
  }

  #disposersOf(owner: string): Disposers {
    return this.#scopes.find(({ plugin }) => plugin.name === owner)?.disposers ?? this.#core;
  }

  #observerFailed(name: string, error: unknown): void {
    this.log.error(`An observer of "${name}" failed; the others go on.`, { cause: error });
  }
}

function notProvided(plugin: string, { name }: AnyToken): PluginFault {
  return {
    kind: 'not-provided',
    plugin,
    about: name,
    message: `Plugin "${plugin}" declares "${name}" and does not provide it.`,
    hint: 'Call ctx.provide during setup, or do not declare it.',
  };
}

function kernelStopped(): PithError {
  return new PithError('PITH_KERNEL_STOPPED', 'The kernel was stopped; start another one to go on.');
}

function stopFailed(errors: readonly PithError[]): PithError {
  const failures = errors.map(({ plugin, message }) => ({ plugin, message }));
  const lines = failures.map(({ message }) => `\n- ${message}`);
  return new PithError('PITH_PLUGIN_STOP', `Everything was stopped, but not everything went well:${lines.join('')}`, {
    cause: new AggregateError(errors),
    details: { failures },
  });
}
