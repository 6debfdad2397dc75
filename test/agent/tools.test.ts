import * as v from 'valibot';
import { z } from 'zod';
import { createKernel } from '../../core/agent/create-kernel';
import { errorResult, normaliseResult } from '../../core/agent/tool-results';
import { TOOLS, toolsFrom } from '../../core/agent/tool-registry';
import { defineTool } from '../../core/agent/tools';
import type { Json } from '../../core/session/items';
import { plugin } from './agents';

const base = { name: 'x', description: 'does x', kind: 'read', run: () => 'done' } as const;
const invalid = (problem: string) =>
  expect.objectContaining({
    code: 'PITH_TOOL_INVALID',
    message: expect.stringContaining(problem) as string,
  }) as unknown as Error;

describe('defineTool', () => {
  it('takes any Standard Schema that tells its JSON Schema', async () => {
    const tool = defineTool({
      ...base,
      input: z.object({ path: z.string().describe('where'), limit: z.number().int().optional() }),
    });
    expect(tool.parameters).toEqual({
      type: 'object',
      properties: {
        path: { type: 'string', description: 'where' },
        limit: expect.objectContaining({ type: 'integer' }) as Json,
      },
      required: ['path'],
    });
    expect(await tool.parse({ path: 'a' })).toEqual({ ok: true, value: { path: 'a' } });
    expect(await tool.parse({})).toEqual({ ok: false, message: expect.stringContaining('path:') as string });
    expect(Object.isFrozen(tool)).toBe(true);
    expect(tool.roles).toEqual(['main']);
  });

  it('tells the model what goes in, not what comes out of the schema', () => {
    const tool = defineTool({ ...base, input: z.object({ n: z.number().default(3) }) });
    expect((tool.parameters as { required?: unknown }).required).toBeUndefined();
  });

  it('takes a schema with a toJSONSchema of its own', () => {
    const input = {
      '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value }) },
      toJSONSchema: () => ({ type: 'object' }),
    } as const;
    expect(defineTool({ ...base, input }).parameters).toEqual({ type: 'object' });
  });

  it('takes a schema that cannot tell, with its JSON Schema beside it', async () => {
    const input = v.object({ n: v.number() });
    expect(() => defineTool({ ...base, input })).toThrow(invalid('give it as parameters'));
    const tool = defineTool({ ...base, input, parameters: { type: 'object' } });
    expect(await tool.parse({ n: 1 })).toEqual({ ok: true, value: { n: 1 } });
    expect((await tool.parse({ n: 'x' })).ok).toBe(false);
  });

  it('takes plain JSON Schema and validates by it', async () => {
    const input = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const;
    const tool = defineTool({ ...base, input });
    expect(tool.parameters).toBe(input);
    expect(await tool.parse({ n: 1 })).toEqual({ ok: true, value: { n: 1 } });
    expect(await tool.parse({ n: 1.5 })).toEqual({ ok: false, message: '"n" must be integer, not number' });
  });

  it('knows the path arguments of common tools by name, unless the tool declares its own', () => {
    expect(defineTool({ ...base, name: 'read_file', input: {} }).paths({ path: 'a.ts' })).toEqual(['a.ts']);
    expect(defineTool({ ...base, name: 'unheard_of', input: {} }).paths({ path: 'a.ts' })).toEqual([]);
    expect(
      defineTool({ ...base, name: 'read_file', input: {}, paths: () => ['b.ts'] }).paths({ path: 'a.ts' }),
    ).toEqual(['b.ts']);
  });

  it.each([
    ['a name with spaces', { ...base, name: 'no good', input: {} }],
    ['no name', { ...base, name: undefined as never, input: {} }],
    ['an empty name', { ...base, name: '', input: {} }],
    ['no run', { ...base, run: undefined as never, input: {} }],
    ['no schema', { ...base, input: 7 }],
    ['a schema that JSON cannot say', { ...base, input: z.object({ d: z.date() }) }],
  ])('refuses %s', (_, definition) => {
    expect(() => defineTool(definition)).toThrow(invalid('cannot be taken'));
  });
});

