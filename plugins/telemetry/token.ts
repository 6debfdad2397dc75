/** Where the work of a kernel stands in traces, for those who hand work to other processes (S11). */
import { createToken } from '../../core/index';
import type { TraceContext } from '../../core/index';

/** What of the traces of a kernel others need. */
export interface Tracing {
  /** The context under which the work of a running compaction is to be traced, by its id; undefined where nothing is traced. */
  traceOf(compaction: string): TraceContext | undefined;
}

/** Served by `telemetry`, unless another plugin replaces it; compactions carry what it says to whoever works. */
export const TRACING = createToken<Tracing>('pith/tracing');
