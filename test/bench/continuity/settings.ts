/** Settings of Pith that are tried beside each other, so that what is fitted can be judged on sessions it was not fitted to. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pith } from './pith';
import type { Split } from './pith';
import type { Policy } from './policy';
import type { Budget } from './replay';

/** One way to set Pith. */
export interface Settings {
  /** How a number of tokens is split. */
  readonly split?: Split;
  /** Keys of the manifest by `section.key`. */
  readonly keys?: Readonly<Record<string, unknown>>;
  /** Values of exported constants, by the module's path from the project's folder on, without extension. */
  readonly constants?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The split that is used where settings give none; the rest is for references and what stands around the parts. */
export const SPLIT: Split = { tail: 0.15, read: 0.68, summary: 0.16 };

const ROOT = join(__dirname, '../../..');

/** Settings by name, from a JSON file. */
export function readSettings(path: string): ReadonlyMap<string, Settings> {
  return new Map(Object.entries(JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, Settings>>));
}

/** Pith with some settings; with the manifest's defaults its budgets are those of the manifest. */
export function pithWith({ split = SPLIT, keys, constants }: Settings, budget: Budget, manifest?: string): Policy {
  const makes = pith({
    ...(budget !== 'defaults' && { split }),
    ...(keys && { keys }),
    ...(manifest !== undefined && { manifest }),
  });
  if (constants === undefined) return makes;
  return async (input) => {
    const restore = setConstants(constants);
    try {
      return await makes(input);
    } finally {
      restore();
    }
  };
}

/** Sets exported constants of modules. Throws where there is none of the name, before anything is set. Returns what undoes it. */
function setConstants(constants: NonNullable<Settings['constants']>): () => void {
  const changes = Object.entries(constants).flatMap(([path, values]) => {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- the module is named at run time
    const module = require(join(ROOT, path)) as Record<string, unknown>;
    return Object.entries(values).map(([name, value]) => {
      if (!(name in module)) throw new Error(`${path} exports no ${name}.`);
      return { module, name, value, before: module[name] };
    });
  });
  for (const { module, name, value } of changes) module[name] = value;
  return () => {
    for (const { module, name, before } of changes) module[name] = before;
  };
}
