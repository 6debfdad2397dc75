/** The commands of a conversation on a terminal: lines that begin with a slash. */
import type { Agent } from '../agent/agent';
import type { Conversation } from '../agent/conversation';
import { inspectSession } from '../agent/inspect';
import { sessionTotals } from '../agent/session-totals';
import { CONTEXT } from '../context/context';
import { FILE_SOURCE } from '../files/file-source';
import { nearest } from '../kernel/nearest';
import { TOKENIZER } from '../tokens/tokenizer';
import { compositionTitle, shareLines } from './composition';
import { counted, figure, percent, table } from './layout';
import type { Screen } from './screen';

/** What commands act on. */
export interface CommandHost {
  readonly agent: Agent;
  readonly conversation: Conversation;
  readonly screen: Pick<Screen, 'columns' | 'terminal'>;
  /** Puts rows above the line. */
  note(text: string): void;
  /** Sends a prompt that joins the turn that runs. */
  steer(text: string): void;
  compact(focus: string): void;
  /** Something changed what is sent next. */
  changed(): void;
  end(): void;
}

interface ChatCommand {
  /** What may follow the name. */
  readonly takes?: string;
  readonly about: string;
  run(host: CommandHost, text: string): void;
}

const COMMANDS: Readonly<Record<string, ChatCommand>> = {
  compact: {
    takes: '[FOCUS]',
    about: 'compact now, or when the turn has ended; the focus tells what matters',
    run: (host, focus) => host.compact(focus),
  },
  undo: { about: 'make the context of before the newest compaction current again', run: undo },
  inspect: { about: 'show what the context is made of', run: inspect },
  steer: { takes: 'TEXT', about: 'tell the agent something within the turn that runs', run: steer },
  help: { about: 'show this', run: help },
  exit: { about: 'end; the session is kept (also Ctrl-D)', run: (host) => host.end() },
};

/** The names of all commands, as they are typed. */
export const COMMAND_WORDS: readonly string[] = Object.keys(COMMANDS).map((name) => `/${name}`);

/** Runs a line that is a command; false where it is a prompt, as `/etc/hosts is wrong` is. */
export function runCommand(line: string, host: CommandHost): boolean {
  const [, name, text = ''] = /^\/([\p{Letter}-]*)(?:\s+([^]*))?$/u.exec(line) ?? [];
  if (name === undefined) return false;
  if (Object.hasOwn(COMMANDS, name)) COMMANDS[name]?.run(host, text.trim());
  else host.note(unknown(name, host));
  return true;
}

function unknown(name: string, { screen }: CommandHost): string {
  const meant = nearest(name, Object.keys(COMMANDS));
  const hint = meant === undefined ? '' : ` Did you mean /${meant}?`;
  return screen.terminal.colours.yellow(`There is no /${name}.${hint} /help shows the commands.`);
}

function undo({ conversation, note, changed }: CommandHost): void {
  if (!conversation.undoCompaction()) return note('There is no compaction to undo.');
  changed();
  const { tokens } = conversation.session.get(CONTEXT).view().occupancy();
  note(`The newest compaction is undone; the context has ${figure(tokens)} tokens again.`);
}

function inspect({ agent, conversation, screen, note }: CommandHost): void {
  const { session } = conversation;
  const { kernel } = agent;
  const parts = { tokenizer: kernel.get(TOKENIZER), files: kernel.get(FILE_SOURCE) };
  const { tokens } = inspectSession(session, parts);
  const { colours } = screen.terminal;
  const place = { columns: screen.columns - 2, colours };
  const section = (title: string, shares: Readonly<Record<string, number>>): readonly string[] => {
    const lines = shareLines(shares, tokens.total, place);
    return lines.length === 0 ? [] : [colours.bold(title), ...lines.map((line) => `  ${line}`)];
  };
  const { total, compactions } = sessionTotals(session);
  const cached = percent(total.cacheReadTokens, total.inputTokens);
  note(
    [
      ...section(compositionTitle(tokens), tokens.byKind),
      ...section('By tool, calls and results', tokens.byTool),
      colours.bold('Cost of the session'),
      `  ${counted(total.requests, 'request')}, ${figure(total.inputTokens)} input tokens (${cached} from the cache), ${figure(total.outputTokens)} output tokens`,
      ...(compactions.requests > 0 ? [`  of these ${counted(compactions.requests, 'request')} by compactions`] : []),
    ].join('\n'),
  );
}

function steer({ steer: send, note }: CommandHost, text: string): void {
  if (text === '') note('/steer needs what to tell the agent.');
  else send(text);
}

function help({ screen, note }: CommandHost): void {
  const rows = Object.entries(COMMANDS).map(([name, { takes, about }]) => [
    takes === undefined ? `/${name}` : `/${name} ${takes}`,
    about,
  ]);
  const keys = [
    ['Ctrl-C', 'abort the turn; twice on an empty line: end'],
    ['Alt-Enter', 'a line end that sends nothing'],
  ];
  note(
    [
      ...table([...rows, ...keys], [{}, { cut: 'end' }], screen.columns),
      'Everything else is a prompt. While a turn runs prompts wait for its end.',
    ].join('\n'),
  );
}
