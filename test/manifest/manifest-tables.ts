import { expectation, isConfigKeys, type KeyTable } from '../../core/index';
import { CORE_SECTIONS } from '../../core/manifest';
import { stockPlugins } from '../../plugins';

/** The rows of `docs/manifest.md` by section, as the key tables give them. */
export async function documentedRows(): Promise<ReadonlyMap<string, readonly string[]>> {
  const sections = new Map<string, string[]>();
  const add = (section: string, keys: KeyTable, owner: string): void => {
    sections.set(section, [...(sections.get(section) ?? []), ...rowsOf(keys, owner)]);
  };
  for (const [section, { keys }] of Object.entries(CORE_SECTIONS)) {
    if (section !== 'compaction.model') add(section, keys, '');
  }
  for (const load of Object.values(stockPlugins)) {
    const { name, section = name, config } = await load();
    if (isConfigKeys(config)) add(section, config.keys, name === section ? '' : name);
  }
  return sections;
}

function rowsOf(keys: KeyTable, owner: string, prefix = ''): readonly string[] {
  return Object.entries(keys).flatMap(([key, spec]): readonly string[] => {
    if (spec.type === 'table') return rowsOf(spec.keys, owner, `${prefix}${key}.`);
    const standard =
      spec.default === undefined ? (spec.required === true ? 'required' : '') : `\`${JSON.stringify(spec.default)}\``;
    const env = spec.env === undefined ? '' : ` Overridden by \`${spec.env}\`.`;
    const whose = owner === '' ? '' : ` Of plugin \`${owner}\`.`;
    return [`| \`${prefix}${key}\` | ${expectation(spec)} | ${standard} | ${spec.doc}${env}${whose} |`];
  });
}
