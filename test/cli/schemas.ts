/** The JSON Schemas of `docs/schemas`, as tests hold output against them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { ROOT } from './command';

/** What is wrong with a value by one of the schemas; empty means that it fits. */
export function faultsBySchema(
  name: 'pith.compact-1' | 'pith.inspect-1' | 'pith.run-1' | 'pith.sessions-1' | 'pith.workers-1',
  value: unknown,
): readonly string[] {
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
  const validate = ajv.compile(JSON.parse(readFileSync(join(ROOT, `docs/schemas/${name}.json`), 'utf8')) as object);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`);
}
