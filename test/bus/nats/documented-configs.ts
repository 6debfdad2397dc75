/** The documented server configurations, with secrets and certificates of their own, and who is who in them. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nkeyAuthenticator, nkeys, type ConnectionOptions } from 'nats';
import { documentedFile } from './documented-server';
import type { Seat } from './plain-peers';

export interface DocumentedConfig {
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
  /** The subject of the jobs of agent and worker, and one that is another tenant's or pool's. */
  readonly job: string;
  readonly otherJob: string;
  readonly agent: Seat;
  readonly worker: Seat;
  readonly monitor: Seat;
  /** Who else there is, of the same kind. */
  readonly otherAgent: Seat;
  readonly otherWorker: Seat;
  /** Connections that are refused, by what is wrong with them. */
  readonly refused: Readonly<Record<string, ConnectionOptions>>;
}

const JOB = 'pith.v1.job.default.default';
const OTHER_POOL = 'pith.v1.job.default.other';

/** Every variable that a configuration takes from the environment. */
function variablesOf(file: string): readonly string[] {
  const text = readFileSync(documentedFile(file), 'utf8');
  return [...new Set([...text.matchAll(/\$([A-Z0-9_]+_(?:PASSWORD|NKEY|FILE))\b/g)].map(([, name = '']) => name))];
}

function withPasswords(
  file: string,
): Pick<DocumentedConfig, 'file' | 'env' | 'refused'> & { seat(name: string): Seat } {
  const env = Object.fromEntries(variablesOf(file).map((name) => [name, `secret-of-${name}`]));
  const variable = (name: string): string => `${name.toUpperCase().replaceAll('-', '_')}_PASSWORD`;
  const seat = (name: string): Seat => {
    const password = env[variable(name)] ?? '';
    return { name, credentials: { user: name, pass: password }, link: { name, user: name, password } };
  };
  const refused = {
    'no credentials': {},
    'a wrong password': { user: 'monitor', pass: 'wrong' },
    'an empty password': { user: 'monitor', pass: '' },
    'the password of another user': { user: 'monitor', pass: Object.values(env)[0] ?? '' },
    'an unknown user': { user: 'root', pass: 'root' },
    'a token': { token: env.MONITOR_PASSWORD ?? '' },
  };
  return { file, env, refused, seat };
}

export function userPassword(): DocumentedConfig {
  const { seat, ...config } = withPasswords('user-password.conf');
  const [agent, otherAgent, worker, otherWorker] = ['agent-1', 'agent-2', 'worker-1', 'worker-2'].map(seat) as [
    Seat,
    Seat,
    Seat,
    Seat,
  ];
  return {
    ...config,
    job: JOB,
    otherJob: OTHER_POOL,
    agent,
    otherAgent,
    worker,
    otherWorker,
    monitor: seat('monitor'),
  };
}

export function tenants(): DocumentedConfig {
  const { seat, ...config } = withPasswords('tenants.conf');
  return {
    ...config,
    job: 'pith.v1.job.acme.default',
    otherJob: 'pith.v1.job.globex.default',
    agent: seat('acme-agent-1'),
    otherAgent: seat('globex-agent-1'),
    worker: seat('acme-worker-1'),
    otherWorker: seat('globex-worker-1'),
    monitor: seat('monitor'),
  };
}

export function tlsNkeys(certificate: Certificate): DocumentedConfig {
  const tls = { caFile: certificate.certFile };
  const keys = new Map(variablesOf('tls-nkeys.conf').map((name) => [name, nkeys.createUser()]));
  const signedBy = (key = nkeys.createUser()): ConnectionOptions => ({
    tls,
    authenticator: nkeyAuthenticator(key.getSeed()),
  });
  const seat = (name: string): Seat => {
    const key = keys.get(`${name.toUpperCase().replaceAll('-', '_')}_NKEY`);
    const nkeyFile = join(certificate.certFile, '..', `${name}.nk`);
    writeFileSync(nkeyFile, key?.getSeed() ?? '');
    return { name, credentials: signedBy(key), link: { name, nkeyFile, tls } };
  };
  return {
    file: 'tls-nkeys.conf',
    env: {
      ...Object.fromEntries([...keys].map(([name, key]) => [name, key.getPublicKey()])),
      NATS_CERT_FILE: certificate.certFile,
      NATS_KEY_FILE: certificate.keyFile,
    },
    job: JOB,
    otherJob: OTHER_POOL,
    agent: seat('agent-1'),
    otherAgent: seat('agent-2'),
    worker: seat('worker-1'),
    otherWorker: seat('worker-2'),
    monitor: seat('monitor'),
    refused: {
      'no credentials': { tls },
      'a key that is not listed': signedBy(),
      'a user and a password': { tls, user: 'agent-1', pass: 'guessed' },
      'no trust in the certificate': { authenticator: nkeyAuthenticator(nkeys.createUser().getSeed()) },
    },
  };
}

/** Files in a folder of their own. */
export interface Certificate extends Disposable {
  readonly certFile: string;
  readonly keyFile: string;
}

/** A certificate of this machine that vouches for itself. */
export function certificate(): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'pith-cert-'));
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', ...made, ...subject, '-keyout', keyFile, '-out', certFile], {
    stdio: 'pipe',
  });
  return { certFile, keyFile, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}
