import { optionsOf, reasoningOptionsOf } from '../../../core/formats/write/provider-options';
import type { ReasoningItem } from '../../../core/session/items';

const reasoning = (fields: Partial<ReasoningItem>): ReasoningItem => ({
  id: 'r',
  kind: 'reasoning',
  text: 't',
  ...fields,
});

test('data of providers goes along, one object for each; marks of our own do not', () => {
  expect(optionsOf(undefined)).toEqual({});
  expect(optionsOf({ openaiChat: { field: 'reasoning' }, plain: 'text', list: [1] })).toEqual({});
  expect(optionsOf({ openai: { itemId: 'i' }, openaiChat: { field: 'reasoning' } })).toEqual({
    providerOptions: { openai: { itemId: 'i' } },
  });
});

test('strings are well-formed', () => {
  expect(optionsOf({ google: { note: 'a\ud800' } })).toEqual({ providerOptions: { google: { note: 'a\ufffd' } } });
});

test('thinking goes with its signature, or whole where it is redacted', () => {
  const anthropic = (type: string): ReasoningItem => reasoning({ opaque: 'c2ln', provider: { anthropic: { type } } });
  expect(reasoningOptionsOf(anthropic('thinking'))).toEqual({ providerOptions: { anthropic: { signature: 'c2ln' } } });
  expect(reasoningOptionsOf(anthropic('redacted_thinking'))).toEqual({
    providerOptions: { anthropic: { redactedData: 'c2ln' } },
  });
});

test.each(['openai', 'azure'])('encrypted reasoning of %s goes with the id of its item', (name) => {
  expect(reasoningOptionsOf(reasoning({ opaque: 'ZW5j', provider: { [name]: { itemId: 'rs' } } }))).toEqual({
    providerOptions: { [name]: { itemId: 'rs', reasoningEncryptedContent: 'ZW5j' } },
  });
});

test('reasoning without opaque data goes with what its provider gave', () => {
  expect(reasoningOptionsOf(reasoning({}))).toEqual({});
  expect(reasoningOptionsOf(reasoning({ opaque: 'eA==' }))).toEqual({});
  expect(reasoningOptionsOf(reasoning({ provider: { google: { thoughtSignature: 's' } } }))).toEqual({
    providerOptions: { google: { thoughtSignature: 's' } },
  });
});
