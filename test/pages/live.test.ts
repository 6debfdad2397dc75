import { createServer, request as ask } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Page } from 'playwright-core';
import type { Conversation } from '../../core';
import { defineTool } from '../../core';
import { serveReport } from '../../core/report';
import type { LiveReport } from '../../core/report';
import { createScriptedModel, createTestAgent } from '../../core/testing';
import type { Script, TestAgent } from '../../core/testing';
import { STOCK } from '../support/kernel';
import { comesTo, describeInBrowser, openPage } from './browser';

interface Live {
  readonly host: TestAgent;
  readonly conversation: Conversation;
  readonly report: LiveReport;
}

const ended: (() => Promise<unknown>)[] = [];

const read = defineTool({
  name: 'read_file',
  description: 'Reads a file.',
  input: { type: 'object' },
  kind: 'read',
  run: () => ({ summary: 'read', content: 'const height = tide(3);\n'.repeat(200) }),
});

/** An agent that reads a file three times in each turn, and says what it found. */
const steps: Script = (_request, n) =>
  n % 4 === 3
    ? `Found ${n}.`
    : { text: `Step ${n}.`, calls: [{ name: 'read_file', arguments: { path: `src/${n}.ts` } }] };

async function start(script: Script = steps): Promise<Live> {
  const host = await createTestAgent({
    plugins: STOCK,
    config: { compaction: { retainedTokens: 2_000, worker: 'offline' } },
    model: createScriptedModel({ script }),
    tools: read,
  });
  ended.push(() => host.agent.close());
  const conversation = await host.agent.open('live');
  const report = await serveReport({ kernel: host.agent.kernel, session: conversation.session });
  return { host, conversation, report };
}

/** What the head of the page says of the session. */
const factOf = (page: Page, name: string) => (): Promise<string> =>
  page
    .locator('header dl div', { hasText: new RegExp(`^${name}`) })
    .locator('dd')
    .innerText();

const stateOf = (page: Page) => (): Promise<string> => page.locator('.live .state').innerText();

