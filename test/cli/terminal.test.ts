import { PithError } from '../../core/errors';
import { createTerminal } from '../../core/cli/terminal';
import type { Terminal } from '../../core/cli/terminal';

interface Recorded {
  readonly terminal: Terminal;
  readonly out: () => string;
  readonly err: () => string;
}

function recorded(isTTY: boolean, env: Readonly<Record<string, string>> = {}, columns?: number): Recorded {
  const said = { out: '', err: '' };
  const stream = (name: 'out' | 'err'): { isTTY: boolean; columns?: number; write: (text: string) => void } => ({
    isTTY,
    ...(columns !== undefined && { columns }),
    write: (text) => void (said[name] += text),
  });
  return {
    terminal: createTerminal({ out: stream('out'), err: stream('err'), env }),
    out: () => said.out,
    err: () => said.err,
  };
}

describe('a terminal', () => {
  test('has colours, unless NO_COLOR is set or it knows none', () => {
    expect(recorded(true).terminal.colours.bold('x')).toBe('\u001b[1mx\u001b[22m');
    expect(recorded(true, { NO_COLOR: '' }).terminal.colours.bold('x')).not.toBe('x');
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }])
      expect(recorded(true, env).terminal.colours.bold('x')).toBe('x');
    expect(recorded(false).terminal.colours.bold('x')).toBe('x');
  });

  test('FORCE_COLOR decides for a pipe and a dumb terminal, NO_COLOR over it', () => {
    const boldOf = (isTTY: boolean, env: Readonly<Record<string, string>>): string =>
      recorded(isTTY, env).terminal.colours.bold('x');
    expect(boldOf(false, { FORCE_COLOR: '1' })).not.toBe('x');
    expect(boldOf(true, { FORCE_COLOR: '1', TERM: 'dumb' })).not.toBe('x');
    for (const value of ['0', 'false']) expect(boldOf(true, { FORCE_COLOR: value })).toBe('x');
    expect(boldOf(true, { FORCE_COLOR: '1', NO_COLOR: '1' })).toBe('x');
    expect(boldOf(true, { FORCE_COLOR: '' })).not.toBe('x');
  });

  test('draws in ASCII where a terminal shows no more; JSON stays as it is', () => {
    for (const [env, drawn] of [
      [{ LANG: 'C.UTF-8' }, '██▌ − ü …\n'],
      [{ LANG: 'C' }, '##= - ü ~\n'],
    ] as const) {
      const { terminal, out, err } = recorded(false, env);
      terminal.print('██▌ − ü …');
      terminal.note('██▌ − ü …');
      expect([out(), err()]).toEqual([drawn, drawn]);
      terminal.printJson('█');
      expect(out()).toBe(`${drawn}"█"\n`);
    }
  });

  test('is 80 columns wide where nothing tells, and never too narrow or too wide to read', () => {
    expect(recorded(false).terminal.columns).toBe(80);
    expect(recorded(true, {}, 100).terminal.columns).toBe(100);
    expect(recorded(true, {}, 10).terminal.columns).toBe(40);
    expect(recorded(true, {}, 400).terminal.columns).toBe(120);
    expect([recorded(false), recorded(true, {}, 400)].map(({ terminal }) => terminal.chartColumns)).toEqual([80, 400]);
  });

  test('shows progress for as long as nothing else is said', () => {
    const { terminal, out, err } = recorded(true, { NO_COLOR: '1' });
    terminal.progress('reading');
    terminal.progress('counting');
    expect(err()).toBe('reading …\r\u001b[2Kcounting …');
    terminal.print('done');
    expect(err()).toBe('reading …\r\u001b[2Kcounting …\r\u001b[2K');
    expect(out()).toBe('done\n');
  });

  test('a pipe gets no progress', () => {
    const { terminal, err } = recorded(false);
    terminal.progress('reading');
    terminal.progress('');
    expect(err()).toBe('');
  });

  test('errors are told with their code; only a fault of Pith itself with its stack', () => {
    const { terminal, err } = recorded(false);
    terminal.fail(new PithError('PITH_USAGE', 'there is no such thing'));
    expect(err()).toBe('error PITH_USAGE: there is no such thing\n');
    terminal.fail(new TypeError('oops'));
    expect(err()).toMatch(/\nerror: TypeError: oops\n +at /);
  });
});
