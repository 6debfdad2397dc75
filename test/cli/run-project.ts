/** `pith run` in a folder with a manifest, whose model is a scripted endpoint. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startStrictProvider } from '../../core/testing';
import type { Script, StrictProvider, StrictProviderOptions } from '../../core/testing';
import { commandFile, pith, plainEnvironment } from './command';
import type { Ended } from './command';
import { faultsBySchema } from './schemas';
import { freshFolder } from './sessions';

/** One of them. */
export type Line = { readonly type: string } & Readonly<Record<string, unknown>>;

const providers: StrictProvider[] = [];
afterEach(async () => {
  for (const provider of providers.splice(0)) await provider.close();
});

export interface Project {
  readonly folder: string;
  readonly provider: StrictProvider;
  run(args: readonly string[], input?: string): Promise<Ended>;
  /** Starts the command and does not wait for it. */
  start(args: readonly string[]): ChildProcess;
}

/** A folder with a manifest whose model is a scripted endpoint. */
export async function project(
  script: Script,
  manifest = '',
  options: Partial<StrictProviderOptions> = {},
): Promise<Project> {
  const provider = await startStrictProvider({ shape: 'openai-chat', script, ...options });
  providers.push(provider);
  const folder = freshFolder();
  const model = `[model]\nprovider = "openai-compatible"\nmodel = "local-model"\nbase_url = "${provider.url}"\nmax_retries = 0\n`;
  const window = `context_window = ${String(options.window ?? 128_000)}\nmax_output_tokens = 1000\n`;
  const thresholds = /\[compaction\]|use = /.test(manifest)
    ? ''
    : '[compaction]\ncompact_threshold = "75%"\ncompact_request_threshold = "90%"\n';
  writeFileSync(join(folder, 'pith.toml'), `${model}${window}${thresholds}${manifest}`);
  return {
    folder,
    provider,
    run: (args, input) => pith(['run', ...args], { cwd: folder, ...(input !== undefined && { input }) }),
    start: (args) =>
      spawn(process.execPath, [commandFile(), 'run', ...args], {
        cwd: folder,
        env: plainEnvironment(),
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
  };
}

/** The lines of `--json`, each as its schema says. */
export function linesOf({ stdout }: Pick<Ended, 'stdout'>): readonly Line[] {
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  expect(lines.flatMap((line) => faultsBySchema('pith.run-1', line).map((fault) => [line, fault]))).toEqual([]);
  return lines;
}

/** What a started command prints until its end. */
export async function ended(child: ChildProcess): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}
