/** The indexes name all that there is: documentation, examples, plugins, entries of the package. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { ROOT } from '../cli/command';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const linked = (page: string): readonly string[] =>
  [...read(page).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, to = '']) => normalize(join(page, '..', to)));
const foldersIn = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? [one.name] : []));
const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md') && name !== 'README.md');
const readmes = (folder: string): readonly string[] =>
  foldersIn(folder)
    .map((name) => `${folder}/${name}/README.md`)
    .filter((path) => existsSync(join(ROOT, path)));

test('docs/README.md names every page and every schema', () => {
  const schemas = readdirSync(join(ROOT, 'docs/schemas')).map((name) => `schemas/${name}`);
  expect(linked('docs/README.md')).toEqual(
    expect.arrayContaining([...pages, ...schemas].map((name) => `docs/${name}`)),
  );
});

test('examples/README.md has a line for every example, and none besides', () => {
  const rows = [...read('examples/README.md').matchAll(/^\| \[([\w-]+)\]\(\1\//gm)].map(([, name]) => name);
  expect(rows.sort()).toEqual([...foldersIn('examples')].sort());
});

test('llms.txt names every page, plugin and example, and nothing that is not there', () => {
  const links = linked('llms.txt');
  expect(links.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  expect(links).toEqual(
    expect.arrayContaining([
      ...['docs/README.md', 'examples/README.md', ...pages.map((page) => `docs/${page}`)],
      ...readmes('plugins'),
      ...readmes('examples'),
    ]),
  );
  expect(new Set(links).size).toBe(links.length);
});

test('docs/upgrading.md names every file of the API report that is of no single entry', () => {
  const files = readdirSync(join(ROOT, 'docs/api')).filter((name) => !name.startsWith('pith.'));
  expect(linked('docs/upgrading.md')).toEqual(expect.arrayContaining(files.map((name) => `docs/api/${name}`)));
});
