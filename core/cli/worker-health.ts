/** What a worker process tells monitors over HTTP: whether it lives, whether it takes jobs, and how it does. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InvalidArgumentError } from 'commander';
import { PithError } from '../errors';
import { listeningFault } from '../report/listening';
import { METRICS_TYPE } from './worker-metrics';

/** Where to listen. */
export interface HealthAddress {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/** Who is asked. */
export interface HealthProbes {
  /** Why the process is beyond hope and must be started anew; undefined while it is not. */
  dead(): string | undefined;
  /** Why it takes no job; undefined where it does. */
  unready(): string | undefined;
  metrics(): string;
}

export interface HealthServer {
  /** `http://host:port`, without a path. */
  readonly url: string;
  /** Ends also the connections that are open. */
  close(): Promise<void>;
}

/** Connections at once, milliseconds that one may take to ask, and between two looks at who took longer: nobody keeps others out. */
const MOST_CONNECTIONS = 64;
const PATIENCE_MS = 5_000;
const LOOK_MS = 1_000;

/** `HOST:PORT` of an option, `[::1]:9464` for IPv6. Throws what the parser of options takes for a wrong value. */
export function healthAddressOf(text: string): HealthAddress {
  const [, six, name, digits = ''] = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = six ?? name;
  const port = Number(digits);
  if (host === undefined || port > 65_535)
    throw new InvalidArgumentError('Expected HOST:PORT, such as 127.0.0.1:9464; port 0 takes a free one.');
  return { host, port };
}

/** Listens. Rejects with `PITH_HEALTH_PORT` where that cannot be done. */
export function serveHealth({ host, port }: HealthAddress, probes: HealthProbes): Promise<HealthServer> {
  const pages: Readonly<Record<string, () => Page>> = {
    '/livez': () => judged(probes.dead()),
    '/readyz': () => judged(probes.unready()),
    '/metrics': () => ({ status: 200, type: METRICS_TYPE, text: probes.metrics() }),
  };
  const patience = { headersTimeout: PATIENCE_MS, requestTimeout: PATIENCE_MS, connectionsCheckingInterval: LOOK_MS };
  const server = createServer(patience, (request, response) => {
    const { method = '', url = '' } = request;
    const path = url.split('?', 1)[0] ?? '';
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    const isAllowed = method === 'GET' || method === 'HEAD';
    const { status, type, text } = page === undefined ? NOT_FOUND : isAllowed ? page() : NOT_ALLOWED;
    response.writeHead(status, {
      'Content-Type': type,
      'Content-Length': Buffer.byteLength(text),
      'Cache-Control': 'no-store',
      ...(status === 405 && { Allow: 'GET, HEAD' }),
    });
    response.end(method === 'HEAD' ? undefined : text);
  });
  server.maxConnections = MOST_CONNECTIONS;
  return new Promise((resolve, reject) => {
    server.on('error', (error) => reject(unusable(host, port, error)));
    server.listen(port, host, () => {
      const { address, family, port: taken } = server.address() as AddressInfo;
      resolve({
        url: `http://${family === 'IPv6' ? `[${address}]` : address}:${String(taken)}`,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            server.closeAllConnections();
          }),
      });
    });
  });
}

interface Page {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const PLAIN = 'text/plain; charset=utf-8';
const NOT_FOUND: Page = { status: 404, type: PLAIN, text: 'there is /livez, /readyz and /metrics\n' };
const NOT_ALLOWED: Page = { status: 405, type: PLAIN, text: 'only GET and HEAD\n' };

function judged(reason: string | undefined): Page {
  return reason === undefined
    ? { status: 200, type: PLAIN, text: 'ok\n' }
    : { status: 503, type: PLAIN, text: `${reason}\n` };
}

function unusable(host: string, port: number, error: NodeJS.ErrnoException): PithError {
  return new PithError(
    'PITH_HEALTH_PORT',
    `The health server cannot listen on ${host}:${String(port)}: ${listeningFault(error)}. Give another --health HOST:PORT, or --no-health.`,
    { cause: error, details: { host, port } },
  );
}
