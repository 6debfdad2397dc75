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

  test('takes the name that the permissions of its user are for, and says so where it has another', async () => {
    const rights = 'publish: [">"], subscribe: ["_INBOX.agent-1.>"], allow_responses: true';
    const limited = await startNatsServer({
      config: `authorization { users: [
        { user: ann, password: "se:cret" }
        { user: agent-1, password: own, permissions: { ${rights} } }] }`,
    });
    const link = await openLink({ servers: limited.url, user: 'ann', password: 'se:cret' });
    await connected(link);
    const bus = createNatsBus(link);
    serveCompactWorker(bus, offlineWorker);
    await link.flush();
    const file = fileWith('session.jsonl', longSession(40));
    const args = ['compact', file, '--worker', 'remote', '--servers', limited.url, '--user', 'agent-1'];
    const env = { NATS_PASSWORD: 'own' };
    const named = await pith([...args, '--name', 'agent-1', '--json'], { env });
    expect([named.stderr, (JSON.parse(named.stdout) as CompactJson).worker]).toEqual(['', 'remote']);
    const nameless = await pith(args, { env });
    expect(nameless.stderr.replaceAll(/\s+/g, ' ')).toMatch(/_INBOX\..*give it the name .* with --name/);
    await bus.close();
  });

  test('the wait for the server is no time of loading', async () => {
    const file = fileWith('session.jsonl', longSession(40));
    const nowhere = ['compact', file, '--worker', 'remote', '--servers', 'nats://127.0.0.1:1'];
    const [forPeople, json] = await Promise.all([pith(nowhere), pith([...nowhere, '--json'])]);
    expect(forPeople.stdout).toMatch(/load .*, connect \d+\.\d\d s, plan /);
    const { load, total } = (JSON.parse(json.stdout) as CompactJson).durationsMs;
    expect(total - load).toBeGreaterThan(4900);
  }, 30_000);

  test.each([
    ['no servers', ['--worker', 'remote'], '--servers'],
    ['a connection that nobody needs', ['--name', 'agent-1'], '--name needs --worker remote'],
  ])('%s is a fault of the call', async (_, args, said) => {
    const { code, stderr } = await pith(['compact', fileWith('session.jsonl', longSession(4)), ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  });
});
