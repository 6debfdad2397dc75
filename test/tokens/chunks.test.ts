import fc from 'fast-check';
import { get_encoding } from 'tiktoken';
import { boundaryIn, CHUNK_UNITS, chunkEnd, wholeBefore, wholeFrom } from '../../core/tokens/chunks';
import { anyText, sourceText } from './texts';

const plain = get_encoding('o200k_base');
const countOf = (text: string): number => plain.encode_ordinary(text).length;

afterAll(() => plain.free());

function chunksOf(text: string, limit?: number): string[] {
  const chunks: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = chunkEnd(text, at, limit);
    expect(end).toBeGreaterThan(at);
    chunks.push(text.slice(at, end));
    at = end;
  }
  return chunks;
}

describe('chunks of a text', () => {
  it('put together are the text, each bounded, none inside a surrogate pair', () => {
    fc.assert(
      fc.property(anyText(), fc.integer({ min: 2, max: 400 }), (text, limit) => {
        const chunks = chunksOf(text, limit);
        expect(chunks.join('')).toBe(text);
        for (const chunk of chunks) {
          expect(chunk.length).toBeLessThanOrEqual(limit);
          expect(chunk.isWellFormed() || !text.isWellFormed()).toBe(true);
        }
      }),
    );
  });

  it('count together exactly what the whole counts, where no run is too long', () => {
    fc.assert(
      fc.property(sourceText(), fc.integer({ min: 64, max: 512 }), (text, limit) => {
        const chunks = chunksOf(text, limit);
        // A chunk without any boundary in reach is cut by force; ordinary text has one every few words.
        expect(chunks.reduce((sum, chunk) => sum + countOf(chunk), 0)).toBe(countOf(text));
      }),
    );
  });

  it.each([
    ['letters', 'a', 256],
    ['spaces', ' ', 256],
    ['line feeds', '\n', 256],
    ['punctuation', '=', 256],
    ['apostrophes', "'", 256],
    ['kana', 'あ', 85],
    ['lone surrogates', '\ud800', 85],
    ['wide spaces', '\u3000', 85],
    ['emoji', '😀', 84],
  ])('hold at most one capped run of %s', (_, unit, cap) => {
    const chunks = chunksOf(unit.repeat(2000));
    expect(chunks[0]).toHaveLength(cap);
    expect(Math.max(...chunks.map((chunk) => chunk.length))).toBe(cap);
  });

  it('take digits whole, for every encoding splits them in threes', () => {
    expect(chunksOf('7'.repeat(3000))).toHaveLength(1);
  });

  it('end a run where its class changes: words and numbers of any length follow each other', () => {
    expect(chunksOf('word 12 '.repeat(1000))).toHaveLength(1);
    expect(chunksOf('слово и ещё '.repeat(400))).toHaveLength(1);
    expect(chunksOf(`${'a'.repeat(200)}${'='.repeat(200)}${' '.repeat(200)}`)).toHaveLength(1);
  });

  it('cap white space that alternates between ASCII and wide characters', () => {
    expect(chunksOf(' \u00a0'.repeat(1000))[0]?.length).toBeLessThanOrEqual(256);
    expect(chunksOf('\u2003 \u2028\u205f\u202f\u1680\u0085'.repeat(200))[0]?.length).toBeLessThanOrEqual(256);
  });

  it('are 16 KB at most and end at the last boundary', () => {
    const text = 'some words, and more. '.repeat(2000);
    const end = chunkEnd(text, 0);
    expect(end).toBeLessThanOrEqual(CHUNK_UNITS);
    expect(end).toBeGreaterThan(CHUNK_UNITS - 10);
  });
});

describe('a boundary of the pre-split', () => {
  function piecesOf(text: string): string[] {
    const starts = [0];
    for (let at = boundaryIn(text, 1, text.length); at !== undefined; at = boundaryIn(text, at + 1, text.length))
      starts.push(at);
    return starts.map((start, index) => text.slice(start, starts[index + 1]));
  }

  it.each([
    ['before a blank and its word', 'one two', ['one', ' two']],
    ['before a line end with its indentation', 'a\n  b', ['a', '\n  b']],
    ['between a line end and a word', 'a\nb', ['a', '\n', 'b']],
    ['between a line end and a digit', 'a\n7', ['a', '\n', '7']],
    ['before a line end after a digit', '7\nb', ['7', '\n', 'b']],
    ['on both sides of a number in a word', 'v12b', ['v', '12', 'b']],
    ['on both sides of a number among signs', '(1)', ['(', '1', ')']],
    ['between an apostrophe and a number', "'1'", ["'", '1', "'"]],
    ['between a word and a sign', 'f(x', ['f', '(x']],
    ['before a blank after a sign', ') x', [')', ' x']],
    ['before a blank after an apostrophe', "' x", ["'", ' x']],
    ['before a tab', 'a\tb', ['a', '\tb']],
  ])('stands %s', (_, text, pieces) => {
    expect(piecesOf(text)).toEqual(pieces);
  });

  it.each([
    ['in a contraction', "don't"],
    ['between a sign and a word', '(x'],
    ['between signs and a line end', ');\n'],
    ['between a carriage return and a word', '\rb'],
    ['between the two halves of a line end', '\r\n'],
    ['between blanks', '  \t'],
    ['between a blank and a line end', ' \n'],
    ['between a line end and a sign', '\n('],
    ['between a line end and a blank', '\n '],
    ['in a word or a number', 'abc'],
    ['in a number', '1234'],
    ['between signs', '()'],
    ['beside other characters', 'aé é\u00a0x'],
  ])('is not known %s', (_, text) => {
    expect(piecesOf(text)).toEqual([text]);
  });
});

describe('an index moved out of a surrogate pair', () => {
  it('goes before the pair or behind it, and stays elsewhere', () => {
    expect(wholeBefore('a😀b', 2)).toBe(1);
    expect(wholeFrom('a😀b', 2)).toBe(3);
    expect(wholeBefore('a😀b', 3)).toBe(3);
    expect(wholeFrom('a😀b', 1)).toBe(1);
    expect(wholeBefore('\ud83d\ud83d', 1)).toBe(1);
    expect(wholeFrom('\ude00\ude00', 1)).toBe(1);
  });

  it('does not go back to the start it counts from', () => {
    expect(wholeBefore('😀', 1, 0)).toBe(1);
  });
});
