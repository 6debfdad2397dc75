/** Every whole example of the documentation (a `ts` block that imports from `pith`) compiles as it stands there. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(__dirname, '../..');

interface Example {
  readonly name: string;
  readonly text: string;
}

function examples(): readonly Example[] {
  const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  return pages.flatMap((page) => {
    const text = readFileSync(join(ROOT, 'docs', page), 'utf8');
    return [...text.matchAll(/^```ts\n(.*?)^```/gms)]
      .map((block, at) => ({ name: `docs/${page} #${String(at + 1)}`, text: block[1] as string }))
      .filter((example) => /from 'pith['/]/.test(example.text));
  });
}

/** Compiles the examples as modules of this project, `pith` being its own entry. */
function problems(list: readonly Example[]): readonly string[] {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => readFileSync(path, 'utf8')) as {
    config: object;
  };
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, ROOT);
  const files = new Map(list.map(({ text }, at) => [join(ROOT, `docs/example-${String(at)}.ts`), text]));
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
    'pith/plugins': ['./plugins/index.ts'],
    'pith/plugins/*': ['./plugins/*/index.ts'],
  };
  const settings = { ...options, paths, noEmit: true, noUnusedLocals: false, noUnusedParameters: false };
  const program = ts.createProgram([...files.keys()], settings, host);
  return [...files.keys()].flatMap((path, at) => {
    const file = program.getSourceFile(path) as ts.SourceFile;
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map(
      ({ messageText }) => `${list[at]?.name ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
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
