import type { Item, NewItem } from '../../../core';
import { assistant, call, user } from '../../support/context';
import { openTestDesk } from './desk-kit';

const SECRET = 'the recipe of the house';

const items: readonly NewItem[] = [
  user('Shorten src/menu.ts.'),
  call('a', 'read_file', { path: 'src/menu.ts' }),
  { kind: 'tool_result', callId: 'a', summary: 'Read src/menu.ts', content: [{ type: 'text', text: SECRET }] },
  call('b', 'edit_file', { path: 'src/menu.ts', old_text: SECRET, new_text: `${SECRET}, shorter` }),
  { kind: 'tool_result', callId: 'b', summary: 'Edited src/menu.ts', content: [{ type: 'text', text: `+ ${SECRET}` }] },
  call('c', 'run_command', { command: `echo ${SECRET}` }),
  { kind: 'tool_result', callId: 'c', summary: 'exit 0', content: SECRET as never },
  assistant('It is shorter now.'),
];
const files = { 'src/menu.ts': `${SECRET}, shorter\n` };
const blind = { items, files, readsFiles: false };

describe('a worker that is shown no contents', () => {
  it('is refused files, by a result that says how to go on', async () => {
    const { call: ask } = await openTestDesk(blind);
    const { text, isError } = await ask('read_file', { path: 'src/menu.ts' });
    expect(isError).toBe(true);
    expect(text).toContain('Contents of files are not shown to this worker');
  });

  it('sees who said what, which tools ran and which files they touched, and nothing else, however it looks', async () => {
    const { call: ask } = await openTestDesk({ ...blind, to: 6 });
    const pages = [
      ...['brief', 'full'].map((detail) => ({ from: 0, limit: 50, detail })),
      ...items.map((_, from) => ({ from, limit: 1, detail: 'full' })),
    ];
    for (const page of pages) expect((await ask('read_history', page)).text).not.toContain(SECRET);
    const { text } = await ask('read_history', { from: 0, limit: 50, detail: 'full' });
    expect(text).toContain('  Shorten src/menu.ts.');
    expect(text).toContain('#1 call read_file {}\n  read src/menu.ts');
    expect(text).toContain('#3 call edit_file {}\n  edit src/menu.ts\n');
    expect(text).toContain('  Edited src/menu.ts');
    expect(text).toContain('  It is shorter now.');
    const found = await ask('search_history', { query: 'recipe' });
    expect(found.text).toContain('0 items hold');
    expect((await ask('search_history', { query: 'Shorten' })).text).toContain('1 item holds');
  });

  it('marks files all the same, and they are read on this side', async () => {
    const { call: ask, desk } = await openTestDesk(blind);
    const { text, isError } = await ask('mark_read_required', { path: 'src/menu.ts' });
    expect([text, isError]).toEqual([expect.stringMatching(/Marked\. Budget: \d+\/8000 tokens remaining$/), false]);
    expect(desk.marks).toMatchObject([{ path: 'src/menu.ts', fromLine: 1, toLine: 1 }]);
  });

  it('has left the session as it was', async () => {
    const { call: ask, session } = await openTestDesk(blind);
    await ask('read_history', { from: 0, limit: 50, detail: 'full' });
    expect(JSON.stringify([...session.items()] satisfies readonly Item[])).toContain(SECRET);
  });

  it('can be the offline worker', async () => {
    const { compact } = await openTestDesk(blind);
    const desk = await compact();
    expect(desk.summary).toContain('Shorten src/menu.ts.');
    expect(desk.summary).not.toContain(SECRET);
    expect(desk.marks.map(({ path }) => path)).toEqual(['src/menu.ts']);
  });
});
