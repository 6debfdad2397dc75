import fc from 'fast-check';
import { widthOf } from '../../core/cli/display-width';
import { ACROSS, inAscii, showsGlyphs, UPWARD } from '../../core/cli/glyphs';

describe('glyphs', () => {
  test('ASCII takes the place of all that is drawn, as wide as before', () => {
    const drawn = [...ACROSS, ...UPWARD, ...'·░▒▓▪│┃─╌┤┬└▼▽×▴→…±−–—'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...drawn, 'a', ' ', '1')), (glyphs) => {
        const ascii = inAscii(glyphs.join(''));
        expect(ascii).toMatch(/^[ -~]*$/);
        expect(widthOf(ascii)).toBe(widthOf(glyphs.join('')));
      }),
    );
  });

  test('what is told apart by glyphs is told apart in ASCII', () => {
    for (const together of ['·░▒▪█┃▴', '░▒▓▪█', '▼▽×─┬', '█▌▏', '█▄▁'])
      expect(new Set(inAscii(together)).size).toBe(together.length);
  });

  test('letters stay what they are', () => {
    expect(inAscii('Größe, 漢字, 🙂')).toBe('Größe, 漢字, 🙂');
  });

  test('a dumb terminal, the console of Linux and a locale of another encoding get ASCII', () => {
    for (const env of [{ TERM: 'dumb' }, { TERM: 'linux' }, { LANG: 'C' }, { LANG: 'de_DE.UTF-8', LC_ALL: 'POSIX' }])
      expect(showsGlyphs(env)).toBe(false);
    for (const env of [
      {},
      { TERM: 'xterm-256color', LANG: 'C.UTF-8' },
      { LC_ALL: '', LC_CTYPE: 'en_GB.utf8', LANG: 'C' },
    ])
      expect(showsGlyphs(env)).toBe(true);
  });
});
