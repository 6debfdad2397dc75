import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { openOutput } from '../../core/cli/output-file';
import { freshFolder } from './sessions';

describe('an output file', () => {
  test('is there as a whole after it was written, and nothing else is', () => {
    const folder = freshFolder();
    const output = openOutput(join(folder, 'context.json'));
    expect(readdirSync(folder)).toEqual([]);
    output.write('täxt');
    expect(readFileSync(join(folder, 'context.json'), 'utf8')).toBe('täxt');
    expect(readdirSync(folder)).toEqual(['context.json']);
  });

  test('keeps the mode of the file whose place it takes', () => {
    const path = join(freshFolder(), 'context.json');
    writeFileSync(path, 'old');
    chmodSync(path, 0o600);
    openOutput(path).write('new');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('a link stays a link, and what it leads to is written', () => {
    const folder = freshFolder();
    writeFileSync(join(folder, 'real.json'), 'old');
    symlinkSync('real.json', join(folder, 'link.json'));
    openOutput(join(folder, 'link.json')).write('new');
    expect(readFileSync(join(folder, 'real.json'), 'utf8')).toBe('new');
    expect(readdirSync(folder).sort()).toEqual(['link.json', 'real.json']);
  });

  test('what was there stays where writing fails, and no half of the new one is left', () => {
    const folder = freshFolder();
    const path = join(folder, 'deep/context.json');
    mkdirSync(join(folder, 'deep'));
    const output = openOutput(path);
    rmSync(join(folder, 'deep'), { recursive: true });
    expect(() => output.write('new')).toThrow(expect.objectContaining({ code: 'PITH_OUTPUT_UNWRITABLE' }) as Error);
    expect(existsSync(path)).toBe(false);
    mkdirSync(join(folder, 'deep'));
    mkdirSync(path);
    expect(() => output.write('new')).toThrow(expect.objectContaining({ code: 'PITH_OUTPUT_UNWRITABLE' }) as Error);
    expect(readdirSync(join(folder, 'deep'))).toEqual(['context.json']);
  });
});
