import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startStrictProvider } from '../../core/testing';
import type { Script } from '../../core/testing';
import { gate } from './chats';
import { commandFile } from './command';
import { hasScript, onTerminal } from './pseudo-terminal';
import type { PseudoTerminal } from './pseudo-terminal';
import { freshFolder } from './sessions';

beforeAll(() => void commandFile(), 120_000);

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** `pith run` on a pseudo terminal, in a folder of its own. */
async function start(
  script: Script,
  env: Readonly<Record<string, string>> = {},
): Promise<PseudoTerminal & { readonly folder: string }> {
  const provider = await startStrictProvider({ shape: 'openai-chat', script });
  const folder = freshFolder();
  writeFileSync(
    join(folder, 'pith.toml'),
    `[model]\nprovider = "openai-compatible"\nmodel = "local-model"\nbase_url = "${provider.url}"\ncontext_window = 128000\nmax_output_tokens = 8000\n` +
      '[compaction]\ncompact_threshold = "75%"\ncompact_request_threshold = "90%"\n',
  );
  const terminal = onTerminal(['run', '--session', 'mine'], { cwd: folder, env });
  ends.push(
    () => terminal.close(),
    () => provider.close(),
  );
  await terminal.screen.shows('/help shows the commands');
  return { ...terminal, folder };
}

(hasScript ? describe : describe.skip)('pith run on a terminal', () => {
  test('streams, runs what is allowed, takes a paste as one prompt, and ends with Ctrl-D', async () => {
    const { screen, type, code, folder } = await start(({ last }, n) =>
      n === 0
        ? { text: 'I write.', calls: [{ name: 'write_file', arguments: { path: 'new.txt', content: 'hi\n' } }] }
        : n === 1
          ? 'Written.'
          : `It has ${String(last.split('\n').length)} lines.`,
    );
    type('write a file\r');
    await screen.shows(/^run it\? y\/a\/n ›$/m);
    type('y\r');
    await screen.shows(/^✓ write_file new\.txt /m);
    await screen.shows('Written.');
    expect(readFileSync(join(folder, 'new.txt'), 'utf8')).toBe('hi\n');
    type('\u001b[200~one\rtwo\rthree\u001b[201~');
    await screen.shows('› one⏎two⏎three');
    type('\r');
    await screen.shows('It has 3 lines.');
    expect(screen.pastes).toBe(true);
    type('\u0004');
    expect(await code).toBe(0);
    expect(screen.pastes).toBe(false);
    expect(screen.rows.at(-1)).toBe('pith run --resume mine goes on');
  });

  test('Ctrl-C aborts the turn and not the session; twice on an empty line ends it', async () => {
    const { screen, type, code } = await start(({ last }) =>
      last === 'hang' ? new Promise(() => undefined) : 'Here.',
    );
    type('hang\r');
    await screen.shows('waiting for the model');
    type('\u0003');
    await screen.shows('aborted: You interrupted it.');
    type('go on\r');
    await screen.shows('Here.');
    type('\u0003');
    await screen.shows('Ctrl-C once more ends');
    type('\u0003');
    expect(await code).toBe(0);
  });

  test('SIGTERM closes the session and ends with 143, SIGINT is Ctrl-C', async () => {
    const asked = gate();
    const { screen, type, code, signal, folder } = await start(() => {
      asked.open();
      return new Promise(() => undefined);
    });
    type('hang\r');
    await asked.opened;
    signal('INT');
    await screen.shows('aborted: You interrupted it.');
    type('hang again\r');
    await screen.shows(/› hang again\nwaiting/);
    signal('TERM');
    expect(await code).toBe(143);
    const log = readFileSync(join(folder, '.pith/sessions/mine.jsonl'), 'utf8');
    expect(log.match(/"outcome":"aborted"/g)).toHaveLength(2);
  });

  test('NO_COLOR takes the colours and leaves the rest', async () => {
    const { screen, type } = await start(() => 'Plain.', { NO_COLOR: '1' });
    type('x\r');
    await screen.shows('Plain.');
    expect(screen.raw).not.toMatch(/\u001b\[[\d;]*m/);
  });

  test('TERM=dumb gets no control sequence at all, and Ctrl-C works', async () => {
    const asked = gate();
    const { screen, type, code } = await start(
      ({ last }) => {
        if (last !== 'hang') return 'Plain.';
        asked.open();
        return new Promise(() => undefined);
      },
      { TERM: 'dumb' },
    );
    await screen.shows(/^›/m);
    type('x\n');
    await screen.shows('Plain.');
    type('hang\n');
    await asked.opened;
    type('\u0003');
    await screen.shows('aborted: You interrupted it.');
    type('\u0004');
    expect(await code).toBe(0);
    expect(screen.raw).not.toContain('\u001b');
  });
});
