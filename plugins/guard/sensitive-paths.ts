/** Which files are never read automatically, by their name alone (S9.7). */
import ignore from 'ignore';

/** What a rule looks at: the last part of a path, or a run of parts with slashes around it. */
interface Rule {
  readonly reason: string;
  readonly name?: RegExp;
  readonly path?: RegExp;
}

const RULES: readonly Rule[] = [
  { reason: 'an environment file', name: /^\.env|\.env$/i },
  { reason: 'a private key', name: /^id_(?:rsa|dsa|ecdsa|ed25519)(?!.*\.pub$)/i },
  { reason: 'a key or certificate file', name: /\.(?:pem|key|p8|p12|pfx|jks|keystore|kdbx|ppk|gpg|der|crt\.key)$/i },
  {
    reason: 'a credential file',
    name: /^[._](?:netrc|npmrc|pypirc|pgpass|htpasswd|git-credentials|dockercfg|boto|s3cfg)$/i,
  },
  { reason: 'a credential file', name: /^(?:\.?my\.cnf|\.?credentials|\.vault-token|\.dockerconfigjson)$/i },
  {
    reason: 'a credential file',
    name: /(?:^|[._-])(?:credentials?|secrets?)(?:[._-][\w-]+)?\.(?:json|ya?ml|toml|ini|cfg|conf|csv|txt|xml|properties|enc)$/i,
  },
  { reason: 'a credential file', name: /service[_-]?account.*\.json$|^client_secret.*\.json$|^kubeconfig$/i },
  { reason: 'a file with secrets of an infrastructure', name: /\.tfstate(?:\.\w+)?$|\.tfvars(?:\.json)?$/i },
  {
    reason: 'in a folder of credentials',
    path: /\/\.(?:ssh|gnupg|aws|azure|kube|docker|password-store)\/|\/\.config\/(?:gcloud|gh)\//i,
  },
];

/**
 * The rules of S9.7 with those of `never_auto_read` (patterns as in `.gitignore`, from the root down). Answers why a file is
 * never read automatically, or undefined. Backslashes count as slashes.
 */
export function sensitivePaths(patterns: readonly string[]): (path: string) => string | undefined {
  const own = ignore().add([...patterns]);
  return (path) => {
    const slashed = `/${path.replace(/\\/g, '/').replace(/^(?:[a-z]:)?\/+/i, '')}`;
    const name = slashed.slice(slashed.lastIndexOf('/') + 1);
    const rule = RULES.find((candidate) => candidate.name?.test(name) ?? candidate.path?.test(slashed));
    if (rule !== undefined) return rule.reason;
    const relative = slashed.slice(1).replace(/^(?:\.{1,2}\/)+/, '');
    return ignore.isPathValid(relative) && own.ignores(relative) ? 'named by never_auto_read' : undefined;
  };
}
