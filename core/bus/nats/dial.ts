/** One attempt to connect, which can be given up at any moment. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type * as Nats from 'nats';

export interface Dialled {
  /** Resolves when the server has accepted us. */
  readonly connection: Promise<Nats.NatsConnection>;
  /** Takes the socket away, at whatever stage: an attempt fails at once, a connection ends at once. */
  cut(): void;
}

/**
 * Connects. The library gives nobody its socket, and forgets one whose server never says a word, or does not read any more; so
 * the socket is noted when Node makes it.
 */
export function dial(nats: typeof Nats, options: Nats.ConnectionOptions): Dialled {
  let socket: Socket | undefined;
  let isCut = false;
  const attempt = new AsyncLocalStorage<true>();
  const look = (message: unknown): void => {
    if (attempt.getStore() !== true) return;
    attempt.disable(); // while one is in use, every promise of the process costs more
    ({ socket } = message as { readonly socket: Socket });
    if (isCut) socket.destroy();
  };
  const cut = (): void => {
    isCut = true;
    socket?.destroy();
  };
  subscribe('net.client.socket', look);
  const connection = attempt.run(true, () => nats.connect(options));
  void connection.catch(cut).finally(() => {
    unsubscribe('net.client.socket', look);
    attempt.disable();
  });
  return { connection, cut };
}
