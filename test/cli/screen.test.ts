import fc from 'fast-check';
import { Screen } from '../../core/cli/screen';
import type { ScreenOptions } from '../../core/cli/screen';
import { VirtualTerminal } from './virtual-terminal';

interface Shown {
  readonly terminal: VirtualTerminal;
  readonly screen: Screen;
  readonly heard: string[];
  /** Rows above the line. */
  readonly rows: { now: readonly string[] };
}

const open: Screen[] = [];
afterEach(() => {
  for (const screen of open.splice(0)) screen.close();
});

function show(options: Partial<ScreenOptions> = {}, columns = 60): Shown {
  const terminal = new VirtualTerminal(columns);
  const heard: string[] = [];
  const rows: { now: readonly string[] } = { now: ['status'] };
  const screen = new Screen({
    input: terminal.keyboard,
    output: terminal,
    env: {},
    words: ['/help', '/exit'],
    history: [],
    rows: () => rows.now,
    onLine: (text) => heard.push(text),
    onInterrupt: () => heard.push('^C'),
    onEnd: () => heard.push('^D'),
    ...options,
  });
  open.push(screen);
  screen.prompt();
  return { terminal, screen, heard, rows };
}

/** Lets all that is under way be drawn. */
async function drawn(): Promise<void> {
  for (let at = 0; at < 3; at++) await new Promise((resolve) => setImmediate(resolve));
}

