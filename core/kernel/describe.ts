/** What runs in a kernel, for `pith plugins` (S3.4): plugins in their order, who serves what, who hears what. */
import type { Contributions } from './contributions';
import { sectionOf } from './config';
import { predecessors, tokenOfNeed } from './graph';
import type { Predecessor } from './graph';
import type { HandlerDescription, HookRouter } from './hook-router';
import type { AnyToken, Needs } from './plugin';
import type { PluginScope } from './plugin-scope';
import type { ServedToken, Services } from './services';

/** A need of a plugin, and who serves it. */
export interface NeedDescription {
  /** The key under `ctx.needs`. */
  readonly key: string;
  readonly token: string;
  readonly optional: boolean;
  /** The plugin that serves it, `core` for a default, undefined where nobody does. */
  readonly servedBy: string | undefined;
}

/** A plugin as reports show it. */
export interface PluginDescription {
  readonly name: string;
  readonly api: number;
  readonly version: string | undefined;
  readonly section: string;
  /** 1-based place in the start order. */
  readonly position: number;
  /** The plugins that start before it for a reason: because it needs what they serve, or somebody asked for it. */
  readonly after: readonly Predecessor[];
  readonly needs: readonly NeedDescription[];
  readonly provides: readonly string[];
  readonly replaces: readonly string[];
  readonly handlers: readonly HandlerDescription[];
  /** Keys by kind, such as the names of its tools under `tools`. */
  readonly contributions: Readonly<Record<string, readonly string[]>>;
  /** The effective configuration. */
  readonly config: unknown;
  readonly setupMs: number;
}

/** A plugin that does not run (only under `onError: "skip"`). */
export interface LeftOut {
  readonly plugin: string;
  readonly reason: string;
}

/** A kernel as reports show it: plugins in order, services, handlers, contributions. */
export interface KernelDescription {
  /** In the order of the start. */
  readonly plugins: readonly PluginDescription[];
  readonly leftOut: readonly LeftOut[];
  /** Every token with its layers, lowest first; the last one serves. */
  readonly services: readonly ServedToken[];
  /** Every handler, hook by hook, in the order in which they are called. */
  readonly handlers: readonly HandlerDescription[];
}

/** The parts that a description is made of. */
export interface Described {
  readonly scopes: readonly PluginScope[];
  readonly leftOut: readonly LeftOut[];
  readonly services: Services;
  readonly router: HookRouter;
  readonly contributions: Contributions;
}

/** Describes what runs. */
export function describeKernel({ scopes, leftOut, services, router, contributions }: Described): KernelDescription {
  const served = services.describe();
  const handlers = router.describe();
  const after = predecessors(scopes.map(({ plugin }) => plugin));
  const plugins = scopes.map(({ plugin, config, setupMs }, index) => ({
    name: plugin.name,
    api: plugin.api,
    version: plugin.version,
    section: sectionOf(plugin),
    position: index + 1,
    after: after.get(plugin.name) ?? [],
    needs: needsOf(plugin.needs ?? {}, served),
    provides: names(plugin.provides),
    replaces: names(plugin.replaces),
    handlers: handlers.filter((handler) => handler.plugin === plugin.name),
    contributions: contributions.keysOf(plugin.name),
    config,
    setupMs,
  }));
  return { plugins, leftOut, services: served, handlers };
}

function needsOf(needs: Needs, served: readonly ServedToken[]): readonly NeedDescription[] {
  return Object.entries(needs).map(([key, need]) => {
    const { token, isOptional } = tokenOfNeed(need);
    const layers = served.find((entry) => entry.token === token.name)?.layers;
    return { key, token: token.name, optional: isOptional, servedBy: layers?.at(-1)?.plugin };
  });
}

function names(tokens: readonly AnyToken[] = []): readonly string[] {
  return tokens.map(({ name }) => name);
}
