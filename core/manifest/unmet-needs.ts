/** Values of plugins that are of no use without a setting of a core section (S10). */
import { camelCase, isConfigKeys } from '../kernel/config-keys';
import type { Plugin } from '../kernel/plugin';
import type { ManifestProblem } from './problem';
import { isValues, type Values } from './shape';

/** What is told of the values in effect, one problem for each. `at` says where a key stands in the file. */
export function unmetNeeds(
  plugins: readonly Plugin[],
  config: Readonly<Record<string, Values>>,
  core: Readonly<Record<string, unknown>>,
  at: (path: readonly string[]) => Pick<ManifestProblem, 'source' | 'line' | 'column'>,
): readonly ManifestProblem[] {
  return plugins.flatMap(({ name, section = name, config: schema }) => {
    if (!isConfigKeys(schema)) return [];
    return Object.entries(schema.keys).flatMap(([key, spec]): readonly ManifestProblem[] => {
      const value = config[section]?.[camelCase(key)];
      const need = spec.type === 'choice' && typeof value === 'string' ? spec.needs?.[value] : undefined;
      if (need === undefined) return [];
      const needed = core[need.section];
      if (isValues(needed) && needed[camelCase(need.key)] === need.value) return [];
      const message = `${JSON.stringify(value)} needs ${need.key} = ${JSON.stringify(need.value)} in [${need.section}]`;
      return [{ severity: 'error', ...at([section, key]), key: `${section}.${key}`, message }];
    });
  });
}
