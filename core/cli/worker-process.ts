/**
 * A worker process from its start to its end (S11): connected for ever, in the queue of its pool while it can do jobs, out of
 * it while the provider limits it, and gone when it is told to.
 */
import type { CompactWorker } from '../../plugins/compaction';
import { compactChannel } from '../../plugins/compaction/protocol';
import { serveCompactWorker } from '../../plugins/compaction/workers/serve';
import { createNatsBus, openLink } from '../bus/nats';
import type { Link, LinkEvent } from '../bus/nats';
import { answerDiscovery } from '../bus/nats/micro';
import type { AnsweredDiscovery, MicroService, MicroStats } from '../bus/nats/micro';
import { channelSubject } from '../bus/nats/subjects';
import { messageOf } from '../errors';
import { systemClock } from '../kernel/clock';
import { EXIT } from './exit-code';
import { packageVersion } from './package-version';
import { onStopSignals } from './stop-signals';
import { SharedBackoff } from './worker-backoff';
import { WorkerCounts } from './worker-counts';
import { serveHealth } from './worker-health';
import type { HealthProbes } from './worker-health';
import { watchedWorker } from './worker-jobs';
import { modelSideKernel, modelSideWorker } from './worker-kernel';
import { metricsText } from './worker-metrics';
import { Places } from './worker-places';
import { cureOf, hearInbox, missingRight } from './worker-rights';
import type { WorkerSettings } from './worker-settings';

/** Milliseconds after the last job in which its outcome must have arrived, and the connection be closed. */
const LAST_WORDS_MS = 5_000;

/**
 * Serves until a signal says that it is enough; returns the exit code. Throws what a start throws, such as `PITH_HEALTH_PORT` or
 * `PITH_BUS_SETTINGS`.
 */
export async function runWorker(settings: WorkerSettings): Promise<number> {
  const stopped = new Promise<number>((resolve) => {
    onStopSignals(['SIGINT', 'SIGTERM', 'SIGHUP'], () => resolve(EXIT.done));
  });
  const worker = new WorkerProcess(settings);
  const health = settings.health && (await serveHealth(settings.health, worker));
  try {
    const kernel = await modelSideKernel(settings);
    try {
      const link = await openLink(settings.link);
      const lost = new Promise<number>((resolve) => {
        link.on(({ type }) => type === 'closed' && resolve(EXIT.failed));
      });
      worker.begin(link, modelSideWorker(kernel, settings, worker.backoff), health?.url);
      const code = await Promise.race([stopped, lost]);
      await worker.end(code);
      return code;
    } finally {
      await kernel.stop();
    }
  } finally {
    await health?.close();
  }
}

class WorkerProcess implements HealthProbes {
  readonly backoff: SharedBackoff;
  readonly #settings: WorkerSettings;
  readonly #counts = new WorkerCounts();
  readonly #handBack = new AbortController();
  readonly #channel: ReturnType<typeof compactChannel>;
  readonly #subject: string;
  #running: Running | undefined;
  #isEnding = false;
  /** The right without which no job can be done, where the server has denied it. */
  #missing: string | undefined;
  #reconnects = 0;
  /** Whether the server knows by now who listens here. */
  #isKnown = false;

