/** What it looks like on all sides when a right is missing, as `docs/operations.md` tells it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findServices } from '../../../core/bus/nats/discovery';
import { ROOT } from '../../cli/command';
import { askingWorker, errorOf, workerOf } from '../../plugins/compaction/remote-kit';
import { describeWithNats, type NatsServer } from '../../support/nats-server';
import { userPassword } from './documented-configs';
import { documentedServer, logLines } from './documented-server';
import { joined, joining, offer, serving } from './parties';

const config = userPassword();
const DENIED = /(?:Publish Violation|Subscription Violation|authentication error) - .*/;
/** Milliseconds after which a line that must come has not come. */
const PATIENCE_MS = 5000;
const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');

/** Takes something out of the configuration, and with it the lists that nobody has any more. */
function without(right: string, by = ''): Promise<NatsServer> {
  return documentedServer(config, (text) => {
    let edited = text.replaceAll(right, by);
    for (const name of ['AGENT_REPLIES', 'WORKER_REPLIES'])
      if (!edited.includes(`$${name}`)) edited = edited.replace(new RegExp(`^${name}:.*$`, 'm'), '');
    if (edited === text) throw new Error(`There is no ${right} in it.`);
    return edited;
  });
}

/**
 * What the server has logged of what it denied, each once, with RANDOM for what is random; as soon as there are so many. Its
 * log arrives a little after what it has sent.
 */
async function violations(server: NatsServer, count: number): Promise<readonly string[]> {
  for (const until = performance.now() + PATIENCE_MS; ;) {
    const lines = logLines(server).flatMap((line) => DENIED.exec(line)?.[0] ?? []);
    const shown = new Set(lines.map((line) => line.replace(/, SID \d+$/, '').replaceAll(/[\w-]{22,}/g, 'RANDOM')));
    if (shown.size >= count || performance.now() > until) return [...shown];
    await new Promise(setImmediate);
  }
}

interface Missing {
  readonly right: string;
  /** What stands there instead; an empty list would permit everything. */
  readonly by?: string;
  /** How the offer of the agent ends: done, or code, stage and sign of the error. */
  readonly end: string;
  readonly log: readonly string[];
}

const LOST = 'PITH_BUS_RESPONDER_LOST accepted unknown';
const MISSING: Readonly<Record<string, Missing>> = {
  'an agent without its inbox cannot ask': {
    right: '"_INBOX.agent-1.>"',
    by: '"_INBOX.another.>"',
    end: 'PITH_BUS_DENIED',
    log: ['Subscription Violation - User "agent-1", Subject "_INBOX.agent-1.RANDOM.*"'],
  },
  'an agent that may not answer has its worker give up': {
    right: ', allow_responses: $AGENT_REPLIES',
    end: LOST,
    log: ['Publish Violation - User "agent-1", Subject "_INBOX.worker-1.RANDOM.RANDOM"'],
  },
  'a worker without the queue is not there': {
    right: '"pith.v1.job.default.default pith-compact", ',
    end: 'PITH_BUS_NO_RESPONDER',
    log: ['Subscription Violation - User "worker-1", Subject "pith.v1.job.default.default", Queue: "pith-compact"'],
  },
  'a worker without its inbox cannot ask, and gives up': {
    right: ', "_INBOX.worker-1.>"',
    end: LOST,
    log: ['Subscription Violation - User "worker-1", Subject "_INBOX.worker-1.RANDOM.*"'],
  },
  'a worker that may not reply takes offers, and nobody hears of it': {
    right: ' allow_responses: $WORKER_REPLIES,',
    end: 'PITH_BUS_RESPONDER_LOST offered silent',
    log: ['Publish Violation - User "worker-1", Subject "_INBOX.agent-1.RANDOM.RANDOM"'],
  },
  'a worker without its control subjects works, and cannot be stopped before its next heartbeat': {
    right: '"pith.v1.ctl.worker-1.>", ',
    end: 'done',
    log: ['cancel', 'probe'].map(
      (verb) => `Subscription Violation - User "worker-1", Subject "pith.v1.ctl.worker-1.${verb}"`,
    ),
  },
};

