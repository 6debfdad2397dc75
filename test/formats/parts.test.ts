import { partsOf } from '../../core/formats/parts';

describe('a message content of any provider', () => {
  test.each<readonly [string, unknown, unknown]>([
    ['a string', 'Hi', [{ type: 'text', text: 'Hi' }]],
    ['nothing', null, []],
    ['an empty string', '', []],
    ['empty blocks', [{ type: 'text', text: '' }, null, ''], []],
    [
      'text blocks',
      [{ type: 'text', text: 'a' }, { type: 'input_text', text: 'b' }, { text: 'c' }, 'd'],
      ['a', 'b', 'c', 'd'].map((text) => ({ type: 'text', text })),
    ],
    ['one block without a list', { type: 'text', text: 'a' }, [{ type: 'text', text: 'a' }]],
    ['an object', { ok: true }, [{ type: 'text', text: '{"ok":true}' }]],
    ['a number', 7, [{ type: 'text', text: '7' }]],
    [
      'an unknown block',
      [{ type: 'tool_reference', tool_name: 'x' }],
      [{ type: 'text', text: '{"type":"tool_reference","tool_name":"x"}' }],
    ],
    [
      'an image by its bytes',
      [{ type: 'image', source: { type: 'base64', media_type: 'image/webp', data: 'AAAA' } }],
      [{ type: 'image', mediaType: 'image/webp', data: 'AAAA' }],
    ],
    [
      'an image by a link',
      [{ type: 'image', source: { type: 'url', url: 'https://x/y.png' } }],
      [{ type: 'image', mediaType: 'image/png', url: 'https://x/y.png' }],
    ],
    [
      'an image by a data URL',
      [{ type: 'image_url', image_url: { url: 'data:image/jpeg;base64,AAAA' } }],
      [{ type: 'image', mediaType: 'image/jpeg', data: 'AAAA' }],
    ],
    [
      'an image of a response item',
      [{ type: 'input_image', image_url: 'https://x/y.gif' }],
      [{ type: 'image', mediaType: 'image/png', url: 'https://x/y.gif' }],
    ],
    [
      'an inline image',
      [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
      [{ type: 'image', mediaType: 'image/png', data: 'AAAA' }],
    ],
    [
      'an attached image',
      [{ type: 'file', mime: 'image/png', url: 'data:image/png;base64,AAAA' }],
      [{ type: 'image', mediaType: 'image/png', data: 'AAAA' }],
    ],
    [
      'an image that was taken out',
      [{ type: 'input_image', image_url: null }],
      [{ type: 'text', text: '[image without data]' }],
    ],
  ])('that is %s becomes parts', (_, content, parts) => {
    expect(partsOf(content)).toEqual(parts);
  });
});