describe('the result of a tool', () => {
  it('is its own summary where it is one short line', () => {
    expect(normaliseResult('x', 'Marked.')).toEqual({ summary: 'Marked.' });
  });

  it('has a summary of name, size and first line where it is more', () => {
    const text = 'first line\nsecond line';
    const { summary, content } = normaliseResult('x', text);
    expect(summary).toMatch(/^x, 22 characters in 2 lines: first line$/);
    expect(content).toBe(text);
    const long = 'y'.repeat(201);
    expect(normaliseResult('x', long)).toMatchObject({ content: long });
    expect(normaliseResult('x', 'y'.repeat(200))).toEqual({ summary: 'y'.repeat(200) });
  });

  it('says that there is none', () => {
    for (const output of ['', '  \n', undefined, { content: '' }, { content: [] }]) {
      expect(normaliseResult('x', output).summary).toBe('x, no output');
    }
  });

  it('takes parts that are none as JSON', () => {
    for (const part of [{ type: 'image', mediaType: 'image/png', data: 5 }, { type: 'image' }, { type: 'text' }]) {
      const output = { content: [part] };
      expect(normaliseResult('x', output as never)).toEqual({ summary: JSON.stringify(output) });
    }
  });

  it('keeps the summary that the tool gives, and makes one where it is blank', () => {
    expect(normaliseResult('x', { summary: 'mine', content: 'long', isError: true })).toEqual({
      summary: 'mine',
      content: 'long',
      isError: true,
    });
    expect(normaliseResult('x', { summary: 'mine' })).toEqual({ summary: 'mine' });
    expect(normaliseResult('x', { summary: ' ', content: 'a\nb' }).summary).toContain('x, ');
    expect(
      normaliseResult('x', {
        content: [
          { type: 'text', text: 'a' },
          { type: 'image', mediaType: 'image/png', data: '' },
        ],
      }).summary,
    ).toBe('x, 1 character and 1 image: a');
    expect(normaliseResult('x', { content: 'one\ntwo', isError: true }).summary).toContain('x failed');
  });

  it('that is none at all is taken as JSON', () => {
    expect(normaliseResult('x', { rows: 3 } as never)).toEqual({ summary: '{"rows":3}' });
    expect(normaliseResult('x', [1, 2] as never)).toEqual({ summary: '[1,2]' });
    expect(normaliseResult('x', null as never)).toEqual({ summary: 'null' });
    expect(normaliseResult('x', { summary: 3 } as never)).toEqual({ summary: '{"summary":3}' });
    expect(normaliseResult('x', { content: [{ type: 'audio' }] } as never)).toEqual({
      summary: '{"content":[{"type":"audio"}]}',
    });
  });

  it('that is an error says so', () => {
    expect(errorResult('x', 'Error: no')).toEqual({ summary: 'Error: no', isError: true });
    expect(errorResult('x', 'one\ntwo')).toMatchObject({
      summary: expect.stringContaining('x failed') as string,
      content: 'one\ntwo',
      isError: true,
    });
  });
});

