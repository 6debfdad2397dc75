// Compiles core/ and plugins/ to dist/ (one CommonJS build with declarations) and marks the command as executable.
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { writePage } from './page.mjs';

writePage();
const require = createRequire(import.meta.url);
rmSync('dist', { recursive: true, force: true });
const tsc = spawnSync(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', '.config/tsconfig.build.json'], {
  stdio: 'inherit',
});
if (tsc.status !== 0) process.exit(tsc.status ?? 1);
const command = 'dist/core/cli/main.js';
if (existsSync(command)) chmodSync(command, 0o755);
