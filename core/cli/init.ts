/** `pith init`: a commented manifest to start from. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { PithError } from '../errors';
import { MANIFEST_NAME, starterManifest } from '../manifest';
import { jsonOption } from './options';
import { openOutput } from './output-file';
import type { Terminal } from './terminal';

export function define(command: Command, terminal: Terminal): void {
  jsonOption(command)
    .option('--force', `replace a ${MANIFEST_NAME} that is there`)
    .action(({ force, json }: { readonly force?: true; readonly json?: true }) => {
      if (existsSync(MANIFEST_NAME) && force !== true) {
        throw new PithError('PITH_USAGE', `there is a ${MANIFEST_NAME} here already; --force replaces it`);
      }
      const output = openOutput(MANIFEST_NAME);
      output.write(starterManifest());
      if (json === true) terminal.printJson({ manifest: output.path });
      else terminal.print(`wrote ${MANIFEST_NAME}; pith check --print shows what is in effect`);
    });
}
