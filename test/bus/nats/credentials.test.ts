import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nkeys } from 'nats';
import { connected } from '../../../core/bus/nats';
import type { LinkOptions } from '../../../core/bus/nats';
import { createAuthority } from '../../support/certificates';
import { closeTestLinks, openTestLink } from '../../support/links';
import type { TestLink } from '../../support/links';
import { createAccount } from '../../support/nats-accounts';
import { describeWithNats, startNatsServer } from '../../support/nats-server';

const folder = mkdtempSync(join(tmpdir(), 'pith-credentials-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A file of this content. */
function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function userConfig(user: string, password: string): string {
  return `authorization { user: ${JSON.stringify(user)}, password: ${JSON.stringify(password)} }`;
}

/** All that a link has let out. */
function everythingOf(link: TestLink): string {
  const errors = link.told.map((event) => (event.type === 'error' ? [event.error, event.error.stack] : event));
  return JSON.stringify([link.log, link.told, errors]);
}

describeWithNats('a link shows who it is', () => {
  afterEach(closeTestLinks);

  test.each<[string, string, string, Partial<LinkOptions>]>([
    ['by user and password', userConfig('agent', 's3cret'), '', { user: 'agent', password: 's3cret' }],
    ['by a token', 'authorization { token: "t0ken" }', '', { token: 't0ken' }],
    ['by user and password of its URL', userConfig('agent', 's3:cr/et@%'), 'agent:s3%3Acr%2Fet%40%25@', {}],
    ['by a token of its URL', 'authorization { token: "t0ken" }', 't0ken@', {}],
    [
      'by its URL rather than its settings',
      userConfig('agent', 'right'),
      'agent:right@',
      { user: 'agent', password: 'no' },
    ],
  ])('%s', async (_, config, login, options) => {
    const server = await startNatsServer({ config });
    const link = await openTestLink({ servers: server.url.replace('//', `//${login}`), ...options });
    await connected(link);
    expect(everythingOf(link)).not.toMatch(/s3|t0ken|right/);
  });

  test('by the seed of an nkey, plain or decorated', async () => {
    const user = nkeys.createUser();
    const seed = Buffer.from(user.getSeed()).toString();
    const server = await startNatsServer({ config: `authorization { users: [ { nkey: ${user.getPublicKey()} } ] }` });
    const decorated = `-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`;
    for (const content of [seed, ` ${seed}\r\n`, decorated]) {
      const link = await openTestLink({ servers: server.url, nkeyFile: file('user.nk', content) });
      await connected(link);
      expect(everythingOf(link)).not.toContain(seed);
    }
  });

  test('by a file of credentials', async () => {
    const account = createAccount();
    const server = await startNatsServer({ config: account.config });
    const link = await openTestLink({
      servers: server.url,
      credsFile: file('user.creds', account.credentials('agent')),
    });
    await connected(link);
  });

  test('and is let in as soon as the password is right, however often it was wrong', async () => {
    const server = await startNatsServer({ config: userConfig('agent', 'another') });
    const link = await openTestLink({ servers: server.url, user: 'agent', password: 'hunter2', reconnectWaitMs: 1 });
    const { error } = await link.until('error');
    expect([error.code, error.details?.['reason']]).toEqual(['PITH_BUS_CONNECTION', 'AUTHORIZATION_VIOLATION']);
    while (server.log.split('authentication error').length < 5) await server.reload(userConfig('agent', 'another'));
    expect([link.isClosed, link.isConnected]).toEqual([false, false]);
    await server.reload(userConfig('agent', 'hunter2'));
    await connected(link);
    expect(link.log.filter((line) => line.includes('AUTHORIZATION_VIOLATION'))).toHaveLength(1);
    expect(everythingOf(link)).not.toContain('hunter2');
  });

  test('and goes on without a restart when its credentials are replaced and the old ones refused', async () => {
    const [old, fresh] = [nkeys.createUser(), nkeys.createUser()];
    const allow = (key: string): string => `authorization { users: [ { nkey: ${key} } ] }`;
    const server = await startNatsServer({ config: allow(old.getPublicKey()) });
    const nkeyFile = file('rotated.nk', old.getSeed());
    const link = await openTestLink({ servers: server.url, nkeyFile });
    await connected(link);
    await server.reload(allow(fresh.getPublicKey()));
    await link.until('error', ({ error }) => error.details?.['reason'] === 'AUTHORIZATION_VIOLATION');
    file('rotated.nk', fresh.getSeed());
    await link.until('reconnected');
    await link.flush();
  });

  test('and goes on without a restart when its credentials expire and are replaced', async () => {
    const account = createAccount();
    const server = await startNatsServer({ config: account.config });
    const credsFile = file('expiring.creds', account.credentials('agent', 2));
    const link = await openTestLink({ servers: server.url, credsFile });
    await connected(link);
    file('expiring.creds', account.credentials('agent'));
    await link.until('reconnected');
    expect(link.log.find((line) => line.includes('lost'))).toContain('the credentials have expired');
  });

  test('and tries again when a file cannot be read for a while', async () => {
    const user = nkeys.createUser();
    const server = await startNatsServer({ config: `authorization { users: [ { nkey: ${user.getPublicKey()} } ] }` });
    const nkeyFile = file('gone.nk', user.getSeed());
    const link = await openTestLink({ servers: server.url, nkeyFile });
    await connected(link);
    rmSync(nkeyFile);
    await server.restart();
    await link.until(
      'error',
      ({ error }) => error.code === 'PITH_BUS_SETTINGS' && error.details?.['setting'] === 'nkeyFile',
    );
    file('gone.nk', 'half a see');
    file('gone.nk', user.getSeed());
    await link.until('reconnected');
  });
});

describeWithNats('a link over TLS', () => {
  const authority = createAuthority();
  const { ca } = authority;
  const mine = authority.certify('server', 'IP:127.0.0.1', 'DNS:localhost');
  const client = authority.certify('client', 'DNS:agent');
  const tls = ({ cert, key }: typeof mine, more = ''): string =>
    `tls { cert_file: "${cert}", key_file: "${key}", ca_file: "${ca}", timeout: 3, ${more} }`;
  afterAll(() => authority[Symbol.dispose]());
  afterEach(closeTestLinks);

  test('trusts the authority that it is given, by name and by address', async () => {
    const server = await startNatsServer({ config: tls(mine) });
    for (const host of ['127.0.0.1', 'localhost']) {
      const link = await openTestLink({ servers: `tls://${host}:${String(server.port)}`, tls: { caFile: ca } });
      await connected(link);
      await link.flush();
    }
  });

  test('trusts no other', async () => {
    using stranger = createAuthority();
    const server = await startNatsServer({ config: tls(mine) });
    const reasons = ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'];
    const links = [
      await openTestLink({ servers: `tls://127.0.0.1:${String(server.port)}`, tls: { caFile: stranger.ca } }),
      await openTestLink({ servers: server.url }),
    ];
    const errors = await Promise.all(links.map((link) => link.until('error')));
    expect(errors.map(({ error }) => error.details?.['reason'])).toEqual(reasons);
  });

  test('does not take a certificate for another name', async () => {
    const named = authority.certify('named', 'DNS:localhost');
    const addressed = authority.certify('addressed', 'IP:127.0.0.1');
    for (const [host, certificate] of [
      ['127.0.0.1', named],
      ['localhost', addressed],
    ] as const) {
      const server = await startNatsServer({ config: tls(certificate) });
      const link = await openTestLink({ servers: `tls://${host}:${String(server.port)}`, tls: { caFile: ca } });
      expect((await link.until('error')).error.details).toMatchObject({ reason: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    }
  });

  test('does not go on unencrypted where the server offers no TLS', async () => {
    const server = await startNatsServer();
    const links = [
      await openTestLink({ servers: server.url.replace('nats:', 'tls:') }),
      await openTestLink({ servers: server.url, tls: { caFile: ca } }),
      await openTestLink({ servers: server.url, tls: {} }),
    ];
    for (const link of links) {
      expect((await link.until('error')).error.details).toMatchObject({ reason: 'SERVER_OPT_NA' });
    }
  });

  test('shows its own certificate, and hears what is wrong where it has none', async () => {
    const server = await startNatsServer({ config: tls(mine, 'verify: true') });
    const servers = server.url;
    const certified = await openTestLink({ servers, tls: { caFile: ca, certFile: client.cert, keyFile: client.key } });
    await connected(certified);
    const nameless = await openTestLink({ servers, tls: { caFile: ca } });
    const { error } = await nameless.until('error');
    // The server tells why and cuts the connection; which of the two is heard first is up to the network.
    expect(error.message).toContain('"tls.certFile"');
  });

  test('takes new certificates at the next connect', async () => {
    using next = createAuthority();
    const caFile = file('ca.pem', '');
    const server = await startNatsServer({ config: tls(mine) });
    await expect(openTestLink({ servers: server.url, tls: { caFile } })).rejects.toMatchObject({
      code: 'PITH_BUS_SETTINGS',
      details: { setting: 'tls.caFile' },
    });
    writeFileSync(caFile, readFileSync(ca));
    const link = await openTestLink({ servers: server.url, tls: { caFile } });
    await connected(link);
    writeFileSync(caFile, readFileSync(next.ca));
    const renewed = next.certify('server', 'IP:127.0.0.1');
    await server.restart(tls(renewed));
    await link.until('reconnected');
  });
});
