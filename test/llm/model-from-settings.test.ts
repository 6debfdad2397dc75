import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { modelFromSettings } from '../../core/llm/model-from-settings';
import type { ModelSettings } from '../../core/llm/model-from-settings';
import { CORE_SECTIONS } from '../../core/manifest/sections';
import { camelCase } from '../../core/kernel/config-keys';
import { startStrictProvider } from '../../core/testing';
import type { StrictProvider } from '../../core/testing';
import { user } from '../support/context';
import { replyOf, requestOf } from '../support/llm';

let root: string;
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'pith-model-'))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const KEY = 'sk-of-the-test-0123456789';
const env = { MY_KEY: KEY };

const anthropic = (provider: StrictProvider, more: Partial<ModelSettings> = {}): ModelSettings => ({
  provider: 'anthropic',
  model: 'claude-sonnet-4-5',
  baseUrl: provider.url,
  apiKeyEnv: 'MY_KEY',
  ...more,
});

/** Installs a package into the project. */
function install(name: string, files: Readonly<Record<string, string>>): void {
  const folder = join(root, 'node_modules', name);
  mkdirSync(folder, { recursive: true });
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content);
}

const FACTORY = `(settings) => ({ languageModel: (modelId) => ({
  specificationVersion: 'v3', provider: 'acme', modelId, supportedUrls: {},
  doGenerate: async () => ({
    content: [{ type: 'text', text: JSON.stringify({ modelId, settings }) }],
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } }, warnings: [],
  }),
}) })`;

async function said(settings: ModelSettings): Promise<unknown> {
  const { items } = await modelFromSettings(settings, { root, env }).generate(requestOf([user('hi')]));
  const [item] = items;
  return item?.kind === 'message' && item.parts[0]?.type === 'text' ? JSON.parse(item.parts[0].text) : undefined;
}

test('S10: the keys of [model] are the settings', () => {
  const keys = Object.keys(CORE_SECTIONS.model.keys).map(camelCase);
  const settings: Required<ModelSettings> = {
    provider: 'p',
    model: 'm',
    baseUrl: 'u',
    apiKeyEnv: 'k',
    headers: {},
    contextWindow: 1,
    maxOutputTokens: 1,
    reasoning: 'r',
    timeoutSeconds: 1,
    maxRetries: 1,
    promptCache: true,
  };
  expect(Object.keys(settings).sort()).toEqual([...keys].sort());
});

test('Anthropic is asked with the key of the environment, the headers and the limits that are set', async () => {
  await using provider = await startStrictProvider({ shape: 'anthropic', script: ['hello', 'there'] });
  const client = modelFromSettings(
    anthropic(provider, { headers: { 'x-team': 'blue' }, contextWindow: 50_000, maxOutputTokens: 2_000 }),
    { env },
  );
  expect(client.model).toBe('claude-sonnet-4-5');
  expect(client.profile).toEqual({ name: 'anthropic', system: 'many', cacheMarks: 4, boundReasoning: true });
  expect(client.limits()).toEqual({ contextWindow: 50_000, maxOutput: 2_000, source: 'user' });
  await client.generate(requestOf([user('hi')]));
  await replyOf(client.stream(requestOf([user('hi')])));
  expect(provider.requests[0]?.body).toMatchObject({ model: 'claude-sonnet-4-5', max_tokens: 2_000 });
  expect(provider.requests[0]?.headers).toMatchObject({ 'x-api-key': KEY, 'x-team': 'blue' });
});

test('an OpenAI-compatible endpoint needs no key, takes one system message, and tells usage of streams', async () => {
  await using provider = await startStrictProvider({
    shape: 'openai-chat',
    profile: { system: 'one' },
    script: ['hello'],
  });
  const client = modelFromSettings({
    provider: 'openai-compatible',
    model: 'qwen3',
    baseUrl: provider.url,
    reasoning: 'low',
  });
  expect(client.profile).toMatchObject({ name: 'openai-compatible', system: 'one' });
  const { usage } = await replyOf(client.stream(requestOf([user('hi')], { t: 'pin', text: 'Pinned.' })));
  expect(usage?.inputTokens).toBeGreaterThan(0);
  expect(provider.requests[0]?.body).toMatchObject({
    reasoning_effort: 'low',
    stream_options: { include_usage: true },
  });
  expect(provider.requests[0]?.headers).not.toHaveProperty('authorization');
});

test.each([
  ['4000', { thinking: { type: 'enabled', budget_tokens: 4_000 } }],
  ['disabled', { thinking: { type: 'disabled' } }],
])('reasoning = %j for Anthropic is %j', async (reasoning, sent) => {
  await using provider = await startStrictProvider({ shape: 'anthropic', script: ['hello'] });
  await modelFromSettings(anthropic(provider, { reasoning }), { env }).generate(requestOf([user('hi')]));
  expect(provider.requests[0]?.body).toMatchObject(sent);
});

