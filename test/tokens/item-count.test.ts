import type { Item } from '../../core/session/items';
import { argumentsText, countParts, tokensOf } from '../../core/tokens/item-count';

const counter = { text: (text: string) => text.length, image: () => 1600 };
const count = (item: Item): object => countParts(item, counter);
const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;

describe('the count of an item', () => {
  it('of a message is that of all its parts', () => {
    const parts = [{ type: 'text', text: 'one' } as const, image, { type: 'text', text: 'four' } as const];
    expect(count({ id: '1', kind: 'message', role: 'user', parts })).toEqual({ text: 7, images: 1600, opaque: 0 });
  });

  it('of a call is that of its name and arguments as they are sent', () => {
    const call = { id: '1', kind: 'tool_call', callId: 'c', name: 'read', arguments: { path: 'a' } } as const;
    expect(count(call)).toEqual({ text: 'read{"path":"a"}'.length, images: 0, opaque: 0 });
    expect(count({ ...call, arguments: 'not json' })).toEqual({ text: 'readnot json'.length, images: 0, opaque: 0 });
  });

  it('of a result is that of its content, or of its summary where the content is gone', () => {
    const result = { id: '1', kind: 'tool_result', callId: 'c', summary: 'short' } as const;
    expect(count({ ...result, content: [{ type: 'text', text: 'all of it' }, image] })).toEqual({
      text: 9,
      images: 1600,
      opaque: 0,
    });
    expect(count(result)).toEqual({ text: 5, images: 0, opaque: 0 });
    expect(count({ ...result, content: [] })).toEqual({ text: 0, images: 0, opaque: 0 });
  });

  it('of reasoning is its readable text, and its opaque characters beyond the envelope', () => {
    expect(count({ id: '1', kind: 'reasoning', text: 'because' })).toEqual({ text: 7, images: 0, opaque: 0 });
    expect(count({ id: '1', kind: 'reasoning', opaque: 'x'.repeat(1000) })).toEqual({
      text: 0,
      images: 0,
      opaque: 400,
    });
    expect(count({ id: '1', kind: 'reasoning', opaque: 'x'.repeat(500) })).toEqual({ text: 0, images: 0, opaque: 0 });
  });
});

describe('tokens of a count', () => {
  it('are text and images, or the opaque reasoning where that is more', () => {
    expect(tokensOf({ text: 10, images: 1600, opaque: 0 })).toBe(1610);
    expect(tokensOf({ text: 10, images: 0, opaque: 1000 })).toBe(170);
    expect(tokensOf({ text: 300, images: 0, opaque: 1000 })).toBe(300);
    expect(tokensOf({ text: 0, images: 0, opaque: 1 })).toBe(1);
  });
});

describe('arguments of a call', () => {
  it('are JSON unless they are text already', () => {
    expect(argumentsText({ a: [1, null] })).toBe('{"a":[1,null]}');
    expect(argumentsText('{"a": 1}')).toBe('{"a": 1}');
  });
});
