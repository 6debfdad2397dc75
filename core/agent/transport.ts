/** The bus that `[transport]` of a manifest describes (S4.1, S10), and where the jobs for compact workers go on it. */
import type { Bus } from '../bus/bus';
import type * as Nats from '../bus/nats';
import type { Link, LinkOptions } from '../bus/nats';
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
  /** Resolves when the bus that was opened is connected, after so many milliseconds at the latest; at once without one. */
  reached(ms: number): Promise<void>;
}

/** The transport of a manifest. Nothing is opened yet, and the connection is made in the background. */
export function transportOf({ core: { transport } }: Pick<LoadedManifest, 'core'>): Transport {
  if (transport.kind === 'local') return { bus: undefined, defaults: [], reached: () => Promise.resolve() };
  const { tenant, pool, remoteFileReads: readsFiles } = transport;
  let link: Link | undefined;
  return {
    async bus(log) {
      link = await loadNats().openLink(linkOptionsOf(transport, log));
      return busOver(link, transport, log);
    },
    defaults: [defaultService(COMPACT_POOL, () => ({ tenant, pool, readsFiles }))],
    async reached(ms) {
      if (link === undefined) return;
      const isThere = new AbortController();
      const waited = sleep(systemClock, ms, isThere.signal).catch(() => undefined);
      await Promise.race([loadNats().connected(link), waited]);
      isThere.abort();
    },
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

function busOver(link: Link, { namespace }: CoreSections['transport'], log: Logger): Bus {
  return loadNats().createNatsBus(link, {
    namespace,
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
