/** Something that listens and is no NATS server, or only as much of one as a test says. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export interface RawServer extends AsyncDisposable {
  /** `127.0.0.1:<port>`. */
  readonly host: string;
  /** Connections there are. */
  readonly open: ReadonlySet<Socket>;
  /** Connections there have been. */
  readonly accepted: number;
  /** Resolves when that many have been. */
  until(accepted: number): Promise<void>;
}

/** Listens on a free port of this machine; `talk` gets every connection. */
export async function startRawServer(talk: (socket: Socket) => void = () => undefined): Promise<RawServer> {
  const open = new Set<Socket>();
  let accepted = 0;
  const server = createServer((socket) => {
    accepted++;
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => undefined);
    talk(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    open,
    get accepted() {
      return accepted;
    },
    async until(count) {
      while (accepted < count) await once(server, 'connection');
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Speaks as a NATS server that lets everybody in; `onReady` gets the connection then. */
export function natsGreeting(
  info: object,
  onReady: (socket: Socket) => void = () => undefined,
): (socket: Socket) => void {
  return (socket) => {
    socket.write(infoLine(info));
    let ready = false;
    socket.on('data', (data) => {
      for (const _ping of data.toString().matchAll(/PING\r\n/g)) socket.write('PONG\r\n');
      if (ready) return;
      ready = true;
      onReady(socket);
    });
  };
}

export function infoLine(info: object): string {
  const usual = { server_id: 'raw', version: '2.9.10', proto: 1, headers: true, max_payload: 1_048_576 };
  return `INFO ${JSON.stringify({ ...usual, ...info })}\r\n`;
}
