/** The version of this package. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export function packageVersion(): string {
  const text = readFileSync(join(__dirname, '../../../package.json'), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
