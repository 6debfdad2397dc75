/** What the arguments of the file tools have in common. They are JSON Schema, so that no schema library is needed. */
import type { Json } from '../../core/index';

type Properties = Readonly<Record<string, Json>>;

/** The schema of a tool's arguments. */
export function argumentsOf(properties: Properties, required: readonly string[]): Json {
  return { type: 'object', properties, required, additionalProperties: false };
}

export const PATH: Json = {
  type: 'string',
  minLength: 1,
  maxLength: 4096,
  description: 'Path of the file, relative to the root.',
};
export const FOLDER: Json = {
  type: 'string',
  minLength: 1,
  maxLength: 4096,
  description: 'Folder to start from, relative to the root; the root by default.',
};
export const GLOB: Json = {
  type: 'string',
  minLength: 1,
  maxLength: 300,
  description: 'Only files that match, such as "*.ts" (at any depth) or "src/**/*.{ts,tsx}" (below the folder).',
};
