/** `pith worker` (S11): serves compactions of agents in other processes, with a model and no other right. */
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { jsonOption } from './options';
import type { Terminal } from './terminal';
import { transportOptions } from './transport-options';
import { healthAddressOf } from './worker-health';
import { runWorker } from './worker-process';
import { workerSettings } from './worker-settings';
import type { WorkerRequest } from './worker-settings';

export function define(command: Command, terminal: Terminal): void {
  jsonOption(transportOptions(command))
    .option('--manifest <FILE>', 'the manifest instead of PITH_MANIFEST or the nearest pith.toml')
    .addOption(
      new Option(
        '--worker <NAME>',
        'who writes summaries (default: llm where the manifest has a model, else offline)',
      ).choices(['offline', 'llm']),
    )
    .option('--namespace <NAME>', 'the first part of all subjects (default: as in [transport], else pith)')
    .option('--tenant <NAME>', 'whose jobs are served (default: as in [transport], else default)')
    .option('--pool <NAME>', 'which pool of workers this one belongs to (default: as in [transport], else default)')
    .option('--concurrency <N>', 'jobs at once', countOf, 4)
    .option('--grace <SECONDS>', 'how long jobs may go on after SIGTERM', secondsOf, 25)
    .addOption(
      new Option('--health <HOST:PORT>', 'where /livez, /readyz and /metrics are served')
        .argParser(healthAddressOf)
        .default({ host: '127.0.0.1', port: 0 }, 'a free port of 127.0.0.1'),
    )
    .option('--no-health', 'serve no health')
    .action(async (flags: WorkerRequest) => {
      process.exitCode = await runWorker(await workerSettings(flags, terminal));
    });
}

function countOf(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('Expected a number from 1 to 999.');
  return Number(text);
}

function secondsOf(text: string): number {
  if (!/^\d{1,5}(?:\.\d{1,3})?$/.test(text)) throw new InvalidArgumentError('Expected seconds, 0 or more.');
  return Number(text);
}
