/** A NATS server with a configuration of `examples/remote-worker` as it is written there, but for where it listens. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../cli/command';
import { startNatsServer, type NatsServer } from '../../support/nats-server';
import type { DocumentedConfig } from './documented-configs';

/** The file of a documented configuration. */
export function documentedFile(name: string): string {
  return join(ROOT, 'examples/remote-worker', name);
}

/** Starts it. `edit` changes the text of the configuration for what cannot be tried as it stands there. */
export function documentedServer(
  { file, env }: Pick<DocumentedConfig, 'file' | 'env'>,
  edit: (text: string) => string = (text) => text,
): Promise<NatsServer> {
  const text = readFileSync(documentedFile(file), 'utf8');
  return startNatsServer({ config: edit(text).replaceAll(/^(?:listen|http): .*$/gm, ''), env });
}

/** What the server has logged, without times, ports and numbers of processes and connections. */
export function logLines({ log }: NatsServer): readonly string[] {
  return log
    .split('\n')
    .map((line) =>
      line.replace(/^\[\d+\] \S+ \S+ /, '').replace(/127\.0\.0\.1:\d+ - cid:\d+ - "v[^"]*:/, 'ADDRESS - cid:N - "'),
    );
}
