import { connected, createNatsBus, openLink } from '../../core/bus/nats';
import type { CompactJson } from '../../core/cli/compact-json';
import { offlineWorker, serveCompactWorker } from '../../plugins/compaction';
import type { CompactWorker } from '../../plugins/compaction';
import { describeWithNats, startNatsServer } from '../support/nats-server';
import type { NatsServer } from '../support/nats-server';
import { commandFile, pith } from './command';
import { fileWith, longSession } from './sessions';

beforeAll(() => void commandFile(), 120_000);

describeWithNats('pith compact --worker remote', () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNatsServer({ config: 'authorization { user: ann, password: "se:cret" }' });
  });

  async function serving(worker: CompactWorker): Promise<AsyncDisposable> {
    const link = await openLink({ servers: server.url, user: 'ann', password: 'se:cret' });
    await connected(link);
    const bus = createNatsBus(link);
    serveCompactWorker(bus, worker);
    await link.flush();
    return { [Symbol.asyncDispose]: () => bus.close() };
  }
  const url = (): string => server.url.replace('://', '://ann:se%3Acret@');

  test('has the summary written by a worker in another process, and is the same as without', async () => {
    const jobs: string[] = [];
    await using _worker = await serving({
      name: 'counting',
      run(job, desk, options) {
        jobs.push(job.sessionId);
        return offlineWorker.run(job, desk, options);
      },
    });
    const file = fileWith('session.jsonl', longSession(40));
    const [there, here] = await Promise.all([
      pith(['compact', file, '--worker', 'remote', '--servers', url(), '--json']),
      pith(['compact', file, '--json']),
    ]);
    expect(there).toMatchObject({ code: 0, stderr: '' });
    const [remote, local] = [there, here].map(({ stdout }) => JSON.parse(stdout) as CompactJson);
    expect(remote).toMatchObject({ outcome: 'done', worker: 'remote' });
    expect({ ...remote, worker: '', durationsMs: '' }).toEqual({ ...local, worker: '', durationsMs: '' });
    expect(jobs).toEqual(['ledger-session']);
  });

  test('takes servers, user and password from the environment', async () => {
    await using _worker = await serving(offlineWorker);
    const file = fileWith('session.jsonl', longSession(40));
    const env = { NATS_URL: server.url, NATS_USER: 'ann', NATS_PASSWORD: 'se:cret' };
    const { code, stdout } = await pith(['compact', file, '--worker', 'remote', '--json'], { env });
    expect([code, (JSON.parse(stdout) as CompactJson).worker]).toEqual([0, 'remote']);
  });

  test('with nobody there the offline worker serves, which is said', async () => {
    const file = fileWith('session.jsonl', longSession(40));
    const { code, stdout, stderr } = await pith(['compact', file, '--worker', 'remote', '--servers', url()]);
    expect(code).toBe(0);
    expect(stdout).toContain('done by the offline worker');
    expect(stderr).toMatch(/The worker .{1,4}remote.{1,4} failed: Nobody serves/);
    expect(stdout + stderr).not.toContain('cret');
  });
});
