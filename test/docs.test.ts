import { existsSync, readFileSync, readdirSync } from 'node:fs';
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

  test('links to files and headings that are there', () => {
    const pagesIn = (folder: string): readonly string[] =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.md'))
        .map((name) => join(folder, name));
    const pages = ['README.md', 'CONTRIBUTING.md', ...['docs', 'examples', 'plugins'].flatMap(pagesIn)];
    for (const page of pages) {
      for (const [, target = '', heading] of read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)) {
        const linked = target === '' ? page : join(page, '..', target);
        expect(existsSync(join(root, linked))).toBe(true);
        if (heading !== undefined) expect(headingsOf(read(linked))).toContain(heading);
      }
    }
  });
});

/** The names by which the headings of a page are linked to. */
function headingsOf(page: string): readonly string[] {
  return [...page.matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(' ', '-')
      .replace(/[^\p{L}\p{N}_-]/gu, ''),
  );
}