describeInBrowser('the page of a session that runs', () => {
  afterEach(async () => {
    for (const end of ended.splice(0).reverse()) await end();
  });

  test('grows with it: requests, turns, files, and a compaction', async () => {
    const { conversation, report } = await start();
    const { page, faults, requests } = await openPage(report.url);
    expect(await comesTo(page, 'Live', stateOf(page))).toBe('Live');
    await page.evaluate(`globalThis.said = [];
      const status = document.querySelector('.live [role=status]');
      new MutationObserver(() => said.push(status.textContent)).observe(status, { childList: true })`);
    expect(await page.locator('#occupancy .empty').first().isVisible()).toBe(true);
    for (const prompt of ['first', 'second', 'third']) await conversation.send(prompt).outcome;
    expect(await comesTo(page, '12', factOf(page, 'Requests'))).toBe('12');
    expect(await page.locator('#turns tbody tr').count()).toBe(3);
    expect(await page.locator('#files tbody tr').count()).toBe(9);
    expect(await page.getByRole('img', { name: 'over 12 requests' }).count()).toBe(1);
    expect((await conversation.compact()).outcome).toBe('done');
    expect(await comesTo(page, 1, () => page.locator('#occupancy .short tbody tr').count())).toBe(1);
    expect(await page.locator('#summary .empty').isVisible()).toBe(false);
    const said = (await page.evaluate<readonly string[]>('said')).join('\n');
    expect(said).toMatch(/Compaction 1 before request 13: /);
    await conversation.close();
    expect(await comesTo(page, 'The session was closed', stateOf(page))).toBe('The session was closed');
    expect(faults).toEqual([]);
    expect(requests.map((url) => new URL(url).pathname)).toEqual(['/events']);
  });

  test('says what the agent is at', async () => {
    let answer = (): void => undefined;
    const waits = new Promise<void>((resolve) => (answer = resolve));
    const { conversation, report } = await start(async () => {
      await waits;
      return 'Done.';
    });
    const { page } = await openPage(report.url);
    const run = conversation.send('look');
    const activity = (): Promise<string> => page.locator('.live .activity').innerText();
    expect(await comesTo(page, 'waiting for the model', activity)).toBe('waiting for the model');
    answer();
    await run.outcome;
    expect(await comesTo(page, '', activity)).toBe('');
  });

  test('keeps what is open, where it is read and what has the focus', async () => {
    const { conversation, report } = await start();
    await conversation.send('first').outcome;
    const { page } = await openPage(report.url, { viewport: { width: 1280, height: 500 } });
    await page.locator('summary', { hasText: 'All items as a table' }).click();
    await page.locator('#files').getByRole('button', { name: 'Path' }).click();
    const filter = page.getByLabel('Filter');
    await filter.fill('src');
    await filter.scrollIntoViewIfNeeded();
    const top = await page.evaluate<number>('scrollY');
    await conversation.send('second').outcome;
    expect(await comesTo(page, '8', factOf(page, 'Requests'))).toBe('8');
    expect(await page.locator('#map details').getAttribute('open')).not.toBeNull();
    expect(await page.locator('#map tbody tr').count()).toBe(conversation.session.itemCount);
    expect(await page.locator('#files tbody th').allTextContents()).toEqual([
      'src/0.ts',
      'src/1.ts',
      'src/2.ts',
      'src/4.ts',
      'src/5.ts',
      'src/6.ts',
    ]);
    expect(await filter.evaluate((one) => one === one.ownerDocument.activeElement && one.value)).toBe('src');
    expect(top).toBeGreaterThan(0);
    expect(Math.abs((await page.evaluate<number>('scrollY')) - top)).toBeLessThan(400);
  });

  test('is seen by a second viewer as well, and one that leaves harms neither the other nor the run', async () => {
    const { host, conversation, report } = await start();
    const [first, second] = [await openPage(report.url), await openPage(report.url)];
    await conversation.send('first').outcome;
    for (const { page } of [first, second]) expect(await comesTo(page, '4', factOf(page, 'Requests'))).toBe('4');
    const run = conversation.send('second');
    await first.page.close();
    expect((await run.outcome).outcome).toBe('finished');
    expect(await comesTo(second.page, '8', factOf(second.page, 'Requests'))).toBe('8');
    await second.page.close();
    expect((await conversation.send('third').outcome).outcome).toBe('finished');
    const late = await openPage(report.url);
    expect(await comesTo(late.page, '12', factOf(late.page, 'Requests'))).toBe('12');
    expect(host.log.filter(({ message }) => message.includes('live report'))).toEqual([]);
  });

  test('comes back by itself where its connection is cut, with all that it missed', async () => {
    const { conversation, report } = await start();
    await using cable = await startCable();
    const { page } = await openPage(report.url, { proxy: { server: cable.url } });
    expect(await comesTo(page, 'Live', stateOf(page))).toBe('Live');
    cable.cut();
    expect(await comesTo(page, 'Connection lost; trying again …', stateOf(page))).toMatch(/^Connection lost/);
    await conversation.send('meanwhile').outcome;
    cable.mend();
    expect(await comesTo(page, '4', factOf(page, 'Requests'))).toBe('4');
    expect(await comesTo(page, 'Live', stateOf(page))).toBe('Live');
  });

  test('is refused to who has no token, and to the pages of others', async () => {
    const { conversation, report } = await start(() => 'The secret of the harbour.');
    await conversation.send('tell me').outcome;
    const { page: stranger } = await openPage(report.url.replace(/\?.*/, ''));
    expect(await stranger.locator('body').innerText()).not.toContain('harbour');
    const other = await serve(`<!doctype html><iframe src="${report.url}"></iframe>`);
    const { page } = await openPage(other);
    const events = report.url.replace('/?', '/events?');
    const tried = await page.evaluate<readonly string[]>(`Promise.all([
      fetch(${JSON.stringify(report.url)}).then((answer) => answer.text(), () => 'refused'),
      fetch(${JSON.stringify(report.url)}, { mode: 'no-cors' }).then((answer) => answer.text(), () => 'refused'),
      new Promise((resolve) => {
        const source = new EventSource(${JSON.stringify(events)});
        source.addEventListener('report', () => resolve('told'));
        source.addEventListener('error', () => resolve('refused'));
      }),
    ])`);
    expect(tried).toEqual(['refused', 'refused', 'refused']);
    const framed = page.frames().find((frame) => frame !== page.mainFrame());
    expect((await framed?.content()) ?? '').not.toContain('harbour');
  });
});

/** A page of somebody else on this machine. */
async function serve(html: string): Promise<string> {
  const server = createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end(html));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ended.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

interface Cable extends AsyncDisposable {
  readonly url: string;
  /** Breaks what is open, and lets nothing through until it is mended. */
  cut(): void;
  mend(): void;
}

/** A proxy between a browser and a server. */
async function startCable(): Promise<Cable> {
  let isCut = false;
  const sockets = new Set<Socket>();
  const proxy = createServer((asked, response) => {
    const { method, headers, url = '' } = asked;
    const onward = ask(url, { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response).on('close', () => onward.destroy());
    });
    onward.on('error', () => response.destroy()).end();
  });
  proxy.on('connection', (socket: Socket) => {
    if (isCut) return void socket.destroy();
    sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => undefined));
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    mend: () => void (isCut = false),
    [Symbol.asyncDispose]: () => new Promise((resolve) => void proxy.close(() => resolve()).closeAllConnections()),
  };
}
