/** Nobody has another side publish, by its answer, what it may not publish itself (S11). */
import { headers, type MsgHdrs } from 'nats';
import { errorOf, JOB, recordingDesk, workerOf } from '../../plugins/compaction/remote-kit';
import { describeWithNats } from '../../support/nats-server';
import { USED } from '../../support/worker';
import { userPassword } from './documented-configs';
import { documentedServer } from './documented-server';
import { joined, offer, serving } from './parties';
import { plainPeer } from './plain-peers';

const { job, agent, worker, otherWorker, ...config } = userPassword();
/** Where another worker hears what is published. */
const ELSEWHERE = 'pith.v1.ctl.worker-2.cancel';

function head(fields: Readonly<Record<string, string>>): MsgHdrs {
  const all = headers();
  for (const [name, value] of Object.entries(fields)) all.set(name, value);
  return all;
}

describeWithNats('the rights of another side', () => {
  it.each([ELSEWHERE, 'pith.v1.job.default.default', '$SRV.PING', 'anything'])(
    'are not those of an agent that wants to be answered at %s',
    async (reply) => {
      const server = await documentedServer(config);
      await using ours = await joined(server, worker);
      await using other = await plainPeer(server.url, otherWorker);
      await using hostile = await plainPeer(server.url, agent);
      let begun = 0;
      await serving(
        ours,
        job,
        workerOf(() => Promise.resolve({ ...USED, begun: begun++ })),
      );
      const heard: string[] = [];
      other.nc.subscribe('pith.v1.ctl.worker-2.>', { callback: (_, { subject }) => void heard.push(subject) });
      await other.nc.flush();
      const named = head({ 'Pith-Job': 'j1', 'Pith-Attempt': '1' });
      hostile.nc.publish(job, JSON.stringify(JOB), { reply, headers: named });
      hostile.nc.publish(job, 'no job', { reply });
      hostile.nc.publish('pith.v1.ctl.worker-1.probe', '{}', { reply });
      // What came before this would have been answered before it.
      await hostile.nc.request('pith.v1.ctl.worker-1.probe', '{}', { timeout: 5000 });
      await other.nc.flush();
      expect([begun, heard, ours.denied]).toEqual([0, [], []]);
    },
  );

  it('are not those of a worker that wants to be answered where it may not publish', async () => {
    const server = await documentedServer(config);
    await using ours = await joined(server, agent);
    await using other = await plainPeer(server.url, otherWorker);
    await using hostile = await plainPeer(server.url, worker);
    const heard: string[] = [];
    other.nc.subscribe('pith.v1.ctl.worker-2.>', { callback: (_, { subject }) => void heard.push(subject) });
    hostile.nc.subscribe(job, {
      queue: 'pith-compact',
      callback(_, { reply = '' }) {
        const send = (type: string, body: object, to?: string): void =>
          hostile.nc.publish(reply, JSON.stringify(body), {
            headers: head({ 'Pith-Type': type, 'Pith-Seq': '1' }),
            ...(to !== undefined && { reply: to }),
          });
        send('accepted', { worker: 'worker-1', heartbeatMs: 100 });
        send('heartbeat', {}, ELSEWHERE);
        send('ask', { tool: 'read_file', args: {} }, ELSEWHERE);
        send('error', { message: 'over' }, ELSEWHERE);
      },
    });
    await Promise.all([other.nc.flush(), hostile.nc.flush()]);
    await errorOf(offer(ours, job, { desk: recordingDesk({ summary: 'a secret' }) }));
    await ours.link.flush();
    await other.nc.flush();
    expect([heard, ours.denied]).toEqual([[], []]);
  });
});
