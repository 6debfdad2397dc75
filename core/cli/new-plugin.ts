/** `pith new-plugin NAME` (S12): a package with a plugin in it that builds, and passes its tests and its linter, at once. */
import { mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { dirname, join, relative, resolve } from 'node:path';
import { messageOf, PithError } from '../errors';
import { pluginCode, testCode } from './new-plugin-code';
import { eslintConfig, gitIgnore, packageJson, readme, tsconfig } from './new-plugin-package';
import type { PluginSetting } from './new-plugin-package';
import { jsonOption } from './options';
import { ownSource } from './own-source';
import { packageVersion } from './package-version';
import { pluginNameOf } from './plugin-name';
import type { Terminal } from './terminal';

export function define(command: Command, terminal: Terminal): void {
  jsonOption(command)
    .argument('<NAME>', 'x, pith-plugin-x or @scope/x; the package is called pith-plugin-x or @scope/pith-plugin-x')
    .option('--dir <DIR>', 'the folder to write to (default: the name of the package, in the working folder)')
    .action((given: string, { dir, json }: { readonly dir?: string; readonly json?: true }) => {
      const name = pluginNameOf(given);
      const folder = emptyFolder(dir ?? name.folder);
      const version = packageVersion();
      const files = pluginFiles({ name, pith: ownSource(folder, version), version });
      for (const [path, text] of Object.entries(files)) writeNew(join(folder, path), text);
      const { packageName, plugin } = name;
      if (json === true) terminal.printJson({ package: packageName, plugin, folder, files: Object.keys(files) });
      else {
        const shown = relative(process.cwd(), folder) || '.';
        terminal.print(`wrote ${packageName} to ${shown}; next:`);
        terminal.print(`${shown === '.' ? '  ' : `  cd ${shown} && `}npm install && npm test`);
      }
    });
}

/** The files of a new plugin by their path. */
export function pluginFiles(setting: PluginSetting): Readonly<Record<string, string>> {
  return {
    'package.json': packageJson(setting),
    'README.md': readme(setting),
    'src/index.ts': pluginCode(setting.name),
    'test/index.test.ts': testCode(setting.name),
    'tsconfig.json': tsconfig(),
    'eslint.config.js': eslintConfig(),
    '.gitignore': gitIgnore(),
  };
}

/** A folder with nothing in it, made where there is none; absolute, symbolic links followed. */
function emptyFolder(path: string): string {
  let holds: readonly string[];
  const folder = resolve(path);
  try {
    mkdirSync(folder, { recursive: true });
    holds = readdirSync(folder);
  } catch (error) {
    throw unwritable(path, error);
  }
  if (holds.length > 0) {
    throw new PithError('PITH_USAGE', `the folder ${path} is not empty; name another with --dir, or empty it`);
  }
  return realpathSync(folder);
}

function writeNew(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: 'wx' });
  } catch (error) {
    throw unwritable(file, error);
  }
}

function unwritable(path: string, cause: unknown): PithError {
  return new PithError('PITH_OUTPUT_UNWRITABLE', `cannot write ${path}: ${messageOf(cause)}`, { cause });
}
