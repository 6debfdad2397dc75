import type { Locator, Page } from 'playwright-core';
import { comesTo, describeInBrowser, openPage } from './browser';
import { reportOf } from './reports';

describeInBrowser('with the keyboard alone', () => {
  test('Tab comes to everything that can be done, in the order of the page, and shows where it is', async () => {
    const { page } = await openPage((await reportOf('a session that is compacted')).url);
    const controls = await page
      .locator('a[href], button, input:not([type=radio]), input[type=radio]:checked, summary, [tabindex="0"]')
      .evaluateAll((all) => all.filter((one) => one.checkVisibility()).map((one, at) => void (one.dataset.order = at)));
    expect(controls.length).toBeGreaterThan(60);
    const reached: string[] = [];
    const unseen: string[] = [];
    for (let press = 0; press < controls.length; press++) {
      await page.keyboard.press('Tab');
      const { order, name, ring } = await focused(page);
      reached.push(order);
      if (!ring) unseen.push(name);
    }
    expect(reached).toEqual(controls.map((_, at) => String(at)));
    expect(unseen).toEqual([]);
  });

  test('arrows, page keys, Home and End read the chart of requests point by point', async () => {
    const { url, report } = await reportOf('a session');
    const { page } = await openPage(url);
    const chart = page.getByRole('slider', { name: 'Request of the chart' });
    await chart.focus();
    await page.keyboard.press('Home');
    expect(await spoken(chart)).toContain(`Request 1 of 36: ${report.occupancy[0]?.tokens.toLocaleString('en-US')}`);
    await page.keyboard.press('ArrowRight');
    expect(await spoken(chart)).toContain(`Request 2 of 36: ${report.occupancy[1]?.tokens.toLocaleString('en-US')}`);
    expect(await page.locator('#occupancy .read-out').innerText()).toBe(await spoken(chart));
    await page.keyboard.press('PageUp');
    expect(await spoken(chart)).toContain('Request 12 of 36');
    await page.keyboard.press('ArrowLeft');
    expect(await spoken(chart)).toContain('Request 11 of 36');
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowRight');
    expect(await spoken(chart)).toContain('Request 36 of 36');
  });

  test('plus shows fewer requests, and Escape all of them again', async () => {
    const { page } = await openPage((await reportOf('a large session')).url);
    const chart = page.getByRole('slider', { name: 'Request of the chart' });
    const all = page.getByRole('button', { name: 'Show all requests' });
    await chart.focus();
    await page.keyboard.press('+');
    expect(await all.isVisible()).toBe(true);
    await page.keyboard.press('Home');
    expect(await spoken(chart)).toContain('Request 1 of');
    await page.keyboard.press('Escape');
    expect(await all.isVisible()).toBe(false);
  });

  test('arrows read the map item by item, and figures of tables lead to their item', async () => {
    const { url, report } = await reportOf('a session');
    const { page } = await openPage(url);
    const map = page.getByRole('slider', { name: 'Item of the map' });
    await map.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    expect(await spoken(map)).toMatch(/^Item 1\b/);
    expect(await spoken(map)).toContain(`${report.map[1]?.tokens.toLocaleString('en-US')} tokens`);
    const { fromItem } = report.turns[2] ?? { fromItem: -1 };
    await page
      .locator('#turns')
      .getByRole('button', { name: `Show item ${fromItem} on the map` })
      .focus();
    await page.keyboard.press('Enter');
    expect(await spoken(map)).toMatch(new RegExp(`^Item ${fromItem}\\b`));
    expect(await map.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true);
  });

  test('files are sorted by their heads, and filtered by what is typed until Escape', async () => {
    const { url, report } = await reportOf('a session');
    const { page } = await openPage(url);
    const paths = page.locator('#files tbody th');
    expect(await paths.allTextContents()).toEqual(report.files.map(({ path }) => path));
    await page.locator('#files').getByRole('button', { name: 'Path' }).focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('#files th', { hasText: 'Path' }).getAttribute('aria-sort')).toBe('ascending');
    const sorted = report.files.map(({ path }) => path).sort();
    expect((await paths.allTextContents()).map((path) => path.toLowerCase()).sort()).toEqual(
      sorted.map((path) => path.toLowerCase()).sort(),
    );
    const [first] = await paths.allTextContents();
    await page.keyboard.press('Space');
    expect(await page.locator('#files th', { hasText: 'Path' }).getAttribute('aria-sort')).toBe('descending');
    expect((await paths.allTextContents()).at(-1)).toBe(first);
    await page.getByLabel('Filter').focus();
    await page.keyboard.type('readme');
    expect(await paths.allTextContents()).toEqual(['README.md']);
    await page.keyboard.press('Escape');
    expect(await paths.count()).toBe(report.files.length);
  });

  test('colours are chosen with the arrows', async () => {
    const { page } = await openPage((await reportOf('a session')).url, { colorScheme: 'light' });
    const ground = (): Promise<string> =>
      page.locator('body').evaluate((body) => body.ownerDocument.defaultView.getComputedStyle(body).backgroundColor);
    const light = await ground();
    await page.getByRole('radio', { name: 'system' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await ground()).toBe(light);
    await page.keyboard.press('ArrowRight');
    expect(await page.getByRole('radio', { name: 'dark' }).isChecked()).toBe(true);
    expect(await ground()).not.toBe(light);
  });

  test('what is folded opens and closes with Enter', async () => {
    const { page } = await openPage((await reportOf('a session that is compacted')).url);
    const summary = page.locator('summary', { hasText: 'All requests as a table' });
    await summary.focus();
    await page.keyboard.press('Enter');
    const isShown = (): Promise<boolean> => page.getByRole('table', { name: 'Requests' }).isVisible();
    expect(await comesTo(page, true, isShown)).toBe(true);
    await page.keyboard.press('Enter');
    expect(await comesTo(page, false, isShown)).toBe(false);
  });
});

async function spoken(slider: Locator): Promise<string> {
  return (await slider.getAttribute('aria-valuetext')) ?? '';
}

interface Focused {
  readonly order: string;
  readonly name: string;
  /** Whether something that was not there before is drawn around it. */
  readonly ring: boolean;
}

/** What has the focus. A ring may be around the label of a control that is not seen itself. */
function focused(page: Page): Promise<Focused> {
  return page.evaluate<Focused>(`(() => {
    const one = document.activeElement;
    const places = [one, ...(one.labels ?? []), ...(one.labels?.[0]?.children ?? [])];
    const ring = places.some((place) => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(place);
      return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none';
    });
    return { order: one.dataset.order ?? one.outerHTML.slice(0, 120), name: one.outerHTML.slice(0, 120), ring };
  })()`);
}
