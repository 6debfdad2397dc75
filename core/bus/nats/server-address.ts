/** The servers of a connection, as they are written in its settings, in environments and on command lines. */
import { PithError } from '../../errors';

const DEFAULT_PORT = 4222;
const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])$/;
/** What URLs leave out silently. */
const UNSEEN = /[\s\p{Cc}]/u;

/** What a server is told to know us by. */
export type Login = { readonly user: string; readonly password: string } | { readonly token: string };

export interface ServerAddress {
  /** `host:port`, all that is ever shown of it. */
  readonly host: string;
  /** The name, or the address, that its certificate must be for. */
  readonly serverName: string;
  /** Whether an unencrypted connection is no connection. */
  readonly tls: boolean;
  /** The user and password, or the token, of its URL. */
  readonly login: Login | undefined;
}

/** Reads servers, one or several in a text. Throws `PITH_BUS_SETTINGS`, in which no password appears. */
export function parseServers(servers: string | readonly string[]): readonly ServerAddress[] {
  const texts = (typeof servers === 'string' ? [servers] : servers)
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');
  if (texts.length === 0) throw badServer('There is no server to connect to', 'name one');
  return texts.map(parseServer);
}

function parseServer(text: string): ServerAddress {
  const shown = withoutLogin(text);
  if (UNSEEN.test(text)) throw badServer(`"${shown}" has a space or a line break in it`);
  const url = parseUrl(text.includes('://') ? text : `nats://${text}`, shown);
  const { protocol, hostname, port, username, password, pathname, search, hash } = url;
  if (protocol !== 'nats:' && protocol !== 'tls:') throw badServer(`"${shown}" is no nats:// or tls:// URL`);
  if (!HOST.test(hostname)) throw badServer(`The host of "${shown}" is no name or address`);
  if (!['', '/'].includes(pathname) || search !== '' || hash !== '') {
    throw badServer(`"${shown}" has something behind its port`);
  }
  const host = `${hostname}:${port === '' ? String(DEFAULT_PORT) : port}`;
  return {
    host,
    serverName: serverNameOf(host),
    tls: protocol === 'tls:',
    login: loginOf(username, password, shown),
  };
}

/** The name or address in `host:port`. */
export function serverNameOf(host: string): string {
  return host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
}

/** What `new URL` throws shows the URL, and with it the password. */
function parseUrl(text: string, shown: string): URL {
  try {
    return new URL(text);
  } catch {
    throw badServer(`"${shown}" is no address of a server`);
  }
}

function loginOf(username: string, password: string, shown: string): Login | undefined {
  if (username === '' && password === '') return undefined;
  try {
    const user = decodeURIComponent(username);
    if (user === '') throw badServer(`"${shown}" has a password and no user`);
    return password === '' ? { token: user } : { user, password: decodeURIComponent(password) };
  } catch (thrown) {
    if (PithError.is(thrown)) throw thrown;
    throw badServer(`The user or password of "${shown}" has a % that begins no code`, 'write % as %25');
  }
}

/** The address, in one line, without what stands before its last @. */
function withoutLogin(text: string): string {
  const scheme = /^[a-z]+:\/\//i.exec(text)?.[0] ?? '';
  const at = text.lastIndexOf('@');
  const shown = at < 0 ? text : `${scheme}***${text.slice(at)}`;
  return shown.slice(0, 200).replace(/[\s\p{Cc}]+/gu, ' ');
}

function badServer(what: string, todo = 'write nats://host:port or tls://host:port'): PithError {
  return new PithError('PITH_BUS_SETTINGS', `${what}; ${todo} in "servers".`, { details: { setting: 'servers' } });
}
