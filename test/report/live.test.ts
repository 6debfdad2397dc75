import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createAgent, defineTool } from '../../core';
import type { Agent, Bus, Conversation } from '../../core';
import { serveReport } from '../../core/report';
import type { LiveReport, Report } from '../../core/report';
import { createScriptedModel } from '../../core/testing';
import type { Script } from '../../core/testing';
import { gate } from '../cli/chats';
import { freshReport, withoutTime } from './fresh';
import { ask, eventsOf, stateOf, tellsOf, watch } from './watching';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const look = defineTool({ name: 'look', description: 'Looks.', input: {}, kind: 'read', run: () => 'Nothing new.' });

interface Live {
  readonly agent: Agent;
  readonly conversation: Conversation;
  readonly report: LiveReport;
  readonly warnings: readonly string[];
}

async function live(script: Script = ({ last }) => `You said ${last}.`, port?: number): Promise<Live> {
  const warnings: string[] = [];
  const agent = await createAgent({
    plugins: [],
    tools: look,
    system: 'You look.',
    model: createScriptedModel({ script }),
    log: { level: 'warn', write: ({ message }) => void warnings.push(message) },
  });
  open.push(() => agent.close());
  const conversation = await agent.open();
  const report = await serveReport({ kernel: agent.kernel, session: conversation.session, port });
  open.push(() => report.close());
  return { agent, conversation, report, warnings };
}

function portOf({ url }: LiveReport): number {
  return Number(new URL(url).port);
}

