// What others rely on beside types: commands and options, JSON schemas, manifest keys, events and hooks, the wire, session files.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import ts from 'typescript';

const require = createRequire(import.meta.url);

/** The reports by file name. */
export async function factReports(root, { events, hooks, records, items }) {
  require('ts-node').register({ transpileOnly: true, cwd: root });
  const load = (path) => require(join(root, path));
  return [
    ['command-line.txt', blocks(commandLine(root, load))],
    ['json-schemas.txt', blocks(jsonSchemas(root))],
    ['manifest.txt', blocks(await manifest(load))],
    ['events-and-hooks.txt', blocks({ events, hooks })],
    ['wire.txt', blocks(wire(root, load))],
    ['session-file.txt', blocks({ records, items, schema: ['pith.session/1'] })],
  ];
}

function blocks(sections) {
  return `${Object.entries(sections)
    .map(([name, lines]) => [name, ...lines].join('\n'))
    .join('\n\n')}\n`;
}

/** Arguments and options of each command, and the exit codes. */
function commandLine(root, load) {
  const { Command } = require('commander');
  const sections = Object.entries(commandModules(join(root, 'core/cli/main.ts'))).map(([name, file]) => {
    const command = new Command(name);
    load(join('core/cli', file)).define(command, {});
    const args = command.registeredArguments.map((arg) => (arg.required ? `<${arg.name()}>` : `[${arg.name()}]`));
    return [`pith ${[name, ...args].join(' ')}`, command.options.map(optionLine).sort()];
  });
  const { EXIT } = load('core/cli/exit-code.ts');
  const codes = Object.entries(EXIT).map(([name, code]) => `${String(code)} ${name}`);
  return { ...Object.fromEntries(sections.sort()), 'exit codes': codes };
}

function optionLine({ flags, mandatory, defaultValue, argChoices }) {
  const choices = argChoices === undefined ? '' : ` ${argChoices.join('|')}`;
  const standard = defaultValue === undefined ? '' : ` (${JSON.stringify(defaultValue)})`;
  return `${flags}${choices}${mandatory ? ' required' : ''}${standard}`;
}

/** The table of commands in the source of the command: what runs it is not to be loaded here. */
function commandModules(path) {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2023, true);
  const modules = {};
  const visit = (node) => {
    if (ts.isVariableDeclaration(node) && node.name.getText() === 'COMMANDS') {
      for (const { name, initializer } of node.initializer.properties)
        modules[name.text] = /require\('\.\/([^']+)'\)/.exec(initializer.getText())[1];
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  if (Object.keys(modules).length === 0) throw new Error(`${path} has no table COMMANDS.`);
  return modules;
}

/** Every field that a schema names, with its type and whether it is always there. */
function jsonSchemas(root) {
  const folder = join(root, 'docs/schemas');
  const files = readdirSync(folder).sort();
  return Object.fromEntries(
    files.map((file) => {
      const schema = JSON.parse(readFileSync(join(folder, file), 'utf8'));
      return [schema.title ?? file, fieldsOf(schema).sort()];
    }),
  );
}

function fieldsOf(schema, path = '', isRequired = true) {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, required = [], items, additionalProperties, $defs = {} } = schema;
  const variants = ['oneOf', 'anyOf', 'allOf'].flatMap((key) => schema[key] ?? []);
  const type = typeOf(schema);
  return [
    ...(path === '' || type === '' ? [] : [`${path}${isRequired ? '' : '?'}: ${type}`]),
    ...Object.entries(properties).flatMap(([name, field]) =>
      fieldsOf(field, `${path}.${name}`, required.includes(name)),
    ),
    ...fieldsOf(items, `${path}[]`),
    ...fieldsOf(additionalProperties, `${path}.*`),
    ...variants.flatMap((variant, at) => fieldsOf(variant, `${path}|${String(at)}`)),
    ...Object.entries($defs).flatMap(([name, definition]) => fieldsOf(definition, `${path}#${name}`)),
  ];
}

function typeOf({ $ref, const: only, enum: values, type }) {
  if ($ref !== undefined) return $ref;
  if (only !== undefined) return JSON.stringify(only);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
  return type === undefined ? '' : [type].flat().join(' | ');
}

/** The keys of every section with what they take, their defaults and the variables that stand above them. */
async function manifest(load) {
  const { CORE_SECTIONS } = load('core/manifest/index.ts');
  const { expectation, isConfigKeys } = load('core/index.ts');
  const { stockPlugins } = load('plugins/index.ts');
  const sections = {};
  const add = (section, keys, prefix = '') => {
    for (const [key, spec] of Object.entries(keys)) {
      if (spec.type === 'table') add(section, spec.keys, `${prefix}${key}.`);
      else (sections[`[${section}]`] ??= []).push(keyLine(`${prefix}${key}`, spec, expectation(spec)));
    }
  };
  for (const [section, { keys }] of Object.entries(CORE_SECTIONS)) add(section, keys);
  for (const start of Object.values(stockPlugins)) {
    const { name, section = name, config } = await start();
    if (isConfigKeys(config)) add(section, config.keys);
  }
  for (const lines of Object.values(sections)) lines.sort();
  return { ...Object.fromEntries(Object.entries(sections).sort()), plugins: Object.keys(stockPlugins).sort() };
}

function keyLine(key, { default: standard, env, required }, takes) {
  const value = standard === undefined ? (required === true ? ' required' : '') : ` = ${JSON.stringify(standard)}`;
  return `${key}: ${takes}${value}${env === undefined ? '' : ` $${env}`}`;
}

/** Headers and subjects, and every field of the messages of a compact job. */
function wire(root, load) {
  const folder = join(root, 'core/bus/nats');
  const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  const headers = texts.flatMap((text) => [...text.matchAll(/'((?:Pith|Nats)-[A-Za-z-]+|trace(?:parent|state))'/g)]);
  const { z } = require('zod');
  const protocol = load('plugins/compaction/protocol.ts');
  const { channelSubject, controlSubject } = load('core/bus/nats/subjects.ts');
  const channel = protocol.compactChannel({ tenant: 'TENANT', pool: 'POOL' });
  const messages = {
    job: 'compactJob',
    ask: 'compactAsk',
    answer: 'compactAnswer',
    progress: 'compactProgress',
    result: 'compactReport',
  };
  const fields = Object.entries(messages).map(([name, schema]) => [
    name,
    fieldsOf(z.toJSONSchema(protocol[schema], { unrepresentable: 'any' })).sort(),
  ]);
  return {
    headers: [...new Set(headers.map(([, name]) => name))].sort(),
    subjects: [
      channelSubject('NAMESPACE', channel.subject),
      ...['cancel', 'probe'].map((verb) => controlSubject('NAMESPACE', 'WORKER', verb)),
      `queue ${channel.service}, major ${String(channel.major)}`,
    ],
    ...Object.fromEntries(fields),
  };
}
