/** The event of a plugin that failed (S3.6): published and logged, whether or not anybody listens. */
import type { Bus } from '../bus/bus';
import type { ErrorCode, PithError } from '../errors';
import type { Logger } from './logger';

/** A plugin failed; others were not affected. */
export interface PluginErrorEvent {
  readonly plugin: string;
  /** The hook it failed in; absent where it failed while starting, stopping or building a service. */
  readonly hook: string | undefined;
  readonly code: ErrorCode;
  readonly message: string;
  /** With the cause. */
  readonly error: PithError;
}

declare module '../bus/bus' {
  interface EventMap {
    'plugin.error': PluginErrorEvent;
  }
}

/** Makes the one way in which failures of plugins become known. */
export function pluginErrorReporter(bus: Bus, log: Logger): (error: PithError) => void {
  return (error) => {
    const { plugin = 'core', hook, code, message } = error;
    log.error(message, { plugin, ...(hook !== undefined && { hook }), code, cause: error.cause });
    bus.publish('plugin.error', { plugin, hook, code, message, error });
  };
}
