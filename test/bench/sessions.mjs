// Real sessions to measure on.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(fileURLToPath(import.meta.url), '../../..');
const { readSessions, readSource } = createRequire(import.meta.url)(join(root, 'dist/core/formats/index.js'));

/**
 * The three largest session files of a known format in a folder, or in its folder `files`: the one given, PITH_SESSIONS, or
 * that of the examples.
 */
export async function largestSessions(folder = process.env.PITH_SESSIONS ?? join(root, 'examples/sessions')) {
  const inner = join(folder, 'files');
  const from = existsSync(inner) ? inner : folder;
  const files = readdirSync(from)
    .map((name) => join(from, name))
    .filter((path) => statSync(path).isFile())
    .sort((a, b) => statSync(b).size - statSync(a).size);
  const known = [];
  for (const file of files) {
    if (known.length === 3) break;
    try {
      readSessions(await readSource(file));
      known.push(file);
    } catch {
      // not a session file of a known format
    }
  }
  return known;
}