describe('the address of a live report', () => {
  test('gives the page, and is good for nobody else', async () => {
    const { report } = await live();
    expect(report.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{32}$/);
    const page = await ask(report.url);
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain('data-events="events?token=');
    expect(page.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(page.headers).not.toHaveProperty('access-control-allow-origin');
  });

  test('is another one for every report', async () => {
    const [one, other] = [await live(), await live()];
    const foreign = new URL(one.report.url);
    foreign.port = new URL(other.report.url).port;
    expect((await ask(foreign.href)).status).toBe(403);
  });

  test('without token, with a foreign Host, Origin or site, or another method there is nothing', async () => {
    const { report } = await live();
    for (const url of [report.url, eventsOf(report.url)]) {
      expect((await ask(url.replace(/token=.*/, 'token=x'))).status).toBe(403);
      expect((await ask(url.replace(/\?.*/, ''))).status).toBe(403);
      expect((await ask(url, { headers: { host: `evil.example:${String(portOf(report))}` } })).status).toBe(403);
      expect((await ask(url, { headers: { origin: 'http://evil.example' } })).status).toBe(403);
      expect((await ask(url, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403);
      const post = await ask(url, { method: 'POST' });
      expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD']);
    }
    const missing = await ask(report.url.replace('/?', '/constructor?'));
    expect([missing.status, missing.headers['content-type']]).toEqual([404, 'text/plain; charset=utf-8']);
  });

  test('HEAD gets the headers alone', async () => {
    const { report } = await live();
    const page = await ask(report.url, { method: 'HEAD' });
    expect([page.status, page.text]).toEqual([200, '']);
    expect(Number(page.headers['content-length'])).toBeGreaterThan(1000);
    const events = await ask(eventsOf(report.url), { method: 'HEAD' });
    expect([events.status, events.headers['content-type'], events.text]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      '',
    ]);
  });

  test('large headers are refused', async () => {
    const { report } = await live();
    expect((await ask(report.url, { headers: { 'x-large': 'x'.repeat(10_000) } })).status).toBe(431);
  });

  test('a port can be asked for; one that is taken is one clear error', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    open.push(() => new Promise((resolve) => taken.close(resolve)));
    const { port } = taken.address() as AddressInfo;
    await expect(live(undefined, port)).rejects.toMatchObject({
      code: 'PITH_REPORT_PORT',
      message: `The live report cannot be served on 127.0.0.1:${String(port)}: the port is taken. Give another port, or none for a free one.`,
    });
  });
});

describe('who watches a live report', () => {
  test('sees the session as it is, and then what it grows by', async () => {
    const { agent, conversation, report } = await live(({ last }, n) =>
      n % 2 === 0 ? { text: ['I look.'], calls: [{ name: 'look' }] } : `Nothing new about ${last}.`,
    );
    await conversation.send('before').outcome;
    const viewer = await watch(report.url);
    const first = await viewer.until(({ event }) => event === 'report');
    expect(withoutTime(first.data as Report)).toEqual(freshReport(agent.kernel, conversation.session));
    for (const prompt of ['one', 'two', 'three']) await conversation.send(prompt).outcome;
    await viewer.until(tellsOf(8));
    expect(viewer.seen.filter(({ event }) => event === 'report')).toHaveLength(1);
    expect(withoutTime(stateOf(viewer.seen))).toEqual(freshReport(agent.kernel, conversation.session));
  });

  test('is told what the agent is at, at its beginning too', async () => {
    const answer = gate();
    const { conversation, report } = await live(async () => {
      await answer.opened;
      return 'Done.';
    });
    const first = await watch(report.url);
    expect(await first.until(({ event }) => event === 'activity')).toMatchObject({ data: { text: '' } });
    const run = conversation.send('look');
    await first.until(({ data }) => 'text' in data && data.text === 'waiting for the model');
    const second = await watch(report.url);
    await second.until(({ data }) => 'text' in data && data.text === 'waiting for the model');
    first.leave();
    second.leave();
    await Promise.all([first.ended, second.ended]);
    const third = await watch(report.url);
    await third.until(({ data }) => 'text' in data && data.text === 'working');
    third.forget();
    answer.open();
    await run.outcome;
    await third.until(({ data }) => 'text' in data && data.text === '');
  });

  test('does not see other sessions of the agent', async () => {
    const { agent, conversation, report } = await live();
    const viewer = await watch(report.url);
    await viewer.until(({ event }) => event === 'report');
    const other = await agent.open();
    await other.send('a secret of another session').outcome;
    await other.close();
    await conversation.send('mine').outcome;
    await viewer.until(tellsOf(1));
    expect(JSON.stringify(viewer.seen)).not.toContain('a secret of another session');
  });

  test('sees a compaction undone', async () => {
    const { agent, conversation, report } = await live();
    await conversation.send('one').outcome;
    const { session } = conversation;
    const blocks = [{ kind: 'summary', text: 'One was said.' }];
    session.record({ t: 'checkpoint', compaction: 'c', blocks, cut: 2, edits: [], before: 100, after: 20 });
    const viewer = await watch(report.url);
    await viewer.until(({ event }) => event === 'report');
    conversation.undoCompaction();
    await viewer.until(({ event, data }) => event === 'report' && data !== viewer.seen[0]?.data);
    expect(withoutTime(stateOf(viewer.seen))).toEqual(freshReport(agent.kernel, session));
  });

  test('may come second, and leave without harm to the first', async () => {
    const { agent, conversation, report } = await live();
    const first = await watch(report.url);
    await conversation.send('one').outcome;
    const second = await watch(report.url);
    await second.until(({ event }) => event === 'report');
    await conversation.send('two').outcome;
    await second.until(tellsOf(2));
    second.leave();
    await conversation.send('three').outcome;
    await first.until(tellsOf(3));
    expect(withoutTime(stateOf(first.seen))).toEqual(freshReport(agent.kernel, conversation.session));
  });

  test('gets all that it missed when it comes back', async () => {
    const { agent, conversation, report } = await live();
    const gone = await watch(report.url);
    await gone.until(({ event }) => event === 'report');
    gone.leave();
    await conversation.send('meanwhile').outcome;
    const back = await watch(report.url);
    const whole = await back.until(({ event }) => event === 'report');
    expect(withoutTime(whole.data as Report)).toEqual(freshReport(agent.kernel, conversation.session));
  });

  test('is refused where sixteen watch already, until one of them leaves', async () => {
    const { report } = await live();
    const viewers = await Promise.all(Array.from({ length: 16 }, () => watch(report.url)));
    const late = await ask(eventsOf(report.url));
    expect([late.status, late.text]).toEqual([503, 'too many watch already\n']);
    viewers[0]?.leave();
    let again = await watch(report.url);
    while (again.status === 503) again = await watch(report.url);
    expect(again.status).toBe(200);
    for (const viewer of [...viewers, again]) viewer.leave();
  });

  test('and takes nothing in is cut off, and all others go on', async () => {
    const { agent, conversation, report, warnings } = await live();
    const { session } = conversation;
    const parts = [{ type: 'text', text: 'word '.repeat(24) }] as const;
    session.append(Array.from({ length: 10_000 }, () => ({ kind: 'message', role: 'user', parts })));
    const [slow, other] = [await watch(report.url), await watch(report.url)];
    await slow.until(({ event }) => event === 'report');
    const goOn = slow.pause();
    const next = async (): Promise<void> => {
      other.forget();
      session.record({ t: 'settings', model: 'another one' });
      agent.kernel.bus.publish('turn.ended', { session: session.id, role: 'main', turn: 1, outcome: 'finished' });
      await other.until(({ event }) => event === 'report');
    };
    // More than the system and the bound together hold.
    while (other.size < 16e6) await next();
    goOn();
    await slow.ended;
    expect(slow.size).toBeLessThan(other.size);
    await next();
    expect(other.isOpen).toBe(true);
    const back = await watch(report.url);
    const whole = await back.until(({ event }) => event === 'report');
    expect(withoutTime(whole.data as Report)).toEqual(freshReport(agent.kernel, session));
    expect(warnings).toEqual([]);
  });
});

describe('a live report that nobody watches', () => {
  test('listens to nothing, before the first viewer and after the last', async () => {
    const { agent, conversation } = await live();
    const { kernel } = agent;
    let listening = 0;
    const bus: Bus = {
      ...kernel.bus,
      onAny(observer) {
        const stop = kernel.bus.onAny(observer);
        listening++;
        return () => {
          listening--;
          stop();
        };
      },
    };
    const { session } = conversation;
    const report = await serveReport({ kernel: { bus, get: kernel.get, log: kernel.log }, session });
    open.push(() => report.close());
    expect(listening).toBe(0);
    const viewers = [await watch(report.url), await watch(report.url)];
    for (const viewer of viewers) await viewer.until(({ event }) => event === 'report');
    expect(listening).toBe(1);
    for (const viewer of viewers) viewer.leave();
    while (listening > 0) await new Promise((resolve) => setImmediate(resolve));
    const back = await watch(report.url);
    await back.until(({ event }) => event === 'report');
    expect(listening).toBe(1);
  });
});

describe('the end of a live report', () => {
  test('comes with the end of the session, after all that happened before', async () => {
    const { agent, conversation, report } = await live();
    const viewer = await watch(report.url);
    await viewer.until(({ event }) => event === 'report');
    await conversation.send('last').outcome;
    const expected = freshReport(agent.kernel, conversation.session);
    await conversation.close();
    await viewer.ended;
    expect(viewer.seen.at(-1)).toEqual({ event: 'closed', data: {} });
    expect(withoutTime(stateOf(viewer.seen))).toEqual(expected);
    await expect(ask(report.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('may be asked for more than once, and does not wait for those who take nothing in', async () => {
    const { report } = await live();
    const viewer = await watch(report.url);
    viewer.pause();
    await Promise.all([report.close(), report.close()]);
    await report.close();
    await expect(ask(report.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
