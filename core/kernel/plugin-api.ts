/** Which plugin interfaces the kernel serves (S3.3): the present one, and for one minor version the one before it. */
import type { PluginFault } from './faults';
import type { Plugin } from './plugin';

/** The interfaces that are served, by the number that plugins give as `api`. */
export interface ServedApis {
  /** The present one. */
  readonly newest: number;
  /** The one before it as long as it is still served, else the present one. */
  readonly oldest: number;
}

/** What this kernel serves. */
export const SERVED_APIS: ServedApis = Object.freeze({ newest: 1, oldest: 1 });

/** The fault of a plugin whose interface is not served; undefined where it is. */
export function apiFault({ name, api }: Plugin, { newest, oldest }: ServedApis): PluginFault | undefined {
  if (Number.isInteger(api) && api >= oldest && api <= newest) return undefined;
  const served = oldest === newest ? String(newest) : `${String(oldest)} and ${String(newest)}`;
  return {
    kind: 'incompatible-api',
    plugin: name,
    message: `Plugin "${name}" was written for plugin interface ${String(api)}; this kernel serves ${served}.`,
    hint:
      api > newest
        ? 'Install a newer Pith, or an older version of the plugin.'
        : 'Install a newer version of the plugin, or an older Pith.',
  };
}

/** What is to be said of a plugin whose interface is served for the last time; undefined of all others. */
export function deprecatedApi({ name, api }: Plugin, { newest, oldest }: ServedApis): string | undefined {
  if (api < oldest || api >= newest) return undefined;
  return `Plugin "${name}" was written for plugin interface ${String(api)}; the next minor version of Pith serves ${String(newest)} alone. Install a newer version of the plugin.`;
}
