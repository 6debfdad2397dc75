/** The W3C trace context of a span, as it crosses processes in the headers of a request (S11). */
import type { SpanContext } from '@opentelemetry/api';
import type { TraceContext } from '../../core/index';
import type { OpenTelemetry } from './opentelemetry';

/** Version, trace id, id of the parent, flags; later versions may go on behind them. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

/** What to send along; undefined for a span that nobody takes. */
export function writeTrace({ isSpanContextValid }: OpenTelemetry, context: SpanContext): TraceContext | undefined {
  if (!isSpanContextValid(context)) return undefined;
  const { traceId, spanId, traceFlags, traceState } = context;
  const flags = traceFlags.toString(16).padStart(2, '0');
  const traceparent = `00-${traceId}-${spanId}-${flags}`;
  const tracestate = traceState?.serialize();
  return tracestate === undefined || tracestate === '' ? { traceparent } : { traceparent, tracestate };
}

/** The span that a trace context names; undefined where it is malformed, as what crosses a process may be. */
export function readTrace(
  { createTraceState, isSpanContextValid }: OpenTelemetry,
  { traceparent, tracestate }: TraceContext,
): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(traceparent) ?? [];
  const context: SpanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  if (!isSpanContextValid(context)) return undefined;
  return tracestate === undefined ? context : { ...context, traceState: createTraceState(tracestate) };
}
