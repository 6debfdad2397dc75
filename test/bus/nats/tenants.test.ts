/** One server for several tenants: the border between their accounts, beside the rights of each user (S11). */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWithNats } from '../../support/nats-server';
import { tenants } from './documented-configs';
import { documentedFile, documentedServer } from './documented-server';
import { plainOffer, plainPeer, plainWorker } from './plain-peers';

const config = tenants();
const { job, otherJob } = config;

/** Gives an agent of the other tenant every right that an account can have. */
function unbounded(text: string): string {
  const edited = text.replace(/(user: globex-agent-1, password: \S+), permissions: \{[^}]*\}/, '$1');
  if (edited === text) throw new Error('The user is not where it was.');
  return edited;
}

describeWithNats('tenants of one server', () => {
  it('are served by workers of their own alone', async () => {
    const { url } = await documentedServer(config);
    const { agent, otherAgent, worker, otherWorker } = config;
    await using acme = await plainPeer(url, agent);
    await using globex = await plainPeer(url, otherAgent);
    await using acmeWorker = await plainPeer(url, worker);
    await using globexWorker = await plainPeer(url, otherWorker);
    const ours = await plainWorker(acmeWorker, job);
    const theirs = await plainWorker(globexWorker, otherJob);
    await Promise.all([plainOffer(acme, job, 'a1'), plainOffer(globex, otherJob, 'g1'), plainOffer(acme, job, 'a2')]);
    expect([ours.served, theirs.served]).toEqual([['"a1"', '"a2"'], ['"g1"']]);
  });

  it('neither see nor serve jobs of each other, whatever rights a user of theirs has within its account', async () => {
    const { url } = await documentedServer(config, unbounded);
    await using acme = await plainPeer(url, config.agent);
    await using worker = await plainPeer(url, config.worker);
    await using spy = await plainPeer(url, config.otherAgent);
    const heard: string[] = [];
    spy.nc.subscribe('>', { callback: (_, { subject }) => void heard.push(subject) });
    spy.nc.subscribe(job, { queue: 'pith-compact', callback: (_, offer) => void offer.respond('{"worker":"spy"}') });
    const forged: string[] = [];
    for (const { nc, name } of [acme, worker])
      nc.subscribe(`_INBOX.${name}.guessed.*`, { callback: (_, { subject }) => void forged.push(subject) });
    const { served } = await plainWorker(worker, job);
    expect(await spy.denied()).toEqual([]);

    const { frames } = await plainOffer(acme, job, 'secret');
    expect(frames.at(-1)).toBe('result');
    expect(served).toEqual(['"secret"']);

    const inboxes = [`_INBOX.${acme.name}.guessed.1`, `_INBOX.${worker.name}.guessed.1`];
    for (const subject of [job, 'pith.v1.ctl.guessed.shutdown', ...inboxes]) spy.nc.publish(subject, '"forged"');
    for (const { nc } of [spy, acme, worker]) await nc.flush();
    expect([served, forged]).toEqual([['"secret"'], []]);
    // What it hears is what it said itself.
    expect(heard).toEqual([job, 'pith.v1.ctl.guessed.shutdown', ...inboxes]);
  });

  it('cannot import what is exported to another', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pith-tenants-'));
    try {
      const file = join(folder, 'tenants.conf');
      const import_ = (subject: string): string => `{ service: { account: WORKERS, subject: "${subject}" } }`;
      const text = readFileSync(documentedFile('tenants.conf'), 'utf8');
      writeFileSync(file, text.replace(import_(otherJob), `${import_(otherJob)}\n      ${import_(job)}`));
      const { status, stderr } = spawnSync(String(process.env.NATS_SERVER_BIN), ['-t', '-c', file], {
        env: config.env,
        encoding: 'utf8',
      });
      expect(status).toBe(1);
      expect(stderr).toContain('service import not authorized');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
