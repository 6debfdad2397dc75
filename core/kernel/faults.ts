/** What keeps plugins from starting together (S3.3): collected, and told all at once. */
import { PithError } from '../errors';

/** What kind of fault it is. */
export type FaultKind =
  | 'not-a-plugin'
  | 'unknown-plugin'
  | 'duplicate-plugin'
  | 'incompatible-api'
  | 'not-a-token'
  | 'config'
  | 'missing-need'
  | 'token-scope'
  | 'two-providers'
  | 'two-replacers'
  | 'own-replacer'
  | 'cycle'
  | 'not-provided'
  | 'duplicate-hook'
  | 'handler-option'
  | 'duplicate-contribution';

/** One reason why the plugins cannot be started together. */
export interface PluginFault {
  readonly kind: FaultKind;
  /** The plugin to look at first. */
  readonly plugin: string;
  /** The token, hook, configuration key or contribution that it is about. */
  readonly about?: string;
  /** Plugins of a cycle, from one back to itself, or those that claim the same thing. */
  readonly plugins?: readonly string[];
  /** What is wrong, in one sentence. */
  readonly message: string;
  /** What to do about it, in one sentence. */
  readonly hint: string;
}

/** The one error that lists every fault; `details.faults` holds them. */
export function graphError(faults: readonly PluginFault[]): PithError {
  const count = faults.length === 1 ? 'there is 1 fault' : `there are ${String(faults.length)} faults`;
  const lines = faults.map(({ message, hint }) => `\n- ${message} ${hint}`);
  return new PithError('PITH_PLUGIN_GRAPH', `The plugins cannot be started together; ${count}:${lines.join('')}`, {
    details: { faults },
    ...(faults[0] !== undefined && { plugin: faults[0].plugin }),
  });
}
