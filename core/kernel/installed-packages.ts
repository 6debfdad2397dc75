/** Packages that stand in the user's project, of whatever module system. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The file that a package is entered by, as a folder sees it, or undefined where no such package is installed. */
export function packageFile(name: string, from: string): string | undefined {
  try {
    return createRequire(join(from, 'package.json')).resolve(name);
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') return importedFile(name, from);
    if ((thrown as { code?: unknown }).code === 'MODULE_NOT_FOUND') return undefined;
    throw thrown;
  }
}

/** The file of a package that only knows `import`. */
function importedFile(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const at = join(folder, 'node_modules', name);
    if (existsSync(join(at, 'package.json'))) {
      const { exports } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as { readonly exports?: unknown };
      const target = targetOf(exports);
      return target === undefined ? undefined : join(at, target);
    }
    if (dirname(folder) === folder) return undefined;
  }
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
    if (
      (thrown as { code?: unknown }).code !== 'ERR_REQUIRE_ESM' &&
      (thrown as { code?: unknown }).code !== 'ERR_REQUIRE_ASYNC_MODULE'
    )
      throw thrown;
    return import(pathToFileURL(file).href);
  }
}
