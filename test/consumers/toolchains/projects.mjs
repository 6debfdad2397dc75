// Projects in which the cells run: Pith and both examples, installed from their tarballs by each package manager.
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileOf, run } from './processes.mjs';

const EXAMPLES = ['third-party-plugin', 'redaction'];

const INSTALLS = {
  npm: ['npm', ['install', '--no-audit', '--no-fund', '--prefer-offline']],
  pnpm: [process.execPath, [fileOf('pnpm/bin/pnpm.cjs'), 'install', '--no-lockfile', '--prefer-offline']],
};

export const PACKAGE_MANAGERS = Object.keys(INSTALLS);

/** Builds the examples against the installed Pith and packs them as they would be published. */
export async function packExamples(folder) {
  await mkdir(folder);
  const sources = new URL('packages/', import.meta.url);
  for (const name of EXAMPLES) {
    const from = new URL(`${name}/`, sources);
    await cp(join(process.env.PITH_EXAMPLES, name), from, {
      recursive: true,
      filter: (path) => !['node_modules', 'dist'].includes(basename(path)),
    });
    await run('npm', ['pack', '--pack-destination', folder], from);
  }
  return (await readdir(folder)).map((file) => join(folder, file));
}

/** Makes a project that knows Pith and the examples by their tarballs, with the programs of the cells in it. */
export async function createProject(folder, packageManager, examples) {
  await cp(new URL('cells', import.meta.url), folder, { recursive: true });
  const [incident, redaction] = ['incident', 'redaction'].map((name) => examples.find((file) => file.includes(name)));
  const manifest = {
    name: `with-${packageManager}`,
    private: true,
    type: 'module',
    dependencies: {
      pith: `file:${process.env.PITH_TARBALL}`,
      'pith-plugin-incident': `file:${incident}`,
      'pith-plugin-redaction': `file:${redaction}`,
      // a bundle has its tokenizer beside it
      tiktoken: '1.0.22',
    },
    devDependencies: { '@types/node': '20.19.43' },
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await run(...INSTALLS[packageManager], folder);
}
