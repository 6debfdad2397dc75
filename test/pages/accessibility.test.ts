import { accessibilityFaults, describeInBrowser, openDetails, openPage, PHONE } from './browser';
import { reportOf } from './reports';
import type { ReportName } from './reports';

const SHOWN: readonly ReportName[] = [
  'a session that is compacted',
  'a large session',
  'a hostile session',
  'an empty session',
];

describeInBrowser('axe finds no serious fault', () => {
  describe.each(SHOWN)('in the report of %s', (name) => {
    test.each([
      ['in light colours', { colorScheme: 'light' }],
      ['in dark colours', { colorScheme: 'dark' }],
      ['on a phone', PHONE],
    ] as const)('%s', async (_look, options) => {
      const { page } = await openPage((await reportOf(name)).url, options);
      expect(await accessibilityFaults(page)).toEqual([]);
    });
  });

  test.each(['light', 'dark'] as const)('with all open that can be opened, in %s colours', async (colorScheme) => {
    const { page } = await openPage((await reportOf('a session that is compacted')).url, { colorScheme });
    expect(await openDetails(page)).toBeGreaterThan(4);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test.each(['light', 'dark'] as const)('where %s is chosen on the page against the system', async (choice) => {
    const { page } = await openPage((await reportOf('a session')).url, {
      colorScheme: choice === 'light' ? 'dark' : 'light',
    });
    await page.getByRole('radio', { name: choice }).check();
    expect(await accessibilityFaults(page)).toEqual([]);
  });
});
