import fc from 'fast-check';
import { counted, duration, figure, percent, shortFigure, shown } from '../../../core/report/page/figures';

describe('figures of the page', () => {
  it('keep thousands apart, and are short where there is little room', () => {
    expect([figure(0), figure(84_210), figure(1_234_567)]).toEqual(['0', '84,210', '1,234,567']);
    expect([shortFigure(950), shortFigure(84_210), shortFigure(1_200_000)]).toEqual(['950', '84.2K', '1.2M']);
    expect([counted(1, 'request'), counted(2_000, 'request')]).toEqual(['1 request', '2,000 requests']);
  });

  it('tell a share in whole percent, and what is less than one', () => {
    expect([percent(42, 100), percent(1, 1_000), percent(0, 10), percent(5, 0), percent(131, 100)]).toEqual([
      '42%',
      '<1%',
      '0%',
      '0%',
      '131%',
    ]);
  });

  it('tell a duration as a person does', () => {
    expect([12, 999, 1_000, 12_449, 59_949, 59_950, 185_000].map(duration)).toEqual([
      '12 ms',
      '999 ms',
      '1.0 s',
      '12.4 s',
      '59.9 s',
      '1 min 0 s',
      '3 min 5 s',
    ]);
  });
});

describe('a text of a session on the page', () => {
  it('cannot hide anything, nor turn the direction of what stands beside it', () => {
    expect(shown('a\u202egnp.exe')).toBe('a‹U+202E›gnp.exe');
    expect(shown('nul\0 esc\u001b[31m')).toBe('nul␀ esc␛[31m');
    expect(shown('\u2028\u2067\ufeff\u0085')).toBe('‹U+2028›‹U+2067›‹U+FEFF›‹U+0085›');
    expect(shown('line\n\ttab')).toBe('line\n\ttab');
    expect(shown('half \ud83d')).toBe('half \ufffd');
  });

  it('stays as it is where all of it can be seen', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\p{L}\p{N}\p{P}\p{S} \n\t]*$/u), (text) => {
        expect(shown(text)).toBe(text);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(shown(text)).not.toMatch(/[^\P{Cc}\n\t]|[\u2028-\u202e\u2066-\u2069]/u);
        expect(shown(shown(text))).toBe(shown(text));
      }),
    );
  });
});
