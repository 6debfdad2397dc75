/** `pith run`: the agent that the manifest describes, in a conversation on a terminal or with one prompt for scripts (S12). */
import { text as wholeText } from 'node:stream/consumers';
import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { PithError } from '../errors';
import { createLogSink } from '../kernel/log-sink';
import type { LogSink } from '../kernel/logger';
import { folderOf, jsonOption, pluginOptions } from './options';
import { startRun } from './run-agent';
import type { RunRequest } from './run-agent';
import { Chat } from './run-chat';
import { runOnce } from './run-once';
import { onStopSignals } from './stop-signals';
import type { Terminal } from './terminal';

interface RunFlags extends RunRequest {
  readonly prompt?: string | true;
  readonly json?: true;
}

export function define(command: Command, terminal: Terminal): void {
  jsonOption(pluginOptions(command))
    .option(
      '-p, --prompt [TEXT]',
      'one prompt instead of a conversation; - reads it, none goes on where it was interrupted',
    )
    .option('--resume [ID]', 'go on with a session that is kept, the newest of the root by default')
    .option('--session <ID>', 'the session of this id, which begins where it is not kept')
    .option('--at <N>', 'go on from this position of its log, in a session of its own', positionOf)
    .option('--root <DIR>', 'the folder whose files the agent may read', folderOf)
    .option('--system <TEXT>', 'the system prompt instead of that of the manifest')
    .option('--model <NAME>', 'the model instead of that of the manifest')
    .option('--max-output-tokens <N>', 'most tokens of each reply', countOf)
    .option('--inspect [PORT]', 'serves the report of the session on this machine while it runs', portOf)
    .action(async (flags: RunFlags) => {
      process.exitCode = await run(flags, terminal);
    });
}

async function run(flags: RunFlags, terminal: Terminal): Promise<number> {
  if (flags.prompt !== undefined)
    return runOnce({ ...flags, prompt: await promptOf(flags.prompt), isJson: flags.json === true }, terminal);
  if (flags.json === true) throw new PithError('PITH_USAGE', '--json goes with -p PROMPT');
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new PithError(
      'PITH_USAGE',
      'a conversation needs a terminal; give one prompt with -p PROMPT, or with -p - on standard input',
    );
  return converse(flags, terminal);
}

/** The prompt; undefined where none was given. */
async function promptOf(given: string | true): Promise<string | undefined> {
  if (given === true) return undefined;
  const prompt = given === '-' ? await wholeText(process.stdin) : given;
  if (prompt.trim() === '') throw new PithError('PITH_USAGE', 'the prompt is empty');
  return prompt;
}

async function converse(flags: RunFlags, terminal: Terminal): Promise<number> {
  let chat: Chat | undefined;
  terminal.progress('starting');
  const running = await startRun(flags, terminal, {
    approval: {
      ask: (request, signal) => (chat === undefined ? Promise.resolve('no') : chat.approval.ask(request, signal)),
    },
    log: (level) => logAbove(level, (line) => (chat === undefined ? process.stderr.write(line) : chat.write(line))),
  });
  terminal.progress('');
  try {
    chat = new Chat(running, { input: process.stdin, output: process.stdout, env: process.env });
    const interrupted = (): void => chat?.interrupt();
    process.on('SIGINT', interrupted);
    const stopHearing = onStopSignals(['SIGTERM', 'SIGHUP'], (code) => chat?.end(code));
    chat.begin();
    const code = await chat.ended;
    // From here on Ctrl-C waits for nothing.
    process.off('SIGINT', interrupted);
    stopHearing();
    return code;
  } finally {
    terminal.progress('closing the session');
    await running.agent.close();
    terminal.progress('');
    if (running.manifest.core.session.store === 'jsonl')
      terminal.note(`pith run --resume ${running.conversation.session.id} goes on`);
  }
}

/** Log lines among what is said. What events tell of compactions is not told twice. */
function logAbove(level: LogSink['level'], write: (line: string) => void): LogSink {
  const sink = createLogSink({ level, format: 'pretty', write });
  return { level, write: (entry) => (entry.fields['compaction'] === undefined ? sink.write(entry) : undefined) };
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Infinity;
  if (port > 65_535) throw new InvalidArgumentError('Expected a port, a whole number up to 65535; 0 takes a free one.');
  return port;
}

function positionOf(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Expected a position, a whole number from 0 on.');
  return Number(text);
}

function countOf(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('Expected a whole number of tokens from 1 on.');
  return Number(text);
}
