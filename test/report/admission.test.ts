import fc from 'fast-check';
import { pathOf, refusalOf } from '../../core/report/admission';
import type { Asked } from '../../core/report/admission';

const DOOR = { port: 4567, token: 'a-long-token-of-random-letters' };
const OWN = { host: '127.0.0.1:4567' };
const URL_OF_PAGE = `/?token=${DOOR.token}`;

/** How a request of this kind is answered; 200 stands for being let in. */
function status(headers: Asked['headers'], url = URL_OF_PAGE, method = 'GET', door = DOOR): number {
  return refusalOf({ method, url, headers }, door)?.status ?? 200;
}

describe('who is let in to a live report', () => {
  test('whoever has the token, by either name of this machine, to look and no more', () => {
    expect(status(OWN)).toBe(200);
    expect(status({ host: 'localhost:4567' })).toBe(200);
    expect(status(OWN, `/events?x=1&token=${DOOR.token}`, 'HEAD')).toBe(200);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'CONNECT', 'get', ''])
      expect(status(OWN, URL_OF_PAGE, method)).toBe(405);
  });

  test('nobody without exactly the token, on any path', () => {
    for (const query of [
      '',
      '?',
      '?token',
      '?token=',
      '?token=wrong',
      `?token=${DOOR.token}x`,
      `?token=%20${DOOR.token}`,
    ])
      for (const path of ['/', '/events', '/favicon.ico', '//', '/../']) expect(status(OWN, path + query)).toBe(403);
    expect(status(OWN, `/?Token=${DOOR.token}`)).toBe(403);
    expect(status(OWN, `/${DOOR.token}`)).toBe(403);
    expect(status(OWN, `/?token=x&token=${DOOR.token}`)).toBe(403);
  });

  test('nobody who came by a name that is not of this machine, as after DNS rebinding', () => {
    for (const host of [
      undefined,
      '',
      'localhost',
      '127.0.0.1',
      '127.0.0.1:4568',
      'localhost:80',
      'evil.example:4567',
      '127.0.0.1.evil.example:4567',
      'localhost.:4567',
      '[::1]:4567',
      '0.0.0.0:4567',
      '2130706433:4567',
      'user@127.0.0.1:4567',
      '127.0.0.1:4567, evil.example',
    ])
      expect(status({ host })).toBe(403);
  });

  test('browsers leave out port 80', () => {
    const door = { ...DOOR, port: 80 };
    expect(status({ host: 'localhost' }, URL_OF_PAGE, 'GET', door)).toBe(200);
    expect(status({ host: '127.0.0.1', origin: 'http://127.0.0.1' }, URL_OF_PAGE, 'GET', door)).toBe(200);
    expect(status({ host: 'evil.example' }, URL_OF_PAGE, 'GET', door)).toBe(403);
  });

  test('no page of another origin, nor of another port of this machine', () => {
    expect(status({ ...OWN, origin: 'http://127.0.0.1:4567' })).toBe(200);
    for (const origin of [
      'http://127.0.0.1:80',
      'https://127.0.0.1:4567',
      'http://localhost:4567',
      'http://evil.example',
      'null',
      '',
    ])
      expect(status({ ...OWN, origin })).toBe(403);
  });

  test('no request that a browser says another site had it make', () => {
    for (const site of ['none', 'same-origin']) expect(status({ ...OWN, 'sec-fetch-site': site })).toBe(200);
    for (const site of ['cross-site', 'same-site', '', 'x'])
      expect(status({ ...OWN, 'sec-fetch-site': site })).toBe(403);
  });

  test('no refusal tells the token, and nothing gets in without it', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('/', '/events', '?', '/?token=', '/#token='),
        (text, start) => {
          const url = start + text;
          const refusal = refusalOf({ method: 'GET', url, headers: OWN }, DOOR);
          expect(refusal?.status).toBe(403);
          expect(refusal?.text).not.toContain(DOOR.token);
        },
      ),
    );
  });

  test('a path is what stands before the query', () => {
    expect([pathOf('/'), pathOf('/events?token=x?y'), pathOf('')]).toEqual(['/', '/events', '']);
  });
});
