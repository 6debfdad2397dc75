/** System content of a context: prompt, pins, blocks (S5.1, S5.4, S5.6). */
import type { NewItem, RecordDraft } from '../../core';
import { assistant, call, open, user } from '../support/context';

const system = (text: string): NewItem => ({ kind: 'message', role: 'system', parts: [{ type: 'text', text }] });
const texts = (items: readonly NewItem[], ...drafts: readonly RecordDraft[]): readonly string[] =>
  open(items, ...drafts).context.system.map(({ text }) => text);

describe('settings', () => {
  test('are none at first, and each record changes what it names', () => {
    const tools = [{ name: 'x', description: '', parameters: {} }];
    const { settings } = open([]).projection;
    expect(settings).toEqual({ tools: [] });
    const { projection } = open(
      [],
      { t: 'settings', system: 'a', tools, model: 'm' },
      { t: 'settings', system: 'b' },
      { t: 'settings', model: 'n' },
      { t: 'settings', tools },
    );
    expect(projection.settings).toEqual({ system: 'b', tools, model: 'n' });
  });

  test('with an empty prompt send none', () => {
    expect(texts([user('go')], { t: 'settings', system: '' })).toEqual([]);
  });
});

describe('pins', () => {
  test('are what the log begins with as system content, each text once, until somebody speaks', () => {
    const { context } = open([system('a'), system('b'), system('a'), assistant('hello'), system('c')]);
    expect(context.system).toEqual([
      { kind: 'pin', text: 'a' },
      { kind: 'pin', text: 'b' },
    ]);
    expect([...context.items()].map(({ id }) => id)).toEqual(['i3', 'i4']);
  });

  test('are also the items and texts that are pinned, without blank ones, well-formed, after the prompt', () => {
    const drafts: readonly RecordDraft[] = [
      { t: 'settings', system: 'prompt' },
      { t: 'pin', item: 'i0' },
      { t: 'pin', text: ' \n' },
      { t: 'pin', text: 'odd \ud800' },
      { t: 'pin', text: 'prompt' },
      { t: 'pin', text: 'RULES' },
    ];
    expect(texts([user('RULES')], ...drafts)).toEqual(['prompt', 'RULES', 'odd \ufffd']);
  });

  test('show the parts of an item line by line, and images by name', () => {
    const shown: NewItem = {
      kind: 'message',
      role: 'user',
      parts: [
        { type: 'text', text: 'a' },
        { type: 'image', mediaType: 'image/png', data: 'AAAA' },
        { type: 'text', text: 'b' },
      ],
    };
    expect(texts([shown], { t: 'pin', item: 'i0' })).toEqual(['a\n[image]\nb']);
  });

  test('are no items that are not messages, and none that the log does not hold', () => {
    const opened = open([user('go'), call('x')], { t: 'pin', item: 'i1' }, { t: 'pin', item: 'i99' });
    expect(opened.context.system).toEqual([]);
    expect(opened.context.length).toBe(3);
  });

  test('under a key take the place of what was pinned under it, or give it up for a blank text', () => {
    const first: readonly RecordDraft[] = [
      { t: 'pin', text: 'old', key: 'AGENTS.md' },
      { t: 'pin', text: 'else', key: 'docs/AGENTS.md' },
      { t: 'pin', text: 'new', key: 'AGENTS.md' },
    ];
    expect(open([], ...first).context.system).toEqual([
      { kind: 'pin', text: 'new', key: 'AGENTS.md' },
      { kind: 'pin', text: 'else', key: 'docs/AGENTS.md' },
    ]);
    expect(texts([], ...first, { t: 'pin', text: '', key: 'AGENTS.md' })).toEqual(['else']);
  });
});
