/**
 * Who is let in to a live report: whoever has its secret, on this machine, and no page of another origin, whatever name that
 * gives this machine.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** What a request is judged by. */
export interface Door {
  readonly port: number;
  /** What every request shows as `token`. */
  readonly token: string;
}

/** Why a request is not answered: status, and a line of plain text that tells nothing of the report. */
export interface Refusal {
  readonly status: 403 | 405;
  readonly text: string;
}

/** What a request asks for. */
export type Asked = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

const METHODS = ['GET', 'HEAD'];
/** How a browser on this machine may name it. Any other name may be one that somebody has lead here. */
const NAMES = ['127.0.0.1', 'localhost'];
/** What a browser says of requests that no other origin had it make. */
const OWN_SITES = ['same-origin', 'none'];

/** Says no to a request, or undefined where it is let in. */
export function refusalOf({ method = '', url = '', headers }: Asked, { port, token }: Door): Refusal | undefined {
  if (!METHODS.includes(method)) return { status: 405, text: 'only GET and HEAD' };
  const { host = '', origin, 'sec-fetch-site': site } = headers;
  if (!isOwn(host, port)) return { status: 403, text: 'this is no name of this server' };
  if (origin !== undefined && origin !== `http://${host}`) return { status: 403, text: 'not for pages of others' };
  if (site !== undefined && !OWN_SITES.includes(String(site))) return { status: 403, text: 'not for pages of others' };
  if (!isSame(queryOf(url).get('token') ?? '', token))
    return { status: 403, text: 'the address is only good with the token that was printed with it' };
  return undefined;
}

/** The path of a request, without its query. */
export function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? '';
}

function queryOf(url: string): URLSearchParams {
  return new URLSearchParams(url.slice(pathOf(url).length));
}

/** Port 80 is the one that browsers leave out. */
function isOwn(host: string, port: number): boolean {
  return NAMES.some((name) => host === `${name}:${String(port)}` || (port === 80 && host === name));
}

/** Takes the same time wherever the two differ, and however long the given one is. */
function isSame(given: string, token: string): boolean {
  return timingSafeEqual(digestOf(given), digestOf(token));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
