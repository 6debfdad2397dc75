/** A real OpenTelemetry SDK whose spans and metrics are kept in memory. */
import { context, metrics, trace } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';

/** What was measured under one set of attributes. */
export interface Measured {
  readonly name: string;
  readonly unit: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly count: number;
  readonly sum: number;
}

export interface Sdk {
  /** The spans that have ended, in that order. */
  readonly spans: readonly ReadableSpan[];
  span(name: string): ReadableSpan;
  /** The names of the spans that are a part of this one. */
  within(name: string): readonly string[];
  measured(name: string): Promise<readonly Measured[]>;
}

/** Registers it until {@link unregister}. */
export function register(): Sdk {
  const exporter = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 });
  const provider = new MeterProvider({ readers: [reader] });
  metrics.setGlobalMeterProvider(provider);
  ends.push(() => provider.shutdown());
  const span = (name: string): ReadableSpan => {
    const found = exporter.getFinishedSpans().filter((one) => one.name === name);
    if (found.length !== 1 || found[0] === undefined)
      throw new Error(`${String(found.length)} spans are named ${name}`);
    return found[0];
  };
  return {
    get spans() {
      return exporter.getFinishedSpans();
    },
    span,
    within(name) {
      const { spanId } = span(name).spanContext();
      return exporter.getFinishedSpans().flatMap((one) => (one.parentSpanContext?.spanId === spanId ? [one.name] : []));
    },
    async measured(name) {
      metricExporter.reset();
      await provider.forceFlush();
      const all = metricExporter.getMetrics().flatMap((one) => one.scopeMetrics.flatMap((scope) => scope.metrics));
      return all
        .filter(({ descriptor }) => descriptor.name === name)
        .flatMap(({ descriptor, dataPoints }) =>
          dataPoints.map(({ attributes, value }) => {
            const { count, sum = 0 } = value as { readonly count: number; readonly sum?: number };
            return { name, unit: descriptor.unit, attributes, count, sum };
          }),
        );
    },
  };
}

const ends: (() => Promise<void>)[] = [];

/** For `afterEach`. */
export async function unregister(): Promise<void> {
  trace.disable();
  metrics.disable();
  context.disable();
  for (const end of ends.splice(0)) await end();
}
