/** Asking a person whether a call may run. */
import type { Approval } from '../../plugins/permissions/token';
import type { Json } from '../session/items';
import { printable } from './display-width';
import type { Screen } from './screen';
import { argumentRows } from './tool-lines';

/** Where the question is put. */
export interface AskedOn extends Pick<Screen, 'ask' | 'columns' | 'terminal'> {
  /** Puts rows above the line. */
  note(text: string): void;
}

/** Asks on a screen: `y` once, `a` for the session, `n` no, each with Enter. Ctrl-C is no. */
export function approvalOn(asked: AskedOn): Approval {
  return {
    async ask({ tool, calls, allows, arguments: args }, signal) {
      const { bold, dim, yellow } = asked.terminal.colours;
      const rows = argumentRows(untold(args, calls), asked.columns - 4).map((row) => dim(`    ${row}`));
      asked.note(
        [
          `${yellow('?')} ${bold(tool)} wants to run`,
          ...calls.map((call) => `  ${printable(call)}`),
          ...rows,
          dim(`  y: this once   a: ${allows.map(printable).join(', ')} for the session   n: no`),
        ].join('\n'),
      );
      for (;;) {
        const answer = (await asked.ask(`${yellow('run it? y/a/n')} › `, signal))?.toLowerCase();
        switch (answer) {
          case 'y':
          case 'yes':
            asked.note(dim('  allowed once'));
            return 'once';
          case 'a':
            asked.note(dim('  allowed for the session'));
            return 'session';
          case 'n':
          case 'no':
          case undefined:
            asked.note(dim('  not allowed'));
            return 'no';
          default:
            asked.note(dim('  Answer y, a or n.'));
        }
      }
    },
  };
}

/** The arguments that the calls do not show as they are. */
function untold(args: Json, calls: readonly string[]): Json {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return args;
  const isTold = (value: Json): boolean =>
    typeof value === 'string' && calls.some((call) => call.includes(`(${value})`));
  return Object.fromEntries(
    Object.entries(args as Readonly<Record<string, Json>>).filter(([, value]) => !isTold(value)),
  );
}