describe('a tool set of the AI SDK', () => {
  const run = {
    session: {} as never,
    role: 'main',
    callId: 'c1',
    signal: new AbortController().signal,
    progress: () => undefined,
  } as const;
  const only = (set: unknown) => toolsFrom(set as never)[0]!;

  it('is taken as it is, its tools being exec', async () => {
    const calls: unknown[] = [];
    const set = {
      weather: {
        description: 'tells the weather',
        inputSchema: z.object({ city: z.string() }),
        execute: async (input: unknown, options: unknown) => {
          calls.push(input, options);
          return { degrees: 20 };
        },
      },
      plain: { inputSchema: { jsonSchema: { type: 'object' } }, execute: () => 'text' },
    };
    const [weather, plain] = toolsFrom(set as never);
    expect(weather).toMatchObject({ name: 'weather', description: 'tells the weather', kind: 'exec', roles: ['main'] });
    expect(weather?.parameters).toMatchObject({ properties: { city: { type: 'string' } } });
    expect(await weather?.run({ city: 'x' } as never, run)).toBe('{"degrees":20}');
    expect(calls).toEqual([{ city: 'x' }, { toolCallId: 'c1', messages: [], abortSignal: run.signal }]);
    expect(plain).toMatchObject({ description: '', parameters: { type: 'object' } });
    expect(await plain?.run({} as never, run)).toBe('text');
  });

  it('may have schemas of the SDK, with a validation of their own, also behind a function', async () => {
    const jsonSchema = { type: 'object' };
    const validate = (value: unknown) =>
      value === 1 ? { success: true, value: 2 } : { success: false, error: new Error('not one') };
    const tool = only({ t: { inputSchema: () => ({ jsonSchema, validate }), execute: () => '' } });
    expect(tool.parameters).toEqual(jsonSchema);
    expect(await tool.parse(1)).toEqual({ ok: true, value: 2 });
    expect(await tool.parse(3)).toEqual({ ok: false, message: 'not one' });
  });

  it('gives what its own toModelOutput makes of the output', async () => {
    const outputs: [unknown, unknown][] = [
      [{ type: 'text', value: 'seen' }, 'seen'],
      [{ type: 'json', value: { a: 1 } }, '{"a":1}'],
      [
        { type: 'error-text', value: 'bad' },
        { content: 'bad', isError: true },
      ],
      [
        {
          type: 'content',
          value: [
            { type: 'text', text: 'a' },
            { type: 'media', data: 'AA', mediaType: 'image/png' },
          ],
        },
        {
          content: [
            { type: 'text', text: 'a' },
            { type: 'image', mediaType: 'image/png', data: 'AA' },
          ],
        },
      ],
    ];
    for (const [made, expected] of outputs) {
      const seen: unknown[] = [];
      const toModelOutput = (options: unknown) => {
        seen.push(options);
        return made;
      };
      const tool = only({ t: { inputSchema: { jsonSchema: {} }, execute: () => 'raw', toModelOutput } });
      expect(await tool.run({ q: 1 } as never, run)).toEqual(expected);
      expect(seen).toEqual([{ toolCallId: 'c1', input: { q: 1 }, output: 'raw' }]);
    }
  });

  it('gives the content of MCP tools as parts', async () => {
    const output = {
      content: [
        { type: 'text', text: 'a' },
        { type: 'image', data: 'AA', mimeType: 'image/png' },
        { type: 'resource', uri: 'x' },
        3,
      ],
      isError: true,
    };
    const tool = only({ t: { inputSchema: { jsonSchema: {} }, execute: () => output } });
    expect(await tool.run({} as never, run)).toEqual({
      content: [
        { type: 'text', text: 'a' },
        { type: 'image', mediaType: 'image/png', data: 'AA' },
        { type: 'text', text: '{"type":"resource","uri":"x"}' },
        { type: 'text', text: '3' },
      ],
      isError: true,
    });
  });

  it('that streams gives the last output, the others being progress', async () => {
    const progress: string[] = [];
    const execute = async function* () {
      yield 'one';
      yield { two: 2 };
      yield 'three';
    };
    const tool = only({ t: { inputSchema: { jsonSchema: {} }, execute } });
    expect(await tool.run({} as never, { ...run, progress: (text: string) => progress.push(text) })).toBe('three');
    expect(progress).toEqual(['one', '{"two":2}']);
  });

  it.each([
    ['has no execute', { inputSchema: { jsonSchema: {} } }, 'no execute'],
    ['has no schema', { execute() {} }, 'neither a tool of Pith nor of the AI SDK'],
    ['is nothing', null, 'neither a tool of Pith nor of the AI SDK'],
    ['has a schema that is none', { inputSchema: {}, execute() {} }, 'inputSchema is not a schema'],
    [
      'has a schema that is still to come',
      { inputSchema: { jsonSchema: Promise.resolve({}) }, execute() {} },
      'await it first',
    ],
  ])('is refused where a tool %s', (_, tool, problem) => {
    expect(() => toolsFrom({ t: tool } as never)).toThrow(invalid(problem));
  });
});

describe('ctx.tools', () => {
  it('takes tools, lists of tools and tool sets, and the kernel hands them out in the order of the start', async () => {
    const one = defineTool({ ...base, name: 'one', input: {} });
    const kernel = await createKernel({
      plugins: [
        plugin('a', ({ tools }) => {
          tools.add(one);
          tools.add([{ ...one, name: 'two' }]);
        }),
        plugin('b', ({ tools }) => tools.add({ three: { inputSchema: { jsonSchema: {} }, execute: () => '' } })),
      ],
    });
    expect(kernel.contributions(TOOLS).map(({ key, plugin: by }) => [by, key])).toEqual([
      ['a', 'one'],
      ['a', 'two'],
      ['b', 'three'],
    ]);
    expect(kernel.describe().plugins.map(({ contributions }) => contributions['tools'])).toEqual([
      ['one', 'two'],
      ['three'],
    ]);
    await kernel.stop();
  });

  it('takes a name once', async () => {
    const one = defineTool({ ...base, name: 'one', input: {} });
    const plugins = ['a', 'b'].map((name) => plugin(name, ({ tools }) => tools.add(one)));
    await expect(createKernel({ plugins })).rejects.toMatchObject({
      code: 'PITH_PLUGIN_GRAPH',
      details: { faults: [{ kind: 'duplicate-contribution', plugin: 'b', about: 'one', plugins: ['a', 'b'] }] },
    });
  });
});