test('without prompt cache no marks are sent, and with 0 retries a request is sent once', async () => {
  await using provider = await startStrictProvider({ shape: 'anthropic', script: [{ error: 'server' }, 'hello'] });
  const client = modelFromSettings(anthropic(provider, { promptCache: false, maxRetries: 0 }), { env });
  await expect(client.generate(requestOf([user('hi')]))).rejects.toMatchObject({ code: 'PITH_LLM_TRANSPORT' });
  expect(JSON.stringify(provider.requests[0]?.body)).not.toContain('cache_control');
  expect(provider.requests).toHaveLength(1);
});

test('the key is read at the first request, and one that is missing is told by its name', async () => {
  const client = modelFromSettings({ provider: 'anthropic', model: 'm', apiKeyEnv: 'NOT_SET' }, { env: {} });
  await expect(client.generate(requestOf([user('hi')]))).rejects.toMatchObject({
    code: 'PITH_LLM_AUTH',
    message: expect.stringContaining('NOT_SET'),
  });
});

test('the key is in no error, and not in the client as it is printed', async () => {
  const error = {
    status: 401,
    body: { type: 'error', error: { type: 'authentication_error', message: `bad key ${KEY}` } },
  };
  await using provider = await startStrictProvider({ shape: 'anthropic', script: [{ error }] });
  const client = modelFromSettings(anthropic(provider), { env });
  const thrown: unknown = await client.generate(requestOf([user('hi')])).catch((reason: unknown) => reason);
  expect(thrown).toMatchObject({ code: 'PITH_LLM_AUTH' });
  for (const printed of [
    inspect(thrown, { depth: 9 }),
    inspect(client, { depth: 9, showHidden: true }),
    JSON.stringify(client),
  ])
    expect(printed).not.toContain(KEY);
});

describe('provider packages', () => {
  test('are found in the project, by what stands behind @ai-sdk/ or by their whole name', async () => {
    install('@ai-sdk/acme', { 'package.json': '{"main":"index.js"}', 'index.js': `exports.createAcme = ${FACTORY};` });
    install('@acme/ai', { 'package.json': '{"main":"index.js"}', 'index.js': `exports.createThing = ${FACTORY};` });
    const settings = { model: 'big', baseUrl: 'http://x.test', apiKeyEnv: 'MY_KEY' };
    const sent = { modelId: 'big', settings: { apiKey: KEY, baseURL: 'http://x.test' } };
    expect(await said({ provider: 'acme', ...settings })).toEqual(sent);
    expect(await said({ provider: '@acme/ai', ...settings })).toEqual(sent);
  });

  test('of the project come before those that stand beside Pith', async () => {
    install('@ai-sdk/openai-compatible', {
      'package.json': '{"main":"index.js"}',
      'index.js': `exports.createOpenAICompatible = ${FACTORY};`,
    });
    const sent = await said({ provider: 'openai-compatible', model: 'mine', baseUrl: 'http://x.test' });
    expect(sent).toMatchObject({ modelId: 'mine', settings: { name: 'openai-compatible', includeUsage: true } });
  });

  test('that export several makers are made by the one that is named like them', async () => {
    const index = `exports.createA = () => { throw new Error('wrong'); }; exports.createAcmeAi = ${FACTORY};`;
    install('acme-ai', { 'package.json': '{"main":"index.js"}', 'index.js': index });
    expect(await said({ provider: 'acme-ai', model: 'big' })).toMatchObject({ modelId: 'big' });
  });

  test('that are not installed are named with the command that installs them', async () => {
    const client = modelFromSettings({ provider: 'nobody-has-this', model: 'm' }, { root, env });
    await expect(client.generate(requestOf([user('hi')]))).rejects.toMatchObject({
      code: 'PITH_LLM_PACKAGE',
      message: expect.stringContaining('npm i @ai-sdk/nobody-has-this'),
    });
  });

  test.each([
    ['makes no provider', 'exports.createNothing = 1;'],
    ['fails as it is loaded', `throw new Error('no token abc');`],
  ])('that %s are told as such', async (_, index) => {
    install('odd', { 'package.json': '{"main":"index.js"}', 'index.js': index });
    const client = modelFromSettings({ provider: 'odd', model: 'm' }, { root, env });
    await expect(client.generate(requestOf([user('hi')]))).rejects.toMatchObject({ code: 'PITH_LLM_PACKAGE' });
  });

  test('of another major are told as such', async () => {
    const newer = FACTORY.replace("'v3'", "'v5'");
    install('newer', { 'package.json': '{"main":"index.js"}', 'index.js': `exports.createNewer = ${newer};` });
    const client = modelFromSettings({ provider: 'newer', model: 'm' }, { root, env });
    await expect(client.generate(requestOf([user('hi')]))).rejects.toMatchObject({ code: 'PITH_LLM_PACKAGE' });
  });
});

test.each([
  [{ provider: 'openai-compatible', model: 'm' }, /base_url/],
  [{ provider: '../evil', model: 'm' }, /no name of a package/],
  [{ provider: '/etc/passwd', model: 'm' }, /no name of a package/],
  [{ provider: 'mistral', model: 'm', reasoning: 'high' }, /providerOptions/],
])('settings that cannot be meant are refused: %j', (settings, message) => {
  expect(() => modelFromSettings(settings)).toThrow(message);
});
