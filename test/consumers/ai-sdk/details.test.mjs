// What a host meets now and then: requests that the provider refuses, endpoints with one system message, several
// conversations behind one model, streams that are read slowly or left.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertPrefixes, assertShape, compactions, CONFIG, failures, host, SYSTEM, WAYS } from './conversation.mjs';
import { MAJORS } from './majors.mjs';

const tooLong = (tokens) =>
  Object.assign(new Error(`prompt is too long: ${tokens} tokens > 9000 maximum`), { statusCode: 400 });

async function run(scene, pith, way, calls, more = {}) {
  scene.script.left = calls;
  scene.prompt('Look at the parts.');
  const result = await WAYS[way](scene, { model: scene.wrapped(pith), ...scene.settings(), ...more });
  scene.history.push(...(await scene.major.added(result)));
  return await result.text;
}

for (const major of MAJORS) {
  describe(`${major.name}, details`, () => {
    for (const [name, way, refusalOf] of [
      ['as it is asked', 'generateText', (tokens) => tooLong(tokens)],
      ['as a stream is asked for', 'streamText', (tokens) => tooLong(tokens)],
      ['in its stream', 'streamText', (tokens) => ({ inStream: tooLong(tokens) })],
    ]) {
      test(`a request that the provider refuses ${name} is sent once more, smaller`, async () => {
        const refuses = (_, tokens) => (tokens > 9_000 ? refusalOf(tokens) : undefined);
        const scene = host(major, { script: { refuses } });
        const pith = await scene.start();
        assert.match(await run(scene, pith, way, 18), /^Run done/);
        await pith.close();
        assert.deepEqual(failures(scene), []);
        assert.deepEqual(
          compactions(scene).map(({ payload }) => payload.trigger),
          ['overflow'],
        );
        assert.equal(scene.seen.length, 18 + 1 + 1);
        assertShape(scene);
      });
    }

    test('a refusal that cannot be helped is the error of the host', async () => {
      const scene = host(major, { script: { refuses: (_, tokens) => tooLong(tokens) } });
      const pith = await scene.start();
      await assert.rejects(run(scene, pith, 'generateText', 2), /prompt is too long/);
      await pith.close();
      assert.ok(scene.seen.length <= 2);
    });

    test('an endpoint that takes one system message gets one', async () => {
      const scene = host(major, { script: { provider: 'acme.chat' } });
      const pith = await scene.start();
      assert.match(await run(scene, pith, 'generateText', 30), /^Run done/);
      await pith.close();
      assert.equal(compactions(scene).length, 1);
      assertShape(scene, { system: 'one' });
      assertPrefixes(scene);
    });

    test('what prune empties stays as a summary, and keeps its place', async () => {
      const scene = host(major, { pith: { config: { ...CONFIG, prune: { protectedTokens: 2_000 } } } });
      const pith = await scene.start();
      assert.match(await run(scene, pith, 'streamText', 18), /^Run done/);
      await pith.close();
      assert.ok(scene.events.some(({ name }) => name === 'prune.fired'));
      assertShape(scene);
      assertPrefixes(scene);
      const outputs = scene.seen.at(-1).prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []));
      assert.equal(outputs.length, 18);
      assert.match(outputs[0].output.value, /^\[pruned: read_file, \d+ tokens\] read_file, \d+ characters/);
      assert.equal(outputs[0].toolName, 'read_file');
    });

    test('one model serves several conversations, told apart by the call, and passes calls of none', async () => {
      const scene = host(major);
      const pith = await scene.start();
      const model = major.ai.wrapLanguageModel({
        model: scene.plain(),
        middleware: pith.middleware({ sessionId: ({ providerOptions }) => providerOptions?.pith?.sessionId }),
      });
      for (const providerOptions of [{ pith: { sessionId: 'a' } }, { pith: { sessionId: 'b' } }, {}]) {
        scene.script.left = 1;
        await major.ai.generateText({
          model,
          ...scene.settings(),
          prompt: 'Hi.',
          messages: undefined,
          providerOptions,
        });
      }
      await pith.close();
      const begun = scene.events.filter(({ name }) => name === 'session.opened' || name === 'turn.started');
      assert.deepEqual([...new Set(begun.map(({ payload }) => payload.session ?? payload.sessionId))], ['a', 'b']);
      assert.equal(scene.seen.length, 6);
    });

    test('a stream is read no faster than the host reads it, and a host that leaves it cancels it', async () => {
      let pulled = 0;
      let cancelled;
      const source = new ReadableStream(
        {
          pull: (controller) => {
            pulled++;
            if (pulled === 1) controller.enqueue({ type: 'stream-start', warnings: [] });
            else if (pulled === 2) controller.enqueue({ type: 'text-start', id: '1' });
            else controller.enqueue({ type: 'text-delta', id: '1', delta: 'more ' });
          },
          cancel: (reason) => (cancelled = reason),
        },
        { highWaterMark: 0 },
      );
      const scene = host(major);
      const pith = await scene.start();
      const model = major.ai.wrapLanguageModel({
        model: new major.Mock({ doStream: async () => ({ stream: source }) }),
        middleware: pith.middleware({ sessionId: 'chat' }),
      });
      const { stream } = await model.doStream({
        prompt: [{ role: 'user', content: [{ type: 'text', text: SYSTEM }] }],
      });
      const reader = stream.getReader();
      for (let read = 0; read < 3; read++) await reader.read();
      assert.equal(pulled, 3);
      await reader.cancel('enough');
      assert.equal(cancelled, 'enough');
      await pith.close();
      assert.deepEqual(failures(scene), []);
    });

    test('a broken kernel of plugins leaves the host alone', async () => {
      const scene = host(major);
      const pith = await scene.start({ store: { open: fails, read: fails, list: fails, create: fails } });
      assert.match(await run(scene, pith, 'streamText', 3), /^Run done/);
      await pith.close();
      assert.ok(failures(scene).length > 0);
      for (const [index, { prompt }] of scene.seen.entries()) assert.equal(prompt, scene.pairs[index]);
    });
  });
}

function fails() {
  throw new Error('the disk is gone');
}
