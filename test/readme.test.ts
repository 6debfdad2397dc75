import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const root = join(__dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

describe('the README', () => {
  test('has a library example of about twenty lines that compacts a session', () => {
    const [, example = ''] = /```ts\n([^]*?)```/.exec(readme) ?? [];
    expect(example.trim().split('\n').length).toBeLessThanOrEqual(24);
    const history = `Array.from({ length: 40 }, (_, n) => [
      { kind: 'message', role: 'user', parts: [{ type: 'text', text: 'Please do step ' + n }] },
      { kind: 'message', role: 'assistant', parts: [{ type: 'text', text: 'Step ' + n + ' is done. '.repeat(40) }] },
    ]).flat()`;
    const [imports = '', body = ''] = example.split('\n\nconst plugins');
    const source = `${imports}\nconst history: any = ${history};\nasync function main() {\nconst plugins${body}\nconsole.log(messages.length);\n}\nvoid main();\n`;
    const { outputText } = ts.transpileModule(source, {
      compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2023 },
    });
    // inside the package, so that its own name leads to what was built
    const folder = mkdtempSync(join(root, 'dist', 'readme-'));
    try {
      const file = join(folder, 'example.cjs');
      writeFileSync(file, outputText);
      const lines = execFileSync(process.execPath, [file], { encoding: 'utf8' }).trim().split('\n');
      expect(lines.some((line) => /^done \d+(\.\d+)? \d+/.test(line))).toBe(true);
      expect(Number(lines.at(-1))).toBeGreaterThan(1);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('names the two commands as they are run', () => {
    expect(readme).toContain('npm ci && npx pith compact examples/sessions/csv-import.jsonl');
    expect(readme).toContain('npm ci && npm test');
  });
});
