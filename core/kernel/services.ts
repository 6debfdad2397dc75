/**
 * Services (S3.3), built by a container that nobody else sees. A token is served by the highest of its layers: core default,
 * one that provides it, one that replaces it; each layer can take what lies below. The container is never disposed and never
 * asked by a child for what its parent holds: disposal is ours, in reverse order of building.
 */
import 'reflect-metadata';
import { container, instanceCachingFactory } from 'tsyringe';
import type { DependencyContainer } from 'tsyringe';
import { messageOf, PithError } from '../errors';
import type { Disposers } from './disposers';
import type { AnyToken, KernelSession } from './plugin';
import type { SessionToken, Token } from './token';

/** Resolves a kernel service. */
export type Get = <T>(token: Token<T>) => T;

/** What the core serves where no plugin does. */
export interface DefaultService {
  readonly token: AnyToken;
  /** Builds it: `(get)` for the kernel, `(session, get)` for a session. */
  readonly make: (...from: never[]) => unknown;
}

/** Makes a core default. */
export function defaultService<T>(token: Token<T>, make: (get: Get) => T): DefaultService;
export function defaultService<T>(
  token: SessionToken<T>,
  make: (session: KernelSession, get: Get) => T,
): DefaultService;
export function defaultService(token: AnyToken, make: (...from: never[]) => unknown): DefaultService {
  return { token, make };
}

/** The values of one session, built on first use. */
export interface SessionScope {
  /** Throws `PITH_SERVICE_MISSING`, `PITH_SERVICE_FAILED`, and `PITH_SESSION_CLOSED` after disposal. */
  get<T>(token: SessionToken<T>): T;
  /** Disposes them in reverse order; a failure is reported and stops nothing. */
  dispose(): Promise<void>;
}

/** Where a layer comes from; higher ranks serve before lower ones. */
const RANKS = ['default', 'provides', 'replaces'] as const;
type Rank = (typeof RANKS)[number];

interface Layer {
  readonly owner: string;
  readonly rank: Rank;
  readonly make: (...from: never[]) => unknown;
}

/** Who serves a token, lowest layer first. */
export interface ServedToken {
  readonly token: string;
  readonly scope: 'kernel' | 'session';
  readonly layers: readonly { readonly plugin: string; readonly rank: Rank }[];
}

interface Served {
  readonly token: AnyToken;
  readonly layers: Layer[];
}

/** Builds what a layer makes, once its own place is known. */
interface Building {
  readonly container: DependencyContainer;
  readonly session: KernelSession | undefined;
  /** Names of what is being built right now, outermost first. */
  readonly path: string[];
  built(owner: string, value: unknown): void;
}

export class Services {
  readonly #served = new Map<string, Served>();
  readonly #kernel: Building;
  readonly #scopes = new Map<KernelSession, { readonly scope: SessionScope; readonly disposers: Disposers }>();
  readonly #disposers: () => Disposers;

  /**
   * @param built told of every kernel service that was built, so that it can be disposed
   * @param disposers makes the stack of one session
   */
  constructor(built: (owner: string, value: unknown) => void, disposers: () => Disposers) {
    this.#kernel = { container: container.createChildContainer(), session: undefined, path: [], built };
    this.#disposers = disposers;
  }

  /** Adds a layer; the plan of the start has seen to it that there is one per rank. */
  add(token: AnyToken, layer: Layer): void {
    const served = this.#served.get(token.name) ?? { token, layers: [] };
    this.#served.set(token.name, served);
    served.layers.push(layer);
    served.layers.sort((a, b) => RANKS.indexOf(a.rank) - RANKS.indexOf(b.rank));
  }

  /** Takes away the layers of a plugin that is left out. */
  removeLayersOf(owner: string): void {
    for (const { layers } of this.#served.values()) {
      const at = layers.findIndex((layer) => layer.owner === owner);
      if (at >= 0) layers.splice(at, 1);
    }
  }

