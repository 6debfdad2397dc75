import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isKnownKind } from '../../core/session/record-shape';

const DOCS = readFileSync(join(__dirname, '../../docs/sessions.md'), 'utf8');
const RECORDS = readFileSync(join(__dirname, '../../core/session/records.ts'), 'utf8');

test('docs/sessions.md tells of every kind of record, and of no other', () => {
  const kinds = new Set([...RECORDS.matchAll(/readonly t: '(\w+)'/g)].map(([, kind]) => kind ?? ''));
  const told = [...DOCS.matchAll(/^\| `(\w+)` +\| `/gm)].map(([, kind]) => kind ?? '');
  expect(told.toSorted()).toEqual([...kinds].sort());
  expect(told.filter((kind) => !isKnownKind(kind))).toEqual([]);
});
