/** What an image costs in tokens: a bounded amount by the rule of the model, never the length of its data (S6.2). */
import type { ImagePart } from '../session/items';
import { modelName } from './model-name';
import { imageSize, type ImageSize } from './image-size';

/** Tokens of an image whose size is not known. */
export const DEFAULT_IMAGE_TOKENS = 1600;

/** Tokens of an image at most, whatever size its header claims. */
const MAX_IMAGE_TOKENS = 16_000;

type ImageRule = (size: ImageSize) => number;

/** The first pattern that matches wins; other models count {@link DEFAULT_IMAGE_TOKENS} for any image. */
const RULES: readonly (readonly [RegExp, ImageRule])[] = [
  [/claude-[a-z]+-(4[-.][7-9]|[5-9])/, (size) => patches(size, 28, 4784)],
  [/claude/, (size) => patches(size, 28, 1568)],
  [/^gpt-(4\.1|5)-mini/, (size) => patches(size, 32, 1536) * 1.62],
  [/^gpt-(4\.1|5)-nano/, (size) => patches(size, 32, 1536) * 2.46],
  [/^o4-mini/, (size) => patches(size, 32, 1536) * 1.72],
  [/^gpt-5(\.[0-5])?(?![.\d])/, (size) => tiles(size, 70, 140)],
  [/^gpt-[5-9]/, (size) => patches(size, 32, Infinity) * 1.2],
  [/^(gpt-4|chatgpt-|o[13])/, (size) => tiles(size, 85, 170)],
  [/^gemini-[12]/, geminiTiles],
  [/^gemini/, () => 1100],
];

/** Tokens of an image for a model: by its width and height, read from its header where they are not given. */
export function imageTokens(image: ImagePart, model: string | undefined): number {
  const size = sizeOf(image);
  const name = modelName(model ?? '');
  const rule = RULES.find(([pattern]) => pattern.test(name))?.[1];
  return size === undefined || rule === undefined
    ? DEFAULT_IMAGE_TOKENS
    : Math.min(MAX_IMAGE_TOKENS, Math.ceil(rule(size)));
}

function sizeOf(image: ImagePart): ImageSize | undefined {
  const { width, height } = image;
  if (width !== undefined && height !== undefined && width > 0 && height > 0) return { width, height };
  if (image.data !== undefined) return imageSize(image.data);
  return image.url?.startsWith('data:') === true ? imageSize(image.url) : undefined;
}

/** One token per square patch; images that need more than `most` are scaled down first. */
function patches({ width, height }: ImageSize, side: number, most: number): number {
  return Math.min(most, Math.ceil(width / side) * Math.ceil(height / side));
}

/** A base and an amount per 512-pixel tile, after fitting into 2048 pixels with the short side at most 768. */
function tiles({ width, height }: ImageSize, base: number, perTile: number): number {
  const fit = Math.min(1, 2048 / Math.max(width, height));
  const shrink = Math.min(1, 768 / (Math.min(width, height) * fit));
  const scale = fit * shrink;
  return base + perTile * Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512);
}

/** 258 tokens for a small image, else 258 per 768-pixel tile. */
function geminiTiles({ width, height }: ImageSize): number {
  if (width <= 384 && height <= 384) return 258;
  return 258 * Math.ceil(width / 768) * Math.ceil(height / 768);
}
