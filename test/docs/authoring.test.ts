/** The reference for authors names all that there is to plug into, and nothing that is not there. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as core from '../../core';
import * as kit from '../../core/testing';
import { createTestKernel } from '../../core/testing';
import { stockPlugins } from '../../plugins';
import { ROOT } from '../cli/command';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const PAGE = read('docs/authoring.md');

/** The rows of the table under a heading, as the cells of each; code is without its backticks. */
function rowsOf(page: string, heading: string): readonly (readonly string[])[] {
  const [, section = ''] = page.split(new RegExp(`^#+ ${heading}$`, 'm'));
  const table = section.split(/^#/m, 1)[0] ?? '';
  return [...table.matchAll(/^\|(.*)\|$/gm)]
    .slice(2)
    .map(([, row = '']) => row.split(/(?<!\\)\|/).map((cell) => cell.trim()));
}

const names = (cell: string | undefined): readonly string[] =>
  [...(cell ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

/** The sources of core and plugins. */
const sources = ['core', 'plugins'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => read(join(folder, file))),
);

/** The keys that all augmentations of an open table add. */
function keysOf(table: 'HookMap' | 'EventMap'): readonly string[] {
  return sources.flatMap((source) =>
    [...source.matchAll(new RegExp(`^  interface ${table} \\{\\n(.*?)^  \\}`, 'gms'))].flatMap(([, body = '']) =>
      [...body.matchAll(/^ {4}'?([\w.]+)'?: /gm)].map(([, key = '']) => key),
    ),
  );
}

interface Found {
  readonly token: string;
  readonly from: string;
  readonly scope: string;
}

/** The tokens that a module exports. */
function tokensIn(from: string, module: object): readonly Found[] {
  return Object.entries(module).flatMap(([token, value]) => {
    const { name, scope } = (value ?? {}) as { readonly name?: unknown; readonly scope?: unknown };
    return typeof name === 'string' && (scope === 'kernel' || scope === 'session') ? [{ token, from, scope }] : [];
  });
}

describe('the reference of docs/authoring.md', () => {
  it('has a row for every token that can be imported, and none besides', () => {
    const found = [...tokensIn('pith', core)];
    for (const plugin of Object.keys(stockPlugins)) {
      const module = require(`../../plugins/${plugin}`) as object; // eslint-disable-line @typescript-eslint/no-require-imports -- by name
      const own = tokensIn(`pith/plugins/${plugin}`, module);
      found.push(...own.filter(({ token }) => found.every((known) => known.token !== token)));
    }
    const rows = rowsOf(PAGE, 'Tokens').map(([token, from, scope]) => ({
      token: names(token)[0],
      from: names(from)[0],
      scope,
    }));
    const byName = (
      one: { readonly token?: string | undefined },
      other: { readonly token?: string | undefined },
    ): number => ((one.token ?? '') < (other.token ?? '') ? -1 : 1);
    expect([...rows].sort(byName)).toEqual([...found].sort(byName));
  });

  it('has every tool of the stock plugins, and none besides', async () => {
    const plugins = await Promise.all(Object.values(stockPlugins).map((load) => load()));
    await using test = await createTestKernel({ plugins });
    const told = rowsOf(PAGE, 'Tools of the stock plugins').flatMap(([, tools]) => names(tools));
    expect([...told].sort()).toEqual(
      core
        .toolsOf(test.kernel)
        .map(({ name }) => name)
        .sort(),
    );
    for (const [plugin, tools] of rowsOf(PAGE, 'Tools of the stock plugins')) {
      const { contributions } = test.kernel.describe().plugins.find(({ name }) => name === names(plugin)[0]) ?? {};
      expect(contributions?.['tools']).toEqual(names(tools));
    }
  });

  it('has every export of the testing kit, and none besides', () => {
    const told = rowsOf(PAGE, 'The testing kit').flatMap(([exported]) => names(exported));
    expect([...told].sort()).toEqual(Object.keys(kit).sort());
  });

  it('has every field of a definition and of what setup gets', () => {
    const plugin = read('core/kernel/plugin.ts');
    const fieldsOf = (start: string): readonly string[] => {
      const [, rest = ''] = plugin.split(start);
      const [body = ''] = rest.split(/^\}/m);
      return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??(?:[:(<])/gm)].map(([, field = '']) => field);
    };
    const told = (heading: string): readonly string[] => rowsOf(PAGE, heading).flatMap(([field]) => names(field));
    expect(told('What a plugin declares')).toEqual(fieldsOf('export interface PluginDefinition<'));
    expect([...told('What setup gets')].sort()).toEqual(
      [...fieldsOf('export interface PluginContext<'), 'tools'].sort(),
    );
  });
});

describe('docs/hooks.md', () => {
  it('has every hook, and none besides', () => {
    const page = read('docs/hooks.md');
    const told = rowsOf(page, 'The hooks of the loop').flatMap(([hook]) => names(hook));
    expect([...told, 'pre_compact'].sort()).toEqual([...keysOf('HookMap')].sort());
    expect(page).toMatch(/^## pre_compact$/m);
  });
});

describe('docs/events.md', () => {
  it('has every event, and none besides', () => {
    const page = read('docs/events.md');
    const events = keysOf('EventMap');
    const inTables = [...page.matchAll(/^\| `([\w.]+)`/gm)].map(([, name = '']) => name);
    const inText = [...page.matchAll(/^`((?!ctx\.)[a-z]+\.[a-z]+)`/gm)].map(([, name = '']) => name);
    expect([...inTables, ...inText].sort()).toEqual([...events].sort());
  });
});
