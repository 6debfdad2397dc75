/** The code of a new plugin, and its tests: a little of everything, to be replaced bit by bit. */
import type { PluginName } from './plugin-name';

/** `src/index.ts`. */
export function pluginCode({ plugin, prefix }: PluginName): string {
  return `import { configKeys, createSessionToken, definePlugin, defineTool } from 'pith';

/** What is counted of a session. */
export interface Calls {
  /** Tool calls that have run. */
  made: number;
}

/** The count of a session: \`session.get(CALLS)\`, in this plugin and in others. */
export const CALLS = createSessionToken<Calls>('${plugin}/calls');

declare module 'pith' {
  interface EventMap {
    /** The model was told how many calls there were. */
    '${plugin}.reminded': { readonly session: string; readonly made: number };
  }
}

export default definePlugin({
  name: '${plugin}',
  api: 1,
  config: configKeys({
    remind_every: { type: 'integer', min: 1, default: 25, doc: 'Tool calls between two reminders of their number.' },
  }),
  provides: [CALLS],
  setup({ config, hooks, tools, bus, provide }) {
    provide(CALLS, () => ({ made: 0 }));

    hooks.on('post_tool_call', function countCall({ session }) {
      const calls = session.get(CALLS);
      calls.made += 1;
      if (calls.made % config.remindEvery !== 0) return undefined;
      bus.publish('${plugin}.reminded', { session: session.id, made: calls.made });
      return { do: 'remind', text: \`\${calls.made} tool calls so far. Is there a shorter way?\` };
    });

    tools.add(
      defineTool({
        name: '${prefix}_calls',
        description: 'Tells how many tool calls this session has had.',
        kind: 'read',
        input: { type: 'object', properties: {}, additionalProperties: false },
        run: (_, { session }) => \`\${session.get(CALLS).made} tool calls\`,
      }),
    );
  },
});
`;
}

/** `test/index.test.ts`. */
export function testCode({ plugin, prefix }: PluginName): string {
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createScriptedModel, createTestAgent, createTestKernel } from 'pith/testing';
import plugin, { CALLS } from '../src/index.js';

test('the model is told how many calls there were', async () => {
  const call = { calls: [{ name: '${prefix}_calls' }] };
  const model = createScriptedModel({ script: [call, call, 'Done.'] });
  await using kit = await createTestAgent({ plugins: [plugin], config: { '${plugin}': { remindEvery: 2 } }, model });

  const conversation = await kit.agent.open();
  const { outcome } = await conversation.send('Count to two.').outcome;

  assert.equal(outcome, 'finished');
  assert.doesNotMatch(model.requests[1]?.last ?? '', /so far/);
  assert.match(model.requests[2]?.last ?? '', /2 tool calls so far/);
  assert.deepEqual(kit.events('${plugin}.reminded'), [{ session: conversation.session.id, made: 2 }]);
});

test('each session has a count of its own', async () => {
  await using kit = await createTestKernel({ plugins: [plugin] });
  const one = await kit.openSession();
  const other = await kit.openSession();
  one.get(CALLS).made = 3;
  assert.equal(other.get(CALLS).made, 0);
});

test('a wrong setting is found before anything starts', async () => {
  const start = createTestKernel({ plugins: [plugin], config: { '${plugin}': { remindEvery: 0 } } });
  await assert.rejects(start, { code: 'PITH_PLUGIN_GRAPH', plugin: '${plugin}' });
});
`;
}
