import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { test } from 'node:test';

const TSC = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const STRICT = [
  '--noEmit',
  '--strict',
  '--exactOptionalPropertyTypes',
  '--module',
  'nodenext',
  '--target',
  'es2024',
  '--skipLibCheck',
  '--ignoreConfig',
];

test('the types of the host and of the adapter fit', () => {
  const { stdout, status } = spawnSync(process.execPath, [TSC, ...STRICT, 'types.ts'], { encoding: 'utf8' });
  assert.equal(status, 0, stdout);
});
