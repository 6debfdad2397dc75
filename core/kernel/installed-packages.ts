/** Packages and files that stand in the user's project, of whatever module system. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The file that a package is entered by, as a folder sees it, or undefined where no such package is installed. */
export function packageFile(name: string, from: string): string | undefined {
  if (isBuiltin(name)) return undefined;
  try {
    return createRequire(join(from, 'package.json')).resolve(name);
  } catch (thrown) {
    if (codeOf(thrown) === 'ERR_PACKAGE_PATH_NOT_EXPORTED') return importedFile(name, from);
    if (codeOf(thrown) === 'MODULE_NOT_FOUND') return undefined;
    throw thrown;
  }
}

/** The file that a path leads to: itself, with the extension that it lacks, or the one that a folder is entered by. */
export function moduleFile(path: string): string | undefined {
  try {
    return createRequire(join(path, 'package.json')).resolve(path);
  } catch (thrown) {
    if (codeOf(thrown) === 'MODULE_NOT_FOUND') return entryOf(path);
    throw thrown;
  }
}

/** The version that a package says it has; undefined where the folder holds none. */
export function versionIn(folder: string): string | undefined {
  const version = packageIn(folder)?.version;
  return typeof version === 'string' ? version : undefined;
}

/** The folder of the package that a file belongs to, by the package's name. */
export function packageFolder(name: string, file: string): string | undefined {
  for (let folder = dirname(file); basename(folder) !== 'node_modules'; folder = dirname(folder)) {
    if (packageIn(folder)?.name === name) return folder;
    if (dirname(folder) === folder) return undefined;
  }
  return undefined;
}

/** The file of a package that only knows `import`. */
function importedFile(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const at = join(folder, 'node_modules', name);
    if (existsSync(join(at, 'package.json'))) return entryOf(at);
    if (dirname(folder) === folder) return undefined;
  }
}

interface PackageJson {
  readonly name?: unknown;
  readonly version?: unknown;
  readonly exports?: unknown;
}

function packageIn(folder: string): PackageJson | undefined {
  const file = join(folder, 'package.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as PackageJson) : undefined;
}

/** What a package exports as its own name. */
function entryOf(folder: string): string | undefined {
  const target = targetOf(packageIn(folder)?.exports);
  return target === undefined ? undefined : join(folder, target);
}

function targetOf(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports;
  if (typeof exports !== 'object' || exports === null) return undefined;
  const conditions = exports as Readonly<Record<string, unknown>>;
  if ('.' in conditions) return targetOf(conditions['.']);
  for (const condition of ['node', 'import', 'module-sync', 'default']) {
    const target = targetOf(conditions[condition]);
    if (target !== undefined) return target;
  }
  return undefined;
}

/** Requires what can be required, so that hooks of loaders such as tsx hold, and imports ES modules. */
export async function importFile(file: string): Promise<unknown> {
  const require = createRequire(file);
  try {
    return require(file) as unknown;
  } catch (thrown) {
    if (!['ERR_REQUIRE_ESM', 'ERR_REQUIRE_ASYNC_MODULE'].includes(String(codeOf(thrown)))) throw thrown;
    return import(pathToFileURL(file).href);
  }
}

/** Whether something in this process runs TypeScript: Node itself, as it does from 22.18 on, or a loader such as tsx. */
export function runsTypeScript(file: string): boolean {
  const { typescript } = process.features as { readonly typescript?: string | false };
  return typeof typescript === 'string' || createRequire(file).extensions['.ts'] !== undefined;
}

function codeOf(thrown: unknown): unknown {
  return (thrown as { readonly code?: unknown } | null | undefined)?.code;
}
