/** A cable between a client and a server that can be cut without either of them being told. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export interface Cable extends AsyncDisposable {
  /** What to connect to instead of the server. */
  readonly url: string;
  /** Lets nothing more through, in this direction or in both; what is sent meanwhile comes through later. */
  hold(direction?: 'to the client' | 'to the server'): void;
  /** Lets everything through again. */
  mend(): void;
}

/** Lays a cable to a port of this machine. */
export async function layCable(port: number): Promise<Cable> {
  const ends = new Set<{ readonly client: Socket; readonly server: Socket }>();
  const held = { client: false, server: false };
  const listener = createServer((client) => {
    const end = { client, server: connect(port, '127.0.0.1') };
    ends.add(end);
    carry(client, end.server);
    carry(end.server, client);
    // Paused sockets do not tell that they have ended, so a held connection stays.
    if (held.server) client.pause();
    if (held.client) end.server.pause();
    end.server.on('close', () => ends.delete(end));
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    url: `nats://127.0.0.1:${String((listener.address() as AddressInfo).port)}`,
    hold(direction) {
      if (direction !== 'to the client') held.server = true;
      if (direction !== 'to the server') held.client = true;
      for (const { client, server } of ends) {
        if (held.server) client.pause();
        if (held.client) server.pause();
      }
    },
    mend() {
      held.client = held.server = false;
      for (const { client, server } of ends) {
        client.resume();
        server.resume();
      }
    },
    async [Symbol.asyncDispose]() {
      for (const { client, server } of ends) {
        client.destroy();
        server.destroy();
      }
      listener.close();
      await once(listener, 'close');
    },
  };
}

function carry(from: Socket, to: Socket): void {
  from.on('data', (data) => void to.write(data));
  from.on('close', () => to.destroy());
  from.on('error', () => undefined);
}
