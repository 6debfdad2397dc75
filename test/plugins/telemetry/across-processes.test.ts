/** The trace of a compaction over NATS: the spans of `pith worker`, a process of its own, within that of the agent. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMPACT_POOL, defaultService } from '../../../core';
import { connected, createNatsBus, openLink } from '../../../core/bus/nats';
import { startStrictProvider } from '../../../core/testing';
import telemetry from '../../../plugins/telemetry';
import { commandFile, ROOT } from '../../cli/command';
import { freshFolder } from '../../cli/sessions';
import { endWorkers, HANDING_IN, healthOnce, isReady, startWorker } from '../../cli/worker-kit';
import type { StartedWorker } from '../../cli/worker-kit';
import { compact, start, STOCK } from '../../support/kernel';
import type { Host } from '../../support/kernel';
import { describeWithNats, startNatsServer } from '../../support/nats-server';
import { HISTORY } from '../compaction/llm-kit';
import { register, unregister } from './sdk';

const SDK = { NODE_OPTIONS: `--import ${join(ROOT, 'test/plugins/telemetry/worker-sdk.mjs')}` };

beforeAll(() => void commandFile(), 120_000);
afterEach(async () => {
  endWorkers();
  await unregister();
});

describeWithNats('a compaction in another process', () => {
  /** A worker with a model, and an agent that hands its compaction to it. */
  async function withWorker(env: Readonly<Record<string, string>>, use: Use): Promise<void> {
    const server = await startNatsServer();
    await using provider = await startStrictProvider({
      shape: 'openai-chat',
      script: (_, n) => HANDING_IN[n % 2] ?? 'Done.',
    });
    const cwd = freshFolder();
    const model = `provider = "openai-compatible"\nmodel = "local-model"\nbase_url = "${provider.url}"\n`;
    writeFileSync(join(cwd, 'pith.toml'), `[model]\n${model}context_window = 64000\nmax_output_tokens = 1000\n`);
    const worker = startWorker(['--servers', server.url], { cwd, env });
    await healthOnce(worker, '/readyz', isReady);
    const link = await openLink({ servers: server.url });
    await connected(link);
    await using host = await start({
      plugins: [...STOCK, telemetry],
      bus: createNatsBus(link),
      config: { compaction: { worker: 'remote', fallback: 'none', defaultReferences: 0 } },
      services: [defaultService(COMPACT_POOL, () => ({ tenant: 'default', pool: 'default' }))],
    });
    await use(host, worker);
  }
  type Use = (host: Host, worker: StartedWorker) => Promise<void>;

  test('has the spans of the worker within its own', async () => {
    const sdk = register();
    await withWorker(SDK, async (host, worker) => {
      expect(await compact(host, host.open(HISTORY))).toMatchObject({ outcome: 'done', worker: 'remote' });
      const { traceId, spanId } = sdk.span('pith.compaction').spanContext();
      const turn = await worker.said('invoke_agent compact-worker');
      expect(turn).toMatchObject({ traceId, parent: { spanId, isRemote: true } });
      expect(await worker.said('chat local-model')).toMatchObject({
        traceId,
        parent: { spanId: turn.spanId },
        attributes: { 'gen_ai.agent.name': 'compact-worker', 'gen_ai.provider.name': 'openai-compatible' },
      });
      expect(sdk.within('pith.compaction')).toContain('execute_tool write_summary');
      worker.child.kill('SIGTERM');
      await worker.ended;
      expect(worker.lines.filter(({ message }) => message.startsWith('execute_tool'))).toEqual([]);
    });
  });

  test('is done all the same where either side has no SDK', async () => {
    await withWorker({}, async (host) => {
      expect(await compact(host, host.open(HISTORY))).toMatchObject({ outcome: 'done', worker: 'remote' });
    });
    await withWorker(SDK, async (host, worker) => {
      expect(await compact(host, host.open(HISTORY))).toMatchObject({ outcome: 'done', worker: 'remote' });
      expect((await worker.said('invoke_agent compact-worker')).parent).toBeUndefined();
    });
  });
});
