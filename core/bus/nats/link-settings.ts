/** The settings of a link, checked and with their defaults (S10). */
import { PithError } from '../../errors';
import type { LinkLog, LinkOptions } from './link-contract';
import { parseServers } from './server-address';
import type { Login, ServerAddress } from './server-address';
import { isToken, randomToken } from './subjects';

/** How a process shows who it is, where the URL of a server does not say. */
export type Identity =
  | { readonly kind: 'none' }
  | { readonly kind: 'login'; readonly login: Login }
  | { readonly kind: 'creds' | 'nkey'; readonly path: string };

export interface TlsFiles {
  readonly caFile: string | undefined;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
}

export interface LinkSettings {
  readonly name: string;
  readonly servers: readonly ServerAddress[];
  readonly identity: Identity;
  /** Undefined where a server may do without encryption. */
  readonly tls: TlsFiles | undefined;
  readonly log: LinkLog | undefined;
  readonly reconnectWaitMs: number;
  readonly pingIntervalMs: number;
  readonly connectTimeoutMs: number;
}

/** Throws `PITH_BUS_SETTINGS`, which names the setting and never shows a password, a token or a seed. */
export function linkSettings(options: LinkOptions): LinkSettings {
  const name = options.name ?? `pith-${randomToken()}`;
  if (!isToken(name)) throw settingFault('name', 'is no subject token: use 1 to 64 letters, digits, _ and -');
  return {
    name,
    servers: parseServers(options.servers),
    identity: identityOf(options),
    tls: tlsFiles(options.tls),
    log: options.log,
    reconnectWaitMs: milliseconds('reconnectWaitMs', options.reconnectWaitMs ?? 250),
    pingIntervalMs: milliseconds('pingIntervalMs', options.pingIntervalMs ?? 10_000),
    connectTimeoutMs: milliseconds('connectTimeoutMs', options.connectTimeoutMs ?? 5000),
  };
}

/** The error of a setting that cannot be used. */
export function settingFault(setting: string, what: string, cause?: unknown): PithError {
  return new PithError('PITH_BUS_SETTINGS', `The setting "${setting}" of the connection ${what}.`, {
    cause,
    details: { setting },
  });
}

function identityOf({ user, password, token, credsFile, nkeyFile }: LinkOptions): Identity {
  if ((user === undefined) !== (password === undefined)) {
    const [missing, given] = user === undefined ? ['user', 'password'] : ['password', 'user'];
    throw settingFault(missing, `is missing, and its "${given}" is given`);
  }
  const given = Object.entries({ user, token, credsFile, nkeyFile }).filter(([, value]) => value !== undefined);
  for (const [setting, value] of given) if (value === '') throw settingFault(setting, 'is empty');
  if (given.length > 1) {
    const names = given.map(([setting]) => `"${setting}"`).join(' and ');
    throw settingFault(given[1]?.[0] ?? '', `cannot be used beside another: choose one of ${names}`);
  }
  if (user !== undefined && password !== undefined) return { kind: 'login', login: { user, password } };
  if (token !== undefined) return { kind: 'login', login: { token } };
  if (credsFile !== undefined) return { kind: 'creds', path: credsFile };
  return nkeyFile === undefined ? { kind: 'none' } : { kind: 'nkey', path: nkeyFile };
}

function tlsFiles(tls: LinkOptions['tls']): TlsFiles | undefined {
  if (tls === undefined) return undefined;
  const { caFile, certFile, keyFile } = tls;
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw settingFault(
      certFile === undefined ? 'tls.certFile' : 'tls.keyFile',
      'is missing: a certificate and its key go together',
    );
  }
  return { caFile, certFile, keyFile };
}

function milliseconds(setting: string, value: number): number {
  if (Number.isFinite(value) && value > 0 && value < 2 ** 31) return value;
  throw settingFault(setting, 'is no number of milliseconds above zero');
}
