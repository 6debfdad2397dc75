import fc from 'fast-check';
import {
  chartLines,
  chartTop,
  eventInWords,
  occupancyInWords,
  occupancySeries,
  requestInWords,
} from '../../../core/report/page/occupancy-series';
import type { RequestOccupancy } from '../../../core/report/report';
import { emptyReport } from './empty-report';

const SOURCES = ['measured', 'interpolated', 'extrapolated', 'offset', 'counted'] as const;

const occupancy = fc
  .array(fc.record({ tokens: fc.nat(400_000), source: fc.constantFrom(...SOURCES) }), { minLength: 1 })
  .map((points) => points.map((point, at): RequestOccupancy => ({ request: at + 1, item: at * 3, ...point })));

describe('the series of the chart', () => {
  it('hold every request, the measured ones apart from the estimates', () => {
    fc.assert(
      fc.property(occupancy, (points) => {
        const { requests, all, measured, estimated } = occupancySeries(points);
        expect(requests).toEqual(points.map(({ request }) => request));
        expect(all).toEqual(points.map(({ tokens }) => tokens));
        points.forEach(({ tokens, source }, at) => {
          expect(measured[at]).toBe(source === 'measured' ? tokens : null);
          if (source !== 'measured') expect(estimated[at]).toBe(tokens);
        });
      }),
    );
  });

  it('lead a line to an estimate from its measured neighbours, and to nothing else', () => {
    const sources = ['measured', 'measured', 'counted', 'measured', 'measured'] as const;
    const points = sources.map((source, at) => ({ request: at + 1, item: 0, tokens: at, source }));
    expect(occupancySeries(points).estimated).toEqual([null, 1, 2, 3, null]);
  });
});

describe('the height of the chart', () => {
  const lines = chartLines({ limit: 1_000_000, thresholds: [{ name: 'prune', tokens: 60_000 }] });

  it('reaches above every point and above the lines that are near', () => {
    expect(lines.map(({ name }) => name)).toEqual(['limit of the model', 'prune']);
    expect(chartTop([50_000], lines)).toBeCloseTo(64_800);
    expect(chartTop([600_000], lines)).toBeCloseTo(1_080_000);
    expect(chartTop([], [])).toBeGreaterThan(0);
  });

  it('is never so much that the points are flat', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(400_000), { minLength: 1 }), (points) => {
        const peak = Math.max(1, ...points);
        expect(chartTop(points, lines)).toBeGreaterThan(peak);
        expect(chartTop(points, lines)).toBeLessThanOrEqual(peak * 2.71);
      }),
    );
  });
});

describe('the chart in words', () => {
  const report = {
    ...emptyReport,
    limit: 200_000,
    occupancy: [
      { request: 1, item: 1, tokens: 12_000, source: 'measured' as const },
      { request: 2, item: 8, tokens: 90_000, source: 'measured' as const },
      { request: 3, item: 12, tokens: 30_000, source: 'extrapolated' as const },
    ],
    events: [{ kind: 'compaction' as const, request: 3, item: 12, before: 90_000, after: 28_000, compaction: 1 }],
  };

  it('tells the course, the most, and what happened', () => {
    expect(occupancyInWords(report)).toBe(
      'Tokens of the context over 3 requests: 12,000 at the first, 30,000 at the last, the most 90,000 (45% of the limit) at request 2; 2 measured, 1 estimated; 0 prunes, 1 compaction.',
    );
    expect(occupancyInWords(emptyReport)).toBe('No request was recorded.');
  });

  it('tells a request with what came before it', () => {
    expect(requestInWords(report, 2)).toBe(
      'Request 3 of 3: 30,000 tokens, 15% of the limit, estimated (extrapolated), after 12 items. Compaction 1 before request 3: 90,000 → 28,000 tokens.',
    );
    expect(requestInWords(report, 0)).toBe('Request 1 of 3: 12,000 tokens, 6% of the limit, measured, after 1 item.');
    expect(requestInWords(report, 3)).toBe('');
  });

  it('tells how a compaction ended that changed nothing', () => {
    expect(eventInWords({ kind: 'compaction', request: 4, item: 9, before: 10, outcome: 'timeout' })).toBe(
      'Compaction before request 4: 10 → unknown tokens, ended as timeout',
    );
    expect(eventInWords({ kind: 'prune', request: 4, item: 9 })).toBe('Prune before request 4');
  });
});
