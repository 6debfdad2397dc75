/** The bus that `[transport]` of a manifest describes (S4.1, S10), and where the jobs for compact workers go on it. */
import type { Bus } from '../bus/bus';
import type * as Nats from '../bus/nats';
import type { LinkOptions } from '../bus/nats';
import { sleep, systemClock } from '../kernel/clock';
import type { OpenBus } from '../kernel/kernel';
import type { Logger } from '../kernel/logger';
import { defaultService } from '../kernel/services';
import type { DefaultService } from '../kernel/services';
import type { CoreSections, LoadedManifest } from '../manifest';
import { COMPACT_POOL } from './compaction';

/** What a kernel takes to have a transport: it opens the bus when it starts, and closes it; undefined is a bus of its own. */
export interface Transport {
  readonly bus: OpenBus | undefined;
  readonly defaults: readonly DefaultService[];
}

/**
 * The transport of a manifest. Nothing is opened yet. The connection is made in the background, or is waited for up to so
 * many milliseconds.
 */
export function transportOf({ core: { transport } }: Pick<LoadedManifest, 'core'>, connectMs = 0): Transport {
  if (transport.kind === 'local') return { bus: undefined, defaults: [] };
  const { tenant, pool, remoteFileReads: readsFiles } = transport;
  return {
    bus: (log) => openNatsBus(transport, log, connectMs),
    defaults: [defaultService(COMPACT_POOL, () => ({ tenant, pool, readsFiles }))],
  };
}

/** The connection that the settings describe, as a link takes them. */
export function linkOptionsOf(
  { servers = [], name, user, passwordEnv, credsFile, nkeyFile, tls }: CoreSections['transport'],
  log: Logger,
  env: Readonly<Record<string, string | undefined>> = process.env,
): LinkOptions {
  const files = present(tls);
  return {
    servers,
    log: (level, message, facts) => log[level](message, facts),
    ...present({ name, user, credsFile, nkeyFile }),
    ...(user !== undefined && { password: env[passwordEnv] ?? '' }),
    ...(Object.keys(files).length > 0 && { tls: files }),
  };
}

async function openNatsBus(transport: CoreSections['transport'], log: Logger, connectMs: number): Promise<Bus> {
  const { connected, createNatsBus, openLink } = loadNats();
  const link = await openLink(linkOptionsOf(transport, log));
  if (connectMs > 0) {
    const isThere = new AbortController();
    const waited = sleep(systemClock, connectMs, isThere.signal).catch(() => undefined);
    await Promise.race([connected(link), waited]);
    isThere.abort();
  }
  return createNatsBus(link, {
    namespace: transport.namespace,
    report: ({ name, error }) => log.error(`An observer of "${name}" failed; the others go on.`, { cause: error }),
  });
}

/** What is set, without what is undefined. */
function present<T extends object>(settings: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const set = Object.entries(settings).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/** NATS is loaded only where it is asked for. */
function loadNats(): typeof Nats {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- import() would start the ESM loader for what is CommonJS
  return require('../bus/nats') as typeof Nats;
}
