/**
 * What plugins contribute besides hooks and services. The kernel knows no tool: a room names a kind of contribution, and
 * plugins get it as `ctx[kind.name]`. The room types that key by augmenting {@link PluginContext}.
 */
import type { PluginFault } from './faults';

/** A kind of thing that plugins contribute during setup, such as tools. */
export interface ContributionKind<T> {
  /** The key on the context of plugins, and the word for it in reports. */
  readonly name: string;
  /** What plugins get as `ctx[name]`. `add` keeps a value under a key that no other contribution of the kind may have. */
  open(add: (key: string, value: T) => void): object;
}

export interface Contribution<T> {
  readonly plugin: string;
  readonly key: string;
  readonly value: T;
}

export class Contributions {
  readonly #lists = new Map<string, Contribution<unknown>[]>();

  add(kind: ContributionKind<unknown>, contribution: Contribution<unknown>): void {
    const list = this.#lists.get(kind.name);
    if (list === undefined) this.#lists.set(kind.name, [contribution]);
    else list.push(contribution);
  }

  /** Contributions of a kind in the order of the start. */
  of<T>({ name }: ContributionKind<T>): readonly Contribution<T>[] {
    return (this.#lists.get(name) ?? []) as readonly Contribution<T>[];
  }

  remove(plugin: string): void {
    for (const [name, list] of this.#lists) {
      this.#lists.set(
        name,
        list.filter((contribution) => contribution.plugin !== plugin),
      );
    }
  }

  /** Keys that were given twice. */
  faults(): readonly PluginFault[] {
    return [...this.#lists].flatMap(([kind, list]) => {
      const first = new Map<string, string>();
      return list.flatMap(({ key, plugin }) => {
        const other = first.get(key);
        if (other === undefined) first.set(key, plugin);
        return other === undefined ? [] : [givenTwice(kind, key, [other, plugin])];
      });
    });
  }

  /** Keys by kind, of one plugin. */
  keysOf(plugin: string): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries(
      [...this.#lists].map(([kind, list]) => [
        kind,
        list.filter((contribution) => contribution.plugin === plugin).map(({ key }) => key),
      ]),
    );
  }
}

function givenTwice(kind: string, key: string, plugins: readonly [string, string]): PluginFault {
  const by = plugins[0] === plugins[1] ? `twice by "${plugins[0]}"` : `by "${plugins[0]}" and "${plugins[1]}"`;
  return {
    kind: 'duplicate-contribution',
    plugin: plugins[1],
    about: key,
    plugins,
    message: `"${key}" of ${kind} is given ${by}.`,
    hint: 'Give one of the two another name, or leave one out.',
  };
}
