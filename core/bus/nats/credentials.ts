/** The files by which a process shows who it is. They are read at every connect, so that new ones need no restart. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type * as Nats from 'nats';
import { messageOf } from '../../errors';
import { settingFault } from './link-settings';
import type { Identity, LinkSettings, TlsFiles } from './link-settings';
import type { Login } from './server-address';

/** All forms of files with a seed hold this, and those of credentials this JWT. */
const USER_SEED = /\bSU[A-Z2-7]{56}\b/;
const USER_JWT = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/;

/** What the options of one connect take. */
export interface Credentials {
  readonly authenticator: Nats.Authenticator | undefined;
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string } | undefined;
}

/** Throws `PITH_BUS_SETTINGS` for a file that cannot be read or does not hold what it should; it names setting and path. */
export async function readCredentials(nats: typeof Nats, settings: LinkSettings): Promise<Credentials> {
  const [authenticator, tls] = await Promise.all([
    authenticatorOf(nats, settings.identity),
    settings.tls === undefined ? undefined : readTls(settings.tls),
  ]);
  return { authenticator, tls };
}

/** Shows a user and password, or a token. */
export function loginAuthenticator(login: Login): Nats.Authenticator {
  return () => ('token' in login ? { auth_token: login.token } : { user: login.user, pass: login.password });
}

async function authenticatorOf(nats: typeof Nats, identity: Identity): Promise<Nats.Authenticator | undefined> {
  switch (identity.kind) {
    case 'none':
      return undefined;
    case 'login':
      return loginAuthenticator(identity.login);
    case 'nkey': {
      const text = await readSetting('nkeyFile', identity.path);
      return nats.nkeyAuthenticator(seedIn(nats, 'nkeyFile', identity.path, text));
    }
    case 'creds': {
      const text = await readSetting('credsFile', identity.path);
      const seed = seedIn(nats, 'credsFile', identity.path, text);
      const jwt = USER_JWT.exec(text)?.[0];
      if (jwt === undefined) throw settingFault('credsFile', `names a file that holds no JWT: ${identity.path}`);
      return nats.jwtAuthenticator(jwt, seed);
    }
  }
}

/** The seed in a text; making its keys, which takes long, is left to the authenticator. */
function seedIn(nats: typeof Nats, setting: string, path: string, text: string): Uint8Array {
  const seed = Buffer.from(USER_SEED.exec(text)?.[0] ?? '');
  checked(setting, path, 'holds no seed of a user nkey', () => nats.nkeys.fromSeed(seed));
  return seed;
}

async function readTls({ caFile, certFile, keyFile }: TlsFiles): Promise<NonNullable<Credentials['tls']>> {
  const [ca, cert, key] = await Promise.all([
    caFile === undefined ? undefined : readSetting('tls.caFile', caFile),
    certFile === undefined ? undefined : readSetting('tls.certFile', certFile),
    keyFile === undefined ? undefined : readSetting('tls.keyFile', keyFile),
  ]);
  if (ca !== undefined) checked('tls.caFile', caFile, 'holds no certificate', () => new X509Certificate(ca));
  if (cert === undefined || key === undefined) return ca === undefined ? {} : { ca };
  checked('tls.certFile', certFile, 'holds no certificate', () => new X509Certificate(cert));
  checked('tls.keyFile', keyFile, 'holds no unencrypted private key', () => createPrivateKey(key));
  checked('tls.keyFile', keyFile, 'is not the key of "tls.certFile"', () => createSecureContext({ cert, key }));
  return ca === undefined ? { cert, key } : { ca, cert, key };
}

async function readSetting(setting: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    throw settingFault(setting, `names a file that cannot be read: ${messageOf(thrown)}`, thrown);
  }
}

/** What the checks throw may show what they looked at, so it goes no further. */
function checked(setting: string, path: string | undefined, fault: string, check: () => unknown): void {
  try {
    check();
  } catch {
    throw settingFault(setting, `names a file that ${fault}: ${path ?? ''}`);
  }
}
