/**
 * What every file source must do, wherever its files are (S7.1, S9.7): a path is its own affair, but what it gives must be the
 * file's own text, and nothing from outside of its scope, whatever the path.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileSource } from '../files/file-source';
import type { ContractCheck } from './contract-check';
import { changeChecks } from './file-changes';
import { linkChecks } from './file-links';
import { pathChecks } from './file-paths';
import { readChecks } from './file-reads';

/** A file source as the contract of file sources tests it. */
export interface FileSourceUnderTest {
  /**
   * Makes one that shows these files, by their path from its root. What it cannot hold, such as bytes that are no text, it may
   * leave out.
   */
  create(files: Readonly<Record<string, string | Uint8Array>>): FileSource | Promise<FileSource>;
  /** Puts a file in place, or with `undefined` removes it. Missing where files cannot change; then no check changes any. */
  put?(source: FileSource, path: string, content: string | undefined): void | Promise<void>;
  /**
   * Makes a path a link to another path of the source, or to an absolute path of the system. Missing where there are no links;
   * then no check makes any.
   */
  link?(source: FileSource, path: string, to: string): void | Promise<void>;
}

/** A folder of the system that no source under test shows, with a file in it. */
export interface Outside {
  readonly folder: string;
  readonly file: string;
  /** The text of the file, which stands nowhere else. */
  readonly text: string;
}

/** A check on whatever it creates. */
export interface FileSourceCheck<Under = FileSourceUnderTest> {
  readonly name: string;
  check(under: Under, outside: Outside): Promise<void>;
}

/** The checks of the contract of file sources; `test.each` of any runner takes them. */
export function fileSourceContract(under: FileSourceUnderTest): readonly ContractCheck[] {
  const checks = [
    ...readChecks,
    ...pathChecks,
    ...(under.put === undefined ? [] : changeChecks),
    ...(under.link === undefined ? [] : linkChecks),
  ];
  return checks.map(({ name, check }) => ({
    name,
    async run() {
      const folder = mkdtempSync(join(tmpdir(), 'pith-outside-'));
      const outside: Outside = { folder, file: join(folder, 'canary.txt'), text: 'This text lies outside.' };
      try {
        writeFileSync(outside.file, outside.text);
        await check(under as Required<FileSourceUnderTest>, outside);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  }));
}
