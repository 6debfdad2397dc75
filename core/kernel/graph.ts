/**
 * The order in which plugins start, or all that is wrong with them (S3.3, S3.4). Pure: the same plugins in the same list
 * give the same order. First come needs, then `before` and `after`, then the place in the list.
 */
import { findCycles } from './cycles';
import type { Edges } from './cycles';
import type { PluginFault } from './faults';
import { nearest } from './nearest';
import type { AnyToken, Needs, Plugin } from './plugin';
import { SERVED_APIS } from './plugin-api';
import { namedPlugins } from './plugin-shape';

/** A start order and the faults that forbid it. */
export interface StartPlan {
  /** Every plugin that is one, once, as listed. */
  readonly plugins: readonly Plugin[];
  /** The same in the order of the start; without those in or behind a cycle. */
  readonly order: readonly Plugin[];
  readonly faults: readonly PluginFault[];
}

/** Orders plugins and finds every fault that can be seen before any of them runs. `defaults` are tokens that the core serves. */
export function planStart(
  given: readonly unknown[],
  defaults: Iterable<AnyToken> = [],
  served = SERVED_APIS,
): StartPlan {
  const { plugins, faults: misshapen } = namedPlugins(given, served);
  const faults = [...misshapen];
  const core = [...defaults];
  const claims = new Claims(plugins);
  faults.push(...claims.faults(), ...scopeFaults(plugins, core));
  for (const plugin of plugins) faults.push(...missingNeeds(plugin, claims, core));
  const edges = edgesOf(plugins, claims);
  const cycles = findCycles(edges);
  faults.push(...cycles.map((cycle) => cycleFault(cycle, plugins, edges)));
  return { plugins, order: ordered(plugins, edges), faults };
}

/** The token of a need, and whether the plugin can do without. */
export function tokenOfNeed(need: Needs[string]): { readonly token: AnyToken; readonly isOptional: boolean } {
  return 'optional' in need ? { token: need.optional, isOptional: true } : { token: need, isOptional: false };
}

/** A plugin that starts before another one, and why. */
export interface Predecessor {
  readonly plugin: string;
  /** A need or a wish, in words. */
  readonly why: string;
}

/** For each plugin by name those that start before it for a reason, in the order of the list (S3.4). */
export function predecessors(plugins: readonly Plugin[]): ReadonlyMap<string, readonly Predecessor[]> {
  const edges = edgesOf(plugins, new Claims(plugins));
  const waits = plugins.map(({ name }, at) => {
    const before = edges.flatMap((after, from) => {
      const why = after.get(at);
      return why === undefined || from === at ? [] : [{ plugin: nameAt(plugins, from), why }];
    });
    return [name, before] as const;
  });
  return new Map(waits);
}

/** Who provides and who replaces each token, by the index of the plugin. */
class Claims {
  readonly #provides = new Map<string, number[]>();
  readonly #replaces = new Map<string, number[]>();

