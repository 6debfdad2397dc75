// X47: importing, starting an agent with a third party's plugin and one compaction work under every toolchain, without a
// polyfill, a decorator, a flag or a set-up file.
import { deepEqual, equal } from 'node:assert/strict';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { build } from 'esbuild';
import { fileOf, run } from './processes.mjs';
import { createProject, packExamples, PACKAGE_MANAGERS } from './projects.mjs';

const NODES = ['20', '22', '24'];
const TYPESCRIPTS = { 5.9: 'typescript-5.9', '6.0': 'typescript', '7.0': 'typescript-7.0' };
const ONE_EACH = { incident: 1, redaction: 1 };

const work = await mkdtemp(join(tmpdir(), 'pith-toolchains-'));
after(() => rm(work, { recursive: true, force: true }));

const project = (packageManager) => join(work, packageManager);
/** Paths of the Node binaries, by major. */
const binaries = {};

before(async () => {
  for (const major of NODES) {
    const { stdout } = await run('npx', ['-y', `node@${major}`, '-p', 'process.execPath'], work);
    binaries[major] = stdout.trim();
  }
  const examples = await packExamples(join(work, 'packed'));
  for (const packageManager of PACKAGE_MANAGERS) {
    await createProject(project(packageManager), packageManager, examples);
    await bundle(project(packageManager), 'bundle.cjs', { format: 'cjs' });
    await bundle(project(packageManager), 'bundle.mjs', { format: 'esm', banner: { js: ESM_BANNER } });
    await bundle(project(packageManager), 'own-code.mjs', { format: 'esm', packages: 'external' });
  }
});

/** What CommonJS modules expect around them; within an ES module esbuild leaves it to its user. */
const ESM_BANNER = [
  "import { createRequire } from 'node:module';",
  "import { fileURLToPath } from 'node:url';",
  'const require = createRequire(import.meta.url);',
  'const __filename = fileURLToPath(import.meta.url);',
  "const __dirname = fileURLToPath(new URL('.', import.meta.url));",
].join('\n');

/** Puts a program into one file. */
function bundle(folder, outfile, options) {
  return build({
    absWorkingDir: folder,
    entryPoints: ['main.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    logLevel: 'silent',
    ...options,
  });
}

/** Programs that print how many compactions were done, and what runs them. */
const PROGRAMS = {
  'node, ES module': ['main.mjs'],
  'node, CommonJS': ['main.cjs'],
  tsx: [fileOf('tsx/dist/cli.mjs'), 'main.ts'],
  'esbuild bundle, CommonJS': ['bundle.cjs'],
  'esbuild bundle, ES module': ['bundle.mjs'],
  'esbuild bundle, packages left outside': ['own-code.mjs'],
};

/** Test runners, which judge it themselves. */
const RUNNERS = {
  vitest: [fileOf('vitest/vitest.mjs'), 'run', '--globals', '--no-cache', 'with-vitest'],
  jest: [fileOf('jest/bin/jest.js'), '--config', '{"testMatch":["**/with-jest.test.cjs"]}', '--rootDir', '.'],
};

describe('X47: one compaction with each example plugin', { concurrency: 2 }, () => {
  for (const packageManager of PACKAGE_MANAGERS)
    for (const major of NODES) {
      const under = `Node ${major}, installed by ${packageManager}`;
      for (const [name, args] of Object.entries(PROGRAMS))
        it(`${name}; ${under}`, async () => {
          const { stdout, stderr } = await run(binaries[major], args, project(packageManager));
          deepEqual(JSON.parse(stdout), ONE_EACH);
          equal(stderr, '');
        });
      for (const [name, args] of Object.entries(RUNNERS))
        it(`${name}; ${under}`, () => run(binaries[major], args, project(packageManager)));
    }
});

const STRICTEST = {
  target: 'es2023',
  types: ['node'],
  strict: true,
  skipLibCheck: false,
  declaration: true,
  isolatedDeclarations: true,
  isolatedModules: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
};
const MODULES = {
  nodenext: { module: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
};

/** Compiles files of a project into a folder of it. */
async function compile(typescript, folder, outDir, compilerOptions, files) {
  const config = join(folder, `tsconfig.${outDir}.json`);
  await writeFile(
    config,
    JSON.stringify({ compilerOptions: { ...STRICTEST, ...compilerOptions, rootDir: '.', outDir }, files }),
  );
  await run(process.execPath, [fileOf(`${typescript}/bin/tsc`), '-p', config], folder);
}

describe(
  'X47: types without skipLibCheck, under isolatedDeclarations and exactOptionalPropertyTypes',
  { concurrency: 2 },
  () => {
    for (const [version, typescript] of Object.entries(TYPESCRIPTS)) {
      it(`TypeScript ${version}, the source of a plugin`, async () => {
        const folder = join(project('npm'), `author-${version}`);
        for (const part of ['package.json', 'src'])
          await cp(join(process.env.PITH_EXAMPLES, 'third-party-plugin', part), join(folder, part), {
            recursive: true,
          });
        await compile(typescript, folder, 'out', MODULES.nodenext, ['src/index.ts']);
      });
      for (const packageManager of PACKAGE_MANAGERS)
        for (const [module, options] of Object.entries(MODULES))
          it(`TypeScript ${version}, ${module}, installed by ${packageManager}`, async () => {
            const folder = project(packageManager);
            const out = `${module}-${version}`;
            await compile(typescript, folder, out, options, ['main.ts']);
            const { stdout } = await run(process.execPath, [join(out, 'main.js')], folder);
            deepEqual(JSON.parse(stdout), ONE_EACH);
          });
    }
  },
);
