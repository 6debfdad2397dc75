/** `pith worker` as a real process on a real server, with a model behind HTTP. */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startStrictProvider } from '../../core/testing';
import type { Script, StrictProvider } from '../../core/testing';
import { describeWithNats, startNatsServer } from '../support/nats-server';
import type { NatsServer } from '../support/nats-server';
import { gate } from './chats';
import { commandFile, pith } from './command';
import { freshFolder } from './sessions';
import { endWorkers, HANDING_IN, healthOnce, isReady, jobGiver, startWorker } from './worker-kit';
import type { StartedWorker, WorkerStart } from './worker-kit';

beforeAll(() => void commandFile(), 120_000);
const providers: StrictProvider[] = [];
afterEach(async () => {
  endWorkers();
  for (const provider of providers.splice(0)) await provider.close();
});

/** A folder whose manifest has a model that says what the script says. */
async function withModel(script: Script, more = ''): Promise<string> {
  const provider = await startStrictProvider({ shape: 'openai-chat', script });
  providers.push(provider);
  const folder = freshFolder();
  const model = `provider = "openai-compatible"\nmodel = "local-model"\nbase_url = "${provider.url}"\nmax_retries = 0\n`;
  writeFileSync(
    join(folder, 'pith.toml'),
    `${more}\n[model]\n${model}context_window = 64000\nmax_output_tokens = 1000\n`,
  );
  return folder;
}

/** A model that answers when it is told to, and says when it was asked. */
function heldModel() {
  const [asked, free] = [gate(), gate()];
  const script: Script = async (_, n) => {
    asked.open();
    await free.opened;
    return HANDING_IN[n % 2] ?? 'Done.';
  };
  return { script, asked: asked.opened, free: free.open };
}

const NOBODY = { code: 'PITH_BUS_NO_RESPONDER' };

