import { execFileSync } from 'node:child_process';
import type * as tiktokenPackage from 'tiktoken';
import { encoderOf, releaseEncoders } from '../../core/tokens/encoder';
import { createTiktoken } from '../../core/tokens/tiktoken';
import type { Item } from '../../core/session/items';

// The package itself, so that what is built and freed can be watched.
const tiktoken: typeof tiktokenPackage = jest.requireActual('tiktoken');

const MARKERS = [
  '<|endoftext|>',
  '<|endofprompt|>',
  '<|im_start|>',
  '<|im_end|>',
  '<|fim_prefix|>',
  '<|start_header_id|>',
  '[INST]',
  '<s>',
  '</s>',
  '<start_of_turn>',
  '<think>',
];

afterAll(() => releaseEncoders());

describe('C46: text that spells a special token', () => {
  const plain = tiktoken.get_encoding('o200k_base');
  afterAll(() => plain.free());

  it.each(MARKERS)('counts as ordinary text: %s', (marker) => {
    const text = `const end = '${marker}'; // ${marker}`;
    const tokenizer = createTiktoken();
    expect(tokenizer.countText(text)).toBe(plain.encode_ordinary(text).length);
    expect(tokenizer.countText(marker)).toBeGreaterThan(1);
    expect(tokenizer.truncate(text, 6, 'head').tokens).toBeLessThanOrEqual(6);
    expect(tokenizer.truncate(text, 6, 'tail').text).not.toBe('');
  });

  it('counts in every kind of item, name and schema', () => {
    const tokenizer = createTiktoken();
    for (const marker of MARKERS) {
      const parts = [{ type: 'text', text: marker }] as const;
      const items: Item[] = [
        { id: '1', kind: 'message', role: 'user', parts },
        { id: '2', kind: 'tool_call', callId: 'c', name: marker, arguments: { path: marker, [marker]: marker } },
        { id: '3', kind: 'tool_result', callId: 'c', summary: marker, content: parts },
        { id: '4', kind: 'tool_result', callId: 'c', summary: marker },
        { id: '5', kind: 'reasoning', text: marker },
      ];
      for (const item of items) expect(tokenizer.countItem(item).text).toBeGreaterThan(0);
      expect(
        tokenizer.countTools([{ name: marker, description: marker, parameters: { title: marker } }]),
      ).toBeGreaterThan(10);
    }
  });
});

