/** The server of a live report: on this machine alone, for those with its token, two paths, small requests. */
import type * as Http from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PithError } from '../errors';
import { pathOf, refusalOf } from './admission';
import { listeningFault } from './listening';

/** Connections at once. */
const MOST_CONNECTIONS = 64;
/** Milliseconds that one may take to ask, looked at twice a minute; an agent that is busy may itself be late to read it. */
const PATIENCE_MS = 10_000;
/** Bytes of the headers of a request. */
const MOST_HEADERS = 8_192;
/** Milliseconds that those who watch have to take in the last message. */
const FAREWELL_MS = 250;

/** Of every answer: it is kept nowhere, shown in no page of others, and its address goes to nobody. */
const HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

export interface LiveServerOptions {
  /** 0 takes a free one. */
  readonly port: number;
  readonly token: string;
  /** The page as it is now. */
  page(): string;
  /** Whether another viewer may come. */
  hasRoom(): boolean;
  /** Takes in a viewer, whose headers are written. */
  watch(viewer: ServerResponse): void;
  /** Hears what went wrong with an answer; who asked is told no more than that. */
  failed(error: unknown): void;
}

export interface LiveServer {
  readonly port: number;
  /** Ends what is open; those who watch get what waits for them, if they take it in. */
  close(): Promise<void>;
}

/**
 * Listens on 127.0.0.1. Neither the server nor who watches keeps the process alive. Rejects with `PITH_REPORT_PORT` where it cannot
 * listen.
 */
export function openLiveServer({ port: wanted, token, ...answers }: LiveServerOptions): Promise<LiveServer> {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- only who serves a report pays for it
  const { createServer } = require('node:http') as typeof Http;
  let port = wanted;
  const server = createServer(
    {
      headersTimeout: PATIENCE_MS,
      requestTimeout: PATIENCE_MS,
      maxHeaderSize: MOST_HEADERS,
    },
    (request, response) => {
      try {
        answer(request, response, { port, token, ...answers });
      } catch (error) {
        answers.failed(error);
        if (response.headersSent) response.destroy();
        else plain(response, 500, 'the report cannot be made; the log of the agent tells why');
      }
    },
  );
  server.maxConnections = MOST_CONNECTIONS;
  server.on('connection', (socket) => socket.unref());
  server.unref();
  return new Promise((resolve, reject) => {
    server.on('error', (error) => reject(unusable(wanted, error)));
    server.listen(wanted, '127.0.0.1', () => {
      ({ port } = server.address() as AddressInfo);
      resolve({
        port,
        close: () =>
          new Promise((closed) => {
            const late = setTimeout(() => server.closeAllConnections(), FAREWELL_MS);
            server.close(() => {
              clearTimeout(late);
              closed();
            });
          }),
      });
    });
  });
}

function answer(request: IncomingMessage, response: ServerResponse, options: LiveServerOptions): void {
  const refusal = refusalOf(request, options);
  const path = pathOf(request.url ?? '');
  if (refusal !== undefined) return plain(response, refusal.status, refusal.text);
  if (path === '/') return send(response, 200, 'text/html; charset=utf-8', options.page());
  if (path !== '/events') return plain(response, 404, 'there is the report, and its events');
  if (!options.hasRoom()) return plain(response, 503, 'too many watch already');
  response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/event-stream; charset=utf-8' });
  if (request.method === 'HEAD') response.end();
  else options.watch(response);
}

function plain(response: ServerResponse, status: number, text: string): void {
  if (status === 405) response.setHeader('Allow', 'GET, HEAD');
  send(response, status, 'text/plain; charset=utf-8', `${text}\n`);
}

/** Of an answer to HEAD the headers alone are sent. */
function send(response: ServerResponse, status: number, type: string, text: string): void {
  const body = Buffer.from(text);
  response.writeHead(status, { ...HEADERS, 'Content-Type': type, 'Content-Length': body.length });
  response.end(body);
}

function unusable(port: number, error: NodeJS.ErrnoException): PithError {
  return new PithError(
    'PITH_REPORT_PORT',
    `The live report cannot be served on 127.0.0.1:${String(port)}: ${listeningFault(error)}. Give another port, or none for a free one.`,
    { cause: error, details: { port } },
  );
}
