import { profileOf, traitsOf } from '../../core/llm/profiles';

test.each([
  ['anthropic.messages', { name: 'anthropic', system: 'many', cacheMarks: 4, boundReasoning: true }],
  ['vertex.anthropic.messages', { name: 'anthropic', system: 'many', cacheMarks: 4, boundReasoning: true }],
  ['openai.responses', { name: 'openai', system: 'many', cacheMarks: 0, boundReasoning: true }],
  ['azure.chat', { name: 'openai', system: 'many', cacheMarks: 0, boundReasoning: true }],
  ['openai-compatible.chat', { name: 'openai-compatible', system: 'one', cacheMarks: 0, boundReasoning: false }],
  ['ollama.chat', { name: 'ollama', system: 'one', cacheMarks: 0, boundReasoning: false }],
  ['amazon-bedrock', { name: 'amazon-bedrock', system: 'one', cacheMarks: 0, boundReasoning: true }],
  ['myanthropic', { name: 'myanthropic', system: 'one', cacheMarks: 0, boundReasoning: false }],
])('S9.9: the profile of %s', (provider, profile) => {
  expect(profileOf(provider)).toEqual(profile);
});

test.each([
  ['anthropic.messages', 'inside', 'signed'],
  ['openai.responses', 'inside', 'encrypted'],
  ['azure.responses', 'inside', 'encrypted'],
  ['openai.chat', 'behind', 'field'],
  ['openai-compatible.chat', 'behind', 'field'],
  ['google.generative-ai', 'inside', 'any'],
  ['amazon-bedrock', 'inside', 'any'],
  ['mine', 'behind', 'any'],
])('%s shows images %s of results and takes %s reasoning', (provider, resultImages, reasoning) => {
  expect(traitsOf(provider)).toMatchObject({ resultImages, reasoning });
});
