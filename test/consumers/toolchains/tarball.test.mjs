// The tarball holds what its entry points reach, in files that somebody can read, and nothing else.
import { deepEqual, ok } from 'node:assert/strict';
import { builtinModules } from 'node:module';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { after, describe, it } from 'node:test';
import typescript from 'typescript';
import { run } from './processes.mjs';

/** Bytes of the tarball at most: a change that doubles it is looked at. */
const MOST_BYTES = 1_000_000;
const BESIDE_THE_CODE = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'];

const folder = mkdtempSync(join(tmpdir(), 'pith-tarball-'));
after(() => rmSync(folder, { recursive: true, force: true }));
await run('tar', ['-xzf', process.env.PITH_TARBALL, '-C', folder], folder);
const root = join(folder, 'package');
const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => posix.join(posix.relative(root, entry.parentPath), entry.name))
  .sort();
const text = (file) => readFileSync(join(root, file), 'utf8');
const manifest = JSON.parse(text('package.json'));

/** The modules that a module names, in code and in types. */
function namedIn(file) {
  const { importedFiles, ambientExternalModules = [] } = typescript.preProcessFile(text(file), true, true);
  return [...importedFiles.map(({ fileName }) => fileName), ...ambientExternalModules];
}

/** The files of the entry points: every file that `exports`, `bin`, `main` and `types` name. */
function entries() {
  const named = JSON.stringify([manifest.exports, manifest.bin, manifest.main, manifest.types]).match(
    /(?<=")(?:\.\/)?dist\/[^"]+/g,
  );
  return named.flatMap((path) => {
    const pattern = new RegExp(`^${path.replace(/^\.\//, '').replace(/[.]/g, '\\.').replace('*', '[^/]+')}$`);
    return files.filter((file) => pattern.test(file));
  });
}

/** All files that the entry points reach, and all packages that these name. */
function reached() {
  const seen = new Set();
  const packages = new Set();
  const missing = [];
  const open = entries();
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue;
    seen.add(file).add(file.replace(/\.js$/, '.d.ts'));
    for (const name of namedIn(file)) {
      if (!name.startsWith('.')) {
        packages.add(name.startsWith('@') ? name.split('/').slice(0, 2).join('/') : name.split('/')[0]);
        continue;
      }
      const base = posix.join(posix.dirname(file), name);
      const found = [base, `${base}/index`]
        .flatMap((path) => [`${path}.js`, `${path}.d.ts`])
        .filter((path) => files.includes(path));
      if (found.length === 0) missing.push(`${file} → ${name}`);
      open.push(...found);
    }
  }
  return { seen, packages, missing };
}

describe('the tarball', () => {
  it('holds code, its declarations and the texts of the package; no maps, sources or tests', () => {
    const others = files.filter((file) => !/^dist\/(?:core|plugins)\/[\w/-]+(?:\.js|\.d\.ts)$/.test(file));
    deepEqual(others, BESIDE_THE_CODE);
    const named = new Set(files);
    const alone = files.filter((file) => file.endsWith('.js') && !named.has(file.replace(/\.js$/, '.d.ts')));
    deepEqual(alone, []);
  });

  it('holds no module that nothing reaches, and none is missing', () => {
    const { seen, missing } = reached();
    deepEqual(missing, []);
    deepEqual(
      files.filter((file) => file.startsWith('dist/') && !seen.has(file)),
      [],
    );
  });

  it('names packages that it depends on alone, and depends on none that no code names', () => {
    const { seen, packages } = reached();
    const declared = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)];
    const isThere = (name) =>
      name.startsWith('node:') || [...builtinModules, manifest.name, ...declared].includes(name);
    deepEqual(
      [...packages].filter((name) => !isThere(name)),
      [],
    );
    const code = [...seen].map(text);
    const isNamed = (name) => code.some((one) => new RegExp(`['"]${name}(?:/[^'"]*)?['"]`).test(one));
    deepEqual(
      Object.keys(manifest.dependencies).filter((name) => !isNamed(name)),
      [],
    );
  });

  it('has optional peers alone', () => {
    deepEqual(Object.keys(manifest.peerDependenciesMeta), Object.keys(manifest.peerDependencies));
    ok(Object.values(manifest.peerDependenciesMeta).every(({ optional }) => optional === true));
  });

  it(`is at most ${MOST_BYTES / 1_000_000} MB`, () => {
    ok(statSync(process.env.PITH_TARBALL).size <= MOST_BYTES);
  });
});