describe('the screen of a conversation', () => {
  test('keeps rows and line below what is written, and the line as it is typed', async () => {
    const { terminal, screen, rows } = show();
    await terminal.shows('›');
    terminal.type('half ty');
    screen.write('first\nsecond\n');
    await drawn();
    expect(terminal.rows).toEqual(['first', 'second', 'status', '› half ty']);
    rows.now = ['working', '', 'status'];
    screen.write('third');
    terminal.type('ped');
    await drawn();
    expect(terminal.rows).toEqual(['first', 'second', 'third', 'working', '', 'status', '› half typed']);
    expect(terminal.cursor).toEqual({ row: 6, column: '› half typed'.length });
  });

  test('shows at any time what was written, then the rows, then the line', async () => {
    const event = fc.oneof(
      fc.record({ write: fc.stringMatching(/^[a-z]{1,30}$/) }),
      fc.record({ rows: fc.array(fc.stringMatching(/^[a-z]{1,30}$/), { maxLength: 3 }) }),
      fc.record({ type: fc.constantFrom('x', 'long '.repeat(12), '日本語', '\u007f', '\u001b[D', '\r') }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 25 }),
        fc.integer({ min: 40, max: 70 }),
        async (events, columns) => {
          const { terminal, screen, rows, heard } = show({}, columns);
          await drawn();
          const written: string[] = [];
          for (const one of events) {
            if ('write' in one) {
              written.push(one.write);
              screen.write(one.write);
            } else if ('rows' in one) {
              rows.now = one.rows;
              screen.changed();
            } else terminal.type(one.type);
            await drawn();
          }
          const shown = terminal.rows;
          expect(shown.slice(0, written.length)).toEqual(written);
          expect(shown.slice(written.length, written.length + rows.now.length)).toEqual(rows.now);
          expect(shown[written.length + rows.now.length]).toMatch(/^›/);
          screen.close();
          expect(terminal.rows).toEqual(written);
          expect(heard.every((line) => !/[\r\n]/.test(line))).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('takes a line away when it is sent, and brings it back by the arrow', async () => {
    const { terminal, heard } = show({ history: ['of\nbefore'] });
    await drawn();
    terminal.type('hello\r');
    await drawn();
    expect(heard).toEqual(['hello']);
    expect(terminal.rows).toEqual(['status', '›']);
    terminal.type('\u001b[A');
    await drawn();
    expect(terminal.rows.at(-1)).toBe('› hello');
    terminal.type('\u001b[A');
    await drawn();
    expect(terminal.rows.at(-1)).toBe('› of⏎before');
  });

  test('takes a paste of three lines as one prompt', async () => {
    const { terminal, heard } = show();
    await drawn();
    expect(terminal.pastes).toBe(true);
    terminal.type('see: ');
    terminal.paste('one\n\ttwo\nthree');
    await drawn();
    expect(terminal.rows.at(-1)).toBe('› see: one⏎⇥two⏎three');
    terminal.type('\r');
    expect(heard).toEqual(['see: one\n\ttwo\nthree']);
  });

  test('a paste of half a megabyte holds nothing up', async () => {
    const { terminal, heard } = show();
    await drawn();
    const text = 'All work and no play.\n'.repeat(25_000);
    terminal.paste(text);
    await drawn();
    expect(terminal.rows.at(-1)).toBe('› [paste 1: 25,000 lines]');
    terminal.type('\r');
    expect(heard).toEqual([text.trim()]);
  });

  test('a question takes the place of the line, and gives it back', async () => {
    const { terminal, screen, heard } = show();
    await drawn();
    terminal.type('half typed');
    const answer = screen.ask('sure? ', new AbortController().signal);
    await drawn();
    expect(terminal.rows).toEqual(['status', 'sure?']);
    terminal.type('yes\r');
    expect(await answer).toBe('yes');
    screen.write('asked');
    await drawn();
    expect(terminal.rows).toEqual(['asked', 'status', '› half typed']);
    terminal.type('\u001b[A');
    await drawn();
    expect(terminal.rows.at(-1)).not.toContain('yes');
    expect(heard).toEqual([]);
  });

  test('Ctrl-C, an abort, and the end of the terminal answer a question by nothing', async () => {
    for (const leave of ['\u0003', 'abort', 'close'] as const) {
      const { terminal, screen, heard } = show();
      const abort = new AbortController();
      const answer = screen.ask('sure? ', abort.signal);
      await drawn();
      if (leave === 'abort') abort.abort();
      else if (leave === 'close') screen.close();
      else terminal.type(leave);
      expect(await answer).toBeUndefined();
      expect(heard).toEqual([]);
    }
  });

  test('tells of Ctrl-C and Ctrl-D', async () => {
    const { terminal, heard, screen } = show();
    await drawn();
    terminal.type('x\u0003');
    expect(heard).toEqual(['^C']);
    expect(screen.hasDraft).toBe(true);
    screen.clearDraft();
    expect(screen.hasDraft).toBe(false);
    terminal.type('\u0004');
    expect(heard).toEqual(['^C', '^D']);
  });

  test('completes commands', async () => {
    const { terminal } = show();
    await drawn();
    terminal.type('/he\t');
    await drawn();
    expect(terminal.rows.at(-1)).toMatch(/^› \/help/);
  });

  test('is drawn anew when the width changes', async () => {
    const { terminal, screen, rows } = show();
    rows.now = [];
    screen.write('before');
    terminal.type('a line that is somewhat longer than twenty');
    await drawn();
    terminal.resize(100);
    screen.write('after');
    await drawn();
    expect(terminal.rows).toEqual(['before', 'after', '› a line that is somewhat longer than twenty']);
    expect(screen.columns).toBe(99);
  });

  test('takes a terminal that does not know its width for 80 columns', () => {
    for (const columns of [0, Number.NaN]) expect(show({}, columns).screen.columns).toBe(79);
  });

  test('leaves the terminal as it was', async () => {
    const { terminal, screen } = show();
    await drawn();
    expect(terminal.keyboard.isRaw).toBe(true);
    screen.close();
    screen.write('the last word');
    expect(terminal.keyboard.isRaw).toBe(false);
    expect(terminal.pastes).toBe(false);
    expect(terminal.rows).toEqual(['the last word']);
  });
});

describe('a dumb terminal', () => {
  test('gets plain lines and no control sequence', async () => {
    const { terminal, screen, heard } = show({ env: { TERM: 'dumb' } });
    screen.write('first');
    await drawn();
    terminal.type('hello\n');
    await drawn();
    screen.write('second');
    screen.prompt();
    await drawn();
    expect(terminal.raw).not.toContain('\u001b');
    expect(terminal.raw).toBe('first\nstatus\n› second\nstatus\n› ');
    expect(heard).toEqual(['hello']);
    expect(screen.keepsLines).toBe(true);
    expect(terminal.keyboard.isRaw).toBe(false);
  });
});
