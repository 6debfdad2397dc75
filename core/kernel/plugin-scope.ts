/** One plugin in one kernel (S3.2, S3.4): its context, the time in which it may register, and its end. */
import type { Bus } from '../bus/bus';
import { within } from '../bus/watchdog';
import { messageOf, PithError } from '../errors';
import type { ContributionKind, Contributions } from './contributions';
import { Disposers } from './disposers';
import type { PluginFault } from './faults';
import { tokenOfNeed } from './graph';
import type { HookRouter } from './hook-router';
import type { Hooks } from './hooks';
import type { Logger } from './logger';
import type { AnyToken, Plugin, PluginContext } from './plugin';
import { busOfPlugin } from './plugin-bus';
import type { Services } from './services';

/** What the plugins of a kernel share. */
export interface PluginHost {
  readonly bus: Bus;
  readonly log: Logger;
  readonly router: HookRouter;
  readonly services: Services;
  readonly contributions: Contributions;
  readonly kinds: readonly ContributionKind<unknown>[];
  /** Milliseconds that a setup has. */
  readonly setupDeadlineMs: number;
  /** Milliseconds that each disposer has. */
  readonly stopDeadlineMs: number;
  report(error: PithError): void;
  /** Takes a fault that shows only during setup. */
  fault(fault: PluginFault): void;
}

export class PluginScope {
  readonly disposers: Disposers;
  /** Milliseconds that the setup took. */
  setupMs = 0;
  readonly #controller = new AbortController();
  readonly #provided = new Set<string>();
  #isSettingUp = false;

  constructor(
    readonly host: PluginHost,
    readonly plugin: Plugin,
    readonly config: unknown,
  ) {
    this.disposers = new Disposers(host.stopDeadlineMs, host.report);
  }

  /** Tokens that the plugin needs and nobody serves. */
  lacking(): readonly AnyToken[] {
    return Object.values(this.plugin.needs ?? {})
      .map(tokenOfNeed)
      .filter(({ token, isOptional }) => !isOptional && !this.host.services.has(token))
      .map(({ token }) => token);
  }

  /** Tokens that the plugin declares and its setup did not provide. */
  unprovided(): readonly AnyToken[] {
    const { provides = [], replaces = [] } = this.plugin;
    return [...provides, ...replaces].filter(({ name }) => !this.#provided.has(name));
  }

  /** Runs the setup. Throws `PITH_PLUGIN_SETUP` where it throws or takes too long. */
  async setUp(): Promise<void> {
    const { name } = this.plugin;
    const { setupDeadlineMs } = this.host;
    const began = performance.now();
    this.#isSettingUp = true;
    try {
      const context = this.#context() as never;
      await within(
        setupDeadlineMs,
        () => this.plugin.setup(context),
        () => tooLate(name, setupDeadlineMs),
      );
    } catch (thrown) {
      throw PithError.is(thrown, 'PITH_PLUGIN_SETUP') ? thrown : setupFailed(name, thrown);
    } finally {
      this.#isSettingUp = false;
      this.setupMs = performance.now() - began;
    }
  }

  /** Aborts the plugin's signal and runs its disposers; the errors were reported. */
  stop(): Promise<readonly PithError[]> {
    this.#controller.abort(new PithError('PITH_KERNEL_STOPPED', `Plugin "${this.plugin.name}" was stopped.`));
    return this.disposers.dispose();
  }

  #context(): PluginContext {
    const { host, plugin, config } = this;
    const { name } = plugin;
    const onDispose: PluginContext['onDispose'] = (dispose) => this.disposers.add(name, dispose);
    const context = {
      name,
      config: config as object,
      needs: this.#needs(),
      hooks: this.#hooks(),
      bus: busOfPlugin(host.bus, onDispose),
      log: host.log.with({ plugin: name }),
      signal: this.#controller.signal,
      provide: (token, make) => this.#provide(token, make),
      scope: (session) => host.services.scopeOf(session),
      onDispose,
    } satisfies Partial<PluginContext>;
    return Object.freeze(Object.assign(context, this.#contributors())) as PluginContext;
  }

  #needs(): PluginContext['needs'] {
    const { services } = this.host;
    const resolve = (token: AnyToken): unknown => {
      if (!services.has(token)) return undefined;
      return token.scope === 'session' ? token : services.get(token);
    };
    const needs = Object.entries(this.plugin.needs ?? {});
    return Object.freeze(Object.fromEntries(needs.map(([key, need]) => [key, resolve(tokenOfNeed(need).token)])));
  }

  #hooks(): Hooks {
    const { host } = this;
    const plugin = this.plugin.name;
    const registrant = { plugin, signal: this.#controller.signal };
    return Object.freeze<Hooks>({
      on: (hook, handler, options = {}) => {
        this.#mustSetUp('hooks.on');
        host.router.on(registrant, hook, handler as never, options);
      },
      define: (definition) => {
        this.#mustSetUp('hooks.define');
        const fault = host.router.define(plugin, definition as never);
        if (fault !== undefined) host.fault(fault);
      },
      dispatch: host.router.dispatch,
    });
  }

  #provide(token: AnyToken, make: (...from: never[]) => unknown): void {
    this.#mustSetUp('provide');
    const { name, provides = [], replaces = [] } = this.plugin;
    const among = (tokens: readonly AnyToken[]): boolean => tokens.some((declared) => declared.name === token.name);
    const rank = among(provides) ? 'provides' : among(replaces) ? 'replaces' : undefined;
    if (rank === undefined) throw badProvide(name, token, 'does not declare it; list it under provides or replaces');
    if (this.#provided.has(token.name)) throw badProvide(name, token, 'has provided it already; provide it once');
    this.#provided.add(token.name);
    this.host.services.add(token, { owner: name, rank, make });
  }

  #contributors(): object {
    const { contributions, kinds } = this.host;
    const plugin = this.plugin.name;
    const open = (kind: ContributionKind<unknown>): object =>
      kind.open((key, value) => {
        this.#mustSetUp(`${kind.name}.add`);
        contributions.add(kind, { plugin, key, value });
      });
    return Object.fromEntries(kinds.map((kind) => [kind.name, open(kind)]));
  }

  #mustSetUp(what: string): void {
    if (this.#isSettingUp) return;
    const plugin = this.plugin.name;
    const message = `Plugin "${plugin}" called ${what} after its setup had ended; register everything during setup.`;
    throw new PithError('PITH_SETUP_OVER', message, { plugin });
  }
}

function tooLate(plugin: string, deadlineMs: number): PithError {
  const message = `The setup of plugin "${plugin}" did not end within ${String(deadlineMs)} ms.`;
  return new PithError('PITH_PLUGIN_SETUP', message, { plugin });
}

function setupFailed(plugin: string, cause: unknown): PithError {
  const message = `The setup of plugin "${plugin}" failed: ${messageOf(cause)}`;
  return new PithError('PITH_PLUGIN_SETUP', message, { plugin, cause });
}

function badProvide(plugin: string, { name }: AnyToken, problem: string): PithError {
  return new PithError('PITH_PLUGIN_SETUP', `Plugin "${plugin}" provides "${name}" but ${problem}.`, { plugin });
}
