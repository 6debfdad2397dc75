import fc from 'fast-check';
import { parseMarkdown, parseSpans } from '../../../core/report/page/markdown';
import type { Span, TextBlock } from '../../../core/report/page/markdown';
import { renderSummary } from '../../../plugins/compaction/summary-format';

const plain = (text: string): readonly Span[] => [{ kind: 'plain', text }];

describe('the Markdown of summaries', () => {
  it('is read by headings, lists and paragraphs', () => {
    const summary = renderSummary({
      completed: [{ name: 'Dates', lines: ['ISO dates alone.', 'Two tests.'] }],
      active: [],
      decisions: ['streams — memory', 'no dependency — size'],
      directives: ['"two blanks"'],
      current: ['The writer.'],
    });
    expect(parseMarkdown(summary)).toEqual([
      { kind: 'heading', level: 2, text: plain('Completed Tasks') },
      { kind: 'heading', level: 3, text: plain('Dates') },
      { kind: 'paragraph', text: plain('ISO dates alone.\nTwo tests.') },
      { kind: 'heading', level: 2, text: plain('Active Task') },
      { kind: 'paragraph', text: plain('(none)') },
      { kind: 'heading', level: 2, text: plain('Key Decisions') },
      { kind: 'list', isOrdered: false, items: [plain('streams — memory'), plain('no dependency — size')] },
      { kind: 'heading', level: 2, text: plain('User Directives') },
      { kind: 'list', isOrdered: false, items: [plain('"two blanks"')] },
      { kind: 'heading', level: 2, text: plain('Current Work') },
      { kind: 'paragraph', text: plain('The writer.') },
    ]);
  });

  it('has numbered lists, entries of several lines, and code that is left alone', () => {
    expect(parseMarkdown('1. one\n   more\n2) two\n- other\n\n```ts\n# no heading\n\n- no entry\n```\nend')).toEqual([
      { kind: 'list', isOrdered: true, items: [plain('one\nmore'), plain('two')] },
      { kind: 'list', isOrdered: false, items: [plain('other')] },
      { kind: 'code', text: '# no heading\n\n- no entry' },
      { kind: 'paragraph', text: plain('end') },
    ]);
    expect(parseMarkdown('~~~\nnever closed')).toEqual([{ kind: 'code', text: 'never closed' }]);
  });

  it('marks code and what is strong, and takes a mark without its other for text', () => {
    expect(parseSpans('a `b **c**` **d** `e')).toEqual([
      { kind: 'plain', text: 'a ' },
      { kind: 'code', text: 'b **c**' },
      { kind: 'plain', text: ' ' },
      { kind: 'strong', text: 'd' },
      { kind: 'plain', text: ' `e' },
    ]);
    expect(parseSpans('2 ** 3')).toEqual(plain('2 ** 3'));
    expect(parseSpans('``')).toEqual(plain('``'));
  });

  it('loses no word of any text', () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/);
    const line = fc
      .tuple(
        fc.constantFrom('', '# ', '### ', '- ', '  * ', '3. ', '`', '**', '    '),
        word,
        fc.constantFrom('', '`', '**'),
      )
      .map((parts) => parts.join(''));
    const lines = fc.array(fc.oneof(line, fc.constantFrom('', '```', '~~~~', '   ')));
    fc.assert(
      fc.property(lines, (all) => {
        const text = all.join('\n');
        const words = (of: string): readonly string[] => of.match(/[a-z]+/g) ?? [];
        expect(words(parseMarkdown(text).map(textOf).join('\n'))).toEqual(words(text));
      }),
    );
  });

  it('takes any text, however long its lines, and never throws', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseMarkdown(text)));
    const long = ['`', '**', '- ', '#', '```\n', '1. ', '\n\n', '**`'].map((piece) => piece.repeat(50_000));
    for (const text of long) expect(parseMarkdown(text)).toBeDefined();
  });
});

function textOf(block: TextBlock): string {
  if (block.kind === 'code') return block.text;
  const spans = block.kind === 'list' ? block.items : [block.text];
  return spans.map((text) => text.map((span) => span.text).join('')).join('\n');
}
