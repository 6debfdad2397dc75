/** Links of a test: closed after it, with what they logged, and something to wait on. */
import { openLink } from '../../core/bus/nats';
import type { Link, LinkEvent, LinkOptions } from '../../core/bus/nats';

type EventOf<T extends LinkEvent['type']> = LinkEvent & { readonly type: T };

export interface TestLink extends Link {
  /** One line each: level, message and facts. */
  readonly log: readonly string[];
  /** All that it told so far. */
  readonly told: readonly LinkEvent[];
  /** The first event of a type, told already or to come, that passes. */
  until<T extends LinkEvent['type']>(type: T, passes?: (event: EventOf<T>) => boolean): Promise<EventOf<T>>;
  /** The same of those to come. */
  next<T extends LinkEvent['type']>(type: T): Promise<EventOf<T>>;
}

const open = new Set<Link>();

/** Opens a link that connects and gives up fast. */
export async function openTestLink(options: LinkOptions): Promise<TestLink> {
  const log: string[] = [];
  const told: LinkEvent[] = [];
  const link = await openLink({
    reconnectWaitMs: 20,
    connectTimeoutMs: 2000,
    log: (level, message, facts) => log.push(`${level} ${message} ${JSON.stringify(facts)}`),
    ...options,
  });
  link.on((event) => told.push(event));
  open.add(link);
  const next: TestLink['until'] = (type, passes = () => true) =>
    new Promise((resolve) => {
      const stop = link.on((event) => {
        if (event.type !== type || !passes(event as EventOf<typeof type>)) return;
        stop();
        resolve(event as EventOf<typeof type>);
      });
    });
  const until: TestLink['until'] = (type, passes = () => true) => {
    const before = told.find((event) => event.type === type && passes(event as EventOf<typeof type>));
    return before === undefined ? next(type, passes) : Promise.resolve(before as EventOf<typeof type>);
  };
  return Object.assign(link, { log, told, until, next });
}

/** For `afterEach`. */
export async function closeTestLinks(): Promise<void> {
  await Promise.all([...open].map((link) => link.close()));
  open.clear();
}
