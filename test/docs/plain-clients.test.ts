import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { COMPACT_POOL, createDiskFiles, defaultService } from '../../core';
import { connected, createNatsBus, openLink } from '../../core/bus/nats';
import type { NatsBus } from '../../core/bus/nats';
import { serveCompactWorker } from '../../plugins/compaction';
import { folderWith } from '../files/folder';
import { FILES, HISTORY } from '../plugins/compaction/llm-kit';
import { workerOf } from '../plugins/compaction/remote-kit';
import { compact, start } from '../support/kernel';
import { describeWithNats, startNatsServer } from '../support/nats-server';
import { USED } from '../support/worker';

/** A plain client in a process of its own, and the lines that it prints. */
function plain(script: string, url: string) {
  const child = spawn(process.execPath, [join(__dirname, script), url, 'plain-1'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    line: async (): Promise<unknown> => JSON.parse(String((await lines.next()).value)),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      child.kill();
      await once(child, 'exit');
    },
  };
}

async function joined(url: string): Promise<NatsBus> {
  const link = await openLink({ servers: url });
  await connected(link);
  return createNatsBus(link);
}

describeWithNats('a client that knows nothing but docs/protocol.md', () => {
  test('serves as a worker', async () => {
    const { url } = await startNatsServer();
    await using worker = plain('plain-worker.mjs', url);
    expect(await worker.line()).toBe('ready');
    await using host = await start({
      bus: await joined(url),
      config: { compaction: { worker: 'remote', fallback: 'none', retainedTokens: 4000 } },
      services: [defaultService(COMPACT_POOL, () => ({ tenant: 'default', pool: 'default' }))],
      files: createDiskFiles({ root: folderWith(FILES) }),
    });
    const report = await compact(host, host.open(HISTORY));
    expect(await worker.line()).toEqual({
      refused: true,
      unknown: expect.stringContaining('The job has no tool run_command') as string,
      written: false,
    });
    expect(report).toMatchObject({ outcome: 'done', worker: 'remote', model: 'plain', usage: { inputTokens: 12 } });
    expect(report.summary?.text).toMatch(/A plain client read \d{3,} characters/);
    expect(host.events('compaction.progress')).toMatchObject([{ phase: 'summary', tokens: 12 }]);
  });

  test('serves as an agent', async () => {
    const { url } = await startNatsServer();
    const bus = await joined(url);
    serveCompactWorker(
      bus,
      workerOf(async (job, desk, { signal, progress }) => {
        const page = await desk.call('read_history', { from: 0 }, signal);
        progress({ phase: 'summary', tokens: 1 });
        const text = `${job.sessionId}: ${String(page.content).split('\n')[1]?.trim() ?? ''}`;
        await desk.call('write_summary', { text }, signal);
        return { model: 'ours', ...USED };
      }),
    );
    await bus.link.flush();
    await using agent = plain('plain-agent.mjs', url);
    const told = (await agent.line()) as { readonly frames: readonly string[] };
    expect(told).toMatchObject({ summary: 'any name / at all: Port the parser.', report: { model: 'ours', ...USED } });
    expect(told.frames.filter((type) => type !== 'heartbeat')).toEqual([
      'accepted',
      'ask',
      'progress',
      'ask',
      'result',
    ]);
    await bus.close();
  });

  test('is told as an agent that nobody is there', async () => {
    const { url } = await startNatsServer();
    await using agent = plain('plain-agent.mjs', url);
    expect(await agent.line()).toEqual({ frames: ['status 503'], report: null });
  });
});
