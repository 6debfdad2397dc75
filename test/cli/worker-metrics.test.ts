import fc from 'fast-check';
import { JOB_OUTCOMES, NO_USAGE, WorkerCounts } from '../../core/cli/worker-counts';
import { metricsText } from '../../core/cli/worker-metrics';
import type { WorkerFacts } from '../../core/cli/worker-metrics';

const FACTS: WorkerFacts = {
  labels: { name: 'worker-1', model: 'local-model' },
  capacity: 4,
  isReady: true,
  isConnected: true,
  reconnects: 2,
  rateLimitWaits: 1,
  uptimeSeconds: 61.5,
  memory: { rss: 1000, heapUsed: 500 },
  cpu: { user: 1_500_000, system: 500_000 },
};

/** Every sample by its name and labels, as a reader of the format sees them. Throws for what is no line of it. */
function samples(text: string): ReadonlyMap<string, number> {
  const types = new Map<string, string>();
  const found = new Map<string, number>();
  for (const line of text.trimEnd().split('\n')) {
    const [, name, type] = /^# TYPE (\w+) (counter|gauge|histogram)$/.exec(line) ?? [];
    if (name !== undefined && type !== undefined) types.set(name, type);
    if (line.startsWith('# HELP ') || name !== undefined) continue;
    const [, metric = '', labels = '', value] =
      /^(\w+)((?:\{(?:\w+="(?:[^"\\\n]|\\["\\n])*",?)+\})?) (-?[\d.e+-]+)$/.exec(line) ?? [];
    if (value === undefined) throw new Error(`no sample: ${line}`);
    if (!types.has(metric.replace(/_(?:bucket|sum|count)$/, '')) && !types.has(metric))
      throw new Error(`no type: ${line}`);
    found.set(metric.replace(/^pith_worker_/, '') + labels, Number(value));
  }
  return found;
}

describe('the metrics of a worker', () => {
  test('tell what it is and how it does, each with help and type', () => {
    const counts = new WorkerCounts();
    counts.started = 3;
    counts.asks = 7;
    counts.endedAs('done', 2400);
    counts.endedAs('failed', 700_000, 'PITH_LLM_AUTH');
    counts.spent(NO_USAGE, {
      requests: 2,
      inputTokens: 900,
      cacheReadTokens: 100,
      cacheWriteTokens: 10,
      outputTokens: 50,
    });
    const text = metricsText(counts, FACTS);
    const found = samples(text);
    expect(text.match(/^# HELP /gm)?.length).toBe(text.match(/^# TYPE /gm)?.length);
    expect(Object.fromEntries(found)).toMatchObject({
      'info{name="worker-1",model="local-model"}': 1,
      jobs_started_total: 3,
      'jobs_ended_total{outcome="done"}': 1,
      'jobs_ended_total{outcome="failed"}': 1,
      'jobs_ended_total{outcome="handed-back"}': 0,
      jobs_inflight: 1,
      capacity: 4,
      'job_duration_seconds_bucket{le="1"}': 0,
      'job_duration_seconds_bucket{le="2.5"}': 1,
      'job_duration_seconds_bucket{le="600"}': 1,
      'job_duration_seconds_bucket{le="+Inf"}': 2,
      job_duration_seconds_sum: 702.4,
      job_duration_seconds_count: 2,
      asks_total: 7,
      model_requests_total: 2,
      'tokens_total{kind="input"}': 900,
      'tokens_total{kind="output"}': 50,
      ready: 1,
      connected: 1,
      reconnects_total: 2,
      rate_limit_waits_total: 1,
      uptime_seconds: 61.5,
      resident_memory_bytes: 1000,
      cpu_seconds_total: 2,
    });
    expect(counts.lastError).toBe('PITH_LLM_AUTH');
  });

  test('no label, however strange, breaks the format', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (model) => {
        samples(metricsText(new WorkerCounts(), { ...FACTS, labels: { model } }));
      }),
    );
  });

  test('jobs that began are under way or ended, and every bucket holds those below it', () => {
    const job = fc.record({ outcome: fc.constantFrom(...JOB_OUTCOMES), ms: fc.nat(1_000_000) });
    fc.assert(
      fc.property(fc.array(job), fc.nat(5), (ended, running) => {
        const counts = new WorkerCounts();
        counts.started = ended.length + running;
        for (const { outcome, ms } of ended) counts.endedAs(outcome, ms, 'PITH_RUN_FAILED');
        expect([counts.inflight, counts.ended]).toEqual([running, ended.length]);
        const buckets = [...samples(metricsText(counts, FACTS))].filter(([name]) => name.includes('_bucket'));
        for (const [name, value] of buckets) {
          const [, bound = ''] = /le="(.*)"/.exec(name) ?? [];
          const most = bound === '+Inf' ? Infinity : Number(bound) * 1000;
          expect(value).toBe(ended.filter(({ ms }) => ms <= most).length);
        }
      }),
    );
  });
});
