/** Certificates of an authority of the test's own, made by openssl. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate and its key, as paths. */
export interface Certified {
  readonly cert: string;
  readonly key: string;
}

export interface Authority extends Disposable {
  /** Path of the certificate that vouches for the others. */
  readonly ca: string;
  /** Makes a certificate for these names, `DNS:localhost` or `IP:127.0.0.1`. */
  certify(name: string, ...alternatives: readonly string[]): Certified;
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

export function createAuthority(): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'pith-ca-'));
  const at = (name: string): string => join(folder, name);
  const openssl = (...args: readonly string[]): void => void execFileSync('openssl', args, { stdio: 'pipe' });
  openssl('req', '-x509', ...KEY, '-days', '2', '-subj', '/CN=ca', '-keyout', at('ca.key'), '-out', at('ca.pem'));
  return {
    ca: at('ca.pem'),
    certify(name, ...alternatives) {
      const [cert, key, request, more] = [at(`${name}.pem`), at(`${name}.key`), at(`${name}.csr`), at(`${name}.ext`)];
      writeFileSync(more, alternatives.length === 0 ? '' : `subjectAltName=${alternatives.join(',')}\n`);
      openssl('req', ...KEY, '-subj', `/CN=${name}`, '-keyout', key, '-out', request);
      const signed = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-days', '2'];
      openssl('x509', '-req', '-in', request, ...signed, '-extfile', more, '-out', cert);
      return { cert, key };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
