/** An operator and an account of NATS that sign credentials of users, with the configuration of a server that trusts them. */
import { randomUUID } from 'node:crypto';
import { nkeys } from 'nats';

type KeyPair = ReturnType<typeof nkeys.createUser>;

export interface NatsAccount {
  /** Configuration of a server on which users of the account are known. */
  readonly config: string;
  /** The text of a credentials file of a new user; `seconds` from now on, for ever by default. */
  credentials(name: string, seconds?: number): string;
}

export function createAccount(): NatsAccount {
  const [operator, account] = [nkeys.createOperator(), nkeys.createAccount()];
  const accountJwt = signed(operator, account.getPublicKey(), 'app', {
    type: 'account',
    limits: { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 },
  });
  const operatorJwt = signed(operator, operator.getPublicKey(), 'operator', { type: 'operator' });
  return {
    config: `operator: ${operatorJwt}\nresolver: MEMORY\nresolver_preload: { ${account.getPublicKey()}: ${accountJwt} }`,
    credentials(name, seconds) {
      const user = nkeys.createUser();
      const claims = { type: 'user', subs: -1, data: -1, payload: -1 };
      const jwt = signed(account, user.getPublicKey(), name, claims, seconds);
      const seed = Buffer.from(user.getSeed()).toString();
      return [
        '-----BEGIN NATS USER JWT-----',
        jwt,
        '------END NATS USER JWT------',
        '',
        '-----BEGIN USER NKEY SEED-----',
        seed,
        '------END USER NKEY SEED------',
        '',
      ].join('\n');
    },
  };
}

function signed(issuer: KeyPair, subject: string, name: string, nats: object, seconds?: number): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { jti: randomUUID(), iat: now, iss: issuer.getPublicKey(), sub: subject, name };
  const expires = seconds === undefined ? {} : { exp: now + seconds };
  const parts = [
    { typ: 'JWT', alg: 'ed25519-nkey' },
    { ...claims, ...expires, nats: { ...nats, version: 2 } },
  ];
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${Buffer.from(issuer.sign(Buffer.from(text))).toString('base64url')}`;
}
