/** A kernel from its start to its stop (S3.3, S3.4): what it starts, leaves out, serves and ends. */
import type { Bus } from '../bus/bus';
import { createLocalBus } from '../bus/local-bus';
import { PithError } from '../errors';
import { Contributions } from './contributions';
import type { Contribution, ContributionKind } from './contributions';
import { severalCopies } from './copies';
import { describeKernel } from './describe';
import type { KernelDescription, LeftOut } from './describe';
import { Disposers } from './disposers';
import { graphError } from './faults';
import type { PluginFault } from './faults';
import { HookRouter } from './hook-router';
import type { Dispatch } from './hooks';
import type { Kernel, KernelOptions } from './kernel';
import { createLogger, LOG_SINK } from './logger';
import type { Logger, LogSink } from './logger';
import type { AnyToken, KernelSession, Plugin } from './plugin';
import { pluginErrorReporter } from './plugin-error';
import { PluginScope } from './plugin-scope';
import type { PluginHost } from './plugin-scope';
import { defaultService, Services } from './services';
import type { Get, SessionScope } from './services';

/** Options of a kernel whose bus, if it is given one, is open. */
type RunningOptions = KernelOptions & { readonly bus: Bus | undefined; readonly log: LogSink };

/** The kernel that {@link startKernel} gives. */
export class RunningKernel implements Kernel {
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

  /** @param isOwnBus whether the bus that is given ends with the kernel */
  constructor(options: RunningOptions, isOwnBus: boolean) {
    const { defaults = [], hooks = [], kinds = [], onError = 'stop', faults = [] } = options;
    const { setupDeadlineMs = 10_000, stopDeadlineMs = 5_000, log: sink } = options;
    this.#sink = sink;
    this.log = createLogger(() => this.#sink);
    this.#isOwnBus = isOwnBus || options.bus === undefined;
    this.bus = options.bus ?? createLocalBus({ report: ({ name, error }) => this.#observerFailed(name, error) });
    this.#onError = onError;
    this.#leftOut.push(...faults.map(({ plugin, message }) => ({ plugin, reason: message })));
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
    for (const { plugin, reason } of this.#leftOut) this.log.warn(`Plugin "${plugin}" is left out: ${reason}`);
    const copies = severalCopies();
    if (copies.length > 0) this.log.warn('Several copies of Pith are loaded; they work together.', { copies });
    for (const plugin of order) {
      await this.#startPlugin(new PluginScope(this.#host, plugin, configs.get(plugin.name)));
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
