/** The checks of the contract of tokenizers about items and tool schemas (S6.2). */
import assert from 'node:assert/strict';
import type { Item, Json } from '../session/items';
import type { ToolSchema } from '../session/records';
import type { Tokenizer } from '../tokens/tokenizer';
import {
  assistantMessage,
  imagePart,
  prose,
  reasoning,
  toolCall,
  toolResult,
  userMessage,
  withIds,
} from './session-builders';
import type { TokenizerCheck } from './tokenizer-contract';
import { slack } from './tokenizer-counts';

/** Tokens that no image may exceed: a bounded vision amount, never its base64 as text. */
const MOST_OF_AN_IMAGE = 20_000;

const TEXT = `Reads the file and says what is wrong. ${prose(200)}`;
const ARGUMENTS: Json = { path: 'src/a.ts', lines: [1, 2, 3], note: TEXT };
const PICTURE: Item = {
  ...withIds([userMessage([{ ...imagePart(), data: 'iVBORw0KGgo'.repeat(100_000) }])])[0],
} as Item;

const ITEMS: readonly Item[] = withIds([
  userMessage(TEXT),
  assistantMessage('Done.'),
  toolCall('c', 'read_file', ARGUMENTS),
  toolResult('c', TEXT),
  reasoning(TEXT),
]);
const SCHEMAS: readonly ToolSchema[] = [
  { name: 'read_file', description: TEXT, parameters: { type: 'object', properties: { path: { type: 'string' } } } },
  { name: 'stop' },
];

/** What the texts of each item count by themselves. */
function textsOf(tokenizer: Tokenizer): readonly number[] {
  const text = tokenizer.countText(TEXT);
  return [text, tokenizer.countText('Done.'), tokenizer.countText(JSON.stringify(ARGUMENTS)), text, text];
}

export const itemChecks: readonly TokenizerCheck[] = [
  {
    name: 'an item counts what its texts count: message, arguments of a call, content of a result, reasoning',
    check(tokenizer) {
      const texts = textsOf(tokenizer);
      for (const [at, item] of ITEMS.entries()) {
        const { text, images, opaque } = tokenizer.countItem(item);
        const expected = texts[at] ?? 0;
        assert.ok(Math.abs(text - expected) <= slack(expected), `${item.kind}: ${text} tokens, its text ${expected}`);
        assert.deepEqual({ images, opaque }, { images: 0, opaque: 0 }, item.kind);
      }
    },
  },
  {
    name: 'a result without content counts its summary, and only then',
    check(tokenizer) {
      const [bare, whole] = withIds([
        { kind: 'tool_result', callId: 'c', summary: TEXT },
        toolResult('c', 'short', TEXT),
      ]) as [Item, Item];
      const summary = tokenizer.countText(TEXT);
      assert.ok(Math.abs(tokenizer.countItem(bare).text - summary) <= slack(summary));
      assert.ok(tokenizer.countItem(whole).text <= slack(tokenizer.countText('short')));
    },
  },
  {
    name: 'an image counts a bounded amount, never its base64 as text',
    check(tokenizer) {
      const { text, images } = tokenizer.countItem(PICTURE);
      assert.ok(images > 0 && images <= MOST_OF_AN_IMAGE, `${images} tokens for an image`);
      assert.ok(text <= slack(0), `${text} tokens of text in an image`);
    },
  },
  {
    name: 'reasoning that nobody can read counts by its length beyond the envelope',
    check(tokenizer) {
      const [sealed, envelope] = withIds([
        { kind: 'reasoning', opaque: 'x'.repeat(1600) },
        { kind: 'reasoning', opaque: 'x'.repeat(600) },
      ]) as [Item, Item];
      assert.deepEqual(tokenizer.countItem(sealed), { text: 0, images: 0, opaque: 1000 });
      assert.deepEqual(tokenizer.countItem(envelope), { text: 0, images: 0, opaque: 0 });
      assert.equal(tokenizer.countItems([sealed]), 170);
    },
  },
  {
    name: 'an item is counted once: the same object has the same count, or the one that was remembered',
    check(tokenizer) {
      const [item, twin] = withIds([userMessage(TEXT), userMessage(TEXT)]) as [Item, Item];
      assert.equal(tokenizer.countItem(item), tokenizer.countItem(item));
      const known = { text: 123_456, images: 0, opaque: 0 };
      tokenizer.remember(twin, known);
      assert.deepEqual(tokenizer.countItem(twin), known);
      assert.notDeepEqual(tokenizer.countItem(item), known);
    },
  },
  {
    name: 'a list of items counts the sum of them',
    check(tokenizer) {
      assert.equal(tokenizer.countItems([]), 0);
      const apart = ITEMS.map((item) => tokenizer.countItems([item]));
      for (const [at, tokens] of apart.entries())
        assert.ok(Number.isSafeInteger(tokens) && tokens > 0, `${ITEMS[at]?.kind ?? ''}: ${tokens} tokens`);
      assert.equal(
        tokenizer.countItems(new Set(ITEMS)),
        apart.reduce((sum, tokens) => sum + tokens, 0),
      );
    },
  },
  {
    name: 'a tool counts its name, its description and its parameters, each tool by itself',
    check(tokenizer) {
      const [tool, bare] = SCHEMAS as [ToolSchema, ToolSchema];
      const of = (...tools: readonly ToolSchema[]): number => tokenizer.countTools(tools);
      assert.equal(of(), 0);
      assert.ok(of(bare) >= tokenizer.countText('stop'));
      assert.equal(of(tool, bare), of(tool) + of(bare));
      const { parameters: _, ...plain } = tool;
      assert.ok(of(plain) >= tokenizer.countText(TEXT) - slack(0), 'the description is left out');
      assert.ok(of(tool) > of(plain), 'the parameters are left out');
    },
  },
];
