/** The documented server configurations, as written: what everybody may do, and what is denied (S11). */
import { spawnSync } from 'node:child_process';
import { connect } from 'nats';
import { describeWithNats, type NatsServer } from '../../support/nats-server';
import { certificate, tenants, tlsNkeys, userPassword, type DocumentedConfig } from './documented-configs';
import { documentedFile, documentedServer } from './documented-server';
import { plainOffer, plainPeer, plainWorker, type Seat } from './plain-peers';

const cert = certificate();
afterAll(() => cert[Symbol.dispose]());

/** The library waits a second otherwise, which is little where many tests run at once. */
const patiently = { timeout: 5000 };

type Action = readonly [operation: 'publish' | 'subscription', subject: string, queue?: string];

/** What a worker may not do: it hears what is its own, as a member of the queue, and says nothing unasked. */
const forWorkers = ({ job, otherJob, agent, worker, otherWorker }: DocumentedConfig): Record<string, Action> => ({
  'offer a job': ['publish', job],
  "offer another tenant's or pool's job": ['publish', otherJob],
  'stop work of another worker': ['publish', `pith.v1.ctl.${otherWorker.name}.cancel`],
  'look after another worker': ['publish', `pith.v1.ctl.${otherWorker.name}.probe`],
  'stop work of its own by message': ['publish', `pith.v1.ctl.${worker.name}.cancel`],
  'write to an inbox of the agent that it guessed': ['publish', `_INBOX.${agent.name}.guessed.1`],
  'write to the inbox of another worker': ['publish', `_INBOX.${otherWorker.name}.guessed.1`],
  'write to its own inbox': ['publish', `_INBOX.${worker.name}.guessed.1`],
  'guess a reply subject that the server made': ['publish', '_R_.guessed.guessed'],
  'ask who is there': ['publish', '$SRV.PING'],
  'ask for the load of the others': ['publish', '$SRV.STATS.pith-compact'],
  'talk to the system': ['publish', '$SYS.REQ.SERVER.PING'],
  'ask the system who is connected': ['publish', '$SYS.REQ.ACCOUNT.PITH.CONNZ'],
  'use JetStream': ['publish', '$JS.API.STREAM.CREATE.JOBS'],
  'publish anything else': ['publish', 'anything'],
  'hear everything': ['subscription', '>'],
  'hear everything as a member of the queue': ['subscription', '>', 'pith-compact'],
  'hear offers without the queue': ['subscription', job],
  'hear offers in a queue of its own': ['subscription', job, 'mine'],
  "serve another tenant's or pool's jobs": ['subscription', otherJob, 'pith-compact'],
  "hear another tenant's or pool's offers": ['subscription', otherJob],
  'serve the jobs of everybody': ['subscription', 'pith.v1.job.*.*', 'pith-compact'],
  'hear all of the namespace': ['subscription', 'pith.>'],
  'read what an agent is told': ['subscription', `_INBOX.${agent.name}.>`],
  'read what another worker is told': ['subscription', `_INBOX.${otherWorker.name}.>`],
  'read all inboxes': ['subscription', '_INBOX.>'],
  'read all replies that cross accounts': ['subscription', '_R_.>'],
  'hear what another worker is to stop': ['subscription', `pith.v1.ctl.${otherWorker.name}.>`],
  'hear what any worker is to stop': ['subscription', 'pith.v1.ctl.>'],
  'pose as another service': ['subscription', '$SRV.PING.other'],
  'hear the system': ['subscription', '$SYS.>'],
  'hear JetStream': ['subscription', '$JS.>'],
});

