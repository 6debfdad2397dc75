import type { Page } from 'playwright-core';
import { describeInBrowser, openDetails, openPage } from './browser';
import { reportOf } from './reports';
import type { ReportName } from './reports';

const SHOWN: readonly ReportName[] = ['a session', 'a session that is compacted', 'a large session'];

describeInBrowser('what is drawn', () => {
  describe.each(SHOWN)('of %s', (name) => {
    test('is said by the tables behind the charts, figure for figure', async () => {
      const { url, report } = await reportOf(name);
      const { page } = await openPage(url);
      await openDetails(page);
      const requests = await rowsOf(page, 'Requests');
      expect(requests.map(([request, item, tokens]) => [request, item, tokens].map(numberOf))).toEqual(
        report.occupancy.map(({ request, item, tokens }) => [request, item, tokens]),
      );
      expect(requests.map((row) => row[4]?.startsWith('measured'))).toEqual(
        report.occupancy.map(({ source }) => source === 'measured'),
      );
      const items = await rowsOf(page, 'Items');
      expect(items.map((row) => numberOf(row[3]))).toEqual(report.map.map(({ tokens }) => tokens));
      expect(items.map((row) => row[2])).toEqual(report.map.map(({ tool = '' }) => tool));
      const events = await rowsOf(page, 'Prunes and compactions');
      expect(events.map((row) => numberOf(row[3]))).toEqual(report.events.map(({ before }) => before));
    });

    test('composition, turns, files and the sides of the compaction have their figures', async () => {
      const { url, report } = await reportOf(name);
      const { page } = await openPage(url);
      const kinds = await rowsOf(page, 'Tokens by kind');
      expect(kinds.map((row) => numberOf(row[2]))).toEqual(Object.values(report.tokens.byKind));
      const tools = await rowsOf(page, 'Tokens of calls and results by tool');
      expect(tools.map((row) => [row[0], numberOf(row[2])])).toEqual(Object.entries(report.tokens.byTool).slice(0, 10));
      const turns = await rowsOf(page, 'Turns');
      expect(turns.map((row) => row.slice(0, 4).map(numberOf))).toEqual(
        report.turns.map(({ turn, fromItem, requests, tokens }) => [turn, fromItem, requests, tokens]),
      );
      const files = await rowsOf(page, 'Files that the session touched');
      expect(files.map((row) => row.slice(1, 4).map(numberOf))).toEqual(
        report.files.map(({ reads, writes, lastItem }) => [reads, writes, lastItem]),
      );
      for (const [title, side] of [
        ['Before: parts of the context', report.compaction?.before],
        ['After: parts of the context', report.compaction?.after],
      ] as const) {
        const parts = side === undefined ? [] : await rowsOf(page, title);
        expect(parts.map((row) => numberOf(row[2]))).toEqual((side?.parts ?? []).map(({ tokens }) => tokens));
      }
    });

    test('has its main facts in the names of the charts, and is there in colour', async () => {
      const { url, report } = await reportOf(name);
      const { page } = await openPage(url);
      const occupancy = page.getByRole('img', { name: `over ${figure(report.occupancy.length)} requests` });
      const map = page.getByRole('img', { name: `${figure(report.map.length)} items in` });
      const peak = Math.max(...report.occupancy.map(({ tokens }) => tokens));
      expect(await occupancy.getAttribute('aria-label')).toContain(figure(peak));
      for (const chart of [occupancy, map]) {
        const colours = await chart.evaluate((canvas) => {
          const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          const seen = new Set<number>();
          for (let at = 0; at < data.length; at += 4) seen.add((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]);
          return seen.size;
        });
        expect(colours).toBeGreaterThan(4);
      }
    });
  });

  test('of an empty session is said to be nothing, in words', async () => {
    const { page } = await openPage((await reportOf('an empty session')).url);
    for (const section of ['occupancy', 'kinds', 'map', 'compaction', 'summary', 'files', 'turns'])
      expect(await page.locator(`#${section} .empty`).first().innerText()).toMatch(/\w+ .*\.$/);
    expect(await page.getByRole('img').count()).toBe(0);
  });
});

/** The cells of a table by its caption. */
function rowsOf(page: Page, caption: string): Promise<readonly (readonly string[])[]> {
  return page
    .locator('table', { has: page.locator('caption', { hasText: new RegExp(`^${caption}$`) }) })
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
}

function numberOf(text: string | undefined): number | undefined {
  const digits = text?.replaceAll(',', '') ?? '';
  return /^\d+$/.test(digits) ? Number(digits) : undefined;
}

function figure(value: number): string {
  return value.toLocaleString('en-US');
}
