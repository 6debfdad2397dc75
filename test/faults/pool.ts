/** An agent, its pool of workers, and what must hold whatever happens to either. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { CLOCK, COMPACT_POOL, defaultService, systemClock } from '../../core';
import type { CompactionReport, NewItem, Session } from '../../core';
import { connected, createNatsBus, openLink } from '../../core/bus/nats';
import type { NatsBus, Timings } from '../../core/bus/nats';
import { checkIntegrity } from '../../core/context/integrity';
import { startStrictProvider } from '../../core/testing';
import type { Script } from '../../core/testing';
import { gate } from '../cli/chats';
import { freshFolder } from '../cli/sessions';
import { HANDING_IN, healthOnce, isReady, startWorker } from '../cli/worker-kit';
import type { StartedWorker } from '../cli/worker-kit';
import { assistant, call, prose, result, user } from '../support/context';
import { start, view } from '../support/kernel';
import type { Host } from '../support/kernel';

/** Fifty times faster than in production. Ten heartbeats may be missed, since ten processes may share a core. */
export const FAST: Timings = { acceptMs: 1000, heartbeatMs: 100, missed: 10, probeMs: 50, resendMs: 100 };

/** A conversation long enough to be compacted, in which one may put a mark. */
export const history = (mark = 'please port it'): readonly NewItem[] => [
  user(mark),
  ...Array.from({ length: 30 }, (_, at) => [call(`c${at}`), result(`c${at}`, prose(1000))]).flat(),
  assistant('half done'),
  user('go on'),
];

export interface AgentOptions {
  readonly timings?: Partial<Timings>;
  /** Seconds. */
  readonly workerWaitSeconds?: number;
  readonly fallback?: 'offline' | 'none';
  /** Whether it begins without a server. */
  readonly unconnected?: boolean;
}

/** An agent whose summaries are written by the workers of a pool. */
export async function startAgent(
  url: string,
  { timings, unconnected = false, ...compaction }: AgentOptions = {},
): Promise<Host> {
  const link = await openLink({ servers: url, reconnectWaitMs: 50 });
  if (!unconnected) await connected(link);
  return start({
    bus: createNatsBus(link, { timings: { ...FAST, ...timings } }),
    config: { compaction: { worker: 'remote', ...compaction } },
    services: [
      defaultService(COMPACT_POOL, () => ({ tenant: 'default', pool: 'default' })),
      defaultService(CLOCK, () => systemClock),
    ],
  });
}

/** A worker process with a model, ready for jobs. */
export async function startModelWorker(
  url: string,
  baseUrl: string,
  args: readonly string[] = [],
): Promise<StartedWorker> {
  const cwd = freshFolder();
  const model = `provider = "openai-compatible"\nmodel = "m"\nbase_url = "${baseUrl}"\nmax_retries = 0`;
  writeFileSync(join(cwd, 'pith.toml'), `[model]\n${model}\ncontext_window = 64000\nmax_output_tokens = 1000\n`);
  const worker = startWorker(['--servers', url, ...args], { cwd });
  await healthOnce(worker, '/readyz', isReady);
  return worker;
}

/** A worker process without a model, ready for jobs. */
export async function startOfflineWorker(url: string, args: readonly string[] = []): Promise<StartedWorker> {
  const worker = startWorker(['--servers', url, '--worker', 'offline', ...args]);
  await healthOnce(worker, '/readyz', isReady);
  return worker;
}

export interface HeldModel extends AsyncDisposable {
  readonly url: string;
  /** Resolves when it was asked first. */
  readonly asked: Promise<void>;
  /** Has it answer: a summary is handed in. */
  release(): void;
}

/** A model that answers when it is told to. */
export async function startHeldModel(): Promise<HeldModel> {
  const [asked, free] = [gate(), gate()];
  const script: Script = async (_, n) => {
    asked.open();
    await free.opened;
    return HANDING_IN[n % 2] ?? 'Done.';
  };
  const provider = await startStrictProvider({ shape: 'openai-chat', script });
  return {
    url: provider.url,
    asked: asked.opened,
    release: free.open,
    async [Symbol.asyncDispose]() {
      free.open();
      await provider.close();
    },
  };
}

export interface SilentModel extends AsyncDisposable {
  readonly url: string;
  /** Resolves when it was asked. */
  readonly asked: Promise<void>;
  /** Resolves when whoever asked has given up. */
  readonly left: Promise<void>;
}

/** A model that never answers. */
export async function startSilentModel(): Promise<SilentModel> {
  const [asked, left] = [gate(), gate()];
  const server = createServer((_, response) => {
    asked.open();
    response.on('close', () => left.open());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`,
    asked: asked.opened,
    left: left.opened,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Resolves when the agent has a connection, be it the first or a later one. */
export function connectedAgain({ kernel }: Host): Promise<void> {
  const { link } = kernel.bus as NatsBus;
  return new Promise((resolve) => {
    if (link.isConnected) return resolve();
    const stop = link.on(({ type }) => {
      if (type !== 'connected' && type !== 'reconnected') return;
      stop();
      resolve();
    });
  });
}

/** Hears the next offer as anybody on the server may, and resolves when that has gone out. */
export async function nextOffer(url: string): Promise<{ readonly heard: Promise<void> }> {
  const link = await openLink({ servers: url });
  await connected(link);
  const [heard, offer] = [gate(), gate()];
  link.subscribe('pith.v1.job.default.default', () => offer.open());
  await link.flush();
  void offer.opened.then(() => link.close()).then(heard.open);
  return { heard: heard.opened };
}

/** Jobs that a worker has ended, by how. */
export const endedJobs = ({ lines }: StartedWorker, outcome: string): number =>
  lines.filter(({ message }) => message === `A job ended: ${outcome}.`).length;

/**
 * A session before and after something: nothing of its log is gone, at most one checkpoint was applied, and the context is
 * sound and holds whatever no summary covers.
 */
export function watchLoss(session: Session): { nothingIsLost(report: CompactionReport): void } {
  const before = [...session.items()].map(({ id }) => id);
  const checkpointsBefore = checkpoints(session);
  return {
    nothingIsLost({ outcome }) {
      const items = [...session.items()];
      expect(items.slice(0, before.length).map(({ id }) => id)).toEqual(before);
      expect(checkpoints(session) - checkpointsBefore).toBe(outcome === 'done' ? 1 : 0);
      expect(checkIntegrity(view(session).items())).toEqual([]);
      const sent = new Set([...view(session).items()].map(({ id }) => id));
      expect(items.slice(-1).filter(({ id }) => !sent.has(id))).toEqual([]);
    },
  };
}

const checkpoints = (session: Session): number => [...session.records()].filter(({ t }) => t === 'checkpoint').length;