/** What an agent may not do: it offers jobs of its own pool, and hears its own inbox alone. */
const forAgents = ({ job, otherJob, agent, otherAgent, worker }: DocumentedConfig): Record<string, Action> => ({
  "offer another tenant's or pool's job": ['publish', otherJob],
  'offer a job to a pool that nobody named': ['publish', 'pith.v1.job.guessed.guessed'],
  'write to the inbox of a worker': ['publish', `_INBOX.${worker.name}.guessed.1`],
  'write to the inbox of another agent': ['publish', `_INBOX.${otherAgent.name}.guessed.1`],
  'write to its own inbox': ['publish', `_INBOX.${agent.name}.guessed.1`],
  'tell a worker anything but to stop': ['publish', `pith.v1.ctl.${worker.name}.shutdown`],
  'ask who is there': ['publish', '$SRV.PING.pith-compact'],
  'talk to the system': ['publish', '$SYS.REQ.SERVER.PING'],
  'use JetStream': ['publish', '$JS.API.STREAM.CREATE.JOBS'],
  'publish anything else': ['publish', 'anything'],
  'hear everything': ['subscription', '>'],
  'hear the offers of others': ['subscription', job],
  'serve jobs': ['subscription', job, 'pith-compact'],
  "hear another tenant's or pool's offers": ['subscription', otherJob],
  "serve another tenant's or pool's jobs": ['subscription', otherJob, 'pith-compact'],
  'hear all of the namespace': ['subscription', 'pith.>'],
  'read what a worker is answered': ['subscription', `_INBOX.${worker.name}.>`],
  'read what another agent is told': ['subscription', `_INBOX.${otherAgent.name}.>`],
  'read all inboxes': ['subscription', '_INBOX.>'],
  'read all replies that cross accounts': ['subscription', '_R_.>'],
  'hear what a worker is to stop': ['subscription', `pith.v1.ctl.${worker.name}.>`],
  'pose as the service': ['subscription', '$SRV.PING.pith-compact'],
  'hear the system': ['subscription', '$SYS.>'],
  'hear JetStream': ['subscription', '$JS.>'],
});

/** What who looks at the pool may not do: it asks who is there. */
const forMonitors = ({ job, otherJob, agent, worker }: DocumentedConfig): Record<string, Action> => ({
  'offer a job': ['publish', job],
  "offer another tenant's or pool's job": ['publish', otherJob],
  'stop work': ['publish', `pith.v1.ctl.${worker.name}.cancel`],
  'look after work': ['publish', `pith.v1.ctl.${worker.name}.probe`],
  'write to the inbox of an agent': ['publish', `_INBOX.${agent.name}.guessed.1`],
  'write to the inbox of a worker': ['publish', `_INBOX.${worker.name}.guessed.1`],
  'ask for other services': ['publish', '$SRV.PING.other'],
  'talk to the system': ['publish', '$SYS.REQ.SERVER.PING'],
  'use JetStream': ['publish', '$JS.API.STREAM.CREATE.JOBS'],
  'publish anything else': ['publish', 'anything'],
  'hear everything': ['subscription', '>'],
  'hear offers': ['subscription', job],
  'serve jobs': ['subscription', job, 'pith-compact'],
  'hear all of the namespace': ['subscription', 'pith.>'],
  'read what an agent is told': ['subscription', `_INBOX.${agent.name}.>`],
  'read what a worker is answered': ['subscription', `_INBOX.${worker.name}.>`],
  'hear what a worker is to stop': ['subscription', `pith.v1.ctl.${worker.name}.>`],
  'pose as the service': ['subscription', '$SRV.PING.pith-compact'],
  'hear the system': ['subscription', '$SYS.>'],
  'hear JetStream': ['subscription', '$JS.>'],
});

const CONFIGS: Readonly<Record<string, () => DocumentedConfig>> = {
  'user-password.conf': userPassword,
  'tls-nkeys.conf': () => tlsNkeys(cert),
  'tenants.conf': tenants,
};

for (const [file, configOf] of Object.entries(CONFIGS))
  describeWithNats(`with ${file}`, () => inForce(file, configOf()));

