// The public surface as text, in docs/api: declarations of every entry of the package, and what else others rely on.
//   npm run api              writes it
//   node .config/api-report.mjs --check   prints what has changed since, and exits with 1 where anything has
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { declarationReports } from './api/declarations.mjs';
import { changesOf } from './api/changes.mjs';
import { factReports } from './api/facts.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'docs/api');

const { reports: declared, names } = declarationReports(root);
const reports = new Map([...declared, ...(await factReports(root, names))]);
mkdirSync(folder, { recursive: true });
const kept = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => name.endsWith('.txt'));
const known = new Map(kept.map(({ name }) => [name, readFileSync(join(folder, name), 'utf8')]));

if (process.argv.includes('--check')) {
  const changes = [...new Set([...known.keys(), ...reports.keys()])]
    .sort()
    .flatMap((file) => changesOf(`docs/api/${file}`, known.get(file) ?? '', reports.get(file) ?? ''));
  if (changes.length > 0) {
    console.log(changes.join('\n'));
    console.log(
      '\nThe public surface has changed. If it is meant to: npm run api, and docs/upgrading.md says which version that needs.',
    );
    process.exitCode = 1;
  }
} else {
  for (const file of known.keys()) if (!reports.has(file)) rmSync(join(folder, file));
  for (const [file, text] of reports) writeFileSync(join(folder, file), text);
}
