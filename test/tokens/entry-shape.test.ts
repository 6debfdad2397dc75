import type { Item } from '../../core/session/items';
import { isReply, shapeOf } from '../../core/tokens/entry-shape';

const items: [string, Item, boolean][] = [
  ['prompt', { id: '1', kind: 'message', role: 'user', parts: [] }, false],
  ['text', { id: '1', kind: 'message', role: 'assistant', parts: [] }, true],
  ['input', { id: '1', kind: 'message', role: 'system', parts: [] }, false],
  ['call', { id: '1', kind: 'tool_call', callId: 'c', name: 'read', arguments: {} }, true],
  ['input', { id: '1', kind: 'tool_result', callId: 'c', summary: 's' }, false],
  ['reasoning', { id: '1', kind: 'reasoning' }, true],
];

describe('the shape of an entry', () => {
  it.each(items)('is %s for %j', (shape, item, reply) => {
    expect(shapeOf(item)).toBe(shape);
    expect(isReply(shapeOf(item))).toBe(reply);
  });
});
