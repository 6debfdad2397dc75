/** What a worker process is, by its options, the environment and the manifest (S10, S11). */
import { stockPlugins } from '../../plugins';
import type { LinkLog, LinkOptions } from '../bus/nats';
import { isDiscovery } from '../bus/nats/micro';
import { PithError } from '../errors';
import { createLogSink } from '../kernel/log-sink';
import type { Logger, LogSink } from '../kernel/logger';
import type { LlmClient } from '../llm/client';
import { modelFromSettings } from '../llm/model-from-settings';
import { loadManifest } from '../manifest';
import type { LoadedManifest } from '../manifest';
import { manifestName } from './started-plugins';
import type { Terminal } from './terminal';
import { connectionOf, transportKeys } from './transport-options';
import type { TransportFlags } from './transport-options';
import type { HealthAddress } from './worker-health';
import { createWorkerLog } from './worker-log';
import type { WorkerLog } from './worker-log';

/** What was asked for. */
export interface WorkerRequest extends TransportFlags {
  readonly manifest?: string;
  readonly worker?: 'offline' | 'llm';
  readonly namespace?: string;
  readonly tenant?: string;
  readonly pool?: string;
  /** Jobs at once. */
  readonly concurrency: number;
  /** Seconds. */
  readonly grace: number;
  readonly health: HealthAddress | false;
  readonly json?: true;
}

export interface WorkerSettings {
  /** The guard and the telemetry, and their configuration. */
  readonly plugins: LoadedManifest['plugins'];
  readonly config: LoadedManifest['config'];
  /** Undefined for the worker without a model. */
  readonly model: LlmClient | undefined;
  readonly link: LinkOptions;
  readonly namespace: string;
  readonly tenant: string;
  readonly pool: string;
  readonly concurrency: number;
  readonly graceMs: number;
  readonly health: HealthAddress | undefined;
  readonly log: WorkerLog;
  /** Which manifest was used, for the log. */
  readonly manifest: string;
  /** Whether it has no model because there is none, and not because none was asked for. */
  readonly lacksModel: boolean;
}

/**
 * Reads the manifest as far as it is about models, transport and log; it may be the one of the agents. Of all plugins the
 * guard and the telemetry alone run here. Throws `PITH_MODEL_MISSING` where a worker with a model was asked for and there is none, `PITH_LLM_AUTH`
 * where its key is not there, `PITH_USAGE` without servers, and what {@link loadManifest} throws.
 */
export async function workerSettings(request: WorkerRequest, terminal: Terminal): Promise<WorkerSettings> {
  const { namespace, tenant, pool, concurrency, grace, health, json } = request;
  const manifest = await loadManifest({
    path: request.manifest,
    only: ['guard', 'telemetry'],
    isShared: true,
    flags: {
      ...transportKeys(request),
      'transport.namespace': namespace,
      'transport.tenant': tenant,
      'transport.pool': pool,
    },
    stock: stockPlugins,
  });
  const { transport } = manifest.core;
  const log = createWorkerLog(sinkOf(manifest, json === true, terminal));
  const model = modelOf(manifest, request);
  return {
    plugins: manifest.plugins,
    config: manifest.config,
    model,
    link: { ...connectionOf(manifest, log.log), log: linkLog(log.log) },
    namespace: transport.namespace,
    tenant: transport.tenant,
    pool: transport.pool,
    concurrency,
    graceMs: grace * 1000,
    health: health === false ? undefined : health,
    log,
    manifest: manifestName(manifest),
    lacksModel: model === undefined && request.worker === undefined,
  };
}

/** The model of the compact worker, or of the agent where it has none of its own (S9.12). */
function modelOf(manifest: LoadedManifest, { worker }: WorkerRequest): LlmClient | undefined {
  if (worker === 'offline') return undefined;
  const { agent, model, 'compaction.model': settings = model } = manifest.core;
  if (settings !== undefined) {
    const { apiKeyEnv } = settings;
    if (apiKeyEnv !== undefined && (process.env[apiKeyEnv] ?? '') === '')
      throw new PithError(
        'PITH_LLM_AUTH',
        `The environment variable ${apiKeyEnv}, named by api_key_env, is not set; no job could be done without it.`,
      );
    return modelFromSettings(settings, { root: agent.root });
  }
  if (worker === undefined) return undefined;
  throw new PithError(
    'PITH_MODEL_MISSING',
    `--worker llm needs [compaction.model] or [model] (${manifestName(manifest)}); --worker offline needs none.`,
  );
}

/** The log is all that this process says, so it begins with `info` where nothing else is asked for. */
function sinkOf({ core: { log }, settings }: LoadedManifest, isJson: boolean, terminal: Terminal): LogSink {
  const { origin } = settings.find(({ section, key }) => section === 'log' && key === 'level') ?? {};
  const level = origin === undefined || origin.from === 'default' ? 'info' : log.level;
  if (isJson) return createLogSink({ level, format: 'ndjson', write: (line) => terminal.print(line.trimEnd()) });
  return createLogSink({ level, ...(log.format !== undefined && { format: log.format }) });
}

/** That discovery is not permitted is said once by who answers it, and is no error. */
function linkLog(log: Logger): LinkLog {
  return (level, message, facts) => {
    log[isDiscovery(String(facts['subject'])) ? 'debug' : level](message, facts);
  };
}
