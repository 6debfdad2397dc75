// Pith inside the real AI SDK of three majors: by middleware and by the settings of steps, on one session of many runs.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createJsonlStore } from 'pith';
import {
  assertCrossings,
  assertPrefixes,
  assertShape,
  assertSteps,
  assertTail,
  compactions,
  failures,
  host,
  REQUESTS,
  RUNS,
  WAYS,
  WIRINGS,
} from './conversation.mjs';
import { MAJORS } from './majors.mjs';

/** All runs of a host, one behind another. `begin` gives Pith for a run, `end` is done with it. */
async function runAll(scene, wiring, way, begin, end) {
  for (const [number, calls] of RUNS.entries()) {
    const pith = await begin();
    scene.script.left = calls;
    scene.prompt(`Task ${number}: look at the parts and say what they do.`);
    const result = await WAYS[way](scene, { ...scene.settings(), ...WIRINGS[wiring](scene, pith) });
    scene.history.push(...(await scene.major.added(result)));
    assert.match(await result.text, /^Run done/);
    await pith.idle();
    await end?.(pith);
  }
  assert.equal(scene.seen.length, REQUESTS);
}

function assertWhole(scene, wiring) {
  assert.deepEqual(failures(scene), []);
  assertShape(scene);
  assertPrefixes(scene);
  assertCrossings(scene);
  if (wiring === 'middleware') assertTail(scene);
  else assertSteps(scene);
}

for (const major of MAJORS)
  for (const wiring of Object.keys(WIRINGS))
    describe(`${major.name}, ${wiring}`, () => {
      for (const way of Object.keys(WAYS)) {
        test(`${way}: runs cross both thresholds in turn, and every prompt is whole`, async () => {
          const scene = host(major);
          const pith = await scene.start();
          await runAll(scene, wiring, way, () => pith);
          await pith.close();
          assertWhole(scene, wiring);
          const logs = await scene.store.list();
          assert.deepEqual(
            logs.map(({ id }) => id),
            ['chat'],
          );
        });
      }

      test('a summariser that always fails leaves the runs as they are', async () => {
        const scene = host(major);
        const fails = async () => {
          throw new Error('no summary today');
        };
        const model = new major.Mock({ doGenerate: fails, doStream: fails });
        const compaction = { compactThreshold: '60%', compactRequestThreshold: '85%', fallback: 'none' };
        const pith = await scene.start({
          model,
          config: { compaction },
          log: { level: 'error', write: () => undefined },
        });
        await runAll(scene, wiring, 'streamText', () => pith);
        await pith.close();
        assert.equal(compactions(scene).length, 0);
        assert.ok(scene.events.some(({ name }) => name === 'compaction.failed'));
        assertShape(scene);
      });

      test('a fresh process for each run pays no checkpoint twice', async () => {
        const dir = await mkdtemp(join(tmpdir(), 'pith-ai-sdk-'));
        try {
          const scene = host(major);
          const begin = () => scene.start({ store: createJsonlStore({ dir }) });
          await runAll(scene, wiring, 'generateText', begin, (pith) => pith.close());
          assertWhole(scene, wiring);
        } finally {
          await rm(dir, { recursive: true });
        }
      });
    });