  has({ name }: AnyToken): boolean {
    return (this.#served.get(name)?.layers.length ?? 0) > 0;
  }

  readonly get: Get = (token) => this.#resolve(this.#kernel, token);

  /** The values of a session; the same scope for the same session until it is disposed. */
  scopeOf(session: KernelSession): SessionScope {
    return this.#scopes.get(session)?.scope ?? this.#openScope(session);
  }

  /** Disposes the sessions that are still open, newest first, and returns the errors. */
  async disposeSessions(): Promise<readonly PithError[]> {
    const errors: PithError[] = [];
    for (const [session, { disposers }] of [...this.#scopes].reverse()) {
      this.#scopes.delete(session);
      errors.push(...(await disposers.dispose()));
    }
    return errors;
  }

  describe(): readonly ServedToken[] {
    return [...this.#served.values()]
      .filter(({ layers }) => layers.length > 0)
      .map(({ token, layers }) => ({
        token: token.name,
        scope: token.scope,
        layers: layers.map(({ owner, rank }) => ({ plugin: owner, rank })),
      }));
  }

  #openScope(session: KernelSession): SessionScope {
    const disposers = this.#disposers();
    const building: Building = {
      container: this.#kernel.container.createChildContainer(),
      session,
      path: [],
      built: (owner, value) => disposers.addValue(owner, value),
    };
    const scope: SessionScope = {
      get: (token) => {
        if (this.#scopes.get(session)?.scope !== scope) throw sessionClosed(session, token.name);
        return this.#resolve(building, token);
      },
      dispose: async () => {
        if (this.#scopes.get(session)?.scope !== scope) return;
        this.#scopes.delete(session);
        await disposers.dispose();
      },
    };
    this.#scopes.set(session, { scope, disposers });
    return scope;
  }

  #resolve<T>(building: Building, token: Token<T> | SessionToken<T>): T {
    const key = Symbol.for(`pith/service/${token.name}`);
    const { container: own } = building;
    if (!own.isRegistered(key)) {
      const served = this.#served.get(token.name);
      if (served === undefined || served.layers.length === 0) throw missing(token);
      if (served.token.scope !== token.scope || (token.scope === 'session') !== (building.session !== undefined)) {
        throw wrongScope(token, served.token.scope);
      }
      const make = () => ({ value: this.#build(building, token.name, served.layers, served.layers.length - 1) });
      own.register(key, { useFactory: instanceCachingFactory(make) });
    }
    return own.resolve<{ readonly value: T }>(key).value;
  }

  /** Builds one layer, and those below it as far as its factory takes them. */
  #build(building: Building, name: string, layers: readonly Layer[], at: number): unknown {
    const layer = layers[at];
    if (layer === undefined) return undefined;
    const { owner, rank, make } = layer;
    const { session, path } = building;
    const step = rank === 'default' ? name : `${name} (${owner})`;
    if (path.includes(step)) throw cycle([...path.slice(path.indexOf(step)), step], owner);
    path.push(step);
    try {
      const from: unknown[] = session === undefined ? [] : [session];
      let replaced: unknown;
      if (rank === 'default') from.push(this.get);
      else if (make.length > from.length) from.push((replaced = this.#build(building, name, layers, at - 1)));
      const value = (make as (...from: unknown[]) => unknown)(...from);
      if (value === undefined || value === null) throw new TypeError('its factory returned nothing.');
      if (value !== replaced) building.built(owner, value);
      return value;
    } catch (thrown) {
      throw PithError.is(thrown) ? thrown : failed(name, owner, thrown);
    } finally {
      path.pop();
    }
  }
}

function missing({ name }: AnyToken): PithError {
  return new PithError('PITH_SERVICE_MISSING', `Nobody provides "${name}"; add a plugin that does.`, {
    details: { token: name },
  });
}

function wrongScope({ name, scope }: AnyToken, served: string): PithError {
  const message =
    served === scope
      ? `"${name}" exists ${scope === 'session' ? 'once per session; ask the session' : 'once per kernel; ask the kernel'} for it.`
      : `"${name}" was asked for as a ${scope} token, but it is a ${served} token; import the token of who provides it.`;
  return new PithError('PITH_SERVICE_MISSING', message, { details: { token: name } });
}

function cycle(path: readonly string[], plugin: string): PithError {
  return new PithError('PITH_SERVICE_FAILED', `Services build each other in a circle: ${path.join(' → ')}.`, {
    plugin,
  });
}

function failed(token: string, plugin: string, cause: unknown): PithError {
  return new PithError('PITH_SERVICE_FAILED', `"${plugin}" could not build "${token}": ${messageOf(cause)}`, {
    plugin,
    cause,
    details: { token },
  });
}

function sessionClosed({ id }: KernelSession, token: string): PithError {
  return new PithError('PITH_SESSION_CLOSED', `Session "${id}" is closed; its "${token}" is gone with it.`);
}