describeWithNats('where a right is missing', () => {
  it.each(Object.keys(MISSING))('%s', async (what) => {
    const { right, by, end, log } = MISSING[what] as Missing;
    const server = await without(right, by);
    await using agent = await joined(server, config.agent);
    await using worker = await joined(server, config.worker);
    await serving(worker, config.job, askingWorker('read_file', {}));
    const done = offer(agent, config.job);
    if (end === 'done') await done;
    else {
      const { code, details } = await errorOf(done);
      expect([code, details?.['stage'], details?.['sign']].filter(Boolean).join(' ')).toBe(end);
    }
    await worker.link.flush();
    expect([...agent.denied, ...worker.denied].length > 0).toBe(true);
    expect(await violations(server, log.length)).toEqual(log);
    for (const line of log) expect(page).toContain(line);
  });

  it('a worker that may not serve says so', async () => {
    const server = await without('"pith.v1.job.default.default pith-compact", ');
    await using worker = await joined(server, config.worker);
    await serving(worker, config.job, askingWorker('read_file', {}));
    expect(worker.faults).toMatchObject([{ code: 'PITH_BUS_DENIED', details: { subject: config.job } }]);
  });

  it('an agent without the control subjects of workers is heard by its silence', async () => {
    const server = await without(', "pith.v1.ctl.*.cancel", "pith.v1.ctl.*.probe"');
    await using agent = await joined(server, config.agent);
    await using worker = await joined(server, config.worker);
    const control = new AbortController();
    let stopped: () => void = () => undefined;
    const isStopped = new Promise<void>((resolve) => (stopped = resolve));
    const untilStopped = workerOf(async (_job, desk, { signal }) => {
      await desk.call('read_file', {}, signal);
      control.abort();
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          stopped();
          reject(signal.reason as Error);
        }),
      );
    });
    await serving(worker, config.job, untilStopped);
    expect((await errorOf(offer(agent, config.job, { signal: control.signal }))).code).toBe('PITH_BUS_CANCELLED');
    await isStopped;
    const log = ['Publish Violation - User "agent-1", Subject "pith.v1.ctl.worker-1.cancel"'];
    expect(await violations(server, 1)).toEqual(log);
    expect(page).toContain(log[0]);
  });

  it('a worker that cannot be found works', async () => {
    const discovery = ['"$SRV.PING", "$SRV.INFO", "$SRV.STATS"', '"$SRV.*.pith-compact", "$SRV.*.pith-compact.*" ]'];
    const server = await without(`,\n        ${discovery.join(', ')}`, ' ]');
    await using agent = await joined(server, config.agent);
    await using worker = await joined(server, config.worker);
    await serving(worker, config.job, askingWorker('read_file', {}));
    worker.link.subscribe('$SRV.PING', () => undefined);
    await offer(agent, config.job);
    const log = ['Subscription Violation - User "worker-1", Subject "$SRV.PING"'];
    expect(await violations(server, 1)).toEqual(log);
    expect(page).toContain(log[0]);
  });

  it('a job of another pool is denied', async () => {
    const server = await documentedServer(config);
    await using agent = await joined(server, config.agent);
    expect((await errorOf(offer(agent, config.otherJob))).code).toBe('PITH_BUS_DENIED');
    const log = ['Publish Violation - User "agent-1", Subject "pith.v1.job.default.other"'];
    expect(await violations(server, log.length)).toEqual(log);
    expect(page).toContain(log[0]);
  });

  it('who may not look at the pool is told', async () => {
    const server = await documentedServer(config);
    await using agent = await joined(server, config.agent);
    expect((await errorOf(findServices(agent.link, 'pith-compact'))).code).toBe('PITH_BUS_DENIED');
    const [line = ''] = await violations(server, 1);
    expect(line).toBe('Publish Violation - User "agent-1", Subject "$SRV.STATS.pith-compact"');
    expect(page).toContain(line);
  });

  it('who is refused is told, and tries again', async () => {
    const server = await documentedServer(config);
    const stranger = { ...config.agent, link: { name: 'agent-1', user: 'agent-1', password: 'wrong' } };
    await using agent = await joining(server, stranger);
    const event = await agent.until('error');
    expect(event).toMatchObject({
      error: { code: 'PITH_BUS_CONNECTION', details: { reason: 'AUTHORIZATION_VIOLATION' } },
    });
    const { code, details } = await errorOf(offer(agent, config.job));
    expect([code, details?.['connected']]).toEqual(['PITH_BUS_NO_RESPONDER', false]);
    const line = 'authentication error - User "agent-1"';
    expect(await violations(server, 1)).toContain(line);
    expect(page).toContain(line);
  });
});
