import { encodingOf } from '../../core/tokens/encodings';
import { familyOf } from '../../core/tokens/families';
import { modelName, sameModel } from '../../core/tokens/model-name';

describe('the name of a model', () => {
  it('stands without provider and in lower case', () => {
    expect(modelName('openrouter/anthropic/Claude-Opus-4.5')).toBe('claude-opus-4.5');
    expect(modelName('gpt-5')).toBe('gpt-5');
  });

  it.each([
    ['gpt-4o', 'gpt-4o-2024-08-06'],
    ['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929'],
    ['claude-sonnet-4-5@20250929', 'anthropic/claude-sonnet-4.5'],
    ['claude-3-5-sonnet-latest', 'claude-3-5-sonnet-20241022'],
    ['gemini-2.5-pro', 'gemini-2.5-pro-preview'],
    ['anthropic.claude-sonnet-4-20250514-v1:0', 'anthropic.claude-sonnet-4'],
    ['llama3', 'llama3:latest'],
  ])('means one model: %s and %s', (one, other) => {
    expect(sameModel(one, other)).toBe(true);
    expect(sameModel(other, one)).toBe(true);
  });

  it.each([
    ['gpt-5', 'gpt-5-mini'],
    ['gpt-5', 'gpt-5.1'],
    ['claude-sonnet-4', 'claude-sonnet-4-5'],
    ['claude-opus-4-5', 'claude-sonnet-4-5'],
    ['gpt-4', 'gpt-4o'],
  ])('tells apart: %s and %s', (one, other) => {
    expect(sameModel(one, other)).toBe(false);
  });

  it('of absurd length is compared as it stands', () => {
    const name = `m${'-2024'.repeat(20_000)}`;
    expect(sameModel(name, name)).toBe(true);
    expect(sameModel(name, 'm')).toBe(false);
  });
});

describe('the encoding of a model', () => {
  it.each([
    'gpt-3.5-turbo',
    'gpt-35-turbo',
    'gpt-4',
    'gpt-4-turbo',
    'openai/gpt-4-0613',
    'text-embedding-3-small',
    'cl100k_base',
  ])('%s is cl100k_base', (model) => expect(encodingOf(model)).toBe('cl100k_base'));

  it.each([
    undefined,
    'gpt-4o',
    'gpt-4.1',
    'gpt-4.5-preview',
    'gpt-5',
    'o3',
    'claude-opus-4-5',
    'o200k_base',
    'never-heard-of',
    '',
  ])('%s is o200k_base', (model) => expect(encodingOf(model)).toBe('o200k_base'));
});

describe('the family of a model', () => {
  it.each([
    ['gpt-5-codex', 'openai'],
    ['chatgpt-4o-latest', 'openai'],
    ['o3-mini', 'openai'],
    ['codex-mini-latest', 'openai'],
    ['claude-3-5-sonnet-20241022', 'claude'],
    ['us.anthropic.claude-opus-4-6-v1', 'claude'],
    ['claude-sonnet-4-5', 'claude'],
    ['claude-opus-4-7', 'claude-4.7'],
    ['anthropic/claude-opus-4.7', 'claude-4.7'],
    ['claude-sonnet-5', 'claude-4.7'],
    ['gemini-2.5-pro', 'gemini'],
    ['gemma-3-27b-it', 'gemini'],
    ['deepseek-chat', 'open-weights'],
    ['meta-llama/llama-3.1-8b-instruct', 'open-weights'],
    ['opus-magnum', 'unknown'],
    ['', 'unknown'],
  ])('of %s is %s', (model, family) => {
    expect(familyOf(model).name).toBe(family);
  });
});
