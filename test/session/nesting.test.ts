import { createContext, createSession } from '../../core';
import type { Json, NewItem } from '../../core';
import { isShallow, jsonText } from '../../core/session/nesting';
import { tokenizer } from '../support/context';
import { refusals } from '../support/counter';

const nested = (depth: number): Json => {
  let value: Json = 'core';
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { inner: value };
  return value;
};

const call = (args: Json, provider?: { readonly [key: string]: Json }): NewItem => ({
  kind: 'tool_call',
  callId: 'a',
  name: 'run',
  arguments: args,
  ...(provider !== undefined && { provider }),
});

describe('items that are nested deeper than the stack reaches', () => {
  test.each([200, 201, 5000, 200_000])('%d levels: the context can be read, counted, hashed and written', (depth) => {
    const session = createSession({ id: 's' });
    session.append([call(nested(depth), { other: nested(depth) })]);
    session.record({ t: 'item', item: call(nested(depth)) });
    const view = createContext(session, { tokenizer }).view();
    expect(view.occupancy().tokens).toBeGreaterThan(0);
    expect(view.digest).toHaveLength(43);
    expect(refusals(view)).toEqual([]);
    expect(() => JSON.stringify([...session.records()])).not.toThrow();
  });

  test('arguments become their text, or what stands for it; what is not too deep stays the very same', () => {
    const session = createSession({ id: 's' });
    const args = nested(200);
    const [kept, text, placeholder] = session.append([call(args), call(nested(300)), call(nested(100_000))]);
    expect(kept).toHaveProperty('arguments', args);
    expect(text).toHaveProperty('arguments', jsonText(nested(300)));
    expect(placeholder).toHaveProperty('arguments', '[content nested too deeply to be shown]');
  });

  test('data of a provider is left out where it is too deep', () => {
    const [item] = createSession({ id: 's' }).append([call({}, { other: nested(300) })]);
    expect(item).not.toHaveProperty('provider');
    expect(isShallow(nested(200))).toBe(true);
    expect(isShallow(nested(201))).toBe(false);
  });
});

test('no item can be named like the place behind all items', () => {
  const [item] = createSession({ id: 's' }).append([{ ...call({}), id: 'end' }]);
  expect(item?.id).toBe('i0');
});
