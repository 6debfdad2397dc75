import fc from 'fast-check';
import { parse } from 'smol-toml';
import { parseToml } from '../../core/manifest/parse-toml';
import { tomlPlaces } from '../../core/manifest/toml-places';

const lineOf = (text: string, ...path: (string | number)[]): number => tomlPlaces(text)(path).line;

describe('the places of TOML keys', () => {
  const text = `# comment with [header] and key = 1
top = 1
[a]
  x = "# no comment"   # comment
"quoted key" . 'and this' = 2
long = """
[not.a.table]
y = 1
"""
list = [
  # inside
  "one", [ 1,
  2 ],
  { deep = 3, "and \\"more\\"" = { most = 4 } },
]
[a.b.c]
x = 1
[[entries]]
name = "first"
[entries.inner]
x = 1
[[entries]]
name = 'second'
[[entries.sub]]
z = 1
[last]
"\\u00e9" = 1
bare-key_1 = '''
x = ''''
end = 1979-05-27T07:32:00Z
`;

  test('are found in every form of a document', () => {
    expect(() => parse(text)).not.toThrow();
    const places: [number, number, ...(string | number)[]][] = [
      [2, 1, 'top'],
      [3, 1, 'a'],
      [4, 3, 'a', 'x'],
      [5, 1, 'a', 'quoted key'],
      [5, 16, 'a', 'quoted key', 'and this'],
      [6, 1, 'a', 'long'],
      [10, 1, 'a', 'list'],
      [12, 3, 'a', 'list', 0],
      [13, 3, 'a', 'list', 1, 1],
      [14, 5, 'a', 'list', 2, 'deep'],
      [14, 34, 'a', 'list', 2, 'and "more"', 'most'],
      [16, 1, 'a', 'b', 'c'],
      [17, 1, 'a', 'b', 'c', 'x'],
      [18, 1, 'entries'],
      [19, 1, 'entries', 0, 'name'],
      [21, 1, 'entries', 0, 'inner', 'x'],
      [22, 1, 'entries', 1],
      [23, 1, 'entries', 1, 'name'],
      [25, 1, 'entries', 1, 'sub', 0, 'z'],
      [27, 1, 'last', 'é'],
      [28, 1, 'last', 'bare-key_1'],
      [30, 1, 'last', 'end'],
    ];
    const find = tomlPlaces(text);
    for (const [line, column, ...path] of places) expect([path, find(path)]).toEqual([path, { line, column }]);
  });

  test('what is not there is where the table around it is', () => {
    expect(lineOf(text, 'a', 'missing')).toBe(3);
    expect(lineOf(text, 'entries', 1, 'missing', 'more')).toBe(22);
    expect(lineOf(text, 'nowhere')).toBe(1);
    expect(lineOf('', 'x')).toBe(1);
  });

  test('are right for any document, whatever its keys and values are like', () => {
    const name = fc.oneof(fc.stringMatching(/^[a-z][a-z0-9_-]{0,6}$/), fc.string({ maxLength: 6 }));
    const key = fc.record({ name, literal: fc.boolean() });
    const value = fc.oneof(
      fc.integer().map(String),
      fc.string().map((text) => JSON.stringify(text)),
      fc.constantFrom(
        'true',
        '1.5',
        "'literal # ]'",
        '"""\na = 1\n[x]\n"""',
        "'''\n# x\n'''",
        '[]',
        '{}',
        '[1, # c\n 2,\n]',
        '[ "]", [ "#" ] ]',
        '{ a = 1, b.c = "}" }',
        '07:32:00',
      ),
    );
    const pair = fc.record({ key, value, before: fc.constantFrom('', ' ', '\t', '\n', '# c = 1\n', '\n\n') });
    const table = fc.record({
      key,
      pairs: fc.uniqueArray(pair, { maxLength: 5, selector: ({ key: { name: same } }) => same }),
    });
    const document = fc.uniqueArray(table, { maxLength: 5, selector: ({ key: { name: same } }) => same });
    fc.assert(
      fc.property(document, fc.constantFrom('\n', '\r\n'), (tables, newline) => {
        let toml = '';
        const expected: [string[], number][] = [];
        for (const { key: header, pairs } of tables) {
          expected.push([[header.name], toml.split('\n').length]);
          toml += `[${spelled(header)}]\n`;
          for (const entry of pairs) {
            toml += entry.before;
            expected.push([[header.name, entry.key.name], toml.split('\n').length]);
            toml += `${spelled(entry.key)} = ${entry.value}\n`;
          }
        }
        toml = toml.replace(/\n/g, newline);
        expect(() => parse(toml)).not.toThrow();
        const find = tomlPlaces(toml);
        for (const [path, line] of expected) expect([path, find(path).line]).toEqual([path, line]);
      }),
      { numRuns: 400 },
    );
  });

  test('are looked for in bounded time, whatever the text is', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc
            .array(fc.constantFrom('[', ']', '{', '}', '"', "'", '=', ',', '\n', '#', 'a', '.', '\\', '"""'), {
              maxLength: 60,
            })
            .map((parts) => parts.join('')),
        ),
        (any) => {
          expect(tomlPlaces(any)(['a', 0, 'b']).line).toBeGreaterThan(0);
        },
      ),
    );
  });
});

function spelled({ name, literal }: { readonly name: string; readonly literal: boolean }): string {
  if (literal && /^[\w-]+$/.test(name)) return name;
  if (literal && /^[^'\p{Cc}]*$/u.test(name)) return `'${name}'`;
  return JSON.stringify(name).replace(/\x7f/g, '\\u007f');
}

describe('parsing a malformed document', () => {
  test('names every fault of syntax and keeps all else', () => {
    const { values, faults } = parseToml(
      "a = 1\n[x]\nb = \"unclosed\nc = 2\nd = [1,\n 2\ne = 3\n[y\nf=1\ng=2\n[z]\nh = yes\ni=1\ni=2\nj = '''abc\nk=[\n[1],\n[2]\n]\n",
    );
    expect(JSON.parse(JSON.stringify(values))).toEqual({ a: 1, x: { c: 2, e: 3 }, z: { i: 1, k: [[1], [2]] } });
    expect(faults.map(({ line }) => line)).toEqual([3, 6, 8, 12, 15, 14]);
  });

  test('leaves out a table that stands twice', () => {
    const { values, faults } = parseToml('[a]\nx = 1\n[a]\ny = 2\nz = 3\n[b]\nx = 1');
    expect(JSON.parse(JSON.stringify(values))).toEqual({ a: { x: 1 }, b: { x: 1 } });
    expect(faults.map(({ line }) => line)).toEqual([3]);
  });

  test('ends, and says nothing of what it read', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const { faults } = parseToml(`canary = "sk-canary\n${text}`);
        expect(JSON.stringify(faults)).not.toContain('canary');
        expect(faults.length).toBeGreaterThan(0);
      }),
    );
  });
});
