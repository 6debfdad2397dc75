import { createDiskFiles } from '../../core/files/disk-files';
import { createMovedFiles } from '../../core/files/moved-files';
import { folderWith } from './folder';

describe('files that were moved', () => {
  test('a path of the old folder is found in the new one', async () => {
    const root = folderWith({ 'src/main.ts': 'moved\n' });
    const files = createMovedFiles(createDiskFiles({ root }), '/home/ada/project/');
    for (const path of [
      '/home/ada/project/src/main.ts',
      '/home/ada/./project/src/main.ts',
      'src/main.ts',
      `${root}/src/main.ts`,
    ]) {
      expect(await files.read(path)).toMatchObject({ ok: true, text: 'moved\n', source: 'disk' });
      expect(files.display(path)).toBe('src/main.ts');
      expect(files.canonical(path)).toBe(files.canonical('src/main.ts'));
    }
  });

  test('paths of a Windows session are found as well', async () => {
    const root = folderWith({ 'src/App.cs': 'class App;\n' });
    const files = createMovedFiles(createDiskFiles({ root }), 'c:\\Users\\Ada\\app');
    expect(await files.read('C:\\Users\\Ada\\app\\src\\App.cs')).toMatchObject({ ok: true, text: 'class App;\n' });
  });

  test('a path that leads out of the old folder leads out of the scope', async () => {
    const root = folderWith({ 'a.txt': 'a' });
    const files = createMovedFiles(createDiskFiles({ root }), '/home/ada/project');
    expect(await files.read('/home/ada/project/../secret.txt')).toMatchObject({ ok: false, reason: 'outside-scope' });
    expect(await files.read('/home/ada/project-2/a.txt')).toMatchObject({ ok: false, reason: 'outside-scope' });
    expect(await files.read('/home/ada/project')).toMatchObject({ ok: false });
  });
});
