import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createDiskFiles, restoreSession, type FileSource, type Session } from '../../../core';
import instructions from '../../../plugins/instructions';
import { folderWith, put } from '../../files/folder';
import { prose, user } from '../../support/context';
import { start, view, type Host } from '../../support/kernel';

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host[Symbol.asyncDispose]();
});

async function desk(files: FileSource, names?: readonly string[]) {
  const config = names === undefined ? {} : { instructions: { files: names } };
  const host = await start({ files, plugins: [instructions], config });
  hosts.push(host);
  return {
    host,
    begin: async (session: Session, restored = false): Promise<void> => {
      await host.kernel.dispatch('session_start', { role: 'main', session, restored });
    },
    restore: (session: Session): Session =>
      restoreSession([...session.records()], { services: (one) => host.kernel.scope(one) }),
    /** What was logged as a warning. */
    warnings: () => host.log.filter(({ level }) => level === 'warn'),
  };
}

const pinned = (session: Session): readonly string[] =>
  view(session)
    .system.filter(({ kind }) => kind === 'pin')
    .map(({ text }) => text);

describe('instructions', () => {
  test('stand behind the system prompt under a line that names their file', async () => {
    const root = folderWith({ 'AGENTS.md': '\uFEFF# Rules\r\n\r\nUse tabs.\n\n' });
    const { host, begin } = await desk(createDiskFiles({ root }));
    const session = host.open([user('go')], { t: 'settings', system: 'Be kind.' });
    await begin(session);
    expect(view(session).system.map(({ text }) => text)).toEqual([
      'Be kind.',
      '[Instructions of AGENTS.md]\n# Rules\r\n\r\nUse tabs.',
    ]);
  });

  test('of several files come in the order of the configuration, each file once', async () => {
    const root = folderWith({ 'b.md': 'B', 'docs/a.md': 'A', empty: ' \n', '.gitignore': 'b.md' });
    symlinkSync('b.md', join(root, 'same.md'));
    const { host, begin } = await desk(createDiskFiles({ root }), [
      'docs/a.md',
      './b.md',
      'same.md',
      'missing.md',
      'empty',
    ]);
    const session = host.open([user('go')]);
    await begin(session);
    expect(pinned(session)).toEqual(['[Instructions of docs/a.md]\nA', '[Instructions of b.md]\nB']);
  });

  test('are pinned once, however often the session is opened', async () => {
    const root = folderWith({ 'AGENTS.md': 'Rules' });
    const { host, begin, restore } = await desk(createDiskFiles({ root }));
    const session = host.open([user('go')]);
    await begin(session);
    const { position } = session;
    const { digest } = view(session);
    const restored = restore(session);
    await begin(restored, true);
    expect([restored.position, view(restored).digest]).toEqual([position, digest]);
  });

  test('that changed take the place of what stood there when the session is opened again', async () => {
    const root = folderWith({ 'AGENTS.md': 'Old rules', 'STYLE.md': 'Style' });
    const { host, begin, restore } = await desk(createDiskFiles({ root }), ['AGENTS.md', 'STYLE.md']);
    const session = host.open([user('go')]);
    await begin(session);
    const reopen = async (text: string): Promise<readonly string[]> => {
      put(root, 'AGENTS.md', text);
      const restored = restore(session);
      await begin(restored, true);
      return pinned(restored);
    };
    const style = '[Instructions of STYLE.md]\nStyle';
    expect(await reopen('New rules')).toEqual(['[Instructions of AGENTS.md]\nNew rules', style]);
    expect(await reopen('Old rules')).toEqual(['[Instructions of AGENTS.md]\nOld rules', style]);
  });

  test('whose file vanished stay as they were', async () => {
    const root = folderWith({ 'AGENTS.md': 'Rules' });
    const { host, begin, warnings } = await desk(createDiskFiles({ root }));
    const session = host.open([user('go')]);
    await begin(session);
    rmSync(join(root, 'AGENTS.md'));
    await begin(session, true);
    expect(pinned(session)).toEqual(['[Instructions of AGENTS.md]\nRules']);
    expect(warnings()).toEqual([]);
  });

  test('that cannot be read are reported, and the others are pinned', async () => {
    const outside = folderWith({ 'secret.md': 'CANARY' });
    const root = folderWith({
      'binary.md': Uint8Array.of(0, 1),
      'latin.md': Uint8Array.of(0xe9),
      'long.md': 'x'.repeat(1024 * 1024 + 1),
      'good.md': 'Good',
    });
    symlinkSync(join(outside, 'secret.md'), join(root, 'link.md'));
    const { host, begin, warnings } = await desk(createDiskFiles({ root }), [
      ...['binary.md', 'latin.md', 'long.md', 'link.md', '../secret.md', 'good.md'],
    ]);
    const session = host.open([user('go')]);
    await begin(session);
    expect(pinned(session)).toEqual(['[Instructions of good.md]\nGood']);
    expect(warnings().map(({ fields }) => fields['reason'])).toEqual([
      ...['binary', 'not-utf8', 'too-large', 'outside-scope', 'outside-scope'],
    ]);
    expect(JSON.stringify([...session.records()])).not.toContain('CANARY');
  });

  test('that take too much of the window are an error that names the file, and the others are pinned', async () => {
    const root = folderWith({ 'AGENTS.md': prose(40_000), 'STYLE.md': 'Style' });
    const { host, begin } = await desk(createDiskFiles({ root }), ['AGENTS.md', 'STYLE.md']);
    const session = host.open([user('go')]);
    await begin(session);
    expect(pinned(session)).toEqual(['[Instructions of STYLE.md]\nStyle']);
    const [error, ...others] = host.events('plugin.error');
    expect([error?.plugin, error?.hook, others]).toEqual(['instructions', 'session_start', []]);
    expect(error?.error.cause).toMatchObject({ code: 'PITH_PINS_TOO_LARGE' });
    expect(error?.message).toContain('AGENTS.md is not pinned: Pinned items would take');
  });
});
