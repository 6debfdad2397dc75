// The entries of the package with types, and the declarations that a build would give, without a build.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** The declaration files of all of core/ and plugins/, by the path that they would have in dist/. */
export function emittedDeclarations(root) {
  const { options, fileNames } = buildOptions(root);
  const program = ts.createProgram(fileNames, { ...options, emitDeclarationOnly: true });
  const declarations = new Map();
  const { diagnostics } = program.emit(undefined, (path, text) => declarations.set(path, text), undefined, true);
  if (diagnostics.length > 0) throw new Error(ts.formatDiagnostics(diagnostics, formatting(root)));
  return declarations;
}

/** Every entry of `exports` that has types, by its name (`pith`, `pith/formats`), `pith` first; `files` are those there are. */
export function entriesOf(root, files) {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const entries = Object.entries(exports).flatMap(([key, { types }]) => {
    if (types === undefined) return [];
    const [before, after] = join(root, types).split('*');
    if (after === undefined) return [[key.replace('.', name), before]];
    return files
      .filter((path) => path.startsWith(before) && path.endsWith(after) && path.length > before.length + after.length)
      .map((path) => path.slice(before.length, -after.length))
      .filter((part) => !part.includes('/'))
      .map((part) => [key.replace('.', name).replace('*', part), `${before}${part}${after}`]);
  });
  return entries.sort(([a], [b]) => (a === name ? -1 : b === name ? 1 : a < b ? -1 : 1));
}

/** The entries with the files of core/ and plugins/ that they are. */
export function entrySources(root) {
  const { fileNames } = buildOptions(root);
  const built = fileNames.map((file) => file.replace(root, join(root, 'dist')).replace(/\.ts$/, '.d.ts'));
  const sourceOf = (file) => file.replace(join(root, 'dist'), root).replace(/\.d\.ts$/, '.ts');
  return entriesOf(root, built).map(([name, file]) => [name, sourceOf(file)]);
}

function buildOptions(root) {
  const file = join(root, '.config/tsconfig.build.json');
  const { config } = ts.readConfigFile(file, ts.sys.readFile);
  return ts.parseJsonConfigFileContent(config, ts.sys, join(root, '.config'));
}

/** Programs over declarations that are in no file yet; they share what they have parsed. */
export function programsOver(root, declarations) {
  const options = {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts', 'lib.es2024.string.d.ts', 'lib.esnext.disposable.d.ts'],
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  const parsed = new Map();
  const dist = join(root, 'dist/');
  host.fileExists = (path) => (path.startsWith(dist) ? declarations.has(path) : existsSync(path));
  host.readFile = (path) => (path.startsWith(dist) ? declarations.get(path) : ts.sys.readFile(path));
  host.getSourceFile = (path, ...rest) => {
    if (!parsed.has(path)) parsed.set(path, getSourceFile(path, ...rest));
    return parsed.get(path);
  };
  return (files) => {
    const program = ts.createProgram(files, options, host);
    const faults = files.flatMap((file) => program.getSemanticDiagnostics(program.getSourceFile(file)));
    if (faults.length > 0) throw new Error(ts.formatDiagnostics(faults, formatting(root)));
    return program;
  };
}

function formatting(root) {
  return { getCurrentDirectory: () => root, getCanonicalFileName: (name) => name, getNewLine: () => '\n' };
}
