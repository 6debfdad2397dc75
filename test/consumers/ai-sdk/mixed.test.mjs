// Replies with several calls at once, calls that fail, signed reasoning, images, and results that the provider has itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertPrefixes, assertShape, compactions, failures, host } from './conversation.mjs';
import { MAJORS } from './majors.mjs';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const image = Uint8Array.from(Buffer.from(PNG, 'base64'));

/** One reply with signed reasoning and two calls, of which one fails. */
function contentOf(call) {
  const signed = { anthropic: { signature: `signature-${call}` } };
  const reading = (id, path) => ({
    type: 'tool-call',
    toolCallId: `${id}-${call}`,
    toolName: 'read_file',
    input: JSON.stringify({ path }),
  });
  const searched = { toolCallId: `search-${call}`, toolName: 'web_search', providerExecuted: true };
  return [
    { type: 'reasoning', text: `I think of part ${call}.`, providerMetadata: signed },
    { type: 'text', text: 'Two parts at once.' },
    { type: 'tool-call', ...searched, input: '{"query":"pith"}' },
    { type: 'tool-result', ...searched, result: { found: 'x'.repeat(200) } },
    reading('good', `src/part-${call}.ts`),
    reading('bad', 'missing.ts'),
  ];
}

for (const major of MAJORS) {
  test(`${major.name}: what is in replies stays together over compactions`, async () => {
    const scene = host(major, { script: { provider: 'anthropic.messages', contentOf } });
    const read = scene.tools.read_file.execute;
    scene.tools.read_file.execute = async (input) => {
      if (input.path === 'missing.ts') throw new Error('There is no such file.');
      return read(input);
    };
    scene.tools.web_search = {
      type: major.version === 2 ? 'provider-defined' : 'provider',
      id: 'acme.web_search',
      name: 'web_search',
      args: {},
      inputSchema: major.ai.jsonSchema({ type: 'object' }),
    };
    const pith = await scene.start();
    for (let run = 0; run < 3; run++) {
      scene.script.left = 20;
      const picture = { type: 'file', data: image, mediaType: 'image/png' };
      scene.history.push({ role: 'user', content: [{ type: 'text', text: `Task ${run}.` }, picture] });
      const result = await major.ai.generateText({ model: scene.wrapped(pith), ...scene.settings() });
      scene.history.push(...(await major.added(result)));
      assert.match(result.text, /^Run done/);
      await pith.idle();
    }
    await pith.close();
    assert.deepEqual(failures(scene), []);
    assert.ok(compactions(scene).length >= 3);
    assertShape(scene);
    assertPrefixes(scene);
    assert.equal((await scene.store.list()).length, 1);
    const rebuilt = scene.events.filter(({ name, at }) => name === 'compaction.done' && at < scene.seen.length);
    for (const { at } of rebuilt) {
      const { prompt } = scene.seen[at];
      assert.ok(!JSON.stringify(prompt).includes('signature-'), `signed reasoning behind the compaction at ${at}`);
      assert.ok(prompt.some(({ role, content }) => role === 'user' && content.some(({ type }) => type === 'file')));
    }
  });
}
