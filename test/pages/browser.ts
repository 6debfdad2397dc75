/**
 * A real browser for tests of pages. Each page is opened in a context of its own that knows nothing of the others, and whatever
 * it should not do is kept as a fault.
 */
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { describeWhere } from '../support/needed-program';

/** A page, and what it did that no report does. */
export interface OpenedPage {
  readonly page: Page;
  /** What went wrong, in order: errors, warnings, breaches of its policy, dialogs, other windows, text that was run. */
  readonly faults: readonly string[];
  /** Everything that it asked for beside itself, whether or not it was let. */
  readonly requests: readonly string[];
}

/** A telephone that is held upright, in CSS pixels. */
export const PHONE: BrowserContextOptions = {
  viewport: { width: 360, height: 740 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
};

/** No name of another machine is found, and the browser asks nothing for itself. */
const ARGUMENTS = [
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];

let browser: Browser | undefined;
const contexts: BrowserContext[] = [];

/** A suite that has a browser where there is one ({@link describeWhere}). */
export function describeInBrowser(name: string, suite: () => void): void {
  describeWhere('CHROMIUM_BIN', '.config/chromium.mjs', name, () => {
    beforeAll(async () => {
      browser = await launchBrowser();
    });
    afterEach(async () => {
      for (const context of contexts.splice(0)) await context.close();
    });
    afterAll(() => browser?.close());
    suite();
  });
}

/** Starts the browser that the set-up of the tests has found. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env.CHROMIUM_BIN ?? '', args: ARGUMENTS });
}

/** Opens an address in a window of its own. The network is cut for a page that comes from a file. */
export async function openPage(url: string, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  if (browser === undefined) throw new Error('There is no browser; open pages in a suite of describeInBrowser.');
  const context = await browser.newContext({ offline: url.startsWith('file:'), reducedMotion: 'reduce', ...options });
  contexts.push(context);
  const faults: string[] = [];
  const requests: string[] = [];
  await context.exposeFunction('ran', (what: unknown) => void faults.push(`ran ${String(what)}`));
  const page = await context.newPage();
  context.on('page', (other) => faults.push(`opened ${other.url()}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`threw ${error.message}`));
  page.on('dialog', (dialog) => {
    faults.push(`asked ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (request.url() !== url) requests.push(request.url());
  });
  await page.goto(url);
  return { page, faults, requests };
}

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly impact?: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

/** Serious and critical faults of accessibility, each with the first places where it is. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(`${axe};0`);
  const violations = await page.evaluate<readonly Violation[]>('axe.run().then((found) => found.violations)');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => [id, ...nodes.slice(0, 3).map(({ html }) => html.slice(0, 200))].join(' '));
}

/** Opens all that is folded away, and what that holds in turn; resolves to how much it was. */
export async function openDetails(page: Page): Promise<number> {
  const closed = page.locator('details:not([open])');
  let opened = 0;
  for (let now = await closed.count(); now > 0; now = await closed.count()) {
    opened += now;
    await closed.evaluateAll((all) => all.forEach((one) => one.setAttribute('open', '')));
    await nextFrame(page);
  }
  return opened;
}

/** Milliseconds after which what was waited for is not going to come. */
const PATIENCE_MS = 15_000;

/** What is read once it is as wanted, looked at in every frame; else what it was last. */
export async function comesTo<T>(page: Page, wanted: T, read: () => Promise<T>): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  let value = await read();
  while (value !== wanted && performance.now() < end) {
    await nextFrame(page);
    value = await read();
  }
  return value;
}

function nextFrame(page: Page): Promise<unknown> {
  return page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))');
}
