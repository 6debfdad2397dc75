/** Keeps a connection: dials, one server after the other, until it is told to stop. */
import type * as Nats from 'nats';
import type { PithError } from '../../errors';
import { connectOptions } from './connect-options';
import { connectionFault } from './connection-fault';
import { readCredentials } from './credentials';
import { dial } from './dial';
import type { Dialled } from './dial';
import type { LinkSettings } from './link-settings';
import type { ServerAddress } from './server-address';
import { ServerPool } from './server-pool';

/** Who uses the connection. None of these may throw. */
export interface ConnectionUser {
  /** A connection stands; what is sent on it now arrives before all else. */
  up(connection: Nats.NatsConnection, server: string): void;
  /** It stands no more. */
  down(server: string, why: PithError): void;
  /** Why an attempt failed; told once per server and reason until a connection stands again. */
  failed(why: PithError): void;
  denied(operation: 'publish' | 'subscribe', subject: string): void;
  lameDuck(server: string): void;
}

export class ConnectionLoop {
  readonly #pool: ServerPool;
  readonly #told = new Set<string>();
  #dialled: Dialled | undefined;
  #connection: Nats.NatsConnection | undefined;
  #stopped = false;
  #wake: (() => void) | undefined;

  constructor(
    private readonly nats: typeof Nats,
    private readonly settings: LinkSettings,
    private readonly user: ConnectionUser,
  ) {
    this.#pool = new ServerPool(settings.servers);
  }

  /** Dials for ever; resolves after {@link stop}. */
  async run(): Promise<void> {
    while (!this.#stopped) {
      const wait = this.settings.reconnectWaitMs * (1 + Math.random() / 2);
      const { server, inMs } = this.#pool.next(wait);
      if (inMs > 0) await this.#pause(inMs);
      if (this.#stopped) return;
      try {
        await this.#connect(server);
      } catch (thrown) {
        this.#dialled?.cut();
        if (!this.#stopped) this.#tell(server.host, connectionFault(server.host, thrown));
      }
    }
  }

  /** Ends the connection, the attempt at one, or the pause before the next. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake?.();
    await this.#connection?.close();
    this.#dialled?.cut();
  }

  /** Connects and stays until the connection ends. */
  async #connect(server: ServerAddress): Promise<void> {
    const { host } = server;
    const credentials = await readCredentials(this.nats, this.settings);
    if (this.#stopped) return;
    const dialled = dial(this.nats, connectOptions(this.settings, server, credentials));
    this.#dialled = dialled;
    const connection = await dialled.connection;
    if (this.#stopped) return void connection.close();
    if (connection.info?.headers !== true) {
      await connection.close();
      throw Object.assign(new Error('no headers'), { code: 'NO_HEADERS' });
    }
    this.#connection = connection;
    this.#told.clear();
    this.#learn(connection, server);
    let stale = false;
    void this.#watch(connection, server, () => {
      stale = true;
      dialled.cut();
    });
    this.user.up(connection, host);
    const ended = await connection.closed();
    this.#connection = undefined;
    const why = ended ?? (stale ? { code: 'STALE' } : undefined);
    if (!this.#stopped) this.user.down(host, connectionFault(host, why));
  }

  /** Hears what the library says of a connection. */
  async #watch(connection: Nats.NatsConnection, server: ServerAddress, onStale: () => void): Promise<void> {
    const { DebugEvents, Events } = this.nats;
    for await (const { type, permissionContext } of connection.status()) {
      if (type === DebugEvents.StaleConnection) onStale();
      else if (type === Events.Update) this.#learn(connection, server);
      else if (type === Events.LDM) this.user.lameDuck(server.host);
      else if (type === Events.Error && permissionContext !== undefined) {
        const { operation, subject } = permissionContext;
        this.user.denied(operation === 'publish' ? 'publish' : 'subscribe', subject);
      }
    }
  }

  #learn({ info }: Nats.NatsConnection, server: ServerAddress): void {
    if (info !== undefined) this.#pool.learn(info.connect_urls ?? [], server);
  }

  #tell(host: string, fault: PithError): void {
    const key = `${host} ${fault.code} ${String(fault.details?.['reason'] ?? fault.details?.['setting'])}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.user.failed(fault);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
