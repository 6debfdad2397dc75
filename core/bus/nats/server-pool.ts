/** The servers of a link, taken in turn; those that a cluster tells of join those of the settings. */
import { isIP } from 'node:net';
import { serverNameOf } from './server-address';
import type { ServerAddress } from './server-address';

export class ServerPool {
  readonly #configured: readonly ServerAddress[];
  #turn: ServerAddress[];
  /** When each was tried last, in milliseconds of the process clock. */
  readonly #tried = new Map<string, number>();

  /** In an order of its own for each process, so that not all connect to the same server. */
  constructor(configured: readonly ServerAddress[]) {
    this.#configured = configured;
    this.#turn = configured
      .map((server) => ({ server, place: Math.random() }))
      .sort((one, other) => one.place - other.place)
      .map(({ server }) => server);
  }

  /** The next in turn, and the milliseconds until it may be tried again. */
  next(waitMs: number): { readonly server: ServerAddress; readonly inMs: number } {
    const server = this.#turn.shift() as ServerAddress;
    this.#turn.push(server);
    const now = performance.now();
    const inMs = Math.max(0, (this.#tried.get(server.host) ?? -Infinity) + waitMs - now);
    this.#tried.set(server.host, now + inMs);
    return { server, inMs };
  }

  /**
   * Takes the addresses that a server tells of its cluster, each `host:port`, in place of those told before. That server comes
   * last in turn.
   */
  learn(told: readonly string[], from: ServerAddress): void {
    const known = this.#turn.filter(
      ({ host }) => host !== from.host && (this.#isConfigured(host) || told.includes(host)),
    );
    const fresh = told.filter((host) => host !== from.host && !known.some((server) => server.host === host));
    const learnt = fresh.map((host) => ({ ...from, host, serverName: certifiedName(host, from) }));
    this.#turn = [...known, ...learnt, from];
    for (const host of this.#tried.keys()) {
      if (!this.#turn.some((server) => server.host === host)) this.#tried.delete(host);
    }
  }

  #isConfigured(host: string): boolean {
    return this.#configured.some((server) => server.host === host);
  }
}

/** A cluster tells addresses, while its certificate is mostly for the name by which it was reached first. */
function certifiedName(host: string, { serverName }: ServerAddress): string {
  const told = serverNameOf(host);
  return isIP(told) === 0 || isIP(serverName) !== 0 ? told : serverName;
}
