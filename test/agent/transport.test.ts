import { agentFromManifest, createAgent } from '../../core';
import type { AgentOptions } from '../../core';
import { linkOptionsOf } from '../../core/agent/transport';
import { connected } from '../../core/bus/nats';
import type { NatsBus } from '../../core/bus/nats';
import { createLogger } from '../../core/kernel/logger';
import type { LogEntry } from '../../core/kernel/logger';
import { loadManifest } from '../../core/manifest';
import { createScriptedModel } from '../../core/testing';
import { stockPlugins } from '../../plugins';
import { offlineWorker, serveCompactWorker } from '../../plugins/compaction';
import { folderWith } from '../files/folder';
import { describeWithNats, startNatsServer } from '../support/nats-server';

/** The options of an agent with this manifest, a scripted model, and a log that is kept. */
async function optionsOf(
  toml: string,
  env: Record<string, string> = {},
): Promise<AgentOptions & { lines: LogEntry[] }> {
  const folder = folderWith({ 'pith.toml': `[session]\nstore = "memory"\n${toml}` });
  const manifest = await loadManifest({ cwd: folder, env, stock: stockPlugins, defaultUse: ['compaction'] });
  const lines: LogEntry[] = [];
  return {
    ...(await agentFromManifest(manifest)),
    model: createScriptedModel({ script: () => 'word '.repeat(4000) }),
    log: { level: 'debug', write: (entry) => void lines.push(entry) },
    lines,
  };
}
const busOf = ({ kernel }: { kernel: { bus: unknown } }): NatsBus => kernel.bus as NatsBus;

describe('an agent with [transport] kind = "nats"', () => {
  test('opens nothing before it starts, starts at once also without a server, and leaves no connection behind', async () => {
    const options = await optionsOf('[transport]\nkind = "nats"\nservers = ["nats://127.0.0.1:1"]\nname = "agent-7"');
    expect(typeof options.bus).toBe('function');
    const agent = await createAgent(options);
    const { link } = busOf(agent);
    expect([link.name, link.isConnected]).toEqual(['agent-7', false]);
    const conversation = await agent.open();
    expect(await conversation.send('hello').outcome).toMatchObject({ outcome: 'finished' });
    await agent.close();
    expect(link.isClosed).toBe(true);
  });

  test('does not start with settings that cannot be right', async () => {
    const options = await optionsOf(
      '[transport]\nkind = "nats"\nservers = ["nats://127.0.0.1:1"]\ncreds_file = "no.creds"',
    );
    await expect(createAgent(options)).rejects.toMatchObject({ code: 'PITH_BUS_SETTINGS' });
  });

  test('has no bus of its own where messages stay in the process', async () => {
    expect(await optionsOf('[transport]\nkind = "local"')).toMatchObject({ bus: undefined, defaults: [] });
  });
});

describe('the connection of a manifest', () => {
  const log = createLogger(() => ({ level: 'error', write: () => undefined }));
  const linkOptions = async (toml: string, env: Record<string, string> = {}): Promise<object> => {
    const cwd = folderWith({ 'pith.toml': `[transport]\nkind = "nats"\nservers = ["a:4222", "b:4222"]\n${toml}` });
    const { core } = await loadManifest({ cwd, env, stock: stockPlugins, defaultUse: [] });
    const { log: _log, ...options } = linkOptionsOf(core.transport, log, env);
    return JSON.parse(JSON.stringify(options).replaceAll(`${cwd}/`, '')) as object;
  };
  const servers = ['a:4222', 'b:4222'];

  test.each([
    ['', { SECRET: 'x', NATS_PASSWORD: 'unused' }, { servers }],
    ['user = "u"', { NATS_PASSWORD: 'p' }, { servers, user: 'u', password: 'p' }],
    ['user = "u"\npassword_env = "OTHER"', { NATS_PASSWORD: 'p', OTHER: 'o' }, { servers, user: 'u', password: 'o' }],
    ['user = "u"', {}, { servers, user: 'u', password: '' }],
    ['name = "n"\ncreds_file = "c"', {}, { servers, name: 'n', credsFile: 'c' }],
    [
      'nkey_file = "k"\n[transport.tls]\nca_file = "ca"\ncert_file = "ce"\nkey_file = "ke"',
      {},
      { servers, nkeyFile: 'k', tls: { caFile: 'ca', certFile: 'ce', keyFile: 'ke' } },
    ],
    ['', { NATS_URL: 'nats://c', NATS_CA: '/ca' }, { servers: ['nats://c'], tls: { caFile: '/ca' } }],
  ])('%j with %j is %j', async (toml, env, expected) => {
    expect(await linkOptions(toml, env as Record<string, string>)).toEqual(expected);
  });
});

describeWithNats('an agent and a worker on one server', () => {
  test('compact by the tenant and pool of the manifest, in its namespace', async () => {
    const { url } = await startNatsServer();
    const transport = `[transport]\nkind = "nats"\nservers = ["${url}"]\nnamespace = "acme"\ntenant = "t1"\npool = "p1"\n`;
    const agent = await createAgent(
      await optionsOf(`${transport}[compaction]\nworker = "remote"\nfallback = "none"\nretained_tokens = 1000\n`),
    );
    const worker = await createAgent(await optionsOf(transport));
    await Promise.all([connected(busOf(agent).link), connected(busOf(worker).link)]);
    serveCompactWorker(busOf(worker), offlineWorker, { tenant: 't1', pool: 'p1' });
    await busOf(worker).link.flush();
    const conversation = await agent.open();
    for (const prompt of ['Port it.', 'Go on.', 'Go on.']) await conversation.send(prompt).outcome;
    expect(await conversation.compact({})).toMatchObject({ outcome: 'done', worker: 'remote' });
    const { link } = busOf(worker);
    await Promise.all([agent.close(), worker.close()]);
    expect(link.isClosed).toBe(true);
  });
});
