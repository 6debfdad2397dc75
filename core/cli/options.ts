/** Options that several commands share, and how their values are read. */
import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { resolve } from 'node:path';
import { statSync } from 'node:fs';

/** Adds what every command has that reads a session file. */
export function sessionOptions(command: Command): Command {
  return command
    .argument('<FILE>', 'a session file of any known format, or - for standard input')
    .option('--format <NAME>', 'the format of the file instead of the detected one')
    .option(
      '--session <N|ID>',
      'which session, where the file holds several: a number from 1 or an id (default: the first)',
    );
}

/** Adds what every command has that loads plugins. */
export function pluginOptions(command: Command): Command {
  return command
    .option('--manifest <FILE>', 'the manifest instead of PITH_MANIFEST or the nearest pith.toml')
    .option('--only <NAMES>', 'only these plugins, parted by commas', listOf)
    .option('--without <NAMES>', 'all but these plugins, parted by commas', listOf);
}

/** Adds what every command has. */
export function jsonOption(command: Command): Command {
  return command.option('--json', 'print JSON and nothing else on standard output');
}

/** A whole number of tokens, 0 or more. */
export function tokensOf(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Expected a whole number of tokens, 0 or more.');
  return Number(text);
}

/** A whole number from 1 on. */
export function ordinalOf(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('Expected a number from 1 on.');
  return Number(text);
}

/** An existing folder. */
export function folderOf(text: string): string {
  if (statSync(text, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new InvalidArgumentError('There is no such folder.');
  return resolve(text);
}

/** Names parted by commas; the option may be given again for more. */
export function listOf(text: string, earlier: readonly string[] = []): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw new InvalidArgumentError('Expected names parted by commas.');
  return [...earlier, ...names];
}
