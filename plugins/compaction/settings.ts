/** The keys of `[compaction]` that the compaction plugin owns (S10). */
import { configKeys } from '../../core/index';

export const compactionKeys = configKeys(
  {
    compact_threshold: {
      type: 'amount',
      unit: 'tokens',
      doc: 'Occupancy above which a compaction is begun between turns; absent: never. A share is of the input window. Advised: 70% to 80%.',
    },
    compact_request_threshold: {
      type: 'amount',
      unit: 'tokens',
      doc: 'Occupancy above which a request is not sent before a compaction; absent: never. A share is of the input window. Advised: 85% to 95%.',
    },
    retained_tokens: {
      type: 'integer',
      unit: 'tokens',
      default: 8000,
      doc: 'Newest tokens of the conversation that are carried over word for word; 0 keeps none.',
    },
    compact_worker_max_input_tokens: {
      type: 'integer',
      unit: 'tokens',
      min: 1000,
      default: 50_000,
      doc: 'Input tokens of all requests of one compact worker together.',
    },
    worker: {
      type: 'choice',
      of: ['offline', 'llm', 'remote'],
      needs: { remote: { section: 'transport', key: 'kind', value: 'nats' } },
      doc: 'Who writes the summary: the embedded worker without a model, one with a model, or one in another process, which needs `[transport] kind = "nats"`.',
    },
    fallback: {
      type: 'choice',
      of: ['offline', 'none'],
      default: 'offline',
      doc: 'Who serves when the configured worker fails.',
    },
    background: {
      type: 'boolean',
      default: true,
      doc: 'Whether compactions between turns run while prompts are accepted.',
    },
    mode: {
      type: 'choice',
      of: ['on', 'observe', 'off'],
      default: 'on',
      env: 'PITH_COMPACTION',
      doc: 'Whether automatic compaction runs, only plans and reports, or rests.',
    },
    instructions: { type: 'string', doc: 'Further instructions for the compact worker.' },
    default_references: {
      type: 'integer',
      unit: 'files',
      default: 5,
      doc: 'Files touched last that the worker is told to judge; they are named unless it marks them.',
    },
    overview_tokens: {
      type: 'integer',
      unit: 'tokens',
      min: 500,
      default: 8000,
      doc: 'Size of the input that a compact worker gets; it asks for the rest.',
    },
    summary_max_tokens: {
      type: 'integer',
      unit: 'tokens',
      min: 200,
      default: 4000,
      doc: 'Size above which a summary is refused.',
    },
    worker_timeout_seconds: {
      type: 'number',
      unit: 'seconds',
      min: 0.1,
      default: 180,
      doc: 'How long a compact worker may take, each time it is given the job.',
    },
    worker_wait_seconds: {
      type: 'number',
      unit: 'seconds',
      default: 0,
      doc: 'How long a job waits for a remote worker that is free, and for the rate limit of a provider to pass.',
    },
    net_wait_seconds: {
      type: 'number',
      unit: 'seconds',
      default: 20,
      doc: 'How long a request waits for a compaction that is under way before the offline worker serves.',
    },
    breaker_failures: {
      type: 'integer',
      min: 1,
      default: 3,
      doc: 'Failures of the configured worker in a row after which automatic use of it rests.',
    },
    breaker_cooldown_seconds: {
      type: 'number',
      unit: 'seconds',
      default: 300,
      doc: 'How long it rests before one attempt is let through.',
    },
  },
  ({ compactThreshold, compactRequestThreshold }) =>
    isInverted(compactThreshold, compactRequestThreshold)
      ? [
          {
            key: 'compact_threshold',
            message:
              'compact_threshold is not below compact_request_threshold, so compactions will mostly happen between requests',
            severity: 'warning',
          },
        ]
      : [],
);

/** Whether the proactive threshold is at or above the safety net, as far as both are of one kind. */
function isInverted(threshold: number | string | undefined, request: number | string | undefined): boolean {
  if (threshold === undefined || request === undefined || typeof threshold !== typeof request) return false;
  return Number.parseFloat(String(threshold)) >= Number.parseFloat(String(request));
}
