/** The OpenTelemetry API of the process: an optional peer, loaded when a kernel starts and never before. */
import type * as api from '@opentelemetry/api';

export type OpenTelemetry = typeof api;

/** Why nothing can be told. */
export interface Unavailable {
  readonly reason: string;
}

/** The API, where the process has registered an SDK that takes spans or metrics; else why there is none. */
export function openTelemetry(): OpenTelemetry | Unavailable {
  const api = installedApi();
  if (api === undefined)
    return { reason: 'the package @opentelemetry/api is not installed; npm install it with an SDK' };
  if (takesSpans(api) || takesMetrics(api)) return api;
  return {
    reason: 'no OpenTelemetry SDK is registered; register one before the agent starts, as with node --import',
  };
}

function installedApi(): OpenTelemetry | undefined {
  try {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- import() would start the ESM loader for what is CommonJS
    return require('@opentelemetry/api') as OpenTelemetry;
  } catch (thrown) {
    if ((thrown as { readonly code?: unknown }).code === 'MODULE_NOT_FOUND') return undefined;
    throw thrown;
  }
}

function takesSpans({ trace, ProxyTracerProvider }: OpenTelemetry): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer('pith') !== undefined;
}

function takesMetrics({ metrics, createNoopMeter }: OpenTelemetry): boolean {
  return metrics.getMeter('pith') !== createNoopMeter();
}
