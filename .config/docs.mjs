// The API reference: npm run docs [-- FOLDER] writes it to reports/api (not committed). What is public and has no docstring, or links
// to what is not there, is an error.
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Application } from 'typedoc';
import { entrySources } from './api/entries.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const sources = entrySources(root);
const app = await Application.bootstrap({
  name: `Pith ${version}`,
  entryPoints: sources.map(([, file]) => file),
  tsconfig: join(root, '.config/tsconfig.build.json'),
  readme: join(root, 'docs/README.md'),
  excludeInternal: true,
  excludePrivate: true,
  disableSources: true,
  skipErrorChecking: true, // npm run types has checked
  githubPages: false,
  validation: { notExported: false, invalidLink: true, notDocumented: false },
  treatWarningsAsErrors: true,
});
const project = await app.convert();
if (project !== undefined) {
  const names = new Map(sources.map(([name, file]) => [relative(root, dirname(file)), name]));
  for (const entry of project.children ?? []) entry.name = names.get(entry.name) ?? entry.name;
  app.validate(project);
  for (const entry of project.children ?? [])
    for (const symbol of entry.children ?? [])
      if (!isDocumented(symbol)) app.logger.warn(`${symbol.name} of ${entry.name} has no docstring`);
  if (!app.logger.hasErrors() && !app.logger.hasWarnings())
    await app.generateDocs(project, process.argv[2] ?? join(root, 'reports/api'));
}
process.exitCode = app.logger.hasErrors() || app.logger.hasWarnings() ? 1 : 0;

/** The default export of a plugin is told by the README.md of its folder, and what is exported again where it comes from. */
function isDocumented(symbol) {
  if (symbol.name === 'default' || symbol.isReference()) return true;
  return [symbol, ...(symbol.signatures ?? [])].some((one) => one.hasComment());
}
