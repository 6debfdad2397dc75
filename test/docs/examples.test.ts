/**
 * Every example compiles as it stands there: whole ones of the documentation (`ts` blocks that import from `pith`), and
 * `examples/`. Blocks that import one another are files of one package; test/consumers/authoring builds that.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../cli/command';
import { blocksOf } from './blocks';

interface Example {
  readonly name: string;
  readonly text: string;
}

/** Pages of which every block is whole. */
const WHOLE = ['README.md', 'docs/getting-started.md', 'docs/agents.md', 'docs/compaction.md'];

function examples(): readonly Example[] {
  const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  return ['README.md', ...pages.map((page) => `docs/${page}`)].flatMap((page) =>
    blocksOf(page, 'ts')
      .map((text, at) => ({ name: `${page} #${String(at + 1)}`, text }))
      .filter(({ text }) => WHOLE.includes(page) || (/from 'pith['/]/.test(text) && !/from '\.{1,2}\//.test(text))),
  );
}

/** The files of `examples/`. */
function scripts(): readonly string[] {
  return readdirSync(join(ROOT, 'examples'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.mjs'))
    .map((name) => join(ROOT, 'examples', name));
}

/** Compiles the examples as ES modules of this project, `pith` being its own entry. */
function problems(list: readonly Example[]): readonly string[] {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => readFileSync(path, 'utf8')) as {
    config: object;
  };
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, ROOT);
  const files = new Map(list.map(({ text }, at) => [join(ROOT, `docs/example-${String(at)}.mts`), text]));
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.readFile = (path) => files.get(path) ?? readFile(path);
  host.getSourceFile = (path, target, ...rest) => {
    const text = files.get(path);
    return text === undefined ? getSourceFile(path, target, ...rest) : ts.createSourceFile(path, text, target);
  };
  const paths = {
    pith: ['./core/index.ts'],
    'pith/testing': ['./core/testing/index.ts'],
    'pith/formats': ['./core/formats/index.ts'],
    'pith/manifest': ['./core/manifest/index.ts'],
    'pith/nats': ['./core/bus/nats/index.ts'],
    'pith/report': ['./core/report/index.ts'],
    'pith/plugins': ['./plugins/index.ts'],
    'pith/plugins/*': ['./plugins/*/index.ts'],
  };
  const settings = {
    ...options,
    paths,
    noEmit: true,
    allowJs: true,
    checkJs: true,
    noUnusedLocals: false,
    noUnusedParameters: false,
  };
  const roots = [...files.keys(), ...scripts()];
  const program = ts.createProgram(roots, settings, host);
  return roots.flatMap((path, at) => {
    const file = program.getSourceFile(path) as ts.SourceFile;
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map(
      ({ messageText }) =>
        `${list[at]?.name ?? relative(ROOT, path)}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
  });
}

describe('the examples of the documentation', () => {
  it('compile', () => {
    const list = examples();
    expect(list).not.toEqual([]);
    expect(problems(list)).toEqual([]);
  });
});