  constructor(settings: WorkerSettings) {
    const { namespace, tenant, pool } = settings;
    this.#settings = settings;
    this.#channel = compactChannel({ tenant, pool });
    this.#subject = channelSubject(namespace, this.#channel.subject);
    this.backoff = new SharedBackoff({ clock: systemClock, random: Math.random, changed: () => this.#limited() });
  }

  /** Serves with a worker over a link. */
  begin(link: Link, worker: CompactWorker, health: string | undefined): void {
    const { namespace, tenant, pool, concurrency, log, manifest, lacksModel } = this.#settings;
    const bus = createNatsBus(link, {
      namespace,
      report: ({ name, error }) => log.log.error(`"${name}": ${messageOf(error)}`),
    });
    const counts = this.#counts;
    const watched = watchedWorker(worker, { counts, backoff: this.backoff, log, handBack: this.#handBack.signal });
    const places = new Places(concurrency, () => serveCompactWorker(bus, watched, { tenant, pool }));
    link.on((event) => this.#heard(event));
    const why = lacksModel ? ' It has no model, as there is no [compaction.model] or [model], and works offline.' : '';
    const { model, ...identity } = this.#identity();
    log.log.info(`The worker starts.${why}`, {
      name: link.name,
      version: packageVersion(),
      ...identity,
      ...(model !== '' && { model }),
      subject: this.#subject,
      capacity: concurrency,
      manifest,
      health,
    });
    hearInbox(link);
    places.enter();
    const discovery = answerDiscovery(link, this.#service(link), () => this.#stats(), this.#settings.link.log);
    this.#running = { link, bus, places, discovery };
    if (link.isConnected) void this.#becomeKnown(link);
  }

  /** Takes no more, ends what is under way or hands it back, and closes. */
  async end(code: number): Promise<void> {
    const { graceMs, log } = this.#settings;
    this.#isEnding = true;
    log.log.info('The worker ends.', { inflight: this.#counts.inflight, graceMs });
    const grace = setTimeout(() => this.#handBack.abort(), graceMs);
    this.backoff.stop();
    const { bus, places, discovery } = this.#running as Running;
    const left = places.leave();
    await this.#counts.idle();
    // Where a server or an agent does not answer any more, the process does not wait for it.
    setTimeout(() => process.exit(code), LAST_WORDS_MS).unref();
    await left;
    clearTimeout(grace);
    await discovery.stop();
    await bus.close();
    log.log.info('The worker has ended.', this.#counts.outcomes);
  }

  dead(): string | undefined {
    return this.#running?.link.isClosed === true && !this.#isEnding ? 'the connection is closed for good' : undefined;
  }

  unready(): string | undefined {
    if (this.#isEnding) return 'shutting down';
    if (this.#running?.link.isConnected !== true) return 'not connected to a NATS server';
    if (!this.#isKnown) return 'the server has not answered yet';
    if (this.#missing !== undefined) return `the server does not permit to subscribe to ${this.#missing}`;
    const { leftMs } = this.backoff;
    return leftMs > 0 ? `rate-limited by the provider for ${String(Math.ceil(leftMs / 1000))} s` : undefined;
  }

  metrics(): string {
    return metricsText(this.#counts, {
      labels: { name: this.#running?.link.name ?? '', version: packageVersion(), ...this.#identity() },
      capacity: this.#settings.concurrency,
      isReady: this.unready() === undefined,
      isConnected: this.#running?.link.isConnected === true,
      reconnects: this.#reconnects,
      rateLimitWaits: this.backoff.waits,
      uptimeSeconds: process.uptime(),
      memory: process.memoryUsage(),
      cpu: process.cpuUsage(),
    });
  }

  #heard(event: LinkEvent): void {
    if (event.type === 'reconnected') this.#reconnects++;
    if (event.type === 'reconnected') this.#permittedAgain();
    const { link, places } = this.#running as Running;
    if (event.type === 'connected' || event.type === 'reconnected') void this.#becomeKnown(link);
    const right = missingRight(event, link, this.#settings.namespace);
    if (right === undefined || this.#missing !== undefined) return;
    this.#missing = right;
    void places.leave();
    const { log } = this.#settings.log;
    log.error(`No job is taken: the server does not permit to subscribe to ${right}. ${cureOf(right, link)}`);
  }

  /** What was said on a connection is known once the server has answered to it: a job that is offered then is taken. */
  async #becomeKnown(link: Link): Promise<void> {
    this.#isKnown = false;
    try {
      await link.flush();
      this.#isKnown = true;
    } catch {
      // The connection is lost; the next one says it again.
    }
  }

  /** Another connection may have the right that was missing. */
  #permittedAgain(): void {
    if (this.#missing === undefined) return;
    this.#missing = undefined;
    if (!this.#isEnding && this.backoff.leftMs === 0) this.#running?.places.enter();
  }

  /** A wait for the provider has begun, or is over. */
  #limited(): void {
    const { log } = this.#settings.log;
    const { leftMs } = this.backoff;
    if (this.#isEnding) return;
    if (leftMs === 0) {
      if (this.#missing !== undefined) return;
      this.#running?.places.enter();
      log.info('Jobs are taken again.');
    } else {
      log.warn('The provider limits the rate of requests; no job is taken meanwhile.', { waitMs: leftMs });
      void this.#running?.places.leave();
    }
  }

  #identity(): { readonly worker: string; readonly model: string; readonly tenant: string; readonly pool: string } {
    const { model, tenant, pool } = this.#settings;
    return { worker: model === undefined ? 'offline' : 'llm', model: model?.model ?? '', tenant, pool };
  }

  #service({ name }: Link): MicroService {
    const { service = 'pith', major = 1 } = this.#channel;
    const { worker, model, tenant, pool } = this.#identity();
    return {
      id: name,
      name: service,
      version: packageVersion(),
      description: 'Writes summaries for agents whose context is full.',
      metadata: { majors: String(major), worker, model, tenant, pool, capacity: String(this.#settings.concurrency) },
      endpoint: { name: 'compact', subject: this.#subject, queue: service },
    };
  }

  #stats(): MicroStats {
    const { started, ended, inflight, outcomes, lastError, processingMs } = this.#counts;
    const { worker, model, tenant, pool } = this.#identity();
    const capacity = this.#settings.concurrency;
    const majors = [this.#channel.major ?? 1];
    return {
      requests: started,
      errors: outcomes.failed,
      lastError,
      ended,
      processingMs,
      data: { worker, model, tenant, pool, majors, capacity, inflight, done: outcomes.done, failed: outcomes.failed },
    };
  }
}

/** What stands once the process serves. */
interface Running {
  readonly link: Link;
  readonly bus: { close(): Promise<void> };
  readonly places: Places;
  readonly discovery: AnsweredDiscovery;
}
