/** The plugin `telemetry`: traces and metrics of OpenTelemetry for turns, requests, tools, compactions and hooks. */
import { configKeys, definePlugin, PithError } from '../../core/index';
import { openTelemetry } from './opentelemetry';
import { Telemetry } from './telemetry';
import { TRACING } from './token';

export { TRACING } from './token';
export type { Tracing } from './token';

export default definePlugin({
  name: 'telemetry',
  api: 1,
  config: configKeys({
    required: {
      type: 'boolean',
      default: false,
      doc: 'Whether the start fails where no OpenTelemetry SDK is registered; else nothing is told then.',
    },
  }),
  provides: [TRACING],
  setup({ config, bus, provide, onDispose }) {
    const api = openTelemetry();
    if ('reason' in api) {
      if (config.required) throw new PithError('PITH_NOT_AVAILABLE', `There is no telemetry: ${api.reason}.`);
      provide(TRACING, () => ({ traceOf: () => undefined }));
      return;
    }
    const telemetry = new Telemetry(api);
    provide(TRACING, () => ({ traceOf: (compaction) => telemetry.traceOf(compaction) }));
    onDispose(() => telemetry.close());
    bus.on('turn.started', (event) => telemetry.turnStarted(event));
    bus.on('turn.ended', (event) => telemetry.turnEnded(event));
    bus.on('run.parked', (event) => telemetry.runParked(event));
    bus.on('request.started', (event) => telemetry.requestStarted(event));
    bus.on('request.ended', (event) => telemetry.requestEnded(event));
    bus.on('tool.started', (event) => telemetry.toolStarted(event));
    bus.on('tool.ended', (event) => telemetry.toolEnded(event));
    bus.on('compaction.started', (event) => telemetry.compactionStarted(event));
    bus.on('compaction.done', (event) => telemetry.compactionEnded(event));
    bus.on('compaction.failed', (event) => telemetry.compactionEnded(event));
    bus.on('job.taken', (event) => telemetry.jobTaken(event));
    bus.on('hook.ended', (event) => telemetry.hookEnded(event));
  },
});
