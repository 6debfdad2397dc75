#!/usr/bin/env node
/** The command `pith` (S12). Only the command that is asked for is loaded. */
import { Command, CommanderError } from 'commander';
import { PithError } from '../errors';
import { nearest } from '../kernel/nearest';
import { EXIT, exitCodeOf } from './exit-code';
import { packageVersion } from './package-version';
import { createTerminal } from './terminal';
import type { Terminal } from './terminal';

/** The module of a command. */
export interface CommandModule {
  /** Adds options and action to the command, whose name and purpose are set. */
  define(command: Command, terminal: Terminal): void;
}

/* eslint-disable @typescript-eslint/no-require-imports -- import() would start the ESM loader, which takes longer than all else here */
const COMMANDS: Readonly<Record<string, { readonly about: string; readonly load: () => unknown }>> = {
  compact: {
    about: 'turn a session file into a smaller context and report what became of it',
    load: () => require('./compact'),
  },
  run: { about: 'talk to the agent of the manifest, or give it one prompt', load: () => require('./run') },
  inspect: { about: 'show how the context of a session filled', load: () => require('./inspect') },
  sessions: { about: 'list the sessions that are kept, the newest first', load: () => require('./sessions') },
  worker: {
    about: 'serve compactions of agents over NATS, with a model and no other right',
    load: () => require('./worker'),
  },
  workers: { about: 'list the workers that serve over NATS, with their load', load: () => require('./workers') },
  plugins: { about: 'start the plugins of the manifest and show what runs', load: () => require('./plugins') },
  check: { about: 'check the manifest and show the effective configuration', load: () => require('./check') },
  init: { about: 'write a commented pith.toml to start from', load: () => require('./init') },
  'new-plugin': {
    about: 'write a package for a plugin of your own, with tests',
    load: () => require('./new-plugin'),
  },
};
/* eslint-enable @typescript-eslint/no-require-imports */

/** The program with the commands that the arguments name; of the others only name and purpose. */
function createProgram(argv: readonly string[], terminal: Terminal): Command {
  const program = new Command('pith')
    .description('Keeps long-running LLM agents inside their context window.')
    .version(packageVersion(), '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help of a command')
    .exitOverride()
    .configureOutput({ outputError: () => undefined, writeErr: () => undefined })
    .showSuggestionAfterError(false);
  for (const [name, { about, load }] of Object.entries(COMMANDS)) {
    const command = program.command(name).description(about).helpOption('-h, --help', 'show help');
    if (argv.includes(name)) (load() as CommandModule).define(command, terminal);
  }
  return program;
}

async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const program = createProgram(argv, terminal);
  try {
    if (argv.length === 0) {
      terminal.note(program.helpInformation().trimEnd());
      return EXIT.usage;
    }
    await program.parseAsync(argv, { from: 'user' });
    return Number(process.exitCode ?? EXIT.done);
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      terminal.fail(error);
      return exitCodeOf(error);
    }
    if (error.exitCode === 0) return EXIT.done;
    terminal.fail(new PithError('PITH_USAGE', usageMessage(error, program, argv)));
    return EXIT.usage;
  }
}

/** What was wrong with the call, the nearest right word, and where to read more. */
function usageMessage({ code, message }: CommanderError, program: Command, argv: readonly string[]): string {
  const command = program.commands.find((candidate) => candidate.name() === argv[0]);
  // Asked for help on a command that is none, Commander only shows help.
  const said = code === 'commander.help' ? `unknown command '${argv[1] ?? ''}'` : message.replace(/^error: /, '');
  const options = (command?.options ?? []).flatMap(({ long, short }) => [long ?? '', short ?? '']);
  const known = said.startsWith('unknown command') ? Object.keys(COMMANDS) : [...options, '--help'];
  const word = said.startsWith('unknown') ? /'(\S+)'/.exec(said)?.[1] : undefined;
  const meant = word === undefined ? undefined : nearest(word, known);
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`;
  return `${said.replace(/\.$/, '')}.${hint} See pith ${command === undefined ? '' : `${command.name()} `}--help`;
}

/**
 * Ends the process as its caller expects: quietly where nobody reads on, with the code of the signal that ends it. A command
 * that listens itself ends in its own way.
 */
function main(): void {
  const terminal = createTerminal({ out: process.stdout, err: process.stderr, env: process.env });
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (stream.listenerCount('error') === 1) process.exit(error.code === 'EPIPE' ? EXIT.done : EXIT.failed);
    });
  }
  const endOn = (signal: NodeJS.Signals, code: number): void => {
    process.on(signal, () => {
      if (process.listenerCount(signal) > 1) return;
      terminal.progress('');
      process.exit(code);
    });
  };
  endOn('SIGINT', EXIT.interrupted);
  endOn('SIGTERM', EXIT.terminated);
  void run(process.argv.slice(2), terminal).then((code) => {
    terminal.progress('');
    process.exitCode = code;
  });
}

main();
