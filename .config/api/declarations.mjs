// What each entry exports, and the types behind it that nobody exports, one block each, sorted by name.
import { join } from 'node:path';
import ts from 'typescript';
import { emittedDeclarations, entriesOf, programsOver } from './entries.mjs';
import { printed } from './printed.mjs';

/** The reports by file name, and the names of events, hooks and records. */
export function declarationReports(root) {
  const declarations = emittedDeclarations(root);
  const entries = entriesOf(root, [...declarations.keys()]);
  const program = programsOver(root, declarations);
  const dist = join(root, 'dist/');
  const surfaces = entries.map(([entry, file]) => surfaceOf(program([file]), entry, file, dist));
  /** The first entry that exports a declaration. */
  const homes = new Map();
  for (const { entry, exported } of surfaces)
    for (const { key, name } of exported) if (!homes.has(key)) homes.set(key, { entry, name });
  const told = new Set();
  const base = surfaces[0].files;
  const reports = surfaces.map((surface) => [
    `${surface.entry.replaceAll('/', '.')}.txt`,
    report(surface, homes, told, base),
  ]);
  return { reports, names: namesIn(program(entries.map(([, file]) => file)), entries[0][1], dist) };
}

/** What an entry exports, with the declarations that make it. */
function surfaceOf(program, entry, file, dist) {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const resolved = resolvedBy(checker);
  const ours = (symbol) => (symbol.declarations ?? []).filter((node) => node.getSourceFile().fileName.startsWith(dist));
  const keyOf = (symbol) => {
    const [first] = ours(symbol);
    return first && `${first.getSourceFile().fileName}#${symbol.name}`;
  };
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source)).map((symbol) => {
    const target = resolved(symbol);
    return { name: symbol.name, target, key: keyOf(target) ?? `${file}#${symbol.name}` };
  });
  const files = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(dist));
  return { entry, exported: exported.sort(byName), files, checker, resolved, ours, keyOf };
}

function report({ entry, exported, files, checker, resolved, ours, keyOf }, homes, told, base) {
  const blocks = [];
  const reached = new Map();
  const look = (symbol) => {
    for (const node of ours(symbol)) for (const used of symbolsIn(node, checker, resolved)) reach(used);
  };
  const reach = (symbol) => {
    const key = keyOf(symbol);
    if (key === undefined || homes.has(key) || told.has(key) || symbol.flags & ts.SymbolFlags.TypeParameter) return;
    told.add(key);
    reached.set(key, { name: symbol.name, target: symbol });
    look(symbol);
  };
  for (const { name, target, key } of exported) {
    const home = homes.get(key);
    if (home.entry === entry && home.name === name) {
      blocks.push([name, ...printed(ours(target))].join('\n'));
      look(target);
    } else blocks.push(`${name}\nas ${home.name} of ${home.entry}`);
  }
  const behind = [...reached.values()]
    .sort(byName)
    .map(({ name, target }) => [`(${name})`, ...printed(ours(target))].join('\n'));
  const added =
    base === files
      ? []
      : additions(
          files.filter((file) => !base.includes(file)),
          told,
        );
  return `${[...blocks, ...behind, ...added].join('\n\n')}\n`;
}

/** What the files of an entry add to the maps of `pith`, such as events. */
function additions(files, told) {
  return files
    .filter(({ fileName }) => !told.has(fileName))
    .flatMap((file) => {
      told.add(file.fileName);
      return file.statements.filter((node) => ts.isModuleDeclaration(node) && ts.isStringLiteral(node.name));
    })
    .flatMap(({ body }) => body.statements)
    .map((node) => [`adds to ${node.name.text}`, ...printed([node])].join('\n'))
    .sort();
}

/** The symbols that the types of a declaration name. */
function symbolsIn(declaration, checker, resolved) {
  const symbols = [];
  const visit = (node) => {
    const name = ts.isTypeReferenceNode(node)
      ? node.typeName
      : ts.isExpressionWithTypeArguments(node)
        ? node.expression
        : ts.isTypeQueryNode(node)
          ? node.exprName
          : ts.isImportTypeNode(node)
            ? node.qualifier
            : ts.isComputedPropertyName(node)
              ? node.expression
              : undefined;
    const symbol = name && checker.getSymbolAtLocation(name);
    if (symbol !== undefined) symbols.push(resolved(symbol));
    ts.forEachChild(node, visit);
  };
  visit(declaration);
  return symbols;
}

/** Names of events and hooks over all entries, and the kinds of records with their fields. */
function namesIn(program, file, dist) {
  const checker = program.getTypeChecker();
  const entry = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)));
  const variants = (name) => {
    const symbol = entry.find((one) => one.name === name);
    return checker.getDeclaredTypeOfSymbol(resolvedBy(checker)(symbol)).types;
  };
  const fields = (type) =>
    checker
      .getPropertiesOfType(type)
      .map((field) => `${field.name}${field.flags & ts.SymbolFlags.Optional ? '?' : ''}`);
  const kindOf = (type) => checker.typeToString(checker.getTypeOfSymbol(type.getProperty('t'))).replaceAll('"', '');
  const files = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(dist));
  const members = (map) => files.flatMap((source) => interfacesOf(source, map)).flatMap((one) => one.members);
  return {
    events: members('EventMap')
      .map(({ name, type }) => `${name.text}: ${fields(checker.getTypeFromTypeNode(type)).join(', ')}`)
      .sort(),
    hooks: members('HookMap')
      .map(({ name }) => name.text)
      .sort(),
    records: variants('RecordBody')
      .map((type) => `${kindOf(type)}: ${fields(type).join(', ')}`)
      .sort(),
    items: variants('Item')
      .map((type) => fields(type).join(', '))
      .sort(),
  };
}

/** The interfaces of a name in a file, those that it adds to other modules included. */
function interfacesOf(source, name) {
  const within = source.statements.filter(ts.isModuleDeclaration).flatMap(({ body }) => body.statements);
  return [...source.statements, ...within].filter((node) => ts.isInterfaceDeclaration(node) && node.name.text === name);
}

function resolvedBy(checker) {
  return (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
}

function byName(a, b) {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
