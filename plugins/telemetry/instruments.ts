/** The metrics: what operations of an agent take, in seconds and tokens. */
import type { Histogram } from '@opentelemetry/api';
import type { OpenTelemetry } from './opentelemetry';

/** Bounds of buckets: 1 to 4^13 tokens, 10 ms to 80 s, 100 ms to 7 min, 100 µs to 5 s. */
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power);
const REQUEST_SECONDS = Array.from({ length: 14 }, (_, power) => 2 ** power / 100);
const TURN_SECONDS = Array.from({ length: 13 }, (_, power) => 2 ** power / 10);
const HOOK_SECONDS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

export interface Instruments {
  /** Tokens of a request, by `gen_ai.token.type`. */
  readonly tokens: Histogram;
  readonly request: Histogram;
  readonly turn: Histogram;
  readonly tool: Histogram;
  readonly compaction: Histogram;
  /** Tokens by which a compaction made the context smaller. */
  readonly freed: Histogram;
  readonly hook: Histogram;
}

/** Makes the instruments, on the meter that the process has registered. */
export function createInstruments({ metrics }: OpenTelemetry): Instruments {
  const meter = metrics.getMeter('pith');
  const histogram = (name: string, unit: string, bounds: readonly number[], description: string): Histogram =>
    meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries: [...bounds] } });
  return {
    tokens: histogram('gen_ai.client.token.usage', '{token}', TOKENS, 'Input and output tokens of requests.'),
    request: histogram('gen_ai.client.operation.duration', 's', REQUEST_SECONDS, 'What requests take.'),
    turn: histogram('gen_ai.invoke_agent.duration', 's', TURN_SECONDS, 'What turns take.'),
    tool: histogram('gen_ai.execute_tool.duration', 's', REQUEST_SECONDS, 'What tool calls take.'),
    compaction: histogram('pith.compaction.duration', 's', TURN_SECONDS, 'What compactions take.'),
    freed: histogram('pith.compaction.freed', '{token}', TOKENS, 'Tokens by which contexts became smaller.'),
    hook: histogram('pith.hook.duration', 's', HOOK_SECONDS, 'What the handlers of a hook take together.'),
  };
}