describe('X32: encoders', () => {
  afterEach(() => jest.restoreAllMocks());

  it('are built once per encoding, however many tokenizers come and go', () => {
    releaseEncoders();
    const built = jest.spyOn(tiktoken, 'get_encoding');
    for (const model of ['gpt-5', 'gpt-4']) createTiktoken(model).countText('load the vocabulary');
    const before = process.memoryUsage().rss;
    for (let session = 0; session < 1000; session++) {
      const tokenizer = createTiktoken(session % 2 === 0 ? 'gpt-5' : 'gpt-4');
      for (let count = 0; count < 50; count++) tokenizer.countText(`session ${session} says ${count}`);
    }
    expect(built.mock.calls.map(([name]) => name).sort()).toEqual(['cl100k_base', 'o200k_base']);
    expect(process.memoryUsage().rss - before).toBeLessThan(50_000_000);
  });

  it('are bypassed for a text that they fail on, and count the next one', () => {
    const tokenizer = createTiktoken();
    const right = tokenizer.countText('twelve words of plain text, and some more of them');
    const failing = jest.spyOn(tiktoken.Tiktoken.prototype, 'encode_ordinary').mockImplementationOnce(() => {
      throw new Error('unreachable');
    });
    expect(tokenizer.countText('x'.repeat(39) + 'é')).toBe(11);
    expect(failing).toHaveBeenCalledTimes(2);
    expect(tokenizer.countText('twelve words of plain text, and some more of them')).toBe(right);
  });

  it('are built again when they are broken for good', () => {
    const tokenizer = createTiktoken();
    const right = tokenizer.countText('some text to count');
    const built = jest.spyOn(tiktoken, 'get_encoding');
    const broken = jest.spyOn(tiktoken.Tiktoken.prototype, 'encode_ordinary').mockImplementation(() => {
      throw new Error('memory access out of bounds');
    });
    expect(tokenizer.countText('some text to count')).toBe(5);
    broken.mockRestore();
    expect(tokenizer.countText('some text to count')).toBe(right);
    expect(built).toHaveBeenCalledTimes(1);
  });

  it('are given up after a few builds: the text is estimated, and cutting it still holds its limit', () => {
    releaseEncoders();
    const built = jest.spyOn(tiktoken, 'get_encoding');
    jest.spyOn(tiktoken.Tiktoken.prototype, 'encode_ordinary').mockImplementation(() => {
      throw new Error('memory access out of bounds');
    });
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const tokenizer = createTiktoken();
    const text = 'word '.repeat(400);
    // Not the same text again: its count would be remembered.
    for (let time = 0; time < 10; time++) expect(tokenizer.countText(text.replace('word', `w${time}rd`))).toBe(500);
    expect(built).toHaveBeenCalledTimes(3);
    expect(warned).toHaveBeenCalledTimes(1);
    expect(warned.mock.calls[0]?.[0]).toContain('it keeps failing');
    expect(tokenizer.truncate(text, 100, 'head')).toEqual({ text: text.slice(0, 400), tokens: 100, truncated: true });
    expect(tokenizer.truncate(text, 100, 'tail')).toEqual({ text: text.slice(-400), tokens: 100, truncated: true });
    expect(tokenizer.truncate('😀'.repeat(50), 7, 'head').text).toBe('😀'.repeat(7));
    expect(tokenizer.truncate('😀'.repeat(50), 7, 'tail').text).toBe('😀'.repeat(7));
  });

  it('are estimated with a warning where the package cannot build them', () => {
    releaseEncoders();
    jest.spyOn(tiktoken, 'get_encoding').mockImplementation(() => {
      throw new Error('Missing tiktoken_bg.wasm');
    });
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const tokenizer = createTiktoken();
    expect(tokenizer.countText('12345678')).toBe(2);
    expect(tokenizer.countText('123456789')).toBe(3);
    expect(warned).toHaveBeenCalledTimes(1);
    expect(warned.mock.calls[0]?.[0]).toContain('Missing tiktoken_bg.wasm');
    expect(warned.mock.calls[0]?.[1]).toEqual({ code: 'PITH_TOKENIZER_ESTIMATES' });
  });

  it('are freed when the process asks, and built again on demand', () => {
    releaseEncoders();
    jest.restoreAllMocks();
    const encoder = encoderOf('o200k_base');
    expect(encoder.count('hello world')).toBe(2);
    const freed = jest.spyOn(tiktoken.Tiktoken.prototype, 'free');
    releaseEncoders();
    expect(freed).toHaveBeenCalledTimes(1);
    expect(encoder.count('hello world')).toBe(2);
  });
});

describe('X34: the vocabulary', () => {
  it('comes with the package: exact counts in a fresh process without any socket', () => {
    const script = `
      const blocked = () => { throw new Error('no network'); };
      for (const name of ['net', 'tls', 'dns', 'dgram', 'http', 'https']) {
        const module = require(name);
        for (const key of ['connect', 'createConnection', 'lookup', 'request', 'get', 'createSocket']) if (key in module) module[key] = blocked;
      }
      require('net').Socket.prototype.connect = blocked;
      globalThis.fetch = blocked;
      require('ts-node').register({ transpileOnly: true });
      const { createTiktoken } = require('./core/tokens/tiktoken');
      const tokenizer = createTiktoken();
      console.log(JSON.stringify(JSON.parse(process.argv[1]).map((text) => tokenizer.countText(text))));`;
    const known: [string, number][] = [
      ['', 0],
      ['a', 1],
      ['hello world', 2],
      [' ', 1],
      ['\n\n\n', 1],
      ['    return x;', 4],
      ['tiktoken is great!', 6],
      ['antidisestablishmentarianism', 6],
      ['2 + 2 = 4', 7],
      ['お誕生日おめでとう', 8],
      ['漢字', 2],
      ['😀', 1],
      ['<|endoftext|>', 7],
      ['function add(a, b) { return a + b; }', 13],
      ['0123456789', 4],
      ['aaaaaaaaaaaaaaaa', 2],
      ['Straße', 2],
      ['Привет, мир!', 5],
      ['{"key": [1, 2, null]}', 11],
      ['https://example.org/a?b=c', 8],
    ];
    const counts = execFileSync(process.execPath, ['-e', script, JSON.stringify(known.map(([text]) => text))], {
      encoding: 'utf8',
    });
    expect(JSON.parse(counts)).toEqual(known.map(([, count]) => count));
  });
});
