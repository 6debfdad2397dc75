import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FORMATS } from '../../core/formats';
import { commandFile, pith, ROOT } from './command';
import { faultsBySchema } from './schemas';

const DOCS = readFileSync(join(ROOT, 'docs/cli.md'), 'utf8');

beforeAll(() => void commandFile(), 120_000);

describe('docs/cli.md', () => {
  test.each(['compact', 'inspect', 'run', 'sessions', 'worker', 'workers', 'plugins', 'check', 'init', 'new-plugin'])(
    'tells of every option of pith %s',
    async (command) => {
      const { stdout } = await pith([command, '--help']);
      const options = [...stdout.matchAll(/^ {2,}(?:-\w, )?(--[\w-]+)/gm)].map(([, option]) => option);
      expect(options.length).toBeGreaterThan(1);
      expect(options.filter((option) => !DOCS.includes(`\`${option ?? ''}`) && option !== '--help')).toEqual([]);
      expect(DOCS).toContain(`## pith ${command}`);
    },
  );

  test('names every format that is read', () => {
    expect(FORMATS.filter(({ name }) => !DOCS.includes(`\`${name}\``))).toEqual([]);
  });

  test('its schemas describe every field, and refuse what is no output', () => {
    for (const name of readdirSync(join(ROOT, 'docs/schemas'))) {
      const { properties } = JSON.parse(readFileSync(join(ROOT, 'docs/schemas', name), 'utf8')) as {
        readonly properties: object;
      };
      expect(Object.keys(properties).filter((field) => !DOCS.includes(`\`${field}\``))).toEqual([]);
      expect(faultsBySchema(name.replace(/\.json$/, '') as 'pith.compact-1', {})).not.toEqual([]);
    }
  });
});
