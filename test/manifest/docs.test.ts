import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadManifest } from '../../core/manifest';
import { stockPlugins } from '../../plugins';
import { folderWith } from '../files/folder';
import { documentedRows } from './manifest-tables';

const document = readFileSync(join(__dirname, '../../docs/manifest.md'), 'utf8').replace(/ +\|/g, ' |');

describe('docs/manifest.md', () => {
  test('has every key of every section, with what it takes and its default, and no other', async () => {
    const expected = await documentedRows();
    const documented = new Map(
      document
        .split('\n### `[')
        .slice(1)
        .map((part) => [
          part.slice(0, part.indexOf(']')),
          part
            .split('\n')
            .filter((line) => line.startsWith('| `'))
            .map((line) => line.replace(/ +\|/g, ' |')),
        ]),
    );
    expect(Object.fromEntries(documented)).toEqual(
      Object.fromEntries(
        [...expected].map(([section, rows]) => [section, rows.map((row) => row.replace(/ +\|/g, ' |'))]),
      ),
    );
  });

  test('quotes the defaults of S10', () => {
    const defaults = `retained_tokens 8000, auto_read_budget 8000, compact_worker_max_input_tokens 50000, fallback "offline",
      background true, mode "on", default_references 5, overview_tokens 8000, summary_max_tokens 4000,
      worker_timeout_seconds 180, worker_wait_seconds 0, net_wait_seconds 20, breaker_failures 3,
      breaker_cooldown_seconds 300, protected_tokens 8000, min_savings 4096, capacity 20, prompt_cache true, root ".",
      on_error "stop", namespace "pith", tenant "default", pool "default"`;
    for (const [, key, value] of defaults.matchAll(/(\w+) ([^\s,]+)/g)) {
      expect(document).toMatch(new RegExp(`\\| \`${String(key)}\` \\| [^|]* \\| \`${String(value)}\` \\|`));
    }
  });

  test('shows a manifest that is valid', async () => {
    const toml = /```toml\n([^]*?)```/.exec(document)?.[1] ?? '';
    const { warnings, plugins } = await loadManifest({
      cwd: folderWith({ 'pith.toml': toml }),
      env: {},
      stock: stockPlugins,
    });
    expect([plugins.length, warnings]).toEqual([5, []]);
  });
});
