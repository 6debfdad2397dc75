/** What a new plugin is called: its package, its section, and the words that its code uses (S10). */
import { stockPlugins } from '../../plugins';
import { PithError } from '../errors';
import { CORE_SECTIONS } from '../manifest';

/** The names of one plugin. */
export interface PluginName {
  /** `pith-plugin-x`, or `@scope/pith-plugin-x`. */
  readonly packageName: string;
  /** The plugin, its section, and the prefix of its tokens and events: `x`. */
  readonly plugin: string;
  /** The package without its scope. */
  readonly folder: string;
  /** The prefix of its tools: `x` with `_` for `-`. */
  readonly prefix: string;
}

/** Characters of a name that npm takes. */
const MOST_CHARACTERS = 214;

/** Names that mean something else in a manifest or in the reports of a kernel. */
const TAKEN: ReadonlySet<string> = new Set([
  'core',
  ...Object.keys(CORE_SECTIONS).map((section) => section.split('.', 1)[0] ?? ''),
  ...Object.keys(stockPlugins),
]);

/** The names that go with `x`, `pith-plugin-x`, `@scope/x` or `@scope/pith-plugin-x`. Throws `PITH_USAGE` for any other. */
export function pluginNameOf(given: string): PluginName {
  const [, scope, rest = ''] = /^(?:(@[^/]*)\/)?(.*)$/s.exec(given) ?? [];
  const plugin = rest.replace(/^pith-plugin-/, '');
  if (scope !== undefined && !/^@[a-z0-9~-][a-z0-9._~-]*$/.test(scope))
    throw refused(given, `${scope} is no scope of npm`);
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(plugin)) {
    const near = proposal(plugin);
    const hint = near === '' ? '' : `; ${[scope, near].filter(Boolean).join('/')} would do`;
    throw refused(given, `a name is lower-case letters and digits, parted by single hyphens, a letter first${hint}`);
  }
  if (TAKEN.has(plugin)) throw refused(given, `"${plugin}" is a plugin or a section of Pith itself`);
  const folder = `pith-plugin-${plugin}`;
  const packageName = scope === undefined ? folder : `${scope}/${folder}`;
  if (packageName.length > MOST_CHARACTERS)
    throw refused(given, `a name has ${String(MOST_CHARACTERS)} characters at most`);
  return { packageName, plugin, folder, prefix: plugin.replaceAll('-', '_') };
}

/** The nearest name of the right form, empty where nothing of it can be kept. */
function proposal(plugin: string): string {
  return plugin
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '');
}

function refused(given: string, problem: string): PithError {
  return new PithError('PITH_USAGE', `"${given}" cannot be the name of a plugin: ${problem}`);
}
