/** Runs the command `pith` as a real process, compiled from the sources as they are. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

export const ROOT = join(__dirname, '../..');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Start {
  readonly cwd?: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

let built: string | undefined;

/** The file that `pith` runs. Compiled once for one state of the sources, whatever number of test files ask for it. */
export function commandFile(): string {
  return (built ??= join(compiled(), 'dist/core/cli/main.js'));
}

/** Runs a command to its end. */
export function pith(args: readonly string[], { cwd = ROOT, input, env = {} }: Start = {}): Promise<Ended> {
  const child = spawn(process.execPath, [commandFile(), ...args], { cwd, env: { ...plainEnvironment(), ...env } });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input ?? '');
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}

/** The environment without what would change how the command behaves. */
export function plainEnvironment(): Record<string, string> {
  const unwanted =
    /^(?:PITH_|NATS_|NO_COLOR$|FORCE_COLOR$|COLORTERM$|CLICOLOR|TERM$|LANG$|LC_|NODE_OPTIONS$|NODE_V8_COVERAGE$)/;
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || unwanted.test(name) ? [] : [[name, value]],
    ),
  );
}

function compiled(): string {
  const sources = ['core', 'plugins'].flatMap((folder) => filesBelow(join(ROOT, folder)));
  const texts = sources.map((file) => readFileSync(file, 'utf8'));
  const hash = createHash('sha256');
  for (const [at, file] of sources.entries()) hash.update(`${file}\0${texts[at] ?? ''}\0`);
  const cache = join(ROOT, 'node_modules/.cache/pith-command');
  const folder = join(cache, hash.digest('hex').slice(0, 16));
  if (existsSync(folder)) return folder;
  const older = existsSync(cache) ? readdirSync(cache).filter((name) => !name.startsWith('making-')) : [];
  mkdirSync(cache, { recursive: true });
  const making = mkdtempSync(join(cache, 'making-'));
  const { compilerOptions } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => readFileSync(path, 'utf8'))
    .config as {
    readonly compilerOptions: object;
  };
  const { options } = ts.convertCompilerOptionsFromJson({ ...compilerOptions, types: [] }, ROOT);
  for (const [at, file] of sources.entries()) {
    const target = join(making, 'dist', relative(ROOT, file).replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    const { outputText } = ts.transpileModule(texts[at] ?? '', { compilerOptions: options, fileName: file });
    writeFileSync(target, outputText);
  }
  copyFileSync(join(ROOT, 'package.json'), join(making, 'package.json'));
  try {
    renameSync(making, folder);
    for (const name of older) rmSync(join(cache, name), { recursive: true, force: true });
  } catch {
    rmSync(making, { recursive: true, force: true }); // another test file was faster
  }
  return folder;
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
