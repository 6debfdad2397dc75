/** `pith workers`: the compact workers that answer on NATS, with their load (S11). */
import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { z } from 'zod';
import { connected, openLink } from '../bus/nats';
import type { Link } from '../bus/nats';
import { findServices } from '../bus/nats/discovery';
import type { FoundService } from '../bus/nats/discovery';
import { within } from '../bus/watchdog';
import { PithError } from '../errors';
import { createLogger } from '../kernel/logger';
import { loadManifest } from '../manifest';
import { stockPlugins } from '../../plugins';
import { fitTo, printableLine } from './display-width';
import { EXIT } from './exit-code';
import { age, counted, duration, figure, flow, leftOut, MOST_ROWS, percent, table } from './layout';
import { jsonOption } from './options';
import type { Terminal } from './terminal';
import { connectionOf, transportKeys, transportOptions } from './transport-options';
import type { TransportFlags } from './transport-options';

/** What the connection has to say is said by errors. */
const SILENT = createLogger(() => ({ level: 'error', write: () => undefined }));

/** The micro service that compact workers are. */
const SERVICE = 'pith-compact';

interface WorkersFlags extends TransportFlags {
  readonly manifest?: string;
  /** Seconds. */
  readonly wait: number;
  readonly json?: true;
}

/** What a worker tells of itself; nothing vouches for it. */
const told = z.object({
  worker: z.string().max(64),
  model: z.string().max(256),
  tenant: z.string().max(64),
  pool: z.string().max(64),
  majors: z.array(z.int().positive()).min(1).max(16),
  capacity: z.int().positive(),
  inflight: z.int().nonnegative(),
  done: z.int().nonnegative(),
  failed: z.int().nonnegative(),
});

/** One worker as it tells of itself. */
interface ToldWorker {
  readonly name: string;
  readonly version: string;
  readonly worker: string;
  /** Null where it has none. */
  readonly model: string | null;
  readonly tenant: string;
  readonly pool: string;
  /** Majors of the job's schemas that it serves. */
  readonly majors: readonly number[];
  /** Jobs at once, and those under way. */
  readonly capacity: number;
  readonly inflight: number;
  /** Jobs since its start. */
  readonly done: number;
  readonly failed: number;
  /** Milliseconds that a job took on average; null before the first one ended. */
  readonly averageMs: number | null;
  /** ISO 8601, by its own clock. */
  readonly started: string;
}

/** One worker of `pith.workers/1`. */
interface ListedWorker extends ToldWorker {
  /** Whether several processes answer by its name, of which each needs one of its own. */
  readonly duplicate: boolean;
}

export function define(command: Command, terminal: Terminal): void {
  jsonOption(transportOptions(command))
    .option('--manifest <FILE>', 'the manifest instead of PITH_MANIFEST or the nearest pith.toml')
    .option('--wait <SECONDS>', 'how long to wait for a server, and for answers', secondsOf, 2)
    .action(async (flags: WorkersFlags) => {
      const workers = await listWorkers(flags, terminal);
      if (flags.json === true) terminal.printJson({ schema: 'pith.workers/1', workers });
      else printWorkers(workers, terminal);
      process.exitCode = EXIT.done;
    });
}

async function listWorkers(flags: WorkersFlags, terminal: Terminal): Promise<readonly ListedWorker[]> {
  const { manifest: path, wait } = flags;
  const keys = transportKeys(flags);
  const manifest = await loadManifest({ path, only: [], isShared: true, flags: keys, stock: stockPlugins });
  const link = await openLink(connectionOf(manifest, SILENT));
  try {
    terminal.progress('looking for workers');
    await reached(link, wait * 1000);
    return marked((await findServices(link, SERVICE, { waitMs: wait * 1000 })).flatMap(listed));
  } finally {
    await link.close();
    terminal.progress('');
  }
}