  constructor(readonly plugins: readonly Plugin[]) {
    for (const [index, plugin] of plugins.entries()) {
      for (const name of namesOf(plugin.provides)) push(this.#provides, name, index);
      for (const name of namesOf(plugin.replaces)) push(this.#replaces, name, index);
    }
  }

  get names(): readonly string[] {
    return [...new Set([...this.#provides.keys(), ...this.#replaces.keys()])];
  }

  /** All plugins that take part in building a token. */
  of(name: string): readonly number[] {
    return [...(this.#provides.get(name) ?? []), ...(this.#replaces.get(name) ?? [])];
  }

  faults(): readonly PluginFault[] {
    return [
      ...this.#rivals(
        this.#provides,
        'two-providers',
        'is provided by',
        'Let one provide it and the other replace it.',
      ),
      ...this.#rivals(
        this.#replaces,
        'two-replacers',
        'is replaced by',
        'Only one plugin can replace it; leave one out.',
      ),
      ...this.#ownReplacers(),
    ];
  }

  #ownReplacers(): readonly PluginFault[] {
    return [...this.#replaces].flatMap(([about, claimants]) =>
      claimants
        .filter((index) => this.#provides.get(about)?.includes(index))
        .map((index) => {
          const plugin = nameAt(this.plugins, index);
          const message = `Plugin "${plugin}" both provides and replaces "${about}".`;
          const hint = 'Let it provide the token where nobody else does, or replace it where somebody does.';
          return { kind: 'own-replacer' as const, plugin, about, message, hint };
        }),
    );
  }

  #rivals(
    claims: ReadonlyMap<string, readonly number[]>,
    kind: 'two-providers' | 'two-replacers',
    verb: string,
    hint: string,
  ): readonly PluginFault[] {
    return [...claims].flatMap(([about, claimants]) => {
      const plugins = claimants.map((index) => nameAt(this.plugins, index));
      if (plugins.length < 2) return [];
      const message = `"${about}" ${verb} ${plugins.map((name) => `"${name}"`).join(' and ')}.`;
      return [{ kind, plugin: plugins[1] as string, about, plugins, message, hint }];
    });
  }
}

/** One name must mean one kind of token, whoever made it. */
function scopeFaults(plugins: readonly Plugin[], core: readonly AnyToken[]): readonly PluginFault[] {
  const scopes = new Map(core.map(({ name, scope }) => [name, scope]));
  return plugins.flatMap((plugin) =>
    tokensOf(plugin).flatMap(({ name, scope }) => {
      const known = scopes.get(name) ?? scope;
      scopes.set(name, known);
      if (known === scope) return [];
      return [
        {
          kind: 'token-scope' as const,
          plugin: plugin.name,
          about: name,
          message: `Plugin "${plugin.name}" takes "${name}" for a ${scope} token, but it is a ${known} token.`,
          hint: 'Import the token of the plugin that provides it, or choose another name.',
        },
      ];
    }),
  );
}

function missingNeeds(plugin: Plugin, claims: Claims, core: readonly AnyToken[]): readonly PluginFault[] {
  return Object.values(plugin.needs ?? {}).flatMap((need) => {
    const { token, isOptional } = tokenOfNeed(need);
    const { name } = token;
    if (isOptional || claims.of(name).length > 0 || core.some((known) => known.name === name)) return [];
    const meant = nearest(name, [...claims.names, ...core.map((known) => known.name)]);
    return [
      {
        kind: 'missing-need' as const,
        plugin: plugin.name,
        about: name,
        message: `Plugin "${plugin.name}" needs "${name}", which nobody provides.`,
        hint:
          meant === undefined
            ? 'Add a plugin that provides it, or leave this one out.'
            : `Did you mean "${meant}"? Else add a plugin that provides it.`,
      },
    ];
  });
}

/** For each plugin those that come after it, with the reason in words. Needs are entered first, so they are named first. */
function edgesOf(plugins: readonly Plugin[], claims: Claims): Edges {
  const edges = plugins.map(() => new Map<number, string>());
  const join = (first: number, second: number, why: string): void => {
    const after = edges[first] as Map<number, string>;
    if (!after.has(second)) after.set(second, why);
  };
  for (const [at, { name, needs }] of plugins.entries()) {
    for (const need of Object.values(needs ?? {})) {
      const { token } = tokenOfNeed(need);
      for (const server of claims.of(token.name)) {
        join(server, at, `"${name}" needs "${token.name}" of "${nameAt(plugins, server)}"`);
      }
    }
  }
  const present = new Map(plugins.map(({ name }, at) => [name, at]));
  const indices = (names: readonly string[] = []): readonly number[] =>
    names.flatMap((name) => present.get(name) ?? []);
  for (const [at, { name, before, after }] of plugins.entries()) {
    for (const other of indices(before)) join(at, other, `"${name}" asks to be before "${nameAt(plugins, other)}"`);
    for (const other of indices(after)) join(other, at, `"${name}" asks to be after "${nameAt(plugins, other)}"`);
  }
  return edges;
}

/** Takes again and again the first plugin of the list that waits for nobody. */
function ordered(plugins: readonly Plugin[], edges: Edges): readonly Plugin[] {
  const waitsFor = plugins.map(() => 0);
  for (const after of edges) for (const at of after.keys()) waitsFor[at] = (waitsFor[at] ?? 0) + 1;
  const order: Plugin[] = [];
  for (let at = waitsFor.indexOf(0); at >= 0; at = waitsFor.indexOf(0)) {
    waitsFor[at] = -1;
    order.push(plugins[at] as Plugin);
    for (const next of edges[at]?.keys() ?? []) waitsFor[next] = (waitsFor[next] ?? 0) - 1;
  }
  return order;
}

function cycleFault(cycle: readonly number[], plugins: readonly Plugin[], edges: Edges): PluginFault {
  const names = cycle.map((index) => nameAt(plugins, index));
  const reasons = cycle.slice(1).map((next, at) => edges[cycle[at] as number]?.get(next) ?? '');
  return {
    kind: 'cycle',
    plugin: names[0] as string,
    plugins: names,
    message: `Plugins wait for each other: ${names.join(' → ')} (${reasons.join('; ')}).`,
    hint:
      names.length === 2
        ? 'A plugin that replaces a token receives what it replaces from its factory; it must not need it.'
        : 'Make one of the needs optional or take back one of the wishes.',
  };
}

function tokensOf({ needs, provides, replaces }: Plugin): readonly AnyToken[] {
  const needed = Object.values(needs ?? {}).map((need) => tokenOfNeed(need).token);
  return [...needed, ...(provides ?? []), ...(replaces ?? [])];
}

function namesOf(tokens: readonly AnyToken[] = []): ReadonlySet<string> {
  return new Set(tokens.map(({ name }) => name));
}

function nameAt(plugins: readonly Plugin[], index: number): string {
  return (plugins[index] as Plugin).name;
}

function push(map: Map<string, number[]>, key: string, value: number): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
