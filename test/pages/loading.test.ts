import { describeInBrowser, openPage } from './browser';
import { LARGE } from './large-session';
import { REPORTS, reportOf } from './reports';

describeInBrowser('a report that is opened from its file, without a network', () => {
  test.each(REPORTS)('of %s is drawn without an error, and asks for nothing', async (name) => {
    const { url, report } = await reportOf(name);
    const { page, faults, requests } = await openPage(url);
    expect(await page.evaluate<number>('performance.getEntriesByName("pith.drawn").length')).toBe(1);
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(report.title.replace(/\n/g, ' '));
    expect({ faults, requests }).toEqual({ faults: [], requests: [] });
  });

  test('the large session is a large one', async () => {
    const { report } = await reportOf('a large session');
    const tokens = report.map.reduce((sum, item) => sum + item.tokens, 0);
    expect(tokens).toBeGreaterThanOrEqual(LARGE.tokens);
    expect(report.map.length).toBeGreaterThanOrEqual(LARGE.items);
    expect(report.events.filter(({ kind }) => kind === 'prune').length).toBeGreaterThan(3);
    expect(report.events.filter(({ kind }) => kind === 'compaction')).toHaveLength(4);
  });
});
