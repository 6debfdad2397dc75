import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..');

/** Every folder that is installed on its own. */
const packages = [
  '.',
  ...['examples', 'test/consumers'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .map((name) => join(folder, name))
      .filter((path) => existsSync(join(root, path, 'package.json'))),
  ),
];

describe('the lockfiles', () => {
  test.each(packages)('of %s pins what is installed and names no registry', (path) => {
    const lock = readFileSync(join(root, path, 'package-lock.json'), 'utf8');
    const { packages: pinned } = JSON.parse(lock) as { packages: Record<string, { version?: string; link?: boolean }> };
    expect(lock).not.toMatch(/"resolved"|https?:\/\/[^"]*registry/);
    expect(Object.entries(pinned).filter(([at, { version }]) => at !== '' && version === undefined)).toEqual([]);
  });
});