describeWithNats('pith worker', () => {
  let server: NatsServer;
  beforeEach(async () => {
    server = await startNatsServer();
  });
  afterEach(() => server.kill());

  async function ready(args: readonly string[], start: WorkerStart = {}): Promise<StartedWorker> {
    const worker = startWorker(['--servers', server.url, ...args], start);
    await healthOnce(worker, '/readyz', isReady);
    return worker;
  }

  test('does jobs with its model, tells how it does, and ends on SIGTERM', async () => {
    const cwd = await withModel((_, n) => HANDING_IN[n % 2] ?? 'Done.');
    const worker = await ready(['--name', 'worker-1'], { cwd });
    await using agent = await jobGiver(server.url);
    const report = await agent.give();
    expect(report).toMatchObject({ model: 'local-model', usage: { requests: 2 } });
    expect(agent.asked).toEqual(['write_summary']);
    const [, metrics] = await worker.health('/metrics');
    const labels = 'worker="llm",model="local-model",tenant="default",pool="default"';
    expect(metrics).toMatch(new RegExp(`pith_worker_info\\{name="worker-1",version="[^"]+",${labels}\\} 1\n`));
    expect(metrics).toContain('pith_worker_jobs_ended_total{outcome="done"} 1\n');
    expect(metrics).toContain(`pith_worker_tokens_total{kind="input"} ${String(report.usage.inputTokens)}\n`);
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toBe(0);
    expect(worker.output()).toBe('');
  });

  test('its log names job, session and attempt, and tells nothing of what they say', async () => {
    const cwd = await withModel(['This is not done by a tool.', 'Nor is this.', 'Nor this.']);
    const worker = await ready([], { cwd });
    await using agent = await jobGiver(server.url);
    await agent.give('job-7', { attempt: 2 }).catch(() => undefined);
    const names = { job: 'job-7', session: 'session-of-job-7', attempt: 2 };
    expect(await worker.said(/^A job began/)).toMatchObject({ level: 'info', ...names });
    expect(await worker.said(/^A job ended/)).toMatchObject({ ...names, requests: 2, asks: 0 });
    worker.child.kill('SIGTERM');
    await worker.ended;
    expect(JSON.stringify(worker.lines)).not.toMatch(/parser|not done by a tool/);
    for (const line of worker.lines) expect(line).toMatchObject({ at: expect.any(String), level: expect.any(String) });
  });

  test('without a model it works offline, for its own tenant and pool alone', async () => {
    const worker = await ready(['--tenant', 'acme', '--pool', 'small', '--namespace', 'pith']);
    await using stranger = await jobGiver(server.url);
    await expect(stranger.give()).rejects.toMatchObject(NOBODY);
    await using agent = await jobGiver(server.url, { tenant: 'acme', pool: 'small' });
    await agent.give().catch(() => undefined);
    expect(await worker.said(/^A job began/)).toMatchObject({ job: 'compaction-1' });
    expect(await worker.said('The worker starts.')).toMatchObject({
      worker: 'offline',
      subject: 'pith.v1.job.acme.small',
      capacity: 4,
    });
  });

  test('takes as many jobs at once as it is told, and no more', async () => {
    const { script, asked, free } = heldModel();
    await ready(['--concurrency', '2'], { cwd: await withModel(script) });
    await using agent = await jobGiver(server.url);
    const jobs = [agent.give('a'), agent.give('b')];
    await asked;
    await expect(agent.give('c')).rejects.toMatchObject(NOBODY);
    free();
    await Promise.allSettled(jobs);
    await using patient = await jobGiver(server.url, { waitMs: 10_000 });
    expect(await patient.give('d').catch((error: unknown) => error)).not.toMatchObject(NOBODY);
  });

  test('a full worker is ready, one that is told to end is not, takes nothing more and ends its job', async () => {
    const { script, asked, free } = heldModel();
    const worker = await ready(['--concurrency', '1'], { cwd: await withModel(script) });
    await using agent = await jobGiver(server.url);
    const job = agent.give('a');
    await asked;
    expect(await worker.health('/readyz')).toEqual([200, 'ok\n']);
    worker.child.kill('SIGTERM');
    await worker.said('The worker ends.');
    expect(await worker.health('/readyz')).toEqual([503, 'shutting down\n']);
    expect(await worker.health('/livez')).toEqual([200, 'ok\n']);
    await expect(agent.give('b')).rejects.toMatchObject(NOBODY);
    free();
    expect(await job).toMatchObject({ usage: { requests: 2 } });
    expect(await worker.ended).toBe(0);
    expect(await worker.said('The worker has ended.')).toMatchObject({ done: 1, 'handed-back': 0 });
  });

  test('what is not done when the grace time is over is handed back, for another worker to do', async () => {
    const { script, asked } = heldModel();
    const worker = await ready(['--grace', '0.05'], { cwd: await withModel(script) });
    await using agent = await jobGiver(server.url);
    const job = agent.give();
    await asked;
    worker.child.kill('SIGINT');
    await expect(job).rejects.toMatchObject({ code: 'PITH_BUS_RESPONDER_LOST' });
    expect(await worker.ended).toBe(0);
    expect(await worker.said(/^A job ended/)).toMatchObject({ outcome: 'handed-back' });
  });

  test('a server that does not answer any more does not keep it, whatever the grace time', async () => {
    const worker = await ready(['--grace', '600']);
    server.pause();
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toBe(0);
    server.resume();
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('a second signal ends it at once (%s)', async (signal, code) => {
    const { script, asked } = heldModel();
    const worker = await ready([], { cwd: await withModel(script) });
    await using agent = await jobGiver(server.url);
    void agent.give().catch(() => undefined);
    await asked;
    worker.child.kill('SIGTERM');
    await worker.said('The worker ends.');
    worker.child.kill(signal);
    expect(await worker.ended).toBe(code);
  });

  test('without a server it waits, says so once, is alive and not ready; it serves when there is one', async () => {
    const { url } = server;
    await server.stop();
    const worker = startWorker(['--servers', url]);
    await worker.said(/There is no connection/);
    expect(await worker.health('/readyz')).toEqual([503, 'not connected to a NATS server\n']);
    expect(await worker.health('/livez')).toEqual([200, 'ok\n']);
    const other = startWorker(['--servers', url]);
    await other.said(/There is no connection/);
    other.child.kill('SIGTERM');
    expect(await other.ended).toBe(0);
    await server.restart();
    await healthOnce(worker, '/readyz', isReady);
    await server.restart();
    await healthOnce(worker, '/metrics', (_, text) => text.includes('pith_worker_reconnects_total 1\n'));
    await healthOnce(worker, '/readyz', isReady);
    expect(worker.lines.filter(({ message }) => message.includes('nothing listens')).length).toBeLessThanOrEqual(2);
    await using agent = await jobGiver(url);
    await agent.give().catch(() => undefined);
    await worker.said(/^A job began/);
  });

  test('a rate limit of the provider takes it out of the queue, and is told with when to come back', async () => {
    const cwd = await withModel(() => ({ error: 'rate-limited', retryAfterMs: 50_000 }));
    const worker = await ready([], { cwd });
    await using agent = await jobGiver(server.url);
    await expect(agent.give('a')).rejects.toMatchObject({
      code: 'PITH_LLM_RATE_LIMITED',
      details: { reason: 'rate-limited', retryAfterMs: expect.any(Number) },
    });
    await worker.said(/limits the rate/);
    const [status, text] = await worker.health('/readyz');
    expect([status, text]).toEqual([503, expect.stringMatching(/^rate-limited by the provider for \d+ s\n$/)]);
    await expect(agent.give('b')).rejects.toMatchObject(NOBODY);
    const [, metrics] = await worker.health('/metrics');
    expect(metrics).toContain('pith_worker_rate_limit_waits_total 1\n');
    expect(metrics).toContain('pith_worker_jobs_ended_total{outcome="rate-limited"} 1\n');
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toBe(0);
  });

  test('after a rate limit it comes back by itself', async () => {
    const cwd = await withModel((_, n) => (n === 0 ? { error: 'rate-limited' } : (HANDING_IN[(n + 1) % 2] ?? 'Done.')));
    await ready([], { cwd });
    await using agent = await jobGiver(server.url, { waitMs: 20_000 });
    await expect(agent.give('a')).rejects.toMatchObject({ code: 'PITH_LLM_RATE_LIMITED' });
    expect(await agent.give('a', { attempt: 2 })).toMatchObject({ usage: { requests: 2 } });
  });

  test('where the server does not let it serve, it is not ready and says so', async () => {
    await server.restart(`authorization { users: [{ user: worker, password: worker-password, permissions: {
      publish: { deny: [">"] }, subscribe: { deny: ["pith.v1.job.>"] } } }] }`);
    const env = { NATS_PASSWORD: 'worker-password' };
    const worker = startWorker(['--servers', server.url, '--user', 'worker'], { env });
    const reason = 'the server does not permit to subscribe to pith.v1.job.default.default\n';
    await healthOnce(worker, '/readyz', (status, text) => status === 503 && text === reason);
    await worker.said(/does not permit/);
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toBe(0);
    expect(JSON.stringify(worker.lines)).not.toContain('worker-password');
  });

  test.each([
    ['its control subjects', 'pith.v1.ctl.worker-9.>', '"_INBOX.worker-9.>", "pith.v1.ctl.worker-1.>"'],
    ['its inbox', '_INBOX.worker-9.>', '"_INBOX.worker-1.>", "pith.v1.ctl.worker-9.>"'],
  ])(
    'where the server denies it %s, it takes no job until another connection permits them',
    async (_, right, heard) => {
      const config = (subjects: string): string =>
        `authorization { users: [
        { user: agent, password: agent-password }
        { user: worker, password: worker-password, permissions: {
          publish: { deny: [">"] }, allow_responses: true, subscribe: ["pith.v1.job.>", ${subjects}] } }] }`;
      await server.restart(config(heard));
      const env = { NATS_PASSWORD: 'worker-password' };
      const worker = startWorker(['--servers', server.url, '--user', 'worker', '--name', 'worker-9'], { env });
      const reason = `the server does not permit to subscribe to ${right}\n`;
      await healthOnce(worker, '/readyz', (status, text) => status === 503 && text === reason);
      expect(await worker.said(/^No job is taken/)).toMatchObject({
        level: 'error',
        message: expect.stringMatching(/"worker-9": give it the name .* with --name/),
      });
      const link = { user: 'agent', password: 'agent-password' };
      {
        await using agent = await jobGiver(server.url, { link });
        await expect(agent.give()).rejects.toMatchObject(NOBODY);
      }
      await server.restart(config('"_INBOX.worker-9.>", "pith.v1.ctl.worker-9.>"'));
      await healthOnce(worker, '/readyz', isReady);
      await using agent = await jobGiver(server.url, { link, waitMs: 10_000 });
      await agent.give().catch(() => undefined);
      await worker.said(/^A job began/);
    },
  );

  test('that it has no model is said at its start, where none was refused', async () => {
    const lacking = await (await ready([])).said('The worker starts.');
    expect(lacking.message).toMatch(/no \[compaction\.model\] or \[model\], and works offline/);
    expect(lacking).not.toHaveProperty('model');
    const asked = await (await ready(['--worker', 'offline'])).said('The worker starts.');
    expect(asked.message).toBe('The worker starts.');
  });

  test('the password of a URL is used, and never told', async () => {
    await server.restart('authorization { user: ada, password: "p4ssw0rd" }');
    const worker = startWorker(['--servers', server.url.replace('//', '//ada:p4ssw0rd@'), '--json']);
    await healthOnce(worker, '/readyz', isReady);
    const wrong = startWorker(['--servers', server.url.replace('//', '//ada:wr0ng-one@')]);
    await wrong.said(/does not accept the credentials/);
    for (const { lines, output } of [worker, wrong])
      expect(JSON.stringify(lines) + output()).not.toMatch(/p4ssw0rd|wr0ng-one/);
  });

  test('it may have the manifest of the agents, of which it starts no other plugin', async () => {
    const cwd = await withModel(
      (_, n) => HANDING_IN[n % 2] ?? 'Done.',
      `[plugins]
       use = ["tracker", "prune", "compaction", "guard", "shell", "./own-plugin"]
       [compaction]
       worker = "remote"
       retained_tokens = 4000
       never_auto_read = ["*.csv"]
       [shell]
       timeout_seconds = 10
       [own-plugin]
       anything = 1
       [transport]
       kind = "nats"
       servers = ["${server.url}"]`,
    );
    writeFileSync(join(cwd, 'own-plugin.js'), 'throw new Error("must not be loaded");');
    const worker = startWorker([], { cwd });
    await healthOnce(worker, '/readyz', isReady);
    await using agent = await jobGiver(server.url);
    expect(await agent.give()).toMatchObject({ usage: { requests: 2 } });
    expect(worker.output()).toBe('');
  });

  test('[compaction.model] goes before [model]', async () => {
    const cwd = await withModel(
      [],
      '[compaction.model]\nprovider = "openai"\nmodel = "small-model"\napi_key_env = "SMALL_KEY"',
    );
    const worker = await ready([], { cwd, env: { SMALL_KEY: 'k-123456789' } });
    expect(await worker.said('The worker starts.')).toMatchObject({ worker: 'llm', model: 'small-model' });
    const keyless = await pith(['worker', '--servers', server.url], { cwd });
    expect([keyless.code, keyless.stderr]).toEqual([
      1,
      expect.stringContaining('error PITH_LLM_AUTH: The environment variable SMALL_KEY'),
    ]);
  });
});

describe('pith worker, called wrongly', () => {
  const SERVERS = ['--servers', 'nats://127.0.0.1:1'];

  test.each([
    ['no servers', [], 'PITH_USAGE', 'nothing says where the NATS servers are'],
    ['no model', [...SERVERS, '--worker', 'llm'], 'PITH_MODEL_MISSING', 'needs [compaction.model] or [model]'],
    ['an unknown worker', [...SERVERS, '--worker', 'remote'], 'PITH_USAGE', 'Allowed choices are offline, llm'],
    ['a bad address', [...SERVERS, '--health', '9464'], 'PITH_USAGE', 'Expected HOST:PORT'],
    ['no place', [...SERVERS, '--concurrency', '0'], 'PITH_USAGE', 'Expected a number from 1 to 999. See pith worker'],
    ['servers that are empty', ['--servers', ','], 'PITH_USAGE', 'Expected URLs parted by commas'],
    ['a negative grace', [...SERVERS, '--grace=-1'], 'PITH_USAGE', 'Expected seconds'],
    ['a bad tenant', [...SERVERS, '--tenant', 'a.b'], 'PITH_MANIFEST_INVALID', '--tenant'],
    ['half a certificate', [...SERVERS, '--tls-cert', 'x.pem'], 'PITH_MANIFEST_INVALID', 'cert_file and key_file'],
    ['two ways to sign in', [...SERVERS, '--creds', 'x', '--nkey', 'y'], 'PITH_MANIFEST_INVALID', 'one way to sign in'],
    ['a file that is not there', [...SERVERS, '--creds', 'missing.creds'], 'PITH_BUS_SETTINGS', 'missing.creds'],
    ['a server that is none', ['--servers', 'http://x'], 'PITH_BUS_SETTINGS', 'http://x'],
  ])('%s', async (_, args, error, said) => {
    const { code, stdout, stderr } = await pith(['worker', ...args], { cwd: freshFolder() });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`error ${error}`);
    expect(stderr).toContain(said);
  });

  test('a port that is taken is one clear error', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = `127.0.0.1:${String((taken.address() as AddressInfo).port)}`;
    const { code, stderr } = await pith(['worker', ...SERVERS, '--health', address], { cwd: freshFolder() });
    expect(code).toBe(1);
    expect(stderr).toBe(
      `error PITH_HEALTH_PORT: The health server cannot listen on ${address}: the port is taken. Give another --health HOST:PORT, or --no-health.\n`,
    );
    await new Promise((resolve) => taken.close(resolve));
  });
});