/** Rejects with why there is no connection where there is none in time. */
async function reached(link: Link, waitMs: number): Promise<void> {
  let why: PithError | undefined;
  const stop = link.on((event) => {
    if (event.type === 'error') why = event.error;
  });
  const late = (): PithError =>
    why ??
    new PithError('PITH_BUS_CONNECTION', 'No NATS server answers in time; check --servers, or give more --wait.');
  await within(waitMs, () => connected(link), late).finally(stop);
}

function listed({ id: name, version, started, averageMs, data }: FoundService): readonly ToldWorker[] {
  const facts = told.safeParse(data);
  if (!facts.success) return [];
  const { model } = facts.data;
  return [{ name, version, ...facts.data, model: model || null, averageMs: averageMs > 0 ? averageMs : null, started }];
}

function marked(workers: readonly ToldWorker[]): readonly ListedWorker[] {
  const counts = countsOf(workers.map(({ name }) => name));
  return workers.map((worker) => ({ ...worker, duplicate: (counts.get(worker.name) ?? 0) > 1 }));
}

/** The columns that are mostly the same for all, which are said once then. */
const SHARED = ['version', 'worker', 'model', 'tenant', 'pool'] as const;

function printWorkers(workers: readonly ListedWorker[], terminal: Terminal): void {
  const { bold, dim, yellow } = terminal.colours;
  if (workers.length === 0) return terminal.print('no worker answers');
  const [capacity, inflight] = [sum(workers, 'capacity'), sum(workers, 'inflight')];
  terminal.print(
    `${bold(counted(workers.length, 'worker'))}, ${figure(inflight)} of ${counted(capacity, 'place')} busy (${percent(inflight, capacity)})`,
  );
  const isShared = (key: (typeof SHARED)[number]): boolean => new Set(workers.map((worker) => worker[key])).size === 1;
  const shared = SHARED.filter((key) => isShared(key) && workers[0]?.[key] !== null).map(
    (key) => `${key} ${shown(workers[0]?.[key])}`,
  );
  const own = SHARED.filter((key) => !isShared(key));
  for (const line of flow(shared, terminal.columns)) terminal.print(dim(fitTo(line, terminal.columns)));
  const rows = workers.map((worker) => [
    `${shown(worker.name)}${worker.duplicate ? ' !' : ''}`,
    ...own.map((key) => shown(worker[key])),
    `${figure(worker.inflight)}/${figure(worker.capacity)}`,
    figure(worker.done),
    figure(worker.failed),
    worker.averageMs === null ? '–' : duration(worker.averageMs),
    age(Math.max(0, Date.now() - Date.parse(worker.started))),
  ]);
  const right = { align: 'right' } as const;
  const cut = { cut: 'end' } as const;
  const [first = '', ...lines] = table(
    [['name', ...own, 'load', 'done', 'failed', 'average', 'up'], ...rows],
    [{ ...cut, least: 32 }, ...own.map(() => cut), right, right, right, right, right],
    terminal.columns,
  );
  terminal.print(`\n${dim(first)}`);
  for (const line of lines) terminal.print(line);
  const twice = [...countsOf(workers.map(({ name }) => name))].filter(([, count]) => count > 1);
  if (twice.length > 0) terminal.print('');
  for (const [name, count] of twice.slice(0, MOST_ROWS))
    terminal.print(
      yellow(
        `! ${name} stands ${count === 2 ? 'twice' : `${figure(count)} times`}; each process needs a name of its own`,
      ),
    );
  for (const line of leftOut(twice.length - MOST_ROWS, 'more name', terminal.columns)) terminal.print(line);
}

function shown(fact: string | null | undefined): string {
  return printableLine(fact ?? '–');
}

function countsOf(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function sum(workers: readonly ListedWorker[], key: 'capacity' | 'inflight'): number {
  return workers.reduce((total, worker) => total + worker[key], 0);
}

function secondsOf(text: string): number {
  if (!/^\d{1,3}(?:\.\d{1,3})?$/.test(text) || Number(text) === 0)
    throw new InvalidArgumentError('Expected seconds above 0.');
  return Number(text);
}
