import { imageSize } from '../../core/tokens/image-size';
import { DEFAULT_IMAGE_TOKENS, imageTokens } from '../../core/tokens/image-tokens';
import type { ImagePart } from '../../core/session/items';
import { gif, jpeg, png, webp } from './image-files';

describe('the size of an image', () => {
  it.each([
    ['PNG', png(1920, 1080), { width: 1920, height: 1080 }],
    ['GIF', gif(320, 200), { width: 320, height: 200 }],
    ['lossy WebP', webp('VP8 ', 800, 600), { width: 800, height: 600 }],
    ['lossless WebP', webp('VP8L', 16_383, 9000), { width: 16_383, height: 9000 }],
    ['extended WebP', webp('VP8X', 70_000, 300), { width: 70_000, height: 300 }],
    ['JPEG', jpeg(1024, 768), { width: 1024, height: 768 }],
    ['JPEG behind a large preview', jpeg(4032, 3024, 60_000), { width: 4032, height: 3024 }],
  ])('is read from the header of a %s', (_, file, size) => {
    const base64 = file.toString('base64');
    expect(imageSize(base64)).toEqual(size);
    expect(imageSize(`data:image/x;base64,${base64}`)).toEqual(size);
  });

  it('is found at any alignment of a JPEG segment', () => {
    for (let length = 20; length < 26; length++)
      expect(imageSize(jpeg(640, 480, length).toString('base64'))).toEqual({ width: 640, height: 480 });
  });

  it('is found behind fill bytes and markers without length', () => {
    const file = jpeg(640, 480);
    const filled = Buffer.concat([
      file.subarray(0, 2),
      Buffer.from([0xff, 0xff, 0xff, 0x01, 0xff, 0xd0]),
      file.subarray(2),
    ]);
    expect(imageSize(filled.toString('base64'))).toEqual({ width: 640, height: 480 });
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('this is no image, only a sentence of some length')],
    ['a PNG without its first chunk', Buffer.concat([png(1, 1).subarray(0, 12), Buffer.alloc(20)])],
    ['half a header', png(100, 100).subarray(0, 20)],
    ['half a GIF', gif(9, 9).subarray(0, 9)],
    ['half a WebP', webp('VP8 ', 9, 9).subarray(0, 29)],
    ['another RIFF file', Buffer.concat([Buffer.from('RIFF0000WAVEfmt '), Buffer.alloc(40)])],
    ['an unknown WebP', webp('VP9 ', 9, 9)],
    ['an image of no size', png(0, 100)],
    ['an image of no height', gif(100, 0)],
    ['a JPEG that ends early', jpeg(640, 480).subarray(0, 12)],
    ['a JPEG without markers', Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(40)])],
    [
      'a JPEG of markers alone',
      Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(400, Buffer.from([0xff, 0x01]))]),
    ],
  ])('is not known for %s', (_, file) => {
    expect(imageSize(file.toString('base64'))).toBeUndefined();
  });

  it('is not looked for behind an endless data prefix', () => {
    expect(imageSize(`data:${'x'.repeat(5000)},${png(10, 10).toString('base64')}`)).toBeUndefined();
  });
});

describe('the tokens of an image', () => {
  const sized = (width: number, height: number): ImagePart => ({
    type: 'image',
    mediaType: 'image/png',
    width,
    height,
  });

  it.each([
    ['claude-sonnet-4-5', 1024, 1024, 1369],
    ['claude-opus-4-6', 1920, 1080, 1568],
    ['us.anthropic.claude-3-5-sonnet', 200, 200, 64],
    ['claude-opus-4-7', 1920, 1080, 2691],
    ['claude-opus-4.7', 4000, 4000, 4784],
    ['claude-sonnet-5', 1920, 1080, 2691],
    ['gpt-4o', 1024, 1024, 765],
    ['gpt-4o', 2048, 4096, 1105],
    ['gpt-4o', 512, 512, 255],
    ['o3', 1024, 1024, 765],
    ['gpt-5', 1024, 1024, 630],
    ['gpt-5.1-codex', 1024, 1024, 630],
    ['gpt-5.6', 4032, 3024, 14_364],
    ['gpt-5.6-luna', 1024, 1024, 1229],
    ['gpt-4.1-mini', 1024, 1024, 1659],
    ['gpt-5-nano', 2048, 2048, 3779],
    ['o4-mini', 320, 320, 172],
    ['gemini-2.5-flash', 384, 384, 258],
    ['gemini-2.5-flash', 385, 100, 258],
    ['gemini-2.5-flash', 769, 800, 1032],
    ['gemini-3-pro-preview', 4000, 4000, 1100],
    ['some-model', 4000, 4000, DEFAULT_IMAGE_TOKENS],
  ])('for %s follow its rule: %i x %i', (model, width, height, tokens) => {
    expect(imageTokens(sized(width, height), model)).toBe(tokens);
  });

  it('are a default where size or model are not known', () => {
    expect(imageTokens({ type: 'image', mediaType: 'image/png', url: 'https://example.org/a.png' }, 'gpt-4o')).toBe(
      1600,
    );
    expect(imageTokens({ type: 'image', mediaType: 'image/png', data: 'bm8gaW1hZ2U=' }, 'gpt-4o')).toBe(1600);
    expect(imageTokens({ ...sized(0, 50) }, 'gpt-4o')).toBe(1600);
    expect(imageTokens(sized(100, 100), undefined)).toBe(1600);
  });

  it('come from the header of data and of a data URL where no size is given', () => {
    const data = png(512, 512).toString('base64');
    expect(imageTokens({ type: 'image', mediaType: 'image/png', data }, 'gpt-4o')).toBe(255);
    expect(imageTokens({ type: 'image', mediaType: 'image/png', url: `data:image/png;base64,${data}` }, 'gpt-4o')).toBe(
      255,
    );
  });

  it('are bounded whatever size a header claims', () => {
    expect(imageTokens(sized(4_000_000_000, 4_000_000_000), 'gpt-5.6')).toBe(16_000);
    expect(imageTokens(sized(1_000_000, 1_000_000), 'gemini-2.5-pro')).toBe(16_000);
  });
});
