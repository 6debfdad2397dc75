import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { DEFAULT_TIMINGS } from '../../core/bus/nats';
import { KEPT_ANSWERS, OPEN_ASKS } from '../../core/bus/nats/job-machine';
import { ERROR_CODES } from '../../core';
import {
  compactAnswer,
  compactAsk,
  compactChannel,
  compactJob,
  compactProgress,
  compactReport,
} from '../../plugins/compaction/protocol';
import { openTestDesk } from '../plugins/compaction/desk-kit';

const page = readFileSync(join(__dirname, '../../docs/protocol.md'), 'utf8');

interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly const?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maximum?: number;
}

/** The rows `| field | type |` of a table, as a schema gives them. */
function rowsOf(schema: JsonSchema, at = ''): readonly string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const name = `${at}${key}${schema.required?.includes(key) ? '' : '?'}`;
    const inner = field.properties === undefined ? [] : rowsOf(field, `${at}${key}.`);
    return [`\`${name}\` | ${typeOf(field)}`, ...inner, ...listRows(field, `${at}${key}[].`)];
  });
}

function listRows({ items, anyOf = [] }: JsonSchema, at: string): readonly string[] {
  const shapes = items === undefined ? [] : (items.oneOf ?? [items]);
  return [...shapes.flatMap((shape) => rowsOf(shape, at)), ...anyOf.flatMap((one) => listRows(one, at))];
}

function typeOf({
  type,
  properties,
  anyOf,
  items,
  pattern,
  maxLength,
  maxItems,
  maximum,
  ...rest
}: JsonSchema): string {
  const figure = (n = 0): string => n.toLocaleString('en-US');
  if (anyOf !== undefined) return anyOf.map(typeOf).join(', or ');
  if (rest.const !== undefined) return `\`${rest.const}\``;
  if (pattern === '^[A-Za-z0-9_-]{1,64}$') return 'token';
  if (pattern !== undefined) return `text, \`${pattern}\``;
  switch (type) {
    case 'string':
      return `text, up to ${figure(maxLength)}`;
    case 'boolean':
      return 'true or false';
    case 'integer':
    case 'number':
      expect(maximum).toBe(1e12);
      return type === 'integer' ? 'whole number' : 'number';
    case 'array':
      return `list of up to ${figure(maxItems)}${items?.type === 'string' ? `, each ${typeOf(items)}` : ''}`;
    default:
      return properties === undefined ? 'any JSON, up to 1,000,000' : 'object';
  }
}

const sectionOf = (heading: string): string => new RegExp(`^#+ ${heading}\\n([^]*?)(?=^#)`, 'm').exec(page)?.[1] ?? '';

describe('docs/protocol.md', () => {
  test.each([
    ['Job', compactJob],
    ['Ask', compactAsk],
    ['Answer', compactAnswer],
    ['Progress', compactProgress],
    ['Report', compactReport],
  ] as const)('has every field of %s with its type, and no other', (heading, schema) => {
    const told = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }) as JsonSchema;
    const documented = [...sectionOf(heading).matchAll(/^\| (`[^|]*?) *\| ([^|]*?) *\| [^|]+\|$/gm)];
    expect(documented.map(([, field, type]) => `${String(field)} | ${String(type)}`)).toEqual(rowsOf(told));
  });

  test('names the subjects, the queue, the timings and the limits that are in force', () => {
    const { subject, service, major } = compactChannel({});
    expect(page).toContain(`pith.v1.${subject}`);
    expect(page).toContain(`the queue \`${String(service)}\``);
    expect(page).toContain(`schemas of the bodies: \`${String(major)}\``);
    const { acceptMs, heartbeatMs, missed, probeMs, resendMs } = DEFAULT_TIMINGS;
    const timings = [...sectionOf('What an agent does').matchAll(/^\| [^|]*[a-z] +\| (\d+)(?: ms)? +\|$/gm)];
    expect(timings.map(([, value]) => Number(value))).toEqual([acceptMs, heartbeatMs, missed, probeMs, resendMs]);
    expect(page).toContain(`At most ${String(OPEN_ASKS)} may be open`);
    expect(page).toMatch(new RegExp(`newest ${String(KEPT_ANSWERS)},`));
  });

  test('lists the tools of the desk with their arguments', async () => {
    const { desk } = await openTestDesk();
    const expected = desk.tools.map(({ name, parameters }) => {
      const { properties = {}, required = [] } = parameters as JsonSchema;
      const names = Object.keys(properties).map((key) => `\`${key}${required.includes(key) ? '' : '?'}\``);
      return `\`${name}\` | ${names.join(', ')}`;
    });
    const listed = [...sectionOf('Tools').matchAll(/^\| (`\w+`) +\| ([^|]*?) +\|/gm)];
    expect(listed.map(([, name, args]) => `${String(name)} | ${String(args)}`).toSorted()).toEqual(expected.toSorted());
  });

  test('speaks of no code of an error that there is not', () => {
    const codes = new Set([...page.matchAll(/PITH_[A-Z_]+/g)].map(([code]) => code));
    for (const code of codes) expect(Object.keys(ERROR_CODES)).toContain(code);
  });
});
