import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { nkeys } from 'nats';
import { PithError } from '../../../core';
import { openLink } from '../../../core/bus/nats';
import type { LinkOptions } from '../../../core/bus/nats';
import { parseServers } from '../../../core/bus/nats/server-address';
import { createAuthority } from '../../support/certificates';

/** The error with which a link is not opened. */
async function refusal(options: Partial<LinkOptions>): Promise<PithError> {
  try {
    await (await openLink({ servers: 'localhost:1', ...options })).close();
  } catch (error) {
    if (PithError.is(error, 'PITH_BUS_SETTINGS')) return error;
    throw error;
  }
  throw new Error('The link was opened.');
}

describe('the servers of a link', () => {
  test.each<[string, string, boolean, object | undefined]>([
    ['localhost', 'localhost:4222', false, undefined],
    ['nats.example.org:4333', 'nats.example.org:4333', false, undefined],
    [' nats://10.0.0.1 ', '10.0.0.1:4222', false, undefined],
    ['nats://10.0.0.1:80/', '10.0.0.1:80', false, undefined],
    ['tls://[::1]:4333', '[::1]:4333', true, undefined],
    ['tls://a.b', 'a.b:4222', true, undefined],
    ['agent:secret@host', 'host:4222', false, { user: 'agent', password: 'secret' }],
    ['nats://agent:p%40ss%2Cword%25@host', 'host:4222', false, { user: 'agent', password: 'p@ss,word%' }],
    ['nats://t%3Aken@host', 'host:4222', false, { token: 't:ken' }],
  ])('are read as %s', (text, host, tls, login) => {
    expect(parseServers(text)).toMatchObject([{ host, tls, login }]);
  });

  test('are several, in one text or in many', () => {
    const hosts = (servers: string | readonly string[]): readonly string[] =>
      parseServers(servers).map(({ host }) => host);
    expect(hosts('a:1, nats://b:2,c')).toEqual(['a:1', 'b:2', 'c:4222']);
    expect(hosts(['a:1,b', 'tls://c'])).toEqual(['a:1', 'b:4222', 'c:4222']);
  });

  test.each([
    '',
    ' , ',
    'http://host',
    'ws://u:hunter2@host',
    'nats://',
    'nats://u:hunter2@',
    'nats://u:hunter2@host:99999',
    'nats://u:hunter2@host:x',
    'nats://u:hunter2@ho st',
    'nats://u:hunter2@host/path',
    'nats://u:hunter2@host?tls=1',
    'nats://:hunter2@host',
    'nats://u:hunter2%@host',
    'nats://u:hunter2/x@host',
    'nats://hunter2%zz@host',
    'nats://u:hun@ter2@ho\r\nst',
  ])('are refused as %j, without showing a password', async (servers) => {
    const error = await refusal({ servers });
    expect(error.details).toEqual({ setting: 'servers' });
    expect(`${String(error.stack)} ${JSON.stringify(error)} ${String(error.cause)}`).not.toMatch(/hunter2|hun@|ter2/);
    expect(error.message).not.toMatch(/\n/);
  });

  test('never show what stands before the last @, whatever they are', () => {
    const nasty = fc.string({ unit: fc.constantFrom('%', ':', '/', '?', '#', '[', ' ', '\\', '@', 'x', '::', '//') });
    fc.assert(
      fc.property(nasty, nasty, fc.constantFrom('nats://', 'tls://', 'http://', ''), (before, after, scheme) => {
        try {
          parseServers([`${scheme}u:${before}hunter2${after.replaceAll(',', '')}@host`]);
        } catch (error) {
          expect(PithError.is(error, 'PITH_BUS_SETTINGS')).toBe(true);
          expect(String((error as Error).stack)).not.toContain('hunter2');
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the settings of a link', () => {
  test.each<[string, Partial<LinkOptions>]>([
    ['password', { user: 'a' }],
    ['user', { password: 'hunter2' }],
    ['user', { user: '', password: 'hunter2' }],
    ['token', { user: 'a', password: 'hunter2', token: 'hunter2' }],
    ['nkeyFile', { credsFile: '/creds', nkeyFile: '/nkey' }],
    ['tls.keyFile', { tls: { certFile: '/cert' } }],
    ['tls.certFile', { tls: { keyFile: '/key' } }],
    ['name', { name: 'a.b' }],
    ['reconnectWaitMs', { reconnectWaitMs: 0 }],
    ['pingIntervalMs', { pingIntervalMs: Number.NaN }],
    ['connectTimeoutMs', { connectTimeoutMs: 2 ** 31 }],
  ])('are refused with the name of the wrong one, %s', async (setting, options) => {
    const error = await refusal(options);
    expect(error.details).toEqual({ setting });
    expect(error.message).toContain(`"${setting}"`);
    expect(error.message).not.toContain('hunter2');
  });
});

describe('the files of a link', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pith-settings-'));
  const authority = createAuthority();
  const [one, other] = [authority.certify('one'), authority.certify('other')];
  afterAll(() => {
    rmSync(folder, { recursive: true });
    authority[Symbol.dispose]();
  });

  let files = 0;
  function file(content: string): string {
    const path = join(folder, String(files++));
    writeFileSync(path, content);
    return path;
  }

  const seed = Buffer.from(nkeys.createUser().getSeed()).toString();
  const misspelt = `${seed.slice(0, 20)}${seed[20] === 'A' ? 'B' : 'A'}${seed.slice(21)}`;
  const accountSeed = Buffer.from(nkeys.createAccount().getSeed()).toString();

  test.each<[string, string, () => Partial<LinkOptions>]>([
    ['credsFile', 'is missing', () => ({ credsFile: join(folder, 'nothing') })],
    ['nkeyFile', 'is a folder', () => ({ nkeyFile: folder })],
    ['credsFile', 'is empty', () => ({ credsFile: file('') })],
    ['credsFile', 'holds a seed alone', () => ({ credsFile: file(seed) })],
    ['credsFile', 'holds a JWT alone', () => ({ credsFile: file('eyJh.eyJi.c') })],
    ['nkeyFile', 'holds half a seed', () => ({ nkeyFile: file(seed.slice(0, 30)) })],
    ['nkeyFile', 'holds a seed with a wrong letter', () => ({ nkeyFile: file(misspelt) })],
    ['nkeyFile', 'holds the seed of an account', () => ({ nkeyFile: file(accountSeed) })],
    ['tls.caFile', 'is missing', () => ({ tls: { caFile: join(folder, 'nothing') } })],
    ['tls.caFile', 'holds a key', () => ({ tls: { caFile: one.key } })],
    ['tls.certFile', 'holds a key', () => ({ tls: { certFile: one.key, keyFile: one.key } })],
    ['tls.keyFile', 'holds a certificate', () => ({ tls: { certFile: one.cert, keyFile: one.cert } })],
    ['tls.keyFile', 'is the key of another certificate', () => ({ tls: { certFile: one.cert, keyFile: other.key } })],
  ])('are refused by name when %s %s', async (setting, _, options) => {
    const error = await refusal(options());
    expect(error.details).toEqual({ setting });
    expect(error.message).not.toMatch(/\bS[UA][A-Z2-7]{10}/);
  });
});
