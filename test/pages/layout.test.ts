import type { Page } from 'playwright-core';
import { comesTo, describeInBrowser, openDetails, openPage, PHONE } from './browser';
import { reportOf } from './reports';
import type { ReportName } from './reports';

const SHOWN: readonly ReportName[] = ['a session that is compacted', 'a large session', 'an empty session'];

describeInBrowser('a report fits', () => {
  describe.each(SHOWN)('when it is of %s', (name) => {
    test.each([320, 360, 390])('a phone of %d pixels, where only tables are moved sideways', async (width) => {
      const { page } = await openPage((await reportOf(name)).url, { ...PHONE, viewport: { width, height: 740 } });
      await openDetails(page);
      expect(await overflowOf(page)).toBe(0);
    });

    test('a desk whose text is twice as large', async () => {
      const { page } = await openPage((await reportOf(name)).url, { viewport: { width: 640, height: 450 } });
      await openDetails(page);
      expect(await overflowOf(page)).toBe(0);
      await page.locator('html').evaluate((root) => void (root.style.fontSize = '200%'));
      expect(await overflowOf(page)).toBe(0);
    });
  });

  test('a window that is made smaller and larger again, with its charts', async () => {
    const { page } = await openPage((await reportOf('a session')).url, { viewport: { width: 1280, height: 900 } });
    const width = (): Promise<number> =>
      page.locator('#occupancy canvas').evaluate((canvas) => Math.round(canvas.getBoundingClientRect().width));
    const wide = await width();
    await page.setViewportSize({ width: 400, height: 900 });
    expect(await comesTo(page, true, async () => (await width()) < 400)).toBe(true);
    expect(await overflowOf(page)).toBe(0);
    await page.setViewportSize({ width: 1280, height: 900 });
    expect(await comesTo(page, wide, width)).toBe(wide);
  });

  test('paper: all of it is there, dark on light, without what only a screen can do', async () => {
    const { page } = await openPage((await reportOf('a session that is compacted')).url, { colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print' });
    const pdf = await page.pdf({ format: 'A4' });
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    expect(await page.getByRole('radio').first().isVisible()).toBe(false);
    expect(brightnessOf(await colourOf(page, 'backgroundColor'))).toBeGreaterThan(200);
    expect(brightnessOf(await colourOf(page, 'color'))).toBeLessThan(80);
    const cut = await page
      .locator('.scroll')
      .evaluateAll((all) => all.filter((one) => one.scrollHeight > one.clientHeight + 1).length);
    expect(cut).toBe(0);
  });

  test('colours that the system forces: charts, bars and marks stay to be seen', async () => {
    const { page, faults } = await openPage((await reportOf('a session that is compacted')).url, {
      forcedColors: 'active',
    });
    expect(faults).toEqual([]);
    const ground = await colourOf(page, 'backgroundColor');
    const bars = await page
      .locator('.filled')
      .evaluateAll((all) => all.map((one) => one.ownerDocument.defaultView.getComputedStyle(one).backgroundColor));
    expect(bars.length).toBeGreaterThan(5);
    expect(bars).not.toContain(ground);
  });

  test('who wants no motion: nothing moves of itself', async () => {
    const { page } = await openPage((await reportOf('a session')).url, { reducedMotion: 'reduce' });
    expect(await page.evaluate('document.getAnimations().length')).toBe(0);
  });
});

/** Pixels by which the page is wider than its window. */
function overflowOf(page: Page): Promise<number> {
  return page.locator('html').evaluate((root) => Math.max(0, root.scrollWidth - root.clientWidth));
}

function colourOf(page: Page, property: 'color' | 'backgroundColor'): Promise<string> {
  return page.evaluate<string>(`getComputedStyle(document.body).${property}`);
}

/** From 0, black, to 255; of a colour without any cover it is that of paper. */
function brightnessOf(colour: string): number {
  const [red = 0, green = 0, blue = 0, cover = 1] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  return cover === 0 ? 255 : (red + green + blue) / 3;
}
