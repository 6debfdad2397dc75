/** The metrics of a worker process in the text format of Prometheus. */
import { DURATION_BOUNDS, JOB_OUTCOMES } from './worker-counts';
import type { WorkerCounts } from './worker-counts';

/** The content type of {@link metricsText}. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** What is told beside the counts. */
export interface WorkerFacts {
  /** What the process is: version, worker, model, tenant, pool, name. */
  readonly labels: Readonly<Record<string, string>>;
  /** Jobs at once. */
  readonly capacity: number;
  readonly isReady: boolean;
  readonly isConnected: boolean;
  /** Connections after the first one. */
  readonly reconnects: number;
  readonly rateLimitWaits: number;
  /** Seconds since the process started. */
  readonly uptimeSeconds: number;
  readonly memory: Pick<NodeJS.MemoryUsage, 'rss' | 'heapUsed'>;
  readonly cpu: NodeJS.CpuUsage;
}

/** All metrics, each with its help and type. */
export function metricsText(counts: WorkerCounts, facts: WorkerFacts): string {
  const { usage } = counts;
  return [
    metric('info', 'gauge', 'What this process is.', [[facts.labels, 1]]),
    metric('jobs_started_total', 'counter', 'Jobs that were begun.', [[{}, counts.started]]),
    metric(
      'jobs_ended_total',
      'counter',
      'Jobs that ended, by outcome.',
      JOB_OUTCOMES.map((outcome) => [{ outcome }, counts.outcomes[outcome]]),
    ),
    metric('jobs_inflight', 'gauge', 'Jobs under way.', [[{}, counts.inflight]]),
    metric('capacity', 'gauge', 'Jobs that can be under way at once.', [[{}, facts.capacity]]),
    durations(counts),
    metric('asks_total', 'counter', 'Calls at the desks of agents.', [[{}, counts.asks]]),
    metric('model_requests_total', 'counter', 'Requests to the model.', [[{}, usage.requests]]),
    metric('tokens_total', 'counter', 'Tokens of the requests to the model; input holds what the cache served.', [
      [{ kind: 'input' }, usage.inputTokens],
      [{ kind: 'cache_read' }, usage.cacheReadTokens],
      [{ kind: 'cache_write' }, usage.cacheWriteTokens],
      [{ kind: 'output' }, usage.outputTokens],
    ]),
    metric('rate_limit_waits_total', 'counter', 'Times that the provider limited the rate of requests.', [
      [{}, facts.rateLimitWaits],
    ]),
    metric('ready', 'gauge', 'Whether jobs are taken.', [[{}, Number(facts.isReady)]]),
    metric('connected', 'gauge', 'Whether there is a connection to a server.', [[{}, Number(facts.isConnected)]]),
    metric('reconnects_total', 'counter', 'Connections after the first one.', [[{}, facts.reconnects]]),
    metric('uptime_seconds', 'gauge', 'Seconds since the process started.', [[{}, facts.uptimeSeconds]]),
    metric('resident_memory_bytes', 'gauge', 'Memory of the process.', [[{}, facts.memory.rss]]),
    metric('heap_used_bytes', 'gauge', 'Heap in use.', [[{}, facts.memory.heapUsed]]),
    metric('cpu_seconds_total', 'counter', 'Processor time of the process.', [
      [{}, (facts.cpu.user + facts.cpu.system) / 1e6],
    ]),
  ].join('');
}

type Labels = Readonly<Record<string, string>>;

function metric(
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  samples: readonly (readonly [labels: Labels, value: number])[],
): string {
  return head(name, type, help) + samples.map(([labels, value]) => sample(name, labels, value)).join('');
}

function durations(counts: WorkerCounts): string {
  const name = 'job_duration_seconds';
  let within = 0;
  const buckets = counts.durations.map((count, at) => {
    within += count;
    return sample(`${name}_bucket`, { le: String(DURATION_BOUNDS[at] ?? '+Inf') }, within);
  });
  const sum = sample(`${name}_sum`, {}, counts.processingMs / 1000);
  return `${head(name, 'histogram', 'How long jobs took.')}${buckets.join('')}${sum}${sample(`${name}_count`, {}, within)}`;
}

function head(name: string, type: string, help: string): string {
  return `# HELP pith_worker_${name} ${help}\n# TYPE pith_worker_${name} ${type}\n`;
}

function sample(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `pith_worker_${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${String(value)}\n`;
}

/** A label's value as the format wants it. */
function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
