/** Options that say how NATS is reached, over environment and `[transport]` (S10). */
import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { linkOptionsOf } from '../agent/transport';
import type { LinkOptions } from '../bus/nats';
import { PithError } from '../errors';
import type { Logger } from '../kernel/logger';
import type { LoadedManifest } from '../manifest';

export interface TransportFlags {
  readonly servers?: readonly string[];
  readonly name?: string;
  readonly user?: string;
  readonly creds?: string;
  readonly nkey?: string;
  readonly tlsCa?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

/** Adds what every command has that connects to NATS. */
export function transportOptions(command: Command): Command {
  return command
    .option(
      '--servers <URLS>',
      'the NATS servers, parted by commas (default: NATS_URL, or servers of [transport])',
      serversOf,
    )
    .option('--name <NAME>', 'the name of the connection, which the rights on a server go by (default: a random one)')
    .option('--user <NAME>', 'the user; the password stands in NATS_PASSWORD')
    .option('--creds <FILE>', 'the credentials file', fileOf)
    .option('--nkey <FILE>', 'the file with the seed of an nkey', fileOf)
    .option('--tls-ca <FILE>', 'the certificate authority of the servers', fileOf)
    .option('--tls-cert <FILE>', 'the certificate of this side', fileOf)
    .option('--tls-key <FILE>', 'the key of that certificate', fileOf);
}

/** The keys of the manifest that the options give. */
export function transportKeys(flags: TransportFlags): Readonly<Record<string, unknown>> {
  return {
    'transport.servers': flags.servers,
    'transport.name': flags.name,
    'transport.user': flags.user,
    'transport.creds_file': flags.creds,
    'transport.nkey_file': flags.nkey,
    'transport.tls.ca_file': flags.tlsCa,
    'transport.tls.cert_file': flags.tlsCert,
    'transport.tls.key_file': flags.tlsKey,
  };
}

/** How to connect. Throws `PITH_USAGE` where nothing says to which servers. */
export function connectionOf({ core: { transport } }: Pick<LoadedManifest, 'core'>, log: Logger): LinkOptions {
  if ((transport.servers ?? []).length > 0) return linkOptionsOf(transport, log);
  throw new PithError(
    'PITH_USAGE',
    'nothing says where the NATS servers are; give --servers nats://HOST:4222, NATS_URL, or servers of [transport]',
  );
}

function serversOf(text: string, earlier: readonly string[] = []): readonly string[] {
  const urls = text.split(',').map((url) => url.trim());
  if (urls.includes('')) throw new InvalidArgumentError('Expected URLs parted by commas, such as nats://HOST:4222.');
  return [...earlier, ...urls];
}

function fileOf(text: string): string {
  if (text === '') throw new InvalidArgumentError('Expected a file.');
  return text;
}
