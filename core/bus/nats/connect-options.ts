/** What the library is told for one attempt at one server. */
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'nats';
import type { Credentials } from './credentials';
import { loginAuthenticator } from './credentials';
import type { LinkSettings } from './link-settings';
import type { ServerAddress } from './server-address';

/** Pings that may stay unanswered; the connection is given up instead of the next. */
const MAX_PINGS_OUT = 2;

/**
 * The library makes one connection and does not renew it: it could be given up neither before its first connect nor while it
 * waits, would resolve names past the hosts file, and gives every server the same credentials.
 */
export function connectOptions(
  { name, pingIntervalMs, connectTimeoutMs }: LinkSettings,
  { host, serverName, tls: encrypted, login }: ServerAddress,
  { authenticator, tls }: Credentials,
): ConnectionOptions {
  const shown = login === undefined ? authenticator : loginAuthenticator(login);
  // Without an address to compare, Node takes a certificate for `localhost`.
  const certified = isIP(serverName) === 0 ? { servername: serverName } : { host: serverName };
  return {
    servers: host,
    name,
    reconnect: false,
    resolve: false,
    noAsyncTraces: true,
    pingInterval: pingIntervalMs,
    maxPingOut: MAX_PINGS_OUT,
    timeout: connectTimeoutMs,
    ...(shown === undefined ? {} : { authenticator: shown }),
    ...(encrypted || tls !== undefined ? { tls: { ...tls, ...certified } } : {}),
  };
}
