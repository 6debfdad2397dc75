import type { Page } from 'playwright-core';
import { describeInBrowser, openDetails, openPage, PHONE } from './browser';
import { ATTACKS, LONG_WORD } from './hostile-session';
import { reportOf } from './reports';
import type { ReportName } from './reports';

const HOSTILE: readonly ReportName[] = ['a hostile session', 'a hostile session that is compacted'];

describeInBrowser('attacks in the text of a session', () => {
  describe.each(HOSTILE)('that is %s', (name) => {
    test('runs nothing of it, whatever is opened, pointed at, sorted, filtered or clicked', async () => {
      const { page, faults, requests } = await openPage((await reportOf(name)).url);
      await openDetails(page);
      for (const one of await page.getByRole('button').all()) if (await one.isVisible()) await one.click();
      for (const slider of await page.getByRole('slider').all()) {
        await slider.hover();
        await slider.focus();
        await page.keyboard.press('Home');
        for (let press = 0; press < 12; press++) await page.keyboard.press('ArrowRight');
      }
      await page.getByLabel('Filter').fill(ATTACKS[1]);
      for (const cell of await page.locator('#files tbody th').all()) await cell.hover();
      expect({ faults, requests }).toEqual({ faults: [], requests: [] });
      expect(await page.evaluate('({}).polluted')).toBeUndefined();
    });

    test('has no element, link or listener that came from it', async () => {
      const { page } = await openPage((await reportOf(name)).url);
      await openDetails(page);
      expect(await strangersOf(page)).toEqual([]);
      expect(await page.locator('script').count()).toBe(2);
      expect(await page.locator('style').count()).toBe(1);
    });

    test('shows what it says as it is', async () => {
      const { page } = await openPage((await reportOf(name)).url);
      await openDetails(page);
      const items = (await page.locator('#map tbody').allTextContents()).join();
      // The beginning of a text is what a table has room for.
      for (const attack of ATTACKS) expect(items).toContain(`prompt ${attack}`.slice(0, 40));
      const turns = (await page.locator('#turns tbody').allTextContents()).join();
      for (const attack of ATTACKS) expect(turns).toContain(`prompt ${attack}`.slice(0, 40));
      const tools = await page.locator('#map tbody td:nth-child(3)').allTextContents();
      for (const attack of ATTACKS) expect(tools).toContain(attack);
      expect(await page.title()).toContain("<img src=x onerror=ran('title')>");
    });

    test('lets nothing steer the text around it', async () => {
      const { page } = await openPage((await reportOf(name)).url);
      await openDetails(page);
      const text =
        (await page.locator('#report').allTextContents()).join() + (await page.locator('#report').ariaSnapshot());
      expect(text).not.toMatch(/[\u0000\u001b\u0007\u202a-\u202e\u2066-\u2069\u2028\u2029]/);
      expect(text.isWellFormed()).toBe(true);
    });

    test.each([
      ['a desk', {}],
      ['a phone', PHONE],
    ])('is no wider for its long words than %s', async (_place, options) => {
      const { page } = await openPage((await reportOf(name)).url, options);
      await openDetails(page);
      expect(await page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth)).toBe(0);
      expect((await page.locator('#report').allTextContents()).join().length).toBeLessThan(LONG_WORD.length * 3);
    });
  });
});

/** Elements that no report has, and attributes that run, ask for something or lead away. */
function strangersOf(page: Page): Promise<readonly string[]> {
  return page.locator('body *').evaluateAll((all) =>
    all
      .filter((one) => {
        if (/^(img|iframe|object|embed|svg|link|meta|base|form|video|audio|b:.*)$/.test(one.localName)) return true;
        const attributes: readonly { readonly name: string; readonly value: string }[] = [...one.attributes];
        return attributes.some(({ name, value }) => {
          if (name === 'href') return !/^#[a-z]+$/.test(value);
          if (name === 'style') return value.includes('(') && !value.startsWith('transform');
          return name.startsWith('on') || ['src', 'srcdoc', 'action', 'formaction', 'autofocus'].includes(name);
        });
      })
      .map((one) => one.outerHTML.slice(0, 200)),
  );
}
