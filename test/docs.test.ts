import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES } from '../core';

const root = join(__dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('the documentation', () => {
  test('has one heading for every error code and none besides', () => {
    const headings = [...read('docs/errors.md').matchAll(/^### (PITH_[A-Z_]+)$/gm)].map(([, code]) => code);
    expect(headings).toEqual(Object.keys(ERROR_CODES));
  });

  test('says what to do about every error', () => {
    for (const section of read('docs/errors.md').split(/^### /m).slice(1)) {
      const paragraphs = section
        .split('\n\n')
        .filter((paragraph) => paragraph.trim() !== '' && !paragraph.startsWith('#'));
      expect(paragraphs.length).toBeGreaterThanOrEqual(3);
    }
  });

  test('names every package that users install', () => {
    const { dependencies } = JSON.parse(read('package.json')) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    const reasons = read('docs/dependencies.md');
    for (const name of Object.keys(dependencies)) expect(reasons).toContain(`\`${name}\``);
  });

  test('links to files that are there', () => {
    const pages = [
      'README.md',
      'CONTRIBUTING.md',
      ...readdirSync(join(root, 'docs'))
        .filter((name) => name.endsWith('.md'))
        .map((name) => `docs/${name}`),
    ];
    for (const page of pages) {
      for (const [, target] of read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
        expect(() => readFileSync(join(root, page, '..', target as string))).not.toThrow();
      }
    }
  });
});
