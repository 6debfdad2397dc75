/** The code blocks of the documentation, as text and as programs. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { commandFile, plainEnvironment, ROOT } from '../cli/command';
import type { Ended, Start } from '../cli/command';

// The sources are compiled once, which takes its time where several test files ask for it at once.
beforeAll(() => void commandFile(), 120_000);

/** The blocks of a page in one language, in order. */
export function blocksOf(page: string, language: string): readonly string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, block = '']) => block);
}

/** Runs a block as a module of its own, as a user of the package would. */
export async function runBlock(block: string, { cwd = ROOT, env = {} }: Start = {}): Promise<Ended> {
  const { outputText } = ts.transpileModule(block, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  // Inside the package, so that its own name leads to what was compiled.
  const folder = mkdtempSync(join(commandFile(), '../../../../block-'));
  try {
    const file = join(folder, 'block.mjs');
    writeFileSync(file, outputText);
    const child = spawn(process.execPath, [file], { cwd, env: { ...plainEnvironment(), ...env } });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    return { code, stdout, stderr };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
