// An agent with a long session, whose compactions are done by remote workers.
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { COMPACT_POOL, createAgent, defaultService, definePlugin } from 'pith';
import { createNatsBus, openLink } from 'pith/nats';
import { stockPlugins } from 'pith/plugins';
import { createScriptedModel } from 'pith/testing';

const FILES = ['user-password.conf', 'tls-nkeys.conf', 'tenants.conf', 'alerts.yml', 'pith-worker.service'];

/** Everything that a worker asks takes a moment, as on a busy disk: long enough to lose the worker in the middle of a job. */
const busyDisk = definePlugin({
  name: 'busy-disk',
  api: 1,
  setup({ hooks }) {
    hooks.on('pre_tool_call', () => delay(50).then(() => undefined), { roles: ['compact-worker'] });
  },
});

/**
 * @param {string} name
 * @param {{ url: string, passwordOf(user: string): string }} server
 */
export async function startAgent(name, { url, passwordOf }) {
  const agent = await createAgent({
    plugins: await Promise.all([
      stockPlugins.tracker(),
      stockPlugins.compaction(),
      stockPlugins['auto-read-budget'](),
      stockPlugins.guard(),
      stockPlugins['file-tools'](),
      busyDisk,
    ]),
    config: {
      compaction: {
        compactThreshold: '75%',
        compactRequestThreshold: '90%',
        worker: 'remote',
        fallback: 'none', // so that nobody but the pool can have done it
        workerWaitSeconds: 30,
        retainedTokens: 2000,
        autoReadBudget: 2000,
      },
    },
    system: 'You look after a pool of workers.',
    root: fileURLToPath(new URL('.', import.meta.url)),
    model: createScriptedModel({
      script: ({ last }) => {
        const [, path] = /^Review (\S+),/.exec(last) ?? [];
        return path === undefined
          ? 'It is as it should be; the limits of the server leave room for four more agents.'
          : { calls: [{ name: 'read_file', arguments: { path } }] };
      },
    }),
    bus: async () =>
      // A lost worker is noticed after some heartbeats: 5 s apart by default, and here soon enough to look on.
      createNatsBus(await openLink({ servers: url, name, user: name, password: passwordOf(name) }), {
        timings: { heartbeatMs: 500 },
      }),
    defaults: [defaultService(COMPACT_POOL, () => ({ tenant: 'default', pool: 'default' }))],
  });
  const conversation = await agent.open(name);
  for (let round = 1; round <= 3; round++)
    for (const file of FILES) await conversation.send(`Review ${file}, round ${round}.`).outcome;
  return { name, conversation, close: () => agent.close() };
}