function inForce(file: string, config: DocumentedConfig): void {
  let server: NatsServer;
  beforeAll(async () => {
    server = await documentedServer(config);
  });

  const forbidden = (who: Seat, actions: Record<string, Action>): void =>
    it.each(Object.keys(actions))('may not %s', async (what) => {
      const [operation, subject, queue] = actions[what] as Action;
      await using peer = await plainPeer(server.url, who);
      if (operation === 'publish') peer.nc.publish(subject, '{}');
      else peer.nc.subscribe(subject, { ...(queue !== undefined && { queue }), callback: () => undefined });
      expect(await peer.denied()).toEqual([`${operation} ${subject}`]);
    });

  it('the server finds no fault in the file', () => {
    const { status, stderr } = spawnSync(String(process.env.NATS_SERVER_BIN), ['-t', '-c', documentedFile(file)], {
      env: config.env,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, expect.stringContaining('is valid')]);
  });

  it('a worker does its whole job, and nobody is denied anything on the way', async () => {
    const seats = [config.agent, config.worker, config.monitor] as const;
    const [agent, worker, monitor] = await Promise.all(seats.map((seat) => plainPeer(server.url, seat)));
    if (agent === undefined || worker === undefined || monitor === undefined) throw new Error('not connected');
    try {
      const work = await plainWorker(worker, config.job);
      const { frames, result } = await plainOffer(agent, config.job, { task: 'whole' });
      expect(frames).toEqual(['accepted', 'heartbeat', 'progress', 'ask', 'ask', 'result']);
      expect(result).toEqual({
        answers: [1, 2].map((seq) => ({ content: { tool: 'read_file', args: { seq } } })),
      });
      const ctl = `pith.v1.ctl.${worker.name}`;
      expect((await agent.nc.request(`${ctl}.probe`, '{}', patiently)).json()).toEqual({ known: true });
      agent.nc.publish(`${ctl}.cancel`, '{"job":"j1","attempt":1}');
      expect(await work.cancelled()).toEqual({ job: 'j1', attempt: 1 });
      for (const asked of ['PING', 'INFO', 'STATS', 'PING.pith-compact', `STATS.pith-compact.${worker.name}`])
        expect((await monitor.nc.request(`$SRV.${asked}`, '', patiently)).json()).toEqual({ id: worker.name });
      for (const peer of [agent, worker, monitor]) expect(await peer.denied()).toEqual([]);
    } finally {
      for (const peer of [agent, worker, monitor]) await peer[Symbol.asyncDispose]();
    }
  });

  describe('a worker', () => forbidden(config.worker, forWorkers(config)));
  describe('an agent', () => forbidden(config.agent, forAgents(config)));
  describe('who looks at the pool', () => forbidden(config.monitor, forMonitors(config)));

  it.each(Object.keys(config.refused))('%s is refused at the door', async (what) => {
    const attempt = connect({ servers: server.url, reconnect: false, timeout: 5000, ...config.refused[what] });
    await expect(attempt).rejects.toThrow(/Authorization Violation|certificate/i);
  });

  it('an agent answers an ask a few times, and not for ever', async () => {
    await using agent = await plainPeer(server.url, config.agent);
    await using worker = await plainPeer(server.url, config.worker);
    await plainWorker(worker, config.job);
    const subscription = agent.nc.subscribe(`_INBOX.${agent.name}.x.*`);
    agent.nc.publish(config.job, '{}', { reply: `_INBOX.${agent.name}.x.job` });
    for await (const message of subscription) {
      if (!message.reply) continue;
      for (let n = 0; n < 8; n++) message.respond('{}');
      expect(await agent.denied()).toEqual([]);
      message.respond('{}');
      expect(await agent.denied()).toEqual([`publish ${message.reply}`]);
      break;
    }
  });

  it('a worker answers an offer with as much as a job can need, and not for ever', async () => {
    await using agent = await plainPeer(server.url, config.agent);
    await using worker = await plainPeer(server.url, config.worker);
    agent.nc.subscribe(`_INBOX.${agent.name}.x.*`, { callback: () => undefined });
    const offers = worker.nc.subscribe(config.job, { queue: 'pith-compact', max: 1 });
    await worker.nc.flush();
    agent.nc.publish(config.job, '{}', { reply: `_INBOX.${agent.name}.x.job` });
    for await (const offer of offers) {
      for (let n = 0; n < 100_000; n++) offer.respond('{}');
      expect(await worker.denied()).toEqual([]);
      offer.respond('{}');
      expect(await worker.denied()).toEqual([`publish ${String(offer.reply)}`]);
    }
  });

  it('a worker answers an offer only as long as a job may last', async () => {
    const shorter = (text: string): string => text.replace('"15m"', '"50ms"');
    const brief = await documentedServer(config, shorter);
    await using agent = await plainPeer(brief.url, config.agent);
    await using worker = await plainPeer(brief.url, config.worker);
    const offers = worker.nc.subscribe(config.job, { queue: 'pith-compact', max: 1 });
    await worker.nc.flush();
    agent.nc.publish(config.job, '{}', { reply: `_INBOX.${agent.name}.x.job` });
    for await (const offer of offers) {
      let denied: readonly string[] = [];
      for (const until = performance.now() + 5000; denied.length === 0 && performance.now() < until;) {
        offer.respond('{}');
        denied = await worker.denied();
      }
      expect(denied).toEqual([`publish ${String(offer.reply)}`]);
    }
  });
}
